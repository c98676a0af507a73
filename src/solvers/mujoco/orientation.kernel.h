// Actuators that turn a ball joint, or a site against another, to an orientation. Each has three members in the list of
// actuators, one for each axis of what it turns; with the rotation vector e that is left, in these axes,
//
//   moment = gain e + bias[0] + bias[2] V,   no larger than force_upper
#pragma once

#include "dynamics/tree.h"
#include "solvers/mujoco/controllers.kernel.h"

namespace carom::inline CAROM_PRECISION::forces {

template <class F>
struct OrientationServo {
  const ForceView& view;
  const ForceWork<F>& f;
  const TreeWork<F>& t;
  const OrientationSlot& slot;
  F h;

  CAROM_HD Pull<F> pull(int member) const {
    const ActuatorParams<F>& p = f.actuator_params[slot.first];
    if (slot.activation >= 0) f.act_rate[slot.activation + member] = input(member);
    const QuatT<F> at = quat_from_rotation_vector(
        vector([&](int k) CAROM_HD_LAMBDA { return f.path.length[view.actuator[slot.first + k].path]; }));
    const Vec3T<F> left = rotation_vector(conjugate(at) * target());
    const Vec3T<F> force = vector(
        [&](int k) CAROM_HD_LAMBDA { return fma(p.gain, left[k], fma(p.bias[2], speed(slot.first + k), p.bias[0])); });
    const F size = sqrt(length_squared(force));
    const auto over = size > p.force_upper;
    const F share = select(over, p.force_upper / select(over, size, F(1)), F(1));
    return {force[member] * share, select(over, F(0), p.bias[2]), select(over, F(0), -p.gain)};
  }

 private:
  template <class Get>
  CAROM_HD static Vec3T<F> vector(const Get& get) {
    Vec3T<F> v;
    for (int k = 0; k < 3; ++k) v[k] = get(k);
    return v;
  }
  CAROM_HD F input(int k) const {
    const ActuatorParams<F>& p = f.actuator_params[slot.first + k];
    return activation::bounded(f.ctrl[slot.ctrl + k], p.ctrl_lower, p.ctrl_upper);
  }
  // No quaternion at all: no rotation.
  CAROM_HD QuatT<F> target() const {
    if (!slot.is_quaternion) return quat_from_rotation_vector(vector([&](int k) CAROM_HD_LAMBDA { return wanted(k); }));
    const F* const u = f.ctrl + slot.ctrl;
    const F size = sqrt(fma(u[0], u[0], fma(u[1], u[1], fma(u[2], u[2], u[3] * u[3]))));
    const auto some = size >= F(activation::kLeast);
    const F scale = select(some, F(1) / select(some, size, F(1)), F(0));
    return {u[0] * scale, u[1] * scale, u[2] * scale, select(some, u[3] * scale, F(1))};
  }
  CAROM_HD F wanted(int k) const {
    if (slot.activation < 0) return input(k);
    const F act = f.act[slot.activation + k];
    return select(f.activation_params[slot.activation + k].early > F(0), fma(input(k), h, act), act);
  }
  CAROM_HD F speed(int actuator) const {
    const ActuatorSlot& a = view.actuator[actuator];
    F sum{};
    CAROM_ROLL
    for (int e = a.first_entry; e < a.first_entry + a.entry_count; ++e)
      sum = fma(f.actuator_coef[e], entry(t.qd, view.actuator_entry[e].dof), sum);
    return sum;
  }
};

// Rotation vectors that were integrated, as the shortest ones.
template <class F, class Team>
CAROM_HD_STAGE void shorten_turns(Team team, const ForceView& view, const ForceWork<F>& f) {
  team.each(static_cast<int>(view.orientation.size), [&](int o) {
    const int first = view.orientation[o].activation;
    if (first < 0) return;
    constexpr Real kTurn = Real(6.283185307179586);
    F square{};
    for (int k = 0; k < 3; ++k) square = fma(f.act[first + k], f.act[first + k], square);
    const F size = sqrt(square), round = F(NumberFormat<Real>::kRound);
    const auto is_long = size > F(kTurn / 2);
    const F turns = (size * F(1 / kTurn) + round) - round;
    const F scale = fma(-F(kTurn), turns, size) / select(is_long, size, F(1));
    for (int k = 0; k < 3; ++k) f.act[first + k] = select(is_long, f.act[first + k] * scale, f.act[first + k]);
  });
}

}  // namespace carom::inline CAROM_PRECISION::forces
