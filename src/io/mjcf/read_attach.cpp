// <attach>: a body of another model, with all below it and all that refers to it alone, under names with a prefix.
#include <algorithm>
#include <filesystem>
#include <set>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct Renaming {
  std::string prefix, suffix;

  void apply(std::string& name) const {
    if (!name.empty()) name = prefix + name + suffix;
  }
};

// The names of a subtree, by kind.
struct NamesInside {
  std::set<std::string> bodies, joints, geoms, sites, tendons, cameras, lights, actuators;

  void add(const BodySpec& body) {
    bodies.insert(body.name);
    for (const JointSpec& joint : body.joints) joints.insert(joint.name);
    for (const GeomSpec& geom : body.geoms) geoms.insert(geom.name);
    for (const SiteSpec& site : body.sites) sites.insert(site.name);
    for (const CameraSpec& camera : body.cameras) cameras.insert(camera.name);
    for (const LightSpec& light : body.lights) lights.insert(light.name);
  }
  bool has(const MjcfObject& object) const {
    switch (object.type) {
      case mj::kObjectBody:
      case mj::kObjectFrame: return bodies.contains(object.name);
      case mj::kObjectJoint: return joints.contains(object.name);
      case mj::kObjectGeom: return geoms.contains(object.name);
      case mj::kObjectSite: return sites.contains(object.name);
      case mj::kObjectCamera: return cameras.contains(object.name);
      case mj::kObjectLight: return lights.contains(object.name);
      case mj::kObjectTendon: return tendons.contains(object.name);
      case mj::kObjectActuator: return actuators.contains(object.name);
      default: return false;
    }
  }
  bool has(const WrapSpec& wrap) const {
    if (wrap.type == mj::kWrapPulley) return true;
    if (wrap.type == mj::kWrapJoint) return joints.contains(wrap.object);
    if (wrap.type == mj::kWrapSite) return sites.contains(wrap.object);
    return geoms.contains(wrap.object) && (wrap.sidesite.empty() || sites.contains(wrap.sidesite));
  }
  bool has(const TendonSpec& tendon) const {
    return std::all_of(tendon.wraps.begin(), tendon.wraps.end(), [&](const WrapSpec& wrap) { return has(wrap); });
  }
  bool has(const EqualitySpec& equality) const {
    const std::set<std::string>& names = equality.type == mj::kEqualJoints    ? joints
                                         : equality.type == mj::kEqualTendons ? tendons
                                         : equality.sites                     ? sites
                                                                              : bodies;
    return names.contains(equality.object1) && (equality.object2.empty() || names.contains(equality.object2));
  }
  bool has(const ActuatorSpec& actuator) const {
    switch (actuator.transmission) {
      case mj::kTrnJoint:
      case mj::kTrnJointInParent: return joints.contains(actuator.target);
      case mj::kTrnTendon: return tendons.contains(actuator.target);
      case mj::kTrnBody: return bodies.contains(actuator.target);
      default: return sites.contains(actuator.target) && (actuator.other.empty() || sites.contains(actuator.other));
    }
  }
};

void rename_body(BodySpec& body, const Renaming& to) {
  to.apply(body.name);
  for (JointSpec& joint : body.joints) to.apply(joint.name);
  for (GeomSpec& geom : body.geoms) {
    to.apply(geom.name);
    to.apply(geom.mesh);
    to.apply(geom.hfield);
  }
  for (SiteSpec& site : body.sites) to.apply(site.name);
  for (CameraSpec& camera : body.cameras) to.apply(camera.name);
  for (LightSpec& light : body.lights) to.apply(light.name);
}

// Copies what refers to the subtree alone.
void attach_references(MjcfSpec& into, const MjcfSpec& from, NamesInside& inside, const Renaming& to) {
  for (TendonSpec tendon : from.tendons) {
    if (!inside.has(tendon)) continue;
    inside.tendons.insert(tendon.name);
    to.apply(tendon.name);
    for (WrapSpec& wrap : tendon.wraps) {
      to.apply(wrap.object);
      to.apply(wrap.sidesite);
    }
    into.tendons.push_back(std::move(tendon));
  }
  const auto copy = [&](auto& list, const auto& others, const auto& is_inside, const auto&... names) {
    for (auto entry : others) {
      if (!is_inside(entry)) continue;
      (to.apply(entry.*names), ...);
      list.push_back(std::move(entry));
    }
  };
  copy(
      into.pairs, from.pairs,
      [&](const PairSpec& pair) { return inside.geoms.contains(pair.geom1) && inside.geoms.contains(pair.geom2); },
      &PairSpec::name, &PairSpec::geom1, &PairSpec::geom2);
  copy(
      into.excludes, from.excludes,
      [&](const ExcludeSpec& exclude) {
        return inside.bodies.contains(exclude.body1) && inside.bodies.contains(exclude.body2);
      },
      &ExcludeSpec::name, &ExcludeSpec::body1, &ExcludeSpec::body2);
  copy(
      into.equalities, from.equalities, [&](const EqualitySpec& equality) { return inside.has(equality); },
      &EqualitySpec::name, &EqualitySpec::object1, &EqualitySpec::object2);
  const std::size_t own = into.actuators.size();
  copy(
      into.actuators, from.actuators, [&](const ActuatorSpec& actuator) { return inside.has(actuator); },
      &ActuatorSpec::name, &ActuatorSpec::target, &ActuatorSpec::other);
  for (std::size_t i = own; i < into.actuators.size(); ++i) into.actuators[i].attachment = into.attachments;
  for (const ActuatorSpec& actuator : from.actuators)
    if (inside.has(actuator)) inside.actuators.insert(actuator.name);
  attach_sensors(
      into, from, [&](const MjcfObject& object) { return inside.has(object); },
      [&](std::string& name) { to.apply(name); });
}

// What the compiler is told holds for a whole model, and so for what is attached.
bool compiles_alike(const CompilerSpec& a, const CompilerSpec& b) {
  return a.autolimits == b.autolimits && a.balance_inertia == b.balance_inertia && a.align_free == b.align_free &&
         a.bound_mass == b.bound_mass && a.bound_inertia == b.bound_inertia &&
         a.inertia_from_geom == b.inertia_from_geom && a.least_group == b.least_group && a.most_group == b.most_group;
}

}  // namespace

void read_model_asset(MjcfReading& in, const MjcfAttributes& given) {
  constexpr int kMostLevels = 20;
  if (in.level >= kMostLevels) given.fail_at("file", "models that attach models, more than ", kMostLevels, " levels");
  MjcfSource source;
  source.path = (std::filesystem::path(in.folder) / given.needed_text("file")).string();
  if (++in.budget.files > in.budget.limits.files) given.fail_at("file", "too many files (limits.files)");
  MjcfReading inner{in.budget, {}, {}, {}, "", in.level + 1};
  const XmlNode root = parse_with_includes(source, in.budget, inner.folder);
  read_mjcf_tree(inner, root);
  for (std::string& line : inner.messages.unsupported) in.messages.unsupported.push_back(std::move(line));
  const std::string name = given.text("name", inner.spec.model_name);
  if (!in.models.emplace(name, std::move(inner.spec)).second)
    given.fail_at("name", "there are two models '", name, "'");
}

void attach_body(MjcfReading& in, const MjcfAttributes& given, int parent, const MjcfPose& frame,
                 const std::string& suffix) {
  const std::string model = given.text("model"), name = given.text("body");
  if (model.empty() || name.empty()) {
    in.messages.add(MjcfUse::kUnsupported,
                    at_place(given.node->place, "attach") + "without a model and a body is not supported");
    return;
  }
  const auto found = in.models.find(model);
  if (found == in.models.end()) given.fail_at("model", "there is no model '", model, "'");
  const MjcfSpec& from = found->second;
  if (!compiles_alike(from.compiler, in.spec.compiler))
    in.messages.add(MjcfUse::kUnsupported, at_place(given.node->place, "attach", "model") +
                                               "has other compiler settings, which is not supported");
  if (!from.meshes.empty() || !from.heightfields.empty())
    in.messages.add(MjcfUse::kUnsupported,
                    at_place(given.node->place, "attach", "model") + "has meshes, which is not supported");
  std::size_t first = 1;
  while (first < from.bodies.size() && from.bodies[first].name != name) ++first;
  if (first == from.bodies.size()) given.fail_at("body", "model '", model, "' has no body '", name, "'");
  NamesInside inside;
  const Renaming to{given.text("prefix"), suffix};
  const int shift = static_cast<int>(in.spec.bodies.size()) - static_cast<int>(first);
  for (std::size_t i = first; i < from.bodies.size(); ++i) {
    BodySpec body = from.bodies[i];
    if (i > first && body.parent < static_cast<int>(first)) break;  // the subtree is over
    inside.add(body);
    in.budget.count_element(*given.node);
    rename_body(body, to);
    body.parent = i == first ? parent : body.parent + shift;
    if (i == first) body.pose = frame * body.pose;
    in.spec.bodies.push_back(std::move(body));
  }
  ++in.spec.attachments;
  attach_references(in.spec, from, inside, to);
  const int into = static_cast<int>(first) + shift;
  attach_keyframes(in, from,
                   {in.spec.attachments, to.prefix, first, in.spec.bodies.size() - static_cast<std::size_t>(into), into,
                    [&](const ActuatorSpec& actuator) { return inside.has(actuator); }},
                   given.node->place);
}

}  // namespace carom::inline CAROM_PRECISION
