// What pid controllers and DC motors do. With setpoints p, v, an input f and the integral e of p - L:
//
//   controller   kp (p - L) + kv (v - V) + ki e + f
//   motor        K i + cogging sin(n L + phase) - (s0 z + s1 z'),   R i + te R i' = U - K V,   U = R/K controller + K V
//                C T' = R i^2 - T / R_air,   R grows with T,   z' = V - s0 |V| / g(V) z   (LuGre)
//
// A state x moves on by its rate times a span, which is the step where the rate stays, and (exp(a h) - 1) / a where it
// decays with a: that is exact, as MuJoCo has it.
#pragma once

#include "solvers/mujoco/force_view.h"

namespace carom::inline CAROM_PRECISION::forces {

// The force of an actuator within no bounds, and how it changes with velocity and with length.
template <class F>
struct Pull {
  F force, slope;
  F by_length{};
};

template <class F>
struct Controller {
  const ForceWork<F>& f;
  const ControllerSlot& slot;
  const ControllerParams<F>& p;
  F length, speed, h;

  // way(x, y): x, or what means the same and is nearer to y.
  template <class Way>
  CAROM_HD Pull<F> pull(const Way& way) const {
    F u[kActuatorInputs];
    for (int k = 0; k < kActuatorInputs; ++k)
      u[k] = slot.input[k] < 0 ? F(0) : activation::bounded(f.ctrl[slot.input[k]], p.lower[k], p.upper[k]);
    follow_slowly(u);
    const F ahead = way(u[0], length) - length;
    const F effort = fma(p.kp, ahead, p.kv * (u[1] - speed)) + (u[2] + integrate(ahead));
    return slot.law == ActuatorLaw::kPid ? Pull<F>{effort, -p.kv, -p.kp} : turn(effort, u[3]);
  }

  // What a motor does beside that, whatever bounds it.
  CAROM_HD Pull<F> on_top() const {
    if (slot.law != ActuatorLaw::kDcMotor) return {F(0), F(0)};
    F sine, cosine;
    sincos(fma(p.cogging[1], length, p.cogging[2]), sine, cosine);
    return rub({p.cogging[0] * sine, F(0), p.cogging[0] * p.cogging[1] * cosine});
  }

 private:
  enum Place { kSlew, kIntegral, kTemperature, kBristle, kCurrent };  // in slot.state

  CAROM_HD bool has(Place state) const { return slot.state[state] >= 0; }
  CAROM_HD F now(Place state) const { return f.act[slot.state[state]]; }
  CAROM_HD void leave(Place state, F rate, F span) const {
    f.act_rate[slot.state[state]] = rate;
    f.act_span[slot.state[state]] = span;
  }
  // x within +-most; within nothing where that is 0.
  CAROM_HD static F within(F x, F most) { return select(most > F(0), activation::bounded(x, -most, most), x); }
  CAROM_HD static MaskOf<F> at_most(F x, F most) { return most > F(0) && abs(x) >= most; }

  // Of what decays with a.
  CAROM_HD F reach_of(F a) const {
    const F x = a * h;
    const auto small = abs(x) < F(0.004);
    const F series = fma(x, fma(x, fma(x, fma(x, F(Real(1) / 120), F(Real(1) / 24)), F(Real(1) / 6)), F(0.5)), F(1));
    return select(small, h * series, (exp(x) - F(1)) / select(small, F(1), a));
  }

  // The first input.
  CAROM_HD void follow_slowly(F (&u)[kActuatorInputs]) const {
    if (!has(kSlew)) return;
    int first = 0;
    while (slot.input[first] < 0) ++first;
    const F last = now(kSlew), most = p.slew_max * h;
    u[first] = activation::bounded(u[first], last - most, last + most);
    leave(kSlew, (u[first] - last) / h, h);
  }

  // What the integral adds. It does not grow beyond its bound.
  CAROM_HD F integrate(F ahead) const {
    if (!has(kIntegral)) return F(0);
    const F e = now(kIntegral);
    const auto bound = p.integral_max > F(0);
    F rate = select(bound && e >= p.integral_max, min(ahead, F(0)), ahead);
    rate = select(bound && e <= -p.integral_max, max(ahead, F(0)), rate);
    leave(kIntegral, rate, h);
    return p.ki * e;
  }

  // -- Motors.

  CAROM_HD Pull<F> turn(F effort, F voltage) const {
    const F K = p.constant;
    F slope = -K, by_length{};  // of the voltage that drives the current
    F driving = fma(-K, speed, voltage);
    if (slot.input[0] >= 0 || slot.input[1] >= 0 || slot.input[2] >= 0) {
      const F share = p.resistance / K, wanted = fma(share, effort, K * speed);
      driving += within(wanted, p.voltage_max);
      const auto clipped = at_most(wanted, p.voltage_max);
      slope += select(clipped, F(0), fma(-share, p.kv, K));
      by_length = select(clipped, F(0), -share * p.kp);
    }
    const F R = has(kTemperature) ? warm_resistance() : p.resistance;
    const Pull<F> current = flow(driving / R, slope / R, by_length / R);
    heat(R, has(kCurrent) ? now(kCurrent) : current.force);
    return {K * current.force, K * current.slope, K * current.by_length};
  }

  // The current from the one that would flow in the end, and its slopes; the force is that of the current to come.
  CAROM_HD Pull<F> flow(F end, F slope, F by_length) const {
    if (!has(kCurrent)) return {end, slope, by_length};
    const F i = now(kCurrent), ahead = (end - i) / p.current_time, rate = within(ahead, p.current_rate_max);
    const F span = reach_of(F(-1) / p.current_time);
    leave(kCurrent, rate, span);
    const auto clipped = at_most(ahead, p.current_rate_max);
    const auto gained = [&](F x) CAROM_HD_LAMBDA { return select(clipped, F(0), x * span / p.current_time); };
    return {fma(rate, span, i), gained(slope), gained(by_length)};
  }

  CAROM_HD F warm_resistance() const {
    return p.resistance * fma(p.heat_coefficient, now(kTemperature) + p.heat_ambient - p.heat_reference, F(1));
  }
  CAROM_HD void heat(F R, F current) const {
    if (!has(kTemperature)) return;
    leave(kTemperature, (R * current * current - now(kTemperature) / p.heat_resistance) / p.heat_capacity, h);
  }

  // Bristles bend with the motion and slip.
  CAROM_HD Pull<F> rub(Pull<F> pull) const {
    if (!has(kBristle)) return pull;
    const F ratio = speed / p.speed, z = now(kBristle);
    const F g = fma(p.holding - p.coulomb, exp(-(ratio * ratio)), p.coulomb);
    const F decay = -p.bristle_stiffness * abs(speed) / activation::at_least(g), rate = fma(decay, z, speed);
    leave(kBristle, rate, reach_of(decay));
    return {pull.force - fma(p.bristle_stiffness, z, p.bristle_damping * rate), pull.slope - p.bristle_damping,
            pull.by_length};
  }
};

}  // namespace carom::inline CAROM_PRECISION::forces
