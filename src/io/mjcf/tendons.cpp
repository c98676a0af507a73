// Tendons, and what the rotors of actuators add to joints and tendons.
#include <cmath>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void set_bounds(TendonConfig& cfg, const Mapping& map, int tendon) {
  const CompiledMjcf& m = map.m;
  if (m.tendon_actfrclimited[tendon]) set_range(cfg.effort_lower, cfg.effort_upper, m.tendon_actfrcrange, tendon);
  if (m.tendon_limited[tendon] && map.has.limit) {
    set_range(cfg.limit_lower, cfg.limit_upper, m.tendon_range, tendon);
    cfg.limit_margin = real(m.tendon_margin, tendon);
    cfg.limit_solref = reals<2>(m.tendon_solref_lim, tendon);
    cfg.limit_solimp = reals<5>(m.tendon_solimp_lim, tendon);
  }
}

TendonConfig tendon_config(const Mapping& map, int tendon) {
  const CompiledMjcf& m = map.m;
  const double springs = map.has.spring, dampers = map.has.damper;
  const Rotors& rotors = map.tendon_rotors[tendon];
  const RealN<2> relaxed = reals<2>(m.tendon_lengthspring, tendon);
  TendonConfig cfg{.friction = map.has.frictionloss ? real(m.tendon_frictionloss, tendon) : 0,
                   .friction_solref = reals<2>(m.tendon_solref_fri, tendon),
                   .friction_solimp = reals<5>(m.tendon_solimp_fri, tendon),
                   .stiffness = Real(springs * m.tendon_stiffness[tendon]),
                   .stiffness_poly = scaled(springs, doubles<2>(m.tendon_stiffnesspoly, tendon)),
                   .damping = Real(dampers * (m.tendon_damping[tendon] + rotors.damping)),
                   .damping_poly = scaled(dampers, doubles<2>(m.tendon_dampingpoly, tendon), rotors.damping_poly),
                   .spring_lower = relaxed[0],
                   .spring_upper = relaxed[1],
                   .spring_yield = spring_yield(map, m.tendon_springyield[tendon]),
                   .armature = Real(m.tendon_armature[tendon] + rotors.armature)};
  set_bounds(cfg, map, tendon);
  return cfg;
}

TendonPoint tendon_point(const CompiledMjcf& m, int wrap) {
  const int type = m.wrap_type[wrap], i = m.wrap_objid[wrap];
  const double number = m.wrap_prm[wrap];
  if (type == mj::kWrapPulley) return {.type = TendonPointType::kPulley, .divisor = Real(number)};
  if (type == mj::kWrapSite) {
    const BodyPose site = site_pose(m, i);
    return {.body = site.body, .xform = site.xform};
  }
  TendonPoint point{.type = type == mj::kWrapSphere ? TendonPointType::kSphere : TendonPointType::kCylinder,
                    .body = at(m.geom_bodyid, i) - 1,
                    .xform = to_real(geom_frame(m, i)),
                    .radius = Real(*row(m.geom_size, i, 3))};
  const int side = static_cast<int>(std::lround(number));
  if (side < 0) return point;
  point.has_side = true;
  point.side_body = at(m.site_bodyid, side) - 1;
  point.side = to_real(site_frame(m, side).p);
  return point;
}

void add_tendon(Mapping& map, int tendon) {
  const CompiledMjcf& m = map.m;
  const int first = m.tendon_adr[tendon], count = m.tendon_num[tendon];
  rows_from(m.wrap_type, first, count);  // are they there?
  const TendonConfig cfg = tendon_config(map, tendon);
  const std::string key = name_at(m.name_tendon, tendon);
  if (at(m.wrap_type, first) == mj::kWrapJoint) {
    std::vector<TendonJoint> joints;
    for (int wrap = first; wrap < first + count; ++wrap) {
      const DofPlace& place = place_of(map, m.wrap_objid[wrap]);
      joints.push_back({place.joint, Real(m.wrap_prm[wrap]), place.axis});
    }
    map.builder.add_tendon_fixed(joints, cfg, key);
    return;
  }
  std::vector<TendonPoint> points;
  for (int wrap = first; wrap < first + count; ++wrap) points.push_back(tendon_point(m, wrap));
  map.builder.add_tendon_spatial(points, cfg, key);
}

}  // namespace

void find_rotors(Mapping& map) {
  const CompiledMjcf& m = map.m;
  map.joint_rotors.resize(m.jnt_type.size());
  map.tendon_rotors.resize(m.tendon_adr.size());
  for (int i = 0; i < static_cast<int>(m.actuator_trntype.size()); ++i) {
    const int type = m.actuator_trntype[i], target = *row(m.actuator_trnid, i, 2);
    const bool on_joint = type == mj::kTrnJoint || type == mj::kTrnJointInParent;
    if (!on_joint && type != mj::kTrnTendon) continue;
    std::vector<Rotors>& all = on_joint ? map.joint_rotors : map.tendon_rotors;
    row(all, target);  // is it there?
    const double gear = *row(m.actuator_gear, m.actuator_outadr[i], 6), square = gear * gear;
    const std::array<double, 2> poly = doubles<2>(m.actuator_dampingpoly, i);
    all[target].armature += square * m.actuator_armature[i];
    all[target].damping += square * m.actuator_damping[i];
    for (int k = 0; k < 2; ++k) all[target].damping_poly[k] += square * poly[k];
  }
}

void add_tendons(Mapping& map) {
  for (int tendon = 0; tendon < static_cast<int>(map.m.tendon_adr.size()); ++tendon) {
    map.now = {MjcfRows::kTendon, tendon};
    add_tendon(map, tendon);
  }
}

}  // namespace carom::inline CAROM_PRECISION
