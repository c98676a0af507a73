#include "events/free_bodies.h"

#include <algorithm>

#include "backend/launch.h"
#include "events/kernels.h"
#include "events/world_rows.h"

namespace carom::inline CAROM_PRECISION {

FreeBodies::FreeBodies(const Model& model, const Queue& queue) : model_(model), queue_(queue) {}

namespace {

bool is_identity(const Transform& X) { return X.p == Vec3{} && X.q.x == 0 && X.q.y == 0 && X.q.z == 0 && X.q.w == 1; }

}  // namespace

bool FreeBodies::is_free(int joint) const {
  const Model& m = model_;
  if (static_cast<JointType>(m.joint_type[joint]) != JointType::kFree || m.joint_parent[joint] >= 0) return false;
  const int body = m.joint_child[joint];
  if (!is_identity(m.joint_X_p[joint]) || !is_identity(m.joint_X_c[joint]) || m.body_flags[body] != kBodyDynamic ||
      !(m.body_mass[body] > 0) || !(determinant(m.body_inertia[body]) > 0))
    return false;
  for (int d = m.joint_qd_start[joint]; d < m.joint_qd_start[joint + 1]; ++d) {
    const bool limited = m.joint_limit_lower[d] > -kUnlimited || m.joint_limit_upper[d] < kUnlimited;
    for (const Array<Real>& column :
         {m.joint_stiffness, m.joint_damping, m.joint_armature, m.joint_friction, m.joint_target_ke, m.joint_target_kd})
      if (column[d] != 0) return false;
    if (limited) return false;
  }
  return true;
}

bool FreeBodies::are_all_of(int world) const {
  const Rows joints = rows_of(model_, Entity::kJoint, world), actuators = rows_of(model_, Entity::kActuator, world);
  if (joints.count() == 0 || actuators.count() > 0) return false;
  for (int j = joints.begin; j < joints.end; ++j)
    if (!is_free(j)) return false;
  return true;
}

FreeBodies::Choice FreeBodies::choose(std::span<const int> worlds) const {
  Choice choice;
  for (const int world : worlds) {
    const Rows joints = rows_of(model_, Entity::kJoint, world);
    for (int j = joints.begin; j < joints.end; ++j) {
      const int body = model_.joint_child[j];
      choice.coord.push_back(model_.joint_q_start[j]);
      choice.dof.push_back(model_.joint_qd_start[j]);
      choice.body.push_back(body);
      const Mat33 inertia = model_.body_inertia[body];
      choice.numbers.push_back(
          {1 / model_.body_mass[body], model_.body_com[body], inertia, inverse(inertia), model_.gravity[world]});
    }
  }
  return choice;
}

void FreeBodies::place(const Choice& choice, const State& state) const {
  launch(queue_, choice.count(),
         PlaceFreeBodies{choice.rows(), state.joint_q.data(), state.joint_qd.data(), state.body_q.data(),
                         state.body_qd.data()});
}

void FreeBodies::eval(const Choice& choice, const State& state, const Control& control, const Array<Real>& joint_q_rate,
                      const Array<Real>& joint_qdd) const {
  launch(queue_, choice.count(),
         MoveFreeBodies{.rows = choice.rows(),
                        .body = choice.numbers.data(),
                        .joint_q = state.joint_q.data(),
                        .joint_qd = state.joint_qd.data(),
                        .joint_f = control.joint_f.data(),
                        .body_f = state.body_f.data(),
                        .joint_q_rate = joint_q_rate.data(),
                        .joint_qdd = joint_qdd.data()});
}

}  // namespace carom::inline CAROM_PRECISION
