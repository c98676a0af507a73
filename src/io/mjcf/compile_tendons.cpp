// Tendons, their paths, and equalities.
#include <set>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct WrapRow {
  int type, object;
  double number;
};

WrapRow compiled_wrap(const Compiling& c, const WrapSpec& wrap) {
  switch (wrap.type) {
    case mj::kWrapJoint:
      return {wrap.type, find_name(c.joints, wrap.object, wrap.place, "joint", "joint"), wrap.number};
    case mj::kWrapSite: return {wrap.type, find_name(c.sites, wrap.object, wrap.place, "site", "site"), 0};
    case mj::kWrapPulley: return {wrap.type, -1, wrap.number};
    default: break;
  }
  const int geom = find_name(c.geoms, wrap.object, wrap.place, "geom", "geom");
  const int type = at(c.out.geom_type, geom);
  if (type != mj::kSphere && type != mj::kCylinder)
    fail_compile(wrap.place, "geom", "tendons wrap around spheres and cylinders");
  const int side = wrap.sidesite.empty() ? -1 : find_name(c.sites, wrap.sidesite, wrap.place, "geom", "site");
  return {type == mj::kSphere ? mj::kWrapSphere : mj::kWrapCylinder, geom, double(side)};
}

void check_fixed(const Compiling& c, const TendonSpec& tendon) {
  std::set<std::string> seen;
  for (const WrapSpec& wrap : tendon.wraps) {
    if (!seen.insert(wrap.object).second) fail_compile(wrap.place, "joint", "'", wrap.object, "' is given twice");
    const int type = at(c.out.jnt_type, find_name(c.joints, wrap.object, wrap.place, "joint", "joint"));
    if (type != mj::kSlide && type != mj::kHinge) fail_compile(wrap.place, "joint", "must be a slide or a hinge");
  }
}

// A path begins and ends with a site, pulleys cut it, and geoms stand between sites.
void check_path(const TendonSpec& tendon) {
  int sites = 0;
  for (std::size_t k = 0; k < tendon.wraps.size(); ++k) {
    const WrapSpec& wrap = tendon.wraps[k];
    const bool is_last = k + 1 == tendon.wraps.size();
    if (wrap.type == mj::kWrapSite) {
      ++sites;
    } else if (wrap.type == mj::kWrapPulley) {
      if (is_last || sites == 1) fail_compile(wrap.place, "pulley", "two sites must follow, and stand before it");
      sites = 0;
    } else if (sites == 0 || is_last || tendon.wraps[k + 1].type != mj::kWrapSite) {
      fail_compile(wrap.place, "geom", "must stand between two sites");
    } else if (tendon.armature != 0) {
      fail_compile(wrap.place, "geom", "a tendon with armature wraps around nothing");
    }
  }
  if (sites < 2) fail_compile(tendon.place, "spatial", "a path has at least two sites after a pulley");
}

void add_tendon(Compiling& c, const TendonSpec& tendon) {
  CompiledMjcf& m = c.out;
  const char* element = tendon.spatial ? "spatial" : "fixed";
  add_name(c.tendons, tendon.name, static_cast<int>(m.tendon_adr.size()), tendon.place, element);
  if (tendon.spatial) check_path(tendon);
  else check_fixed(c, tendon);
  note_place(c, MjcfRows::kTendon, tendon.place, element);
  m.name_tendon.push_back(tendon.name);
  m.tendon_adr.push_back(static_cast<int>(m.wrap_type.size()));
  m.tendon_num.push_back(static_cast<int>(tendon.wraps.size()));
  m.tendon_limited.push_back(is_limited(c, tendon.limited, tendon.range, tendon.place, element, "range"));
  m.tendon_actfrclimited.push_back(is_limited(c, tendon.actuator_force_limited, tendon.actuator_force_range,
                                              tendon.place, element, "actuatorfrcrange"));
  append(m.tendon_solref_lim, tendon.solref_limit);
  append(m.tendon_solimp_lim, tendon.solimp_limit);
  append(m.tendon_solref_fri, tendon.solref_friction);
  append(m.tendon_solimp_fri, tendon.solimp_friction);
  append(m.tendon_range, tendon.range);
  append(m.tendon_actfrcrange, tendon.actuator_force_range);
  m.tendon_margin.push_back(tendon.margin);
  m.tendon_stiffness.push_back(tendon.stiffness[0]);
  append(m.tendon_stiffnesspoly, Doubles2{tendon.stiffness[1], tendon.stiffness[2]});
  m.tendon_damping.push_back(tendon.damping[0]);
  append(m.tendon_dampingpoly, Doubles2{tendon.damping[1], tendon.damping[2]});
  m.tendon_armature.push_back(tendon.armature);
  m.tendon_frictionloss.push_back(tendon.frictionloss);
  append(m.tendon_lengthspring, tendon.springlength);
  m.tendon_springyield.push_back(tendon.springyield);
  m.tendon_length0.push_back(0);
  for (const WrapSpec& wrap : tendon.wraps) {
    const WrapRow row = compiled_wrap(c, wrap);
    m.wrap_type.push_back(row.type);
    m.wrap_objid.push_back(row.object);
    m.wrap_prm.push_back(row.number);
  }
}

struct EqualityObjects {
  const NameIndex& names;
  const char* kind;
  int object_type;  // mjtObj, of bodies and sites
};

EqualityObjects objects_of(const Compiling& c, const EqualitySpec& equality) {
  if (equality.type == mj::kEqualJoints) return {c.joints, "joint", 0};
  if (equality.type == mj::kEqualTendons) return {c.tendons, "tendon", 0};
  if (equality.sites) return {c.sites, "site", mj::kObjectSite};
  return {c.bodies, "body", 1};
}

}  // namespace

void compile_tendons(Compiling& c) {
  for (const TendonSpec& tendon : c.spec.tendons) add_tendon(c, tendon);
}

void compile_equalities(Compiling& c) {
  CompiledMjcf& m = c.out;
  for (const EqualitySpec& equality : c.spec.equalities) {
    const EqualityObjects objects = objects_of(c, equality);
    const char* element = mj::kEqualityNames[equality.type];
    const bool couples = equality.type == mj::kEqualJoints || equality.type == mj::kEqualTendons;
    const int none = couples ? -1 : 0;  // the world, or nothing
    note_place(c, MjcfRows::kEquality, equality.place, element);
    m.name_eq.push_back(equality.name);
    m.eq_type.push_back(equality.type);
    m.eq_obj1id.push_back(find_name(objects.names, equality.object1, equality.place, element, objects.kind));
    m.eq_obj2id.push_back(equality.object2.empty()
                              ? none
                              : find_name(objects.names, equality.object2, equality.place, element, objects.kind));
    m.eq_objtype.push_back(objects.object_type);
    m.eq_active0.push_back(equality.active);
    append(m.eq_solref, equality.solref);
    append(m.eq_solimp, equality.solimp);
    append(m.eq_data, equality.data);
  }
}

}  // namespace carom::inline CAROM_PRECISION
