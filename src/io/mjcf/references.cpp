// Which elements outside of a part of a model belong to it: those that name nothing but what is in it, or the world.
#include <algorithm>

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
    if (found.belongs()) result.push_back(spec);
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
                      references.actuators.size() + references.tendons.size();
  for (const TendonSpec& tendon : references.tendons) count += tendon.wraps.size();
  return count;
}

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
  return names;
}

void add_references(MjcfReferences& into, MjcfReferences references, const NamesInside& inside, const Renaming& names) {
  add(into.tendons, references.tendons, inside, names);
  add(into.pairs, references.pairs, inside, names);
  add(into.excludes, references.excludes, inside, names);
  add(into.equalities, references.equalities, inside, names);
  add(into.actuators, references.actuators, inside, names);
}

}  // namespace carom::inline CAROM_PRECISION
