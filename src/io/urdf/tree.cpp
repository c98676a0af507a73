// Links and joints are one tree: names are unique and known, every link but the root has one parent, and nothing hangs
// on itself. Then its order.
#include <algorithm>
#include <unordered_map>

#include "base/near_names.h"
#include "io/urdf/spec.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using IndexOfName = std::unordered_map<std::string, int>;

template <class Named>
IndexOfName index_by_name(const std::vector<Named>& all, const char* element) {
  IndexOfName index;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [known, added] = index.emplace(all[i].name, static_cast<int>(i));
    if (!added)
      fail(at_place(all[i].place, element), "the name '", all[i].name, "' is that of the ", element, " on line ",
           all[static_cast<std::size_t>(known->second)].place.line);
  }
  return index;
}

template <class Named>
int index_of(const IndexOfName& index, const std::vector<Named>& all, const std::string& name, const std::string& where,
             const char* element) {
  const auto found = index.find(name);
  if (found != index.end()) return found->second;
  constexpr std::size_t kMostCompared = 10'000, kLongestCompared = 100;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(all.size(), kMostCompared); ++i)
    if (std::max(all[i].name.size(), name.size()) <= kLongestCompared) names.push_back(all[i].name);
  fail(where, "there is no ", element, " '", name, "'", names.empty() ? "" : "; near are: ", near_names(names, name));
}

void connect_links(UrdfSpec& spec) {
  const IndexOfName links = index_by_name(spec.links, "link");
  spec.joint_of.assign(spec.links.size(), -1);
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    UrdfJoint& joint = spec.joints[j];
    const std::string where = at_place(joint.place, "joint") + "'" + joint.name + "': ";
    joint.parent = index_of(links, spec.links, joint.parent_name, where, "link");
    joint.child = index_of(links, spec.links, joint.child_name, where, "link");
    if (joint.parent == joint.child) fail(where, "link '", joint.child_name, "' is its own parent");
    int& owner = spec.joint_of[static_cast<std::size_t>(joint.child)];
    if (owner >= 0) {
      const UrdfJoint& first = spec.joints[static_cast<std::size_t>(owner)];
      fail(where, "link '", joint.child_name, "' has a parent already, by joint '", first.name, "' on line ",
           first.place.line);
    }
    owner = static_cast<int>(j);
  }
}

int find_root(const UrdfSpec& spec) {
  int root = -1;
  for (std::size_t i = 0; i < spec.links.size(); ++i) {
    if (spec.joint_of[i] >= 0) continue;
    if (root >= 0) {
      const UrdfLink &first = spec.links[static_cast<std::size_t>(root)], &second = spec.links[i];
      fail(at_place(second.place, "link"), "link '", second.name, "' has no parent, and neither has '", first.name,
           "' on line ", first.place.line, "; a robot has one root");
    }
    root = static_cast<int>(i);
  }
  if (root >= 0) return root;
  const UrdfLink& any = spec.links.front();
  const UrdfJoint& joint = spec.joints[static_cast<std::size_t>(spec.joint_of[0])];
  fail(at_place(any.place, "link"), "all links have parents, so joints go round in a circle; one of them is '",
       joint.name, "' on line ", joint.place.line);
}

// Depth first, children in the order of their joints in the file.
void find_order(UrdfSpec& spec, const XmlBudget& budget) {
  const std::size_t count = spec.links.size();
  std::vector<std::vector<int>> children(count);
  for (const UrdfJoint& joint : spec.joints) children[static_cast<std::size_t>(joint.parent)].push_back(joint.child);
  std::vector<int> depth(count, 0), stack{find_root(spec)};
  while (!stack.empty()) {
    const int link = stack.back();
    const auto l = static_cast<std::size_t>(link);
    stack.pop_back();
    spec.order.push_back(link);
    if (depth[l] > budget.limits.depth)
      fail(at_place(spec.links[l].place, "link"), "more than ", budget.limits.depth,
           " links hang on each other (limits.depth)");
    for (auto child = children[l].rbegin(); child != children[l].rend(); ++child) {
      depth[static_cast<std::size_t>(*child)] = depth[l] + 1;
      stack.push_back(*child);
    }
  }
  if (spec.order.size() == count) return;
  std::vector<char> seen(count);
  for (const int link : spec.order) seen[static_cast<std::size_t>(link)] = 1;
  for (std::size_t i = 0; i < count; ++i)
    if (!seen[i]) {
      const UrdfJoint& joint = spec.joints[static_cast<std::size_t>(spec.joint_of[i])];
      fail(at_place(joint.place, "joint"), "'", joint.name, "': link '", spec.links[i].name, "' on line ",
           spec.links[i].place.line, " does not hang on the root: joints go round in a circle");
    }
}

bool has_one_coordinate(const UrdfJoint& joint) {
  return joint.type == UrdfJointType::kRevolute || joint.type == UrdfJointType::kContinuous ||
         joint.type == UrdfJointType::kPrismatic;
}

void check_one_coordinate(const UrdfJoint& joint, const std::string& where) {
  if (!has_one_coordinate(joint))
    fail(where, "joint '", joint.name, "' on line ", joint.place.line, " has no single coordinate: it is neither ",
         "revolute nor continuous nor prismatic");
}

// Who follows whom comes to an end.
void check_leaders(const UrdfSpec& spec) {
  std::vector<char> done(spec.joints.size());
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    std::vector<std::size_t> path;
    for (std::size_t at = j; !done[at]; at = static_cast<std::size_t>(spec.joints[at].mimic->leader)) {
      done[at] = 2;  // on the way
      path.push_back(at);
      if (!spec.joints[at].mimic) break;
      const auto next = static_cast<std::size_t>(spec.joints[at].mimic->leader);
      if (done[next] == 2)
        fail(at_place(spec.joints[at].mimic->place, "mimic"), "joint '", spec.joints[at].name,
             "' follows itself, by joint '", spec.joints[next].name, "' on line ", spec.joints[next].place.line);
    }
    for (const std::size_t at : path) done[at] = 1;
  }
}

}  // namespace

void connect_urdf(UrdfReading& in) {
  UrdfSpec& spec = in.spec;
  connect_links(spec);
  find_order(spec, in.budget);
  const IndexOfName joints = index_by_name(spec.joints, "joint");
  for (UrdfJoint& joint : spec.joints) {
    if (!joint.mimic) continue;
    const std::string where = at_place(joint.mimic->place, "mimic");
    joint.mimic->leader = index_of(joints, spec.joints, joint.mimic->joint, where, "joint");
    check_one_coordinate(joint, where);
    check_one_coordinate(spec.joints[static_cast<std::size_t>(joint.mimic->leader)], where);
  }
  check_leaders(spec);
  for (const UrdfTransmission& transmission : spec.transmissions) {
    const std::string where = at_place(transmission.place, "transmission");
    const int joint = index_of(joints, spec.joints, transmission.joint, where, "joint");
    check_one_coordinate(spec.joints[static_cast<std::size_t>(joint)], where);
  }
}

}  // namespace carom::inline CAROM_PRECISION
