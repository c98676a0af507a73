// Options and flags. Flags that disable something become numbers: no stiffness, no limits, gains of 0.
#include <algorithm>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

bool ignores(const MjcfArgs& args, const char* name) {
  return std::find(args.ignore.begin(), args.ignore.end(), name) != args.ignore.end();
}

MjcfEffects effects_of(const CompiledMjcf& m, const MjcfArgs& args) {
  const auto on = [&](mj::Disable flag) { return (m.opt_disableflags & flag) == 0; };
  const auto enabled = [&](mj::Enable flag) { return (m.opt_enableflags & flag) != 0; };
  const bool constraints = on(mj::kNoConstraint);
  return {.equality = constraints && on(mj::kNoEquality),
          .frictionloss = constraints && on(mj::kNoFrictionloss) && !ignores(args, "frictionloss"),
          .limit = constraints && on(mj::kNoLimit),
          .contact = constraints && on(mj::kNoContact),
          .spring = on(mj::kNoSpring),
          .damper = on(mj::kNoDamper),
          .passive = on(mj::kNoSpring) || on(mj::kNoDamper),  // they take gravcomp and the fluid with them
          .gravity = on(mj::kNoGravity),
          .clampctrl = on(mj::kNoClampctrl),
          .filterparent = on(mj::kNoFilterparent),
          .actuation = on(mj::kNoActuation),
          .refsafe = on(mj::kNoRefsafe),
          .eulerdamp = on(mj::kNoEulerdamp),
          .override_contacts = enabled(mj::kOverride),
          .sleep = enabled(mj::kSleep) && !ignores(args, "flag"),
          .diagexact = enabled(mj::kDiagexact),
          .speculative = enabled(mj::kSpeculative),
          .sensor = on(mj::kNoSensor) && !ignores(args, "sensor")};
}

ModelOptions options_of(const Mapping& map) {
  constexpr Integrator kIntegrators[] = {Integrator::kEuler, Integrator::kRK4, Integrator::kImplicit,
                                         Integrator::kImplicitFast, Integrator::kDiscrete};
  const CompiledMjcf& m = map.m;
  ModelOptions options{.timestep = Real(m.opt_timestep),
                       .euler_damping = map.has.eulerdamp,
                       .cone = m.opt_cone == 1 ? Cone::kElliptic : Cone::kPyramidal,
                       .impratio = Real(m.opt_impratio),
                       .refsafe = map.has.refsafe,
                       .diagexact = map.has.diagexact,
                       .speculative = map.has.speculative,
                       .noslip_iterations = ignores(map.args, "noslip") ? 0 : m.opt_noslip_iterations,
                       .noslip_tolerance = Real(m.opt_noslip_tolerance),
                       .magnetic = to_real(vec3(m.opt_magnetic.data())),
                       .sleep = map.has.sleep,
                       .sleep_tolerance = Real(m.opt_sleep_tolerance)};
  if (m.opt_integrator >= 0 && static_cast<std::size_t>(m.opt_integrator) < std::size(kIntegrators))
    options.integrator = kIntegrators[m.opt_integrator];
  if (!ignores(map.args, "fluid") && map.has.passive) {
    options.density = Real(m.opt_density);
    options.viscosity = Real(m.opt_viscosity);
    options.wind = to_real(vec3(m.opt_wind.data()));
  }
  return options;
}

}  // namespace carom::inline CAROM_PRECISION
