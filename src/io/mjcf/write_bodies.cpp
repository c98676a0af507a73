// The tree of bodies, and what they weigh.
#include <algorithm>
#include <cmath>

#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool moves_by_joint(const Model& m, int joint) {
  return joint >= 0 && static_cast<JointType>(m.joint_type[joint]) != JointType::kFixed;
}

// Links that only stand between the joints of another body: MuJoCo's bodies have several joints instead.
std::vector<char> find_folded(const MjcfWriting& w) {
  const Model& m = w.m;
  const auto count = static_cast<std::size_t>(m.body_count);
  std::vector<int> child_joints(count), carries(count);
  std::vector<char> moved_on(count, 1);
  for (const int joint : w.joints) {
    const int parent = m.joint_parent[joint];
    if (parent < 0) continue;
    ++child_joints[static_cast<std::size_t>(parent)];
    if (!moves_by_joint(m, joint)) moved_on[static_cast<std::size_t>(parent)] = 0;
  }
  for (const int shape : w.shapes)
    if (m.shape_body[shape] >= 0) ++carries[static_cast<std::size_t>(m.shape_body[shape])];
  std::vector<char> folded(count);
  for (const int body : w.bodies) {
    const auto b = static_cast<std::size_t>(body);
    const int joint = m.body_joint[body];
    const bool free = joint >= 0 && static_cast<JointType>(m.joint_type[joint]) == JointType::kFree;
    folded[b] = m.body_mass[body] == 0 && moves_by_joint(m, joint) && !free && child_joints[b] == 1 && moved_on[b] &&
                carries[b] == 0 && trace(m.body_inertia[body]) == 0;
  }
  return folded;
}

// In its own frame where the model has one, or by all six numbers.
void write_inertial(const MjcfWriting& w, int body, XmlElement& into) {
  const Model& m = w.m;
  const double mass = double(m.body_mass[body]);
  Mat33d inertia;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) inertia[i][k] = double(m.body_inertia[body][i][k]);
  if (mass == 0 && trace(inertia) == 0) return;
  XmlElement& element = into.add("inertial");
  const RealN<4> axes = m.body_fluid_axes[body];
  const Quatd q{double(axes[0]), double(axes[1]), double(axes[2]), double(axes[3])};
  const Mat33d R = mat33_from_quat(q), D = transpose(R) * inertia * R;
  const double beside = std::max({std::abs(D[0][1]), std::abs(D[0][2]), std::abs(D[1][2])});
  const double rounding = 16 * double(std::numeric_limits<Real>::epsilon()) * trace(inertia);
  const bool own_frame = dot(q, q) > 0.5 && beside <= rounding;
  element.set("mass", mass);
  if (own_frame) {
    element.set("pos", to_double(m.body_com[body]));
    element.set("quat", std::array<double, 4>{q.w, q.x, q.y, q.z});
    element.set("diaginertia", Vec3d{D[0][0], D[1][1], D[2][2]});
  } else {
    element.set("pos", to_double(m.body_com[body]));
    element.set("fullinertia", std::array<double, 6>{inertia[0][0], inertia[1][1], inertia[2][2], inertia[0][1],
                                                     inertia[0][2], inertia[1][2]});
  }
}

void check_body(const MjcfWriting& w, int body) {
  const Model& m = w.m;
  const bool moves =
      std::any_of(w.chain[static_cast<std::size_t>(body)].begin(), w.chain[static_cast<std::size_t>(body)].end(),
                  [&](int joint) { return moves_by_joint(m, joint); });
  const bool kinematic = (m.body_flags[body] & kBodyKinematic) != 0;
  const std::string who = "to_mjcf: " + called(w, Entity::kBody, body);
  const std::vector<int>& chain = w.chain[static_cast<std::size_t>(body)];
  const bool free = chain.size() == 1 && static_cast<JointType>(m.joint_type[chain[0]]) == JointType::kFree;
  if (kinematic && !free && moves) fail(who, " is kinematic, and moved by other joints than a free one");
  const auto mass_of = [&](int b) { return m.body_mass[b]; };
  if (moves && !kinematic && mass_of(body) == 0 && w.children[w.place(body)].empty())
    fail(who, " moves and has no mass: MuJoCo wants some");
}

void write_body(MjcfWriting& w, int body, const std::vector<std::vector<int>>& shapes_of, XmlElement& into);

void write_contents(MjcfWriting& w, int body, const std::vector<std::vector<int>>& shapes_of, XmlElement& into) {
  for (const int shape : shapes_of[w.place(body)]) write_shape(w, shape, into);
  for (XmlElement& wrap : w.wraps[w.place(body)]) into.children.push_back(std::move(wrap));
  for (const WrittenSite& site : w.sites[w.place(body)]) {
    XmlElement& element = into.add("site");
    element.set("name", site.name);
    set_pose(element, site.X);
  }
  for (XmlElement& camera : w.cameras[w.place(body)]) into.children.push_back(std::move(camera));
  for (const int child : w.children[w.place(body)]) write_body(w, child, shapes_of, into);
}

void write_body(MjcfWriting& w, int body, const std::vector<std::vector<int>>& shapes_of, XmlElement& into) {
  constexpr const char* kSleep[] = {"auto", "never", "allowed", "init"};
  check_body(w, body);
  const Model& m = w.m;
  XmlElement element{"body"};
  const std::string& name = w.body_name[static_cast<std::size_t>(body)];
  if (!name.empty()) element.set("name", name);
  set_pose(element, written_pose(w, body));
  const bool mocap = (m.body_flags[body] & kBodyKinematic) != 0 && !w.chain[static_cast<std::size_t>(body)].empty();
  if (mocap && moves_by_joint(m, m.body_joint[body])) element.set("mocap", "true");
  element.set_unless("gravcomp", m.body_gravcomp[body], Real(0));
  if (m.body_sleep[body] != 0) element.set("sleep", kSleep[m.body_sleep[body]]);
  write_inertial(w, body, element);
  write_joints(w, body, element);
  write_contents(w, body, shapes_of, element);
  into.children.push_back(std::move(element));
}

}  // namespace

void plan_bodies(MjcfWriting& w) {
  const Model& m = w.m;
  const auto count = static_cast<std::size_t>(m.body_count);
  w.folded = find_folded(w);
  w.parent.assign(count, -1);
  w.chain.resize(count);
  w.children.resize(count + 1);
  w.sites.resize(count + 1);
  w.wraps.resize(count + 1);
  w.cameras.resize(count + 1);
  for (const int body : w.bodies) {
    const auto b = static_cast<std::size_t>(body);
    if (w.folded[b]) continue;
    int joint = m.body_joint[body];
    while (joint >= 0) {
      w.chain[b].insert(w.chain[b].begin(), joint);
      w.parent[b] = m.joint_parent[joint];
      if (w.parent[b] < 0 || !w.folded[static_cast<std::size_t>(w.parent[b])]) break;
      joint = m.body_joint[w.parent[b]];
    }
    w.children[w.place(w.parent[b])].push_back(body);
  }
}

XmlElement written_bodies(MjcfWriting& w) {
  std::vector<std::vector<int>> shapes_of(static_cast<std::size_t>(w.m.body_count) + 1);
  for (const int shape : w.shapes) shapes_of[w.place(w.m.shape_body[shape])].push_back(shape);
  XmlElement world{"worldbody"};
  write_contents(w, -1, shapes_of, world);
  return world;
}

}  // namespace carom::inline CAROM_PRECISION
