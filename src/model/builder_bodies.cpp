// ModelBuilder: bodies, joints, articulations and equality constraints.
#include <algorithm>
#include <array>

#include "carom/builder.h"
#include "model/checks.h"
#include "model/entities.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

JointDofConfig checked_dof(const std::string& who, JointDofConfig dof) {
  dof.axis = check_axis(who, "axis", dof.axis);
  check_range(who, "limit_lower", dof.limit_lower, "limit_upper", dof.limit_upper);
  check_range(who, "effort_lower", dof.effort_lower, "effort_upper", dof.effort_upper);
  check_finite(who, "stiffness_poly", dof.stiffness_poly);
  check_finite(who, "damping_poly", dof.damping_poly);
  check_finite(who, "limit_solref", dof.limit_solref);
  check_finite(who, "limit_solimp", dof.limit_solimp);
  check_finite(who, "friction_solref", dof.friction_solref);
  check_finite(who, "friction_solimp", dof.friction_solimp);
  check_finite(who, "spring_ref", dof.spring_ref);
  check_finite(who, "limit_margin", dof.limit_margin);
  check_finite(who, "target_pos", dof.target_pos);
  check_finite(who, "target_vel", dof.target_vel);
  const std::pair<const char*, Real> sizes[] = {{"limit_ke", dof.limit_ke},
                                                {"limit_kd", dof.limit_kd},
                                                {"target_ke", dof.target_ke},
                                                {"target_kd", dof.target_kd},
                                                {"damping", dof.damping},
                                                {"armature", dof.armature},
                                                {"velocity_limit", dof.velocity_limit},
                                                {"friction", dof.friction},
                                                {"stiffness", dof.stiffness},
                                                {"spring_yield", dof.spring_yield}};
  for (const auto& [name, value] : sizes) check_not_negative(who, name, value);
  return dof;
}

// Free, distance and ball joints move along fixed axes of their parent frame.
std::vector<JointDofConfig> unit_axes(const JointDofConfig& like) {
  std::vector<JointDofConfig> axes(3, like);
  for (int i = 0; i < 3; ++i) {
    axes[i].axis = {};
    axes[i].axis[i] = 1;
  }
  return axes;
}

void append_dof(ModelColumns<Vector>& c, const JointDofConfig& dof) {
  c.joint_axis.push_back(dof.axis);
  c.joint_qd.push_back(0);
  c.joint_limit_lower.push_back(dof.limit_lower);
  c.joint_limit_upper.push_back(dof.limit_upper);
  c.joint_limit_ke.push_back(dof.limit_ke);
  c.joint_limit_kd.push_back(dof.limit_kd);
  c.joint_target_pos.push_back(dof.target_pos);
  c.joint_target_vel.push_back(dof.target_vel);
  c.joint_target_ke.push_back(dof.target_ke);
  c.joint_target_kd.push_back(dof.target_kd);
  c.joint_damping.push_back(dof.damping);
  c.joint_armature.push_back(dof.armature);
  c.joint_effort_lower.push_back(dof.effort_lower);
  c.joint_effort_upper.push_back(dof.effort_upper);
  c.joint_velocity_limit.push_back(dof.velocity_limit);
  c.joint_friction.push_back(dof.friction);
  c.joint_stiffness.push_back(dof.stiffness);
  c.joint_stiffness_poly.push_back(dof.stiffness_poly);
  c.joint_damping_poly.push_back(dof.damping_poly);
  c.joint_gravcomp_by_motor.push_back(dof.gravcomp_by_motor);
  c.joint_spring_ref.push_back(dof.spring_ref);
  c.joint_spring_yield.push_back(dof.spring_yield);
  c.joint_limit_margin.push_back(dof.limit_margin);
  c.joint_limit_solref.push_back(dof.limit_solref);
  c.joint_limit_solimp.push_back(dof.limit_solimp);
  c.joint_friction_solref.push_back(dof.friction_solref);
  c.joint_friction_solimp.push_back(dof.friction_solimp);
}

}  // namespace

int ModelBuilder::add_link(const BodyArgs& args) {
  const int body = count(Entity::kBody);
  const std::string who = describe_new("body", body, args.key);
  check_room(Entity::kBody, 1);
  const Transform xform = check_transform(who, "xform", args.xform);
  check_finite(who, "com", args.com);
  check_not_negative(who, "mass", args.mass);
  check_finite(who, "gravcomp", args.gravcomp);
  check_finite(who, "fluid_axes", args.fluid_axes);
  check_inertia(who, args.inertia, args.mass);
  const int key_id = claim_key(Entity::kBody, args.key);

  ModelColumns<Vector>& c = data_.columns;
  c.body_q.push_back(xform);
  c.body_qd.push_back({});
  c.body_com.push_back(args.com);
  c.body_inertia.push_back(args.inertia);
  c.body_mass.push_back(args.mass);
  c.body_gravcomp.push_back(args.gravcomp);
  c.body_fluid_axes.push_back(args.fluid_axes);
  c.body_flags.push_back(args.is_kinematic ? kBodyKinematic : kBodyDynamic);
  c.body_sleep.push_back(static_cast<int>(args.sleep));
  c.body_world.push_back(current_world_);
  c.body_key_id.push_back(key_id);
  c.body_custom_id.push_back(-1);
  body_joint_.push_back(-1);
  body_locked_.push_back(args.lock_inertia);
  return body;
}

int ModelBuilder::add_body(const BodyArgs& args) {
  check_room(Entity::kJointCoord, 7);
  const int body = add_link(args);
  const int joint = add_joint_free(body);
  add_articulation({joint});
  return body;
}

// -- Joints

int ModelBuilder::add_joint(JointType type, int parent, int child, std::span<const JointDofConfig> linear,
                            std::span<const JointDofConfig> angular, const JointFrames& frames) {
  const int joint = count(Entity::kJoint);
  const std::string who = text(joint_type_name(type), " ", describe_new("joint", joint, frames.key));
  check_room(Entity::kJointCoord, 7);
  if (parent != -1) check_body(parent, text(who, ", parent"));
  if (child == -1) fail(who, ": child is -1, but the world cannot be moved; name a body");
  check_body(child, text(who, ", child"));
  if (parent == child)
    fail(who, ": ", describe(data_, Entity::kBody, child), " cannot be its own parent; name two bodies");
  if (data_.columns.body_world[child] != current_world_)
    fail(who, ": ", describe(data_, Entity::kBody, child), " is global and cannot be moved by a joint of world ",
         current_world_, "; move it with a global joint");
  if (body_joint_[child] >= 0)
    fail(who, ": ", describe(data_, Entity::kBody, child), " is already moved by ",
         describe(data_, Entity::kJoint, body_joint_[child]), "; close loops with an equality constraint");
  for (int body = parent; body >= 0; body = data_.columns.joint_parent[body_joint_[body]]) {
    if (body == child)
      fail(who, ": would close a cycle at ", describe(data_, Entity::kBody, child),
           "; close loops with an equality constraint");
    if (body_joint_[body] < 0) break;
  }
  std::vector<JointDofConfig> dofs;
  for (const JointDofConfig& dof : linear) dofs.push_back(checked_dof(who, dof));
  for (const JointDofConfig& dof : angular) dofs.push_back(checked_dof(who, dof));
  if (type == JointType::kFree && dofs.front().spring_yield > 0)
    fail(who, ": springs of free joints do not yield; set spring_yield to 0");
  std::vector<Vec3> axes;
  for (const JointDofConfig& dof : dofs) axes.push_back(dof.axis);
  check_perpendicular(who, std::span<const Vec3>(axes).first(linear.size()));
  check_perpendicular(who, std::span<const Vec3>(axes).subspan(linear.size()));
  const Transform X_p = check_transform(who, "parent_xform", frames.parent_xform);
  const Transform X_c = check_transform(who, "child_xform", frames.child_xform);
  const int key_id = claim_key(Entity::kJoint, frames.key);

  ModelColumns<Vector>& c = data_.columns;
  c.joint_type.push_back(static_cast<int>(type));
  c.joint_parent.push_back(parent);
  c.joint_child.push_back(child);
  c.joint_articulation.push_back(-1);
  c.joint_enabled.push_back(frames.enabled);
  c.joint_X_p.push_back(X_p);
  c.joint_X_c.push_back(X_c);
  c.joint_dof_dim.push_back({static_cast<int>(linear.size()), static_cast<int>(angular.size())});
  c.joint_world.push_back(current_world_);
  c.joint_key_id.push_back(key_id);
  c.joint_custom_id.push_back(-1);
  body_joint_[child] = joint;
  for (const JointDofConfig& dof : dofs) append_dof(c, dof);
  append_joint_coordinates(type, static_cast<int>(dofs.size()), child);
  return joint;
}

// Initial coordinates: zero and the identity, except that a free body starts where it was placed.
void ModelBuilder::append_joint_coordinates(JointType type, int dof_count, int child) {
  std::vector<Real>& q = data_.columns.joint_q;
  if (type == JointType::kFree || type == JointType::kDistance) {
    const int joint = body_joint_[child], parent = data_.columns.joint_parent[joint];
    const Transform X_WP = parent >= 0 ? data_.columns.body_q[parent] : Transform{};
    const Transform X_WJ = data_.columns.body_q[child] * data_.columns.joint_X_c[joint];
    const Transform X = inverse(X_WP * data_.columns.joint_X_p[joint]) * X_WJ;
    q.insert(q.end(), {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w});
  } else if (type == JointType::kBall) {
    q.insert(q.end(), {0, 0, 0, 1});
  } else {
    q.insert(q.end(), dof_count, 0);
  }
}

int ModelBuilder::add_joint_free(int child, int parent, const JointFrames& frames, const JointDofConfig& dof) {
  const std::vector<JointDofConfig> axes = unit_axes(dof);
  return add_joint(JointType::kFree, parent, child, axes, axes, frames);
}

int ModelBuilder::add_joint_fixed(int parent, int child, const JointFrames& frames) {
  return add_joint(JointType::kFixed, parent, child, {}, {}, frames);
}

int ModelBuilder::add_joint_revolute(int parent, int child, const JointDofConfig& dof, const JointFrames& frames) {
  return add_joint(JointType::kRevolute, parent, child, {}, {&dof, 1}, frames);
}

int ModelBuilder::add_joint_prismatic(int parent, int child, const JointDofConfig& dof, const JointFrames& frames) {
  return add_joint(JointType::kPrismatic, parent, child, {&dof, 1}, {}, frames);
}

int ModelBuilder::add_joint_ball(int parent, int child, const JointDofConfig& dof, const JointFrames& frames) {
  return add_joint(JointType::kBall, parent, child, {}, unit_axes(dof), frames);
}

int ModelBuilder::add_joint_universal(int parent, int child, const JointDofConfig& dof0, const JointDofConfig& dof1,
                                      const JointFrames& frames) {
  return add_joint_d6(parent, child, {}, {dof0, dof1}, frames);
}

int ModelBuilder::add_joint_distance(int parent, int child, Real min_distance, Real max_distance,
                                     const JointFrames& frames) {
  const std::string who = describe_new("distance joint", count(Entity::kJoint), frames.key);
  check_finite(who, "min_distance", min_distance);
  check_finite(who, "max_distance", max_distance);
  if (min_distance >= 0 && max_distance >= 0 && min_distance > max_distance)
    fail(who, ": min_distance ", min_distance, " is above max_distance ", max_distance, "; swap them");
  const std::vector<JointDofConfig> angular = unit_axes({});
  std::vector<JointDofConfig> linear = angular;
  // The two distances are kept as the limits of the first degree of freedom.
  linear[0].limit_lower = min_distance >= 0 ? min_distance : -kUnlimited;
  linear[0].limit_upper = max_distance >= 0 ? max_distance : kUnlimited;
  return add_joint(JointType::kDistance, parent, child, linear, angular, frames);
}

int ModelBuilder::add_joint_d6(int parent, int child, const std::vector<JointDofConfig>& linear_axes,
                               const std::vector<JointDofConfig>& angular_axes, const JointFrames& frames) {
  const std::string who = describe_new("d6 joint", count(Entity::kJoint), frames.key);
  if (linear_axes.size() > 3) fail(who, ": ", linear_axes.size(), " linear axes; a joint has at most 3");
  if (angular_axes.size() > 3) fail(who, ": ", angular_axes.size(), " angular axes; a joint has at most 3");
  return add_joint(JointType::kD6, parent, child, linear_axes, angular_axes, frames);
}

void ModelBuilder::set_joint_q(int joint, std::span<const Real> q) {
  check_joint(joint, "set_joint_q");
  const std::string who = text("set_joint_q: ", describe(data_, Entity::kJoint, joint));
  const auto coord_count = [&](int j) {
    const auto [linear, angular] = data_.columns.joint_dof_dim[j];
    return joint_coord_count(static_cast<JointType>(data_.columns.joint_type[j]), {linear, angular});
  };
  const int count = coord_count(joint);
  if (static_cast<int>(q.size()) != count) fail(who, " has ", count, " coordinates, but ", q.size(), " were given");
  for (const Real value : q) check_finite(who, "q", value);
  std::vector<Real> values(q.begin(), q.end());
  if (turns_at_once(static_cast<JointType>(data_.columns.joint_type[joint]))) {
    Real* const v = values.data() + (count - 4);  // the quaternion comes last
    const Quat unit = check_unit(who, "q", {v[0], v[1], v[2], v[3]});
    std::copy_n(&unit.x, 4, v);
  }
  // Counted from the end: those who set it do so when they have added the joint.
  auto start = static_cast<int>(data_.columns.joint_q.size());
  for (int j = this->count(Entity::kJoint) - 1; j >= joint; --j) start -= coord_count(j);
  std::ranges::copy(values, data_.columns.joint_q.begin() + start);
}

void ModelBuilder::set_joint_qd(int joint, std::span<const Real> qd) {
  set_dofs(joint, qd, data_.columns.joint_qd, "set_joint_qd", "qd");
}

void ModelBuilder::set_joint_spring_ref(int joint, std::span<const Real> spring_ref) {
  set_dofs(joint, spring_ref, data_.columns.joint_spring_ref, "set_joint_spring_ref", "spring_ref");
}

void ModelBuilder::set_dofs(int joint, std::span<const Real> numbers, std::vector<Real>& column, const std::string& who,
                            const char* name) {
  check_joint(joint, who);
  const auto dof_count = [&](int j) { return data_.columns.joint_dof_dim[j][0] + data_.columns.joint_dof_dim[j][1]; };
  if (static_cast<int>(numbers.size()) != dof_count(joint))
    fail(who, ": ", describe(data_, Entity::kJoint, joint), " has ", dof_count(joint), " degrees of freedom, but ",
         numbers.size(), " numbers were given");
  for (const Real value : numbers) check_finite(who, name, value);
  int start = 0;
  for (int j = 0; j < joint; ++j) start += dof_count(j);
  std::ranges::copy(numbers, column.begin() + start);
}

// -- Articulations

int ModelBuilder::add_articulation(std::span<const int> joints, const std::string& key) {
  const int articulation = count(Entity::kArticulation);
  const std::string who = describe_new("articulation", articulation, key);
  check_room(Entity::kArticulation, 1);
  if (joints.empty()) fail(who, ": has no joints; list the joints it consists of");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    check_joint(joints[i], who);
    if (i > 0 && joints[i] != joints[i - 1] + 1)
      fail(who, ": joint ", joints[i], " follows joint ", joints[i - 1],
           "; the joints of an articulation are added one after the other and listed in that order");
    const int owner = data_.columns.joint_articulation[joints[i]];
    if (owner >= 0)
      fail(who, ": ", describe(data_, Entity::kJoint, joints[i]), " already belongs to ",
           describe(data_, Entity::kArticulation, owner), "; a joint has one articulation");
  }
  const int key_id = claim_key(Entity::kArticulation, key);
  for (const int joint : joints) data_.columns.joint_articulation[joint] = articulation;
  data_.columns.articulation_world.push_back(current_world_);
  data_.columns.articulation_key_id.push_back(key_id);
  data_.columns.articulation_custom_id.push_back(-1);
  return articulation;
}

// -- Equality constraints

// With nothing that it acts on; the caller has checked that, and writes it.
int ModelBuilder::add_equality_constraint(EqualityType type, const EqualityArgs& args, const std::string& who) {
  check_room(Entity::kEqualityConstraint, 1);
  check_finite(who, "solref", args.solref);
  check_finite(who, "solimp", args.solimp);
  const int key_id = claim_key(Entity::kEqualityConstraint, args.key);
  ModelColumns<Vector>& c = data_.columns;
  c.equality_constraint_type.push_back(static_cast<int>(type));
  for (auto* const column :
       {&c.equality_constraint_body1, &c.equality_constraint_body2, &c.equality_constraint_joint1,
        &c.equality_constraint_joint2, &c.equality_constraint_tendon1, &c.equality_constraint_tendon2})
    column->push_back(-1);
  c.equality_constraint_axis1.push_back(0);
  c.equality_constraint_axis2.push_back(0);
  c.equality_constraint_anchor.push_back({});
  c.equality_constraint_anchor2.push_back({});
  c.equality_constraint_torquescale.push_back(1);
  c.equality_constraint_relpose.push_back({});
  c.equality_constraint_axes.push_back({0, 0, 0, 1});
  c.equality_constraint_polycoef.push_back({});
  c.equality_constraint_solref.push_back(args.solref);
  c.equality_constraint_solimp.push_back(args.solimp);
  c.equality_constraint_enabled.push_back(args.enabled);
  c.equality_constraint_world.push_back(current_world_);
  c.equality_constraint_key_id.push_back(key_id);
  return count(Entity::kEqualityConstraint) - 1;
}

int ModelBuilder::add_equality_constraint_connect(int body1, int body2, Vec3 anchor, const EqualityArgs& args,
                                                  std::optional<Vec3> anchor2) {
  const std::string who = describe_new("equality constraint", count(Entity::kEqualityConstraint), args.key);
  check_body(body1, who);
  check_body(body2, who);
  if (body1 == body2) fail(who, ": connects body ", body1, " to itself; name two bodies");
  check_finite(who, "anchor", anchor);
  check_finite(who, "anchor2", anchor2.value_or(Vec3{}));
  const int index = add_equality_constraint(EqualityType::kConnect, args, who);
  ModelColumns<Vector>& c = data_.columns;
  const auto pose = [&](int body) { return body < 0 ? Transform{} : c.body_q[body]; };
  c.equality_constraint_anchor2[index] =
      anchor2.value_or(transform_point(inverse(pose(body2)), transform_point(pose(body1), anchor)));
  c.equality_constraint_body1[index] = body1, c.equality_constraint_body2[index] = body2;
  c.equality_constraint_anchor[index] = anchor;
  return index;
}

int ModelBuilder::add_equality_constraint_weld(int body1, int body2, Vec3 anchor, Real torquescale,
                                               const Transform& relpose, const EqualityArgs& args, Quat axes) {
  const std::string who = describe_new("equality constraint", count(Entity::kEqualityConstraint), args.key);
  check_body(body1, who);
  check_body(body2, who);
  if (body1 == body2) fail(who, ": welds body ", body1, " to itself; name two bodies");
  check_finite(who, "anchor", anchor);
  check_not_negative(who, "torquescale", torquescale);
  const Transform pose = check_transform(who, "relpose", relpose);
  const Quat along = check_unit(who, "axes", axes);
  const int index = add_equality_constraint(EqualityType::kWeld, args, who);
  ModelColumns<Vector>& c = data_.columns;
  c.equality_constraint_body1[index] = body1, c.equality_constraint_body2[index] = body2;
  c.equality_constraint_anchor[index] = anchor;
  c.equality_constraint_torquescale[index] = torquescale;
  c.equality_constraint_relpose[index] = pose;
  c.equality_constraint_axes[index] = {along.x, along.y, along.z, along.w};
  return index;
}

int ModelBuilder::add_equality_constraint_joint(int joint1, int joint2, RealN<5> polycoef, const EqualityArgs& args,
                                                int axis1, int axis2) {
  const std::string who = describe_new("equality constraint", count(Entity::kEqualityConstraint), args.key);
  check_driven(joint1, axis1, who);
  if (joint2 != -1) check_driven(joint2, axis2, who);
  if (joint1 == joint2 && axis1 == axis2)
    fail(who, ": couples joint ", joint1, " to itself; name two joints, or -1 for a constant");
  for (const Real c : polycoef) check_finite(who, "polycoef", c);
  const int index = add_equality_constraint(EqualityType::kJoint, args, who);
  ModelColumns<Vector>& c = data_.columns;
  c.equality_constraint_joint1[index] = joint1, c.equality_constraint_joint2[index] = joint2;
  c.equality_constraint_axis1[index] = axis1, c.equality_constraint_axis2[index] = axis2;
  c.equality_constraint_polycoef[index] = polycoef;
  return index;
}

int ModelBuilder::add_equality_constraint_tendon(int tendon1, int tendon2, RealN<5> polycoef,
                                                 const EqualityArgs& args) {
  const std::string who = describe_new("equality constraint", count(Entity::kEqualityConstraint), args.key);
  check_tendon(tendon1, who);
  if (tendon2 != -1) check_tendon(tendon2, who);
  if (tendon1 == tendon2) fail(who, ": couples tendon ", tendon1, " to itself; name two tendons, or -1 for a constant");
  for (const Real c : polycoef) check_finite(who, "polycoef", c);
  const int index = add_equality_constraint(EqualityType::kTendon, args, who);
  ModelColumns<Vector>& c = data_.columns;
  c.equality_constraint_tendon1[index] = tendon1, c.equality_constraint_tendon2[index] = tendon2;
  c.equality_constraint_polycoef[index] = polycoef;
  return index;
}

}  // namespace carom::inline CAROM_PRECISION
