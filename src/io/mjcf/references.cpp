// Which elements outside of a part of a model belong to it: those that name nothing but what is in it, or the world.
#include <algorithm>
#include <type_traits>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// -- The names in each kind of element: visit(kind, name)

template <class Visit>
void each_name(PairSpec& pair, const Visit& visit) {
  visit(MjcfKind::kGeom, pair.geom1);
  visit(MjcfKind::kGeom, pair.geom2);
}

template <class Visit>
void each_name(ExcludeSpec& exclude, const Visit& visit) {
  visit(MjcfKind::kBody, exclude.body1);
  visit(MjcfKind::kBody, exclude.body2);
}

template <class Visit>
void each_name(EqualitySpec& equality, const Visit& visit) {
  const MjcfKind kind = equality.type == mj::kEqualJoints    ? MjcfKind::kJoint
                        : equality.type == mj::kEqualTendons ? MjcfKind::kTendon
                        : equality.sites                     ? MjcfKind::kSite
                                                             : MjcfKind::kBody;
  visit(kind, equality.object1);
  visit(kind, equality.object2);
}

template <class Visit>
void each_name(TendonSpec& tendon, const Visit& visit) {
  for (WrapSpec& wrap : tendon.wraps) {
    if (wrap.type == mj::kWrapJoint) visit(MjcfKind::kJoint, wrap.object);
    else if (wrap.type == mj::kWrapSite) visit(MjcfKind::kSite, wrap.object);
    else if (wrap.type != mj::kWrapPulley) visit(MjcfKind::kGeom, wrap.object);
    visit(MjcfKind::kSite, wrap.sidesite);
  }
}

template <class Visit>
void each_name(ActuatorSpec& actuator, const Visit& visit) {
  const int by = actuator.transmission;
  const MjcfKind kind = by == mj::kTrnJoint || by == mj::kTrnJointInParent ? MjcfKind::kJoint
                        : by == mj::kTrnTendon                             ? MjcfKind::kTendon
                        : by == mj::kTrnBody                               ? MjcfKind::kBody
                                                                           : MjcfKind::kSite;
  visit(kind, actuator.target);
  visit(MjcfKind::kSite, actuator.other);
}

MjcfKind kind_of(int object_type) {
  switch (object_type) {
    case mj::kObjectBody:
    case mj::kObjectFrame: return MjcfKind::kBody;
    case mj::kObjectJoint: return MjcfKind::kJoint;
    case mj::kObjectGeom: return MjcfKind::kGeom;
    case mj::kObjectSite: return MjcfKind::kSite;
    case mj::kObjectTendon: return MjcfKind::kTendon;
    case mj::kObjectActuator: return MjcfKind::kActuator;
    case mj::kObjectCamera: return MjcfKind::kCamera;
    case mj::kObjectLight: return MjcfKind::kLight;
    default: return MjcfKind::kAsset;
  }
}

template <class Visit>
void each_name(SensorSpec& sensor, const Visit& visit) {
  visit(kind_of(sensor.object.type), sensor.object.name);
  visit(kind_of(sensor.reference.type), sensor.reference.name);
}

MjcfKind kind_of(const std::string& object_type) {
  struct Word {
    const char* word;
    MjcfKind kind;
  };
  constexpr Word kWords[] = {{"body", MjcfKind::kBody},         {"xbody", MjcfKind::kBody},
                             {"joint", MjcfKind::kJoint},       {"geom", MjcfKind::kGeom},
                             {"site", MjcfKind::kSite},         {"tendon", MjcfKind::kTendon},
                             {"actuator", MjcfKind::kActuator}, {"sensor", MjcfKind::kSensor},
                             {"camera", MjcfKind::kCamera},     {"light", MjcfKind::kLight}};
  for (const Word& word : kWords)
    if (object_type == word.word) return word.kind;
  return MjcfKind::kAsset;
}

template <class Visit>
void each_name(TupleSpec& tuple, const Visit& visit) {
  for (TupleSpec::Element& element : tuple.elements) visit(kind_of(element.type), element.name);
}

// How many of the names of an element are inside and outside; the world is neither.
struct Sides {
  int inside = 0, outside = 0;

  bool belongs() const { return inside > 0 && outside == 0; }
};

template <class Spec>
Sides sides(Spec spec, const NamesInside& inside) {
  Sides result;
  each_name(spec, [&](MjcfKind kind, const std::string& name) {
    const bool is_in = inside.has(kind, name);
    if (name.empty() || (!is_in && kind == MjcfKind::kBody && name == "world")) return;
    ++(is_in ? result.inside : result.outside);
    result.inside += kind == MjcfKind::kTendon && inside.left_tendons.contains(name);
  });
  return result;
}

template <class Spec>
std::vector<Spec> copied(const std::vector<Spec>& from, const NamesInside& inside, const char* what,
                         std::vector<std::string>* left) {
  std::vector<Spec> result;
  for (const Spec& spec : from) {
    const Sides found = sides(spec, inside);
    // What names nothing in particular, such as a clock, comes with every part that is attached.
    constexpr bool kMayNameNothing = std::is_same_v<Spec, SensorSpec> || std::is_same_v<Spec, TupleSpec>;
    const bool is_free = kMayNameNothing && left && found.inside == 0 && found.outside == 0;
    if (found.belongs() || is_free) result.push_back(spec);
    else if (left && (found.inside > 0 || found.outside == 0))
      left->push_back(at_place(spec.place, what) + "'" + spec.name + "' also refers to what is not attached, " +
                      "and is left out");
  }
  return result;
}

template <class Spec>
void add(std::vector<Spec>& into, std::vector<Spec>& from, const NamesInside& inside, const Renaming& names) {
  for (Spec& spec : from) {
    names.apply(spec.name);
    each_name(spec, [&](MjcfKind kind, std::string& name) {
      if (inside.has(kind, name)) names.apply(name);
    });
    into.push_back(std::move(spec));
  }
}

}  // namespace

NamesInside::NamesInside(const Subtree& subtree) {
  const auto add = [&](const BodySpec& body) {
    for (const JointSpec& joint : body.joints) of(MjcfKind::kJoint).insert(joint.name);
    for (const GeomSpec& geom : body.geoms) of(MjcfKind::kGeom).insert(geom.name);
    for (const SiteSpec& site : body.sites) of(MjcfKind::kSite).insert(site.name);
    for (const CameraSpec& camera : body.cameras) of(MjcfKind::kCamera).insert(camera.name);
    for (const LightSpec& light : body.lights) of(MjcfKind::kLight).insert(light.name);
  };
  add(subtree.own);
  for (const BodySpec& body : subtree.bodies) {
    of(MjcfKind::kBody).insert(body.name);
    add(body);
  }
  for (std::set<std::string>& list : names) list.erase("");
}

std::size_t count_elements(const MjcfReferences& references) {
  std::size_t count = references.pairs.size() + references.excludes.size() + references.equalities.size() +
                      references.actuators.size() + references.tendons.size() + references.sensors.size() +
                      references.tuples.size();
  for (const TendonSpec& tendon : references.tendons) count += tendon.wraps.size();
  for (const TupleSpec& tuple : references.tuples) count += tuple.elements.size();
  return count;
}

bool belongs(const ActuatorSpec& actuator, const NamesInside& inside) { return sides(actuator, inside).belongs(); }

MjcfReferences copy_references(const MjcfReferences& from, NamesInside& inside, std::vector<std::string>* left) {
  MjcfReferences result;
  result.tendons = copied(from.tendons, inside, "tendon", left);
  for (const TendonSpec& tendon : result.tendons) inside.of(MjcfKind::kTendon).insert(tendon.name);
  for (const TendonSpec& tendon : from.tendons)
    if (const Sides found = sides(tendon, inside); found.inside > 0 && !found.belongs())
      inside.left_tendons.insert(tendon.name);
  result.pairs = copied(from.pairs, inside, "pair", left);
  result.excludes = copied(from.excludes, inside, "exclude", left);
  result.equalities = copied(from.equalities, inside, "equality", left);
  result.actuators = copied(from.actuators, inside, "actuator", left);
  for (const ActuatorSpec& actuator : result.actuators) inside.of(MjcfKind::kActuator).insert(actuator.name);
  result.sensors = copied(from.sensors, inside, "sensor", left);
  for (const SensorSpec& sensor : result.sensors) inside.of(MjcfKind::kSensor).insert(sensor.name);
  result.tuples = copied(from.tuples, inside, "tuple", left);
  return result;
}

MjcfReferences take_references(MjcfReferences& from, NamesInside& inside) {
  MjcfReferences result = copy_references(from, inside, nullptr);
  const auto take = [&](auto& list) {
    std::erase_if(list, [&](const auto& spec) { return sides(spec, inside).belongs(); });
  };
  take(from.tendons);
  take(from.pairs);
  take(from.excludes);
  take(from.equalities);
  take(from.actuators);
  take(from.sensors);
  take(from.tuples);
  return result;
}

std::set<std::string> referenced_names(const MjcfReferences& references, MjcfKind kind) {
  std::set<std::string> names;
  const auto add = [&](const auto& list) {
    for (auto spec : list)
      each_name(spec, [&](MjcfKind what, const std::string& name) {
        if (what == kind && !name.empty()) names.insert(name);
      });
  };
  add(references.tendons);
  add(references.pairs);
  add(references.excludes);
  add(references.equalities);
  add(references.actuators);
  add(references.sensors);
  add(references.tuples);
  return names;
}

void add_references(MjcfReferences& into, MjcfReferences references, const NamesInside& inside, const Renaming& names) {
  add(into.tendons, references.tendons, inside, names);
  add(into.pairs, references.pairs, inside, names);
  add(into.excludes, references.excludes, inside, names);
  add(into.equalities, references.equalities, inside, names);
  add(into.actuators, references.actuators, inside, names);
  add(into.sensors, references.sensors, inside, names);
  add(into.tuples, references.tuples, inside, names);
}

}  // namespace carom::inline CAROM_PRECISION
