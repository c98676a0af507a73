// A compiled MuJoCo model as plain numbers, and the builder that is made of one. from_mujoco() copies an mjModel into
// it; whoever reads MJCF files fills it without MuJoCo.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "carom/builder.h"

namespace carom::inline CAROM_PRECISION {

// What the rows of a field are; kOption: a field of the options, one row in all.
enum class MjcfRows : std::int32_t {
  kOption,
  kBody,
  kTree,
  kJoint,
  kQpos,
  kDof,
  kGeom,
  kSite,
  kCamera,
  kMesh,
  kMeshVertex,
  kMeshFace,
  kMeshGraph,
  kHeightfield,
  kHeight,
  kExclude,
  kPair,
  kTendon,
  kWrap,
  kActuator,
  kOutput,
  kCtrl,
  kEquality,
  kFlex,
  kSensor,
  kKey,
  kKeyQpos,  // here and below: numbers of all keys, one after the other
  kKeyQvel,
  kKeyAct,
  kKeyCtrl,
  kKeyMpos,
  kKeyMquat,
};
constexpr int kMjcfRowKinds = 32;

// Names, order, units and enums are those of mjModel (MuJoCo 4.0), in double whatever the precision is; flags and bytes
// are integers. Quaternions are wxyz. There is what the builder needs, and keyframes for those who read them.
struct CompiledMjcf {
  template <int N>
  using Doubles = std::array<double, N>;
  using Numbers = std::vector<double>;
  using Integers = std::vector<int>;
  using Names = std::vector<std::string>;  // an empty name: none; an empty list: none has one

  std::string model_name;
  int nplugin = 0;

  // mjOption
  double opt_timestep = 0.002, opt_impratio = 1, opt_noslip_tolerance = 1e-6, opt_sleep_tolerance = 1e-4;
  double opt_density = 0, opt_viscosity = 0, opt_o_margin = 0;
  Doubles<3> opt_gravity{0, 0, -9.81}, opt_wind{}, opt_magnetic{0, -0.5, 0};
  Doubles<2> opt_o_solref{0.02, 1};
  Doubles<5> opt_o_solimp{0.9, 0.95, 0.001, 0.5, 2}, opt_o_friction{1, 1, 0.005, 0.0001, 0.0001};
  int opt_integrator = 0, opt_cone = 0, opt_noslip_iterations = 0;
  int opt_disableflags = 0, opt_enableflags = 0, opt_disableactuator = 0;

  Names name_body;
  Integers body_parentid, body_rootid, body_weldid, body_mocapid, body_jntnum, body_jntadr, body_sameframe;
  Numbers body_pos, body_quat, body_ipos, body_iquat, body_mass, body_inertia, body_gravcomp;
  Integers tree_bodyadr, tree_sleep_policy;

  Names name_jnt;
  Integers jnt_type, jnt_qposadr, jnt_dofadr, jnt_limited, jnt_actfrclimited, jnt_actgravcomp;
  Numbers jnt_pos, jnt_axis, jnt_stiffness, jnt_stiffnesspoly, jnt_springyield, jnt_range, jnt_actfrcrange, jnt_margin;
  Numbers jnt_solref, jnt_solimp;
  Numbers qpos0, qpos_spring;
  Numbers dof_armature, dof_damping, dof_dampingpoly, dof_frictionloss, dof_solref, dof_solimp;

  Names name_geom;
  Integers geom_type, geom_bodyid, geom_dataid, geom_contype, geom_conaffinity, geom_condim, geom_priority, geom_group;
  Integers geom_sameframe;
  Numbers geom_pos, geom_quat, geom_size, geom_margin, geom_gap, geom_friction, geom_solmix, geom_solref, geom_solimp;
  Numbers geom_adhesion, geom_surfacevel, geom_fluid;
  Names name_site;
  Integers site_type, site_bodyid, site_dataid, site_sameframe;
  Numbers site_pos, site_quat, site_size;
  Names name_cam;
  Integers cam_mode, cam_projection, cam_bodyid, cam_resolution;
  Numbers cam_pos, cam_quat, cam_fovy;
  std::vector<float> cam_sensorsize, cam_intrinsic;
  Integers mesh_vertadr, mesh_vertnum, mesh_faceadr, mesh_facenum, mesh_graphadr, mesh_face, mesh_graph;
  std::vector<float> mesh_vert;
  Integers hfield_nrow, hfield_ncol, hfield_adr;
  Numbers hfield_size;
  std::vector<float> hfield_data;

  Integers exclude_signature;
  Names name_pair;
  Integers pair_dim, pair_geom1, pair_geom2;
  Numbers pair_solref, pair_solreffriction, pair_solimp, pair_margin, pair_gap, pair_friction, pair_adhesion;

  Names name_tendon;
  Integers tendon_adr, tendon_num, tendon_limited, tendon_actfrclimited;
  Numbers tendon_solref_lim, tendon_solimp_lim, tendon_solref_fri, tendon_solimp_fri, tendon_range, tendon_actfrcrange;
  Numbers tendon_margin, tendon_stiffness, tendon_stiffnesspoly, tendon_damping, tendon_dampingpoly, tendon_armature;
  Numbers tendon_frictionloss, tendon_lengthspring, tendon_springyield, tendon_length0;
  Integers wrap_type, wrap_objid;
  Numbers wrap_prm;

  Names name_actuator;
  Integers actuator_trntype, actuator_dyntype, actuator_gaintype, actuator_biastype, actuator_trnid, actuator_group;
  Integers actuator_actnum, actuator_ctrladr, actuator_ctrlnum, actuator_ctrlspec, actuator_outadr, actuator_history;
  Integers actuator_forcelimited, actuator_actlimited, actuator_actearly;
  Numbers actuator_dynprm, actuator_gainprm, actuator_biasprm, actuator_forcerange, actuator_actrange;
  Numbers actuator_cranklength, actuator_armature, actuator_damping, actuator_dampingpoly, actuator_delay;
  Numbers actuator_gear, actuator_acc0, actuator_lengthrange;  // by output
  Integers actuator_ctrllimited;                               // by control
  Numbers actuator_ctrlrange;

  Names name_eq;
  Integers eq_type, eq_obj1id, eq_obj2id, eq_objtype, eq_active0;
  Numbers eq_solref, eq_solimp, eq_data;
  Names name_flex;

  Names name_sensor;
  Integers sensor_type, sensor_datatype, sensor_needstage, sensor_objtype, sensor_objid, sensor_reftype, sensor_refid;
  Integers sensor_intprm, sensor_dim, sensor_adr, sensor_history;
  Numbers sensor_cutoff, sensor_noise, sensor_delay, sensor_interval;

  Names name_key;
  Numbers key_time, key_qpos, key_qvel, key_act, key_ctrl, key_mpos, key_mquat;
};

struct MjcfField {
  const char* name;  // as in Python: "opt.gravity", "body_pos"; of names without the "adr" of mjModel: "name_body"
  MjcfRows rows;
  int width;  // numbers of a row
};

namespace mjcf_fields {

template <class Compiled, class Visit>
void visit_options(Compiled& m, const Visit& visit) {
  const auto option = [&](const char* name, auto& value, int width = 1) {
    visit(MjcfField{name, MjcfRows::kOption, width}, value);
  };
  option("nplugin", m.nplugin);
  option("opt.timestep", m.opt_timestep);
  option("opt.impratio", m.opt_impratio);
  option("opt.noslip_tolerance", m.opt_noslip_tolerance);
  option("opt.sleep_tolerance", m.opt_sleep_tolerance);
  option("opt.density", m.opt_density);
  option("opt.viscosity", m.opt_viscosity);
  option("opt.o_margin", m.opt_o_margin);
  option("opt.gravity", m.opt_gravity, 3);
  option("opt.wind", m.opt_wind, 3);
  option("opt.magnetic", m.opt_magnetic, 3);
  option("opt.o_solref", m.opt_o_solref, 2);
  option("opt.o_solimp", m.opt_o_solimp, 5);
  option("opt.o_friction", m.opt_o_friction, 5);
  option("opt.integrator", m.opt_integrator);
  option("opt.cone", m.opt_cone);
  option("opt.noslip_iterations", m.opt_noslip_iterations);
  option("opt.disableflags", m.opt_disableflags);
  option("opt.enableflags", m.opt_enableflags);
  option("opt.disableactuator", m.opt_disableactuator);
}

template <class Compiled, class Visit>
void visit_bodies(Compiled& m, const Visit& visit) {
  const auto body = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kBody, width}, values);
  };
  body("name_body", m.name_body);
  body("body_parentid", m.body_parentid);
  body("body_rootid", m.body_rootid);
  body("body_weldid", m.body_weldid);
  body("body_mocapid", m.body_mocapid);
  body("body_jntnum", m.body_jntnum);
  body("body_jntadr", m.body_jntadr);
  body("body_sameframe", m.body_sameframe);
  body("body_pos", m.body_pos, 3);
  body("body_quat", m.body_quat, 4);
  body("body_ipos", m.body_ipos, 3);
  body("body_iquat", m.body_iquat, 4);
  body("body_mass", m.body_mass);
  body("body_inertia", m.body_inertia, 3);
  body("body_gravcomp", m.body_gravcomp);
  visit(MjcfField{"tree_bodyadr", MjcfRows::kTree, 1}, m.tree_bodyadr);
  visit(MjcfField{"tree_sleep_policy", MjcfRows::kTree, 1}, m.tree_sleep_policy);
}

template <class Compiled, class Visit>
void visit_joints(Compiled& m, const Visit& visit) {
  const auto joint = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kJoint, width}, values);
  };
  joint("name_jnt", m.name_jnt);
  joint("jnt_type", m.jnt_type);
  joint("jnt_qposadr", m.jnt_qposadr);
  joint("jnt_dofadr", m.jnt_dofadr);
  joint("jnt_limited", m.jnt_limited);
  joint("jnt_actfrclimited", m.jnt_actfrclimited);
  joint("jnt_actgravcomp", m.jnt_actgravcomp);
  joint("jnt_pos", m.jnt_pos, 3);
  joint("jnt_axis", m.jnt_axis, 3);
  joint("jnt_stiffness", m.jnt_stiffness);
  joint("jnt_stiffnesspoly", m.jnt_stiffnesspoly, 2);
  joint("jnt_springyield", m.jnt_springyield);
  joint("jnt_range", m.jnt_range, 2);
  joint("jnt_actfrcrange", m.jnt_actfrcrange, 2);
  joint("jnt_margin", m.jnt_margin);
  joint("jnt_solref", m.jnt_solref, 2);
  joint("jnt_solimp", m.jnt_solimp, 5);
  visit(MjcfField{"qpos0", MjcfRows::kQpos, 1}, m.qpos0);
  visit(MjcfField{"qpos_spring", MjcfRows::kQpos, 1}, m.qpos_spring);
  const auto dof = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kDof, width}, values);
  };
  dof("dof_armature", m.dof_armature);
  dof("dof_damping", m.dof_damping);
  dof("dof_dampingpoly", m.dof_dampingpoly, 2);
  dof("dof_frictionloss", m.dof_frictionloss);
  dof("dof_solref", m.dof_solref, 2);
  dof("dof_solimp", m.dof_solimp, 5);
}

template <class Compiled, class Visit>
void visit_geoms(Compiled& m, const Visit& visit) {
  const auto geom = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kGeom, width}, values);
  };
  geom("name_geom", m.name_geom);
  geom("geom_type", m.geom_type);
  geom("geom_bodyid", m.geom_bodyid);
  geom("geom_dataid", m.geom_dataid);
  geom("geom_contype", m.geom_contype);
  geom("geom_conaffinity", m.geom_conaffinity);
  geom("geom_condim", m.geom_condim);
  geom("geom_priority", m.geom_priority);
  geom("geom_group", m.geom_group);
  geom("geom_sameframe", m.geom_sameframe);
  geom("geom_pos", m.geom_pos, 3);
  geom("geom_quat", m.geom_quat, 4);
  geom("geom_size", m.geom_size, 3);
  geom("geom_margin", m.geom_margin);
  geom("geom_gap", m.geom_gap);
  geom("geom_friction", m.geom_friction, 3);
  geom("geom_solmix", m.geom_solmix);
  geom("geom_solref", m.geom_solref, 2);
  geom("geom_solimp", m.geom_solimp, 5);
  geom("geom_adhesion", m.geom_adhesion);
  geom("geom_surfacevel", m.geom_surfacevel, 6);
  geom("geom_fluid", m.geom_fluid, 12);
}

template <class Compiled, class Visit>
void visit_sites_and_cameras(Compiled& m, const Visit& visit) {
  const auto site = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kSite, width}, values);
  };
  site("name_site", m.name_site);
  site("site_type", m.site_type);
  site("site_bodyid", m.site_bodyid);
  site("site_dataid", m.site_dataid);
  site("site_sameframe", m.site_sameframe);
  site("site_pos", m.site_pos, 3);
  site("site_quat", m.site_quat, 4);
  site("site_size", m.site_size, 3);
  const auto camera = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kCamera, width}, values);
  };
  camera("name_cam", m.name_cam);
  camera("cam_mode", m.cam_mode);
  camera("cam_projection", m.cam_projection);
  camera("cam_bodyid", m.cam_bodyid);
  camera("cam_resolution", m.cam_resolution, 2);
  camera("cam_pos", m.cam_pos, 3);
  camera("cam_quat", m.cam_quat, 4);
  camera("cam_fovy", m.cam_fovy);
  camera("cam_sensorsize", m.cam_sensorsize, 2);
  camera("cam_intrinsic", m.cam_intrinsic, 4);
}

template <class Compiled, class Visit>
void visit_assets(Compiled& m, const Visit& visit) {
  visit(MjcfField{"mesh_vertadr", MjcfRows::kMesh, 1}, m.mesh_vertadr);
  visit(MjcfField{"mesh_vertnum", MjcfRows::kMesh, 1}, m.mesh_vertnum);
  visit(MjcfField{"mesh_faceadr", MjcfRows::kMesh, 1}, m.mesh_faceadr);
  visit(MjcfField{"mesh_facenum", MjcfRows::kMesh, 1}, m.mesh_facenum);
  visit(MjcfField{"mesh_graphadr", MjcfRows::kMesh, 1}, m.mesh_graphadr);
  visit(MjcfField{"mesh_vert", MjcfRows::kMeshVertex, 3}, m.mesh_vert);
  visit(MjcfField{"mesh_face", MjcfRows::kMeshFace, 3}, m.mesh_face);
  visit(MjcfField{"mesh_graph", MjcfRows::kMeshGraph, 1}, m.mesh_graph);
  visit(MjcfField{"hfield_nrow", MjcfRows::kHeightfield, 1}, m.hfield_nrow);
  visit(MjcfField{"hfield_ncol", MjcfRows::kHeightfield, 1}, m.hfield_ncol);
  visit(MjcfField{"hfield_adr", MjcfRows::kHeightfield, 1}, m.hfield_adr);
  visit(MjcfField{"hfield_size", MjcfRows::kHeightfield, 4}, m.hfield_size);
  visit(MjcfField{"hfield_data", MjcfRows::kHeight, 1}, m.hfield_data);
}

template <class Compiled, class Visit>
void visit_pairs(Compiled& m, const Visit& visit) {
  visit(MjcfField{"exclude_signature", MjcfRows::kExclude, 1}, m.exclude_signature);
  const auto pair = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kPair, width}, values);
  };
  pair("name_pair", m.name_pair);
  pair("pair_dim", m.pair_dim);
  pair("pair_geom1", m.pair_geom1);
  pair("pair_geom2", m.pair_geom2);
  pair("pair_solref", m.pair_solref, 2);
  pair("pair_solreffriction", m.pair_solreffriction, 2);
  pair("pair_solimp", m.pair_solimp, 5);
  pair("pair_margin", m.pair_margin);
  pair("pair_gap", m.pair_gap);
  pair("pair_friction", m.pair_friction, 5);
  pair("pair_adhesion", m.pair_adhesion);
}

template <class Compiled, class Visit>
void visit_tendons(Compiled& m, const Visit& visit) {
  const auto tendon = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kTendon, width}, values);
  };
  tendon("name_tendon", m.name_tendon);
  tendon("tendon_adr", m.tendon_adr);
  tendon("tendon_num", m.tendon_num);
  tendon("tendon_limited", m.tendon_limited);
  tendon("tendon_actfrclimited", m.tendon_actfrclimited);
  tendon("tendon_solref_lim", m.tendon_solref_lim, 2);
  tendon("tendon_solimp_lim", m.tendon_solimp_lim, 5);
  tendon("tendon_solref_fri", m.tendon_solref_fri, 2);
  tendon("tendon_solimp_fri", m.tendon_solimp_fri, 5);
  tendon("tendon_range", m.tendon_range, 2);
  tendon("tendon_actfrcrange", m.tendon_actfrcrange, 2);
  tendon("tendon_margin", m.tendon_margin);
  tendon("tendon_stiffness", m.tendon_stiffness);
  tendon("tendon_stiffnesspoly", m.tendon_stiffnesspoly, 2);
  tendon("tendon_damping", m.tendon_damping);
  tendon("tendon_dampingpoly", m.tendon_dampingpoly, 2);
  tendon("tendon_armature", m.tendon_armature);
  tendon("tendon_frictionloss", m.tendon_frictionloss);
  tendon("tendon_lengthspring", m.tendon_lengthspring, 2);
  tendon("tendon_springyield", m.tendon_springyield);
  tendon("tendon_length0", m.tendon_length0);
  visit(MjcfField{"wrap_type", MjcfRows::kWrap, 1}, m.wrap_type);
  visit(MjcfField{"wrap_objid", MjcfRows::kWrap, 1}, m.wrap_objid);
  visit(MjcfField{"wrap_prm", MjcfRows::kWrap, 1}, m.wrap_prm);
}

template <class Compiled, class Visit>
void visit_actuators(Compiled& m, const Visit& visit) {
  const auto actuator = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kActuator, width}, values);
  };
  actuator("name_actuator", m.name_actuator);
  actuator("actuator_trntype", m.actuator_trntype);
  actuator("actuator_dyntype", m.actuator_dyntype);
  actuator("actuator_gaintype", m.actuator_gaintype);
  actuator("actuator_biastype", m.actuator_biastype);
  actuator("actuator_trnid", m.actuator_trnid, 2);
  actuator("actuator_group", m.actuator_group);
  actuator("actuator_actnum", m.actuator_actnum);
  actuator("actuator_ctrladr", m.actuator_ctrladr);
  actuator("actuator_ctrlnum", m.actuator_ctrlnum);
  actuator("actuator_ctrlspec", m.actuator_ctrlspec);
  actuator("actuator_outadr", m.actuator_outadr);
  actuator("actuator_history", m.actuator_history, 2);
  actuator("actuator_forcelimited", m.actuator_forcelimited);
  actuator("actuator_actlimited", m.actuator_actlimited);
  actuator("actuator_actearly", m.actuator_actearly);
  actuator("actuator_dynprm", m.actuator_dynprm, 10);
  actuator("actuator_gainprm", m.actuator_gainprm, 10);
  actuator("actuator_biasprm", m.actuator_biasprm, 10);
  actuator("actuator_forcerange", m.actuator_forcerange, 2);
  actuator("actuator_actrange", m.actuator_actrange, 2);
  actuator("actuator_cranklength", m.actuator_cranklength);
  actuator("actuator_armature", m.actuator_armature);
  actuator("actuator_damping", m.actuator_damping);
  actuator("actuator_dampingpoly", m.actuator_dampingpoly, 2);
  actuator("actuator_delay", m.actuator_delay);
  visit(MjcfField{"actuator_gear", MjcfRows::kOutput, 6}, m.actuator_gear);
  visit(MjcfField{"actuator_acc0", MjcfRows::kOutput, 1}, m.actuator_acc0);
  visit(MjcfField{"actuator_lengthrange", MjcfRows::kOutput, 2}, m.actuator_lengthrange);
  visit(MjcfField{"actuator_ctrllimited", MjcfRows::kCtrl, 1}, m.actuator_ctrllimited);
  visit(MjcfField{"actuator_ctrlrange", MjcfRows::kCtrl, 2}, m.actuator_ctrlrange);
}

template <class Compiled, class Visit>
void visit_equalities(Compiled& m, const Visit& visit) {
  const auto equality = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kEquality, width}, values);
  };
  equality("name_eq", m.name_eq);
  equality("eq_type", m.eq_type);
  equality("eq_obj1id", m.eq_obj1id);
  equality("eq_obj2id", m.eq_obj2id);
  equality("eq_objtype", m.eq_objtype);
  equality("eq_active0", m.eq_active0);
  equality("eq_solref", m.eq_solref, 2);
  equality("eq_solimp", m.eq_solimp, 5);
  equality("eq_data", m.eq_data, 12);
  visit(MjcfField{"name_flex", MjcfRows::kFlex, 1}, m.name_flex);
}

template <class Compiled, class Visit>
void visit_sensors(Compiled& m, const Visit& visit) {
  const auto sensor = [&](const char* name, auto& values, int width = 1) {
    visit(MjcfField{name, MjcfRows::kSensor, width}, values);
  };
  sensor("name_sensor", m.name_sensor);
  sensor("sensor_type", m.sensor_type);
  sensor("sensor_datatype", m.sensor_datatype);
  sensor("sensor_needstage", m.sensor_needstage);
  sensor("sensor_objtype", m.sensor_objtype);
  sensor("sensor_objid", m.sensor_objid);
  sensor("sensor_reftype", m.sensor_reftype);
  sensor("sensor_refid", m.sensor_refid);
  sensor("sensor_intprm", m.sensor_intprm, 3);
  sensor("sensor_dim", m.sensor_dim);
  sensor("sensor_adr", m.sensor_adr);
  sensor("sensor_cutoff", m.sensor_cutoff);
  sensor("sensor_noise", m.sensor_noise);
  sensor("sensor_history", m.sensor_history, 2);
  sensor("sensor_delay", m.sensor_delay);
  sensor("sensor_interval", m.sensor_interval, 2);
}

template <class Compiled, class Visit>
void visit_keyframes(Compiled& m, const Visit& visit) {
  visit(MjcfField{"name_key", MjcfRows::kKey, 1}, m.name_key);
  visit(MjcfField{"key_time", MjcfRows::kKey, 1}, m.key_time);
  visit(MjcfField{"key_qpos", MjcfRows::kKeyQpos, 1}, m.key_qpos);
  visit(MjcfField{"key_qvel", MjcfRows::kKeyQvel, 1}, m.key_qvel);
  visit(MjcfField{"key_act", MjcfRows::kKeyAct, 1}, m.key_act);
  visit(MjcfField{"key_ctrl", MjcfRows::kKeyCtrl, 1}, m.key_ctrl);
  visit(MjcfField{"key_mpos", MjcfRows::kKeyMpos, 1}, m.key_mpos);
  visit(MjcfField{"key_mquat", MjcfRows::kKeyMquat, 1}, m.key_mquat);
}

}  // namespace mjcf_fields

// visit(MjcfField, field) for every field but model_name: numbers and arrays of the options, vectors of all others.
template <class Compiled, class Visit>
void visit_mjcf_fields(Compiled& m, const Visit& visit) {
  mjcf_fields::visit_options(m, visit);
  mjcf_fields::visit_bodies(m, visit);
  mjcf_fields::visit_joints(m, visit);
  mjcf_fields::visit_geoms(m, visit);
  mjcf_fields::visit_sites_and_cameras(m, visit);
  mjcf_fields::visit_assets(m, visit);
  mjcf_fields::visit_pairs(m, visit);
  mjcf_fields::visit_tendons(m, visit);
  mjcf_fields::visit_actuators(m, visit);
  mjcf_fields::visit_equalities(m, visit);
  mjcf_fields::visit_sensors(m, visit);
  mjcf_fields::visit_keyframes(m, visit);
}

// Gives all fields of a kind this many rows, new ones of zeros. (No frame has a quaternion of zeros: those want
// numbers.)
inline void resize_mjcf_rows(CompiledMjcf& m, MjcfRows rows, std::size_t count) {
  visit_mjcf_fields(m, [&](const MjcfField& field, auto& values) {
    if constexpr (requires { values.resize(count); })
      if (field.rows == rows) values.resize(count * field.width);
  });
}

// What from_mujoco() can leave out: its name, and what is done instead.
struct MjcfIgnorable {
  const char* name;
  const char* instead;
};
const std::vector<MjcfIgnorable>& mjcf_ignorables();

struct MjcfArgs {
  bool enable_self_collisions = true;      // false: geoms of moving bodies touch only what stands still
  int collision_group = 1;                 // of all shapes, as in ShapeConfig
  std::vector<std::string> ignore{};       // names of mjcf_ignorables()
  std::string who = "from_mujoco";         // errors begin with it
  std::vector<std::string> not_numbers{};  // other fields of the model that have some: refused, too
};

struct ImportedMjcf {
  ModelBuilder builder;
  std::string left_out;  // a warning that lists what was ignored; empty: nothing was
};

// Where the rows of a compiled model stand in MJCF files.
struct MjcfPlace {
  std::shared_ptr<const std::string> file{};  // its name in messages
  int line = 0;
  std::string element{};
};
struct MjcfPlaces {
  std::string file{};  // that was read; empty: the model comes from none
  std::array<std::vector<MjcfPlace>, kMjcfRowKinds> rows{};

  // What errors begin with: "robot.xml:12: <geom>: ", "robot.xml: " of what has no place, nothing without a file.
  std::string where(MjcfRows kind = MjcfRows::kOption, int row = -1) const;
};

// A builder without worlds, as docs/mujoco.md says. Throws Error for what would change the motion and cannot be
// expressed, all of it at once; for numbers that are not one; for fields of a wrong size and indices out of range; for
// what the builder refuses, with its place.
ImportedMjcf import_mjcf(const CompiledMjcf& model, const MjcfArgs& args = {}, const MjcfPlaces& places = {});

// How many massless links move each body of the model, beside itself.
std::vector<int> mjcf_link_counts(const CompiledMjcf& model);

}  // namespace carom::inline CAROM_PRECISION
