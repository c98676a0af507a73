// What a joint, a geom and a site say.
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void read_joint_angles(JointSpec& joint, const MjcfAngles& angles) {
  const bool hinge = joint.type == mj::kHinge;
  if (hinge || joint.type == mj::kBall) joint.springyield = angles.radians(joint.springyield);
  if (!hinge) return;
  joint.ref = angles.radians(joint.ref);
  joint.springref = angles.radians(joint.springref);
}

// A pose from the two ends of a segment; its half length.
double pose_from_ends(const MjcfAttributes& given, MjcfPose& pose) {
  std::array<double, 6> ends;
  given.read("fromto", ends);
  const Vec3d from = vec3(ends.data()), to = vec3(ends.data() + 3);
  const double reach = length(from - to);
  if (reach < 1e-14) given.fail_at("fromto", "both points are the same");
  pose = {(from + to) * 0.5, quat_from_z_axis(from - to)};
  return reach / 2;
}

bool takes_ends(int type) {
  return type == mj::kCapsule || type == mj::kCylinder || type == mj::kBox || type == mj::kEllipsoid;
}

void read_ends(const MjcfAttributes& given, int type, MjcfPose& pose, Doubles3& size) {
  if (!takes_ends(type)) given.fail_at("fromto", "is for capsules, cylinders, boxes and ellipsoids");
  if (given.has("pos")) given.fail_at("fromto", "is given together with pos");
  const double half = pose_from_ends(given, pose);
  const bool round = type == mj::kCapsule || type == mj::kCylinder;
  size[round ? 1 : 2] = half;
  if (!round) size[1] = size[0];
}

}  // namespace

JointSpec joint_spec(const MjcfAttributes& given, const MjcfAngles& angles) {
  JointSpec joint;
  joint.place = given.node->place;
  joint.name = given.text("name");
  joint.type = given.word("type", joint.type);
  given.read("pos", joint.pos);
  given.read("axis", joint.axis);
  joint.limited = given.word("limited", joint.limited);
  joint.actuator_force_limited = given.word("actuatorfrclimited", joint.actuator_force_limited);
  joint.actuator_gravcomp = given.is_true("actuatorgravcomp", joint.actuator_gravcomp);
  given.read("range", joint.range);
  joint.degrees = angles.degrees;
  given.read("actuatorfrcrange", joint.actuator_force_range);
  given.read("springdamper", joint.springdamper);
  given.read("stiffness", joint.stiffness);
  given.read("damping", joint.damping);
  given.read("armature", joint.armature);
  given.read("frictionloss", joint.frictionloss);
  given.read("ref", joint.ref);
  given.read("springref", joint.springref);
  given.read("springyield", joint.springyield);
  given.read("margin", joint.margin);
  given.read("solreflimit", joint.solref_limit);
  given.read("solimplimit", joint.solimp_limit);
  given.read("solreffriction", joint.solref_friction);
  given.read("solimpfriction", joint.solimp_friction);
  read_joint_angles(joint, angles);
  return joint;
}

GeomSpec geom_spec(const MjcfAttributes& given, const MjcfAngles& angles) {
  GeomSpec geom;
  geom.place = given.node->place;
  geom.name = given.text("name");
  geom.mesh = given.text("mesh");
  geom.hfield = given.text("hfield");
  geom.type = given.word("type", geom.type);
  geom.pose = read_pose(given, angles);
  given.read("size", geom.size);
  if (given.has("fromto") && !geom.mesh.empty()) given.fail_at("fromto", "is given together with mesh");
  if (given.has("fromto")) read_ends(given, geom.type, geom.pose, geom.size);
  geom.contype = given.integer("contype", geom.contype);
  geom.conaffinity = given.integer("conaffinity", geom.conaffinity);
  geom.condim = given.integer("condim", geom.condim);
  geom.priority = given.integer("priority", geom.priority);
  geom.group = given.integer("group", geom.group);
  given.read("friction", geom.friction);
  given.read("solmix", geom.solmix);
  given.read("margin", geom.margin);
  given.read("gap", geom.gap);
  given.read("adhesion", geom.adhesion);
  given.read("solref", geom.solref);
  given.read("solimp", geom.solimp);
  given.read("surfacevel", geom.surface_velocity);
  given.read("mass", geom.mass);
  given.read("density", geom.density);
  given.read("fitscale", geom.fitscale);
  geom.shell = given.is_true("shellinertia", geom.shell);
  geom.fluid_ellipsoid = given.is_true("fluidshape", geom.fluid_ellipsoid);
  given.read("fluidcoef", geom.fluid_coef);
  if (geom.condim != 1 && geom.condim != 3 && geom.condim != 4 && geom.condim != 6)
    given.fail_at("condim", "is 1, 3, 4 or 6, not ", geom.condim);
  return geom;
}

SiteSpec site_spec(const MjcfAttributes& given, const MjcfAngles& angles) {
  SiteSpec site;
  site.place = given.node->place;
  site.name = given.text("name");
  site.type = given.word("type", site.type);
  site.mesh = given.text("mesh");
  if (site.type == mj::kPlane || site.type == mj::kHfield) given.fail_at("type", "a site is no plane or heightfield");
  if (site.mesh.empty() == (site.type == mj::kMesh))
    given.fail_at("mesh", "is for sites of type mesh, and needed there");
  site.pose = read_pose(given, angles);
  given.read("size", site.size);
  if (given.has("fromto")) read_ends(given, site.type, site.pose, site.size);
  return site;
}

}  // namespace carom::inline CAROM_PRECISION
