// ImpulseResolver and resolve_impulses: impulses on the contacts of a model. The GIL is released while they run.
#include "carom/resolve_impulses.h"

#include "bindings.h"
#include "config_fields.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

void bind_impulse_config(nb::module_& m) {
  nb::enum_<CombineRule>(m, "CombineRule", "How a contact gets one coefficient from the two of its shapes.")
      .value("AVERAGE", CombineRule::kAverage)
      .value("MAX", CombineRule::kMax)
      .value("MIN", CombineRule::kMin)
      .value("GEOMETRIC_MEAN", CombineRule::kGeometricMean);
  using C = ImpulseConfig;
  using F = Field<C, Real>;
  using Rule = Field<C, CombineRule>;
  bind_config_class<C>(
      m, "ImpulseConfig", "How resolve_impulses() works.",
      F{"tangential_restitution", &C::tangential_restitution, "-1 to 1: of the slip, where a contact sticks."},
      F{"restitution_threshold", &C::restitution_threshold,
        "Below this approach speed [m/s] restitution fades linearly to 0."},
      Rule{"restitution_rule", &C::restitution_rule, "Of shape_material_restitution."},
      Rule{"friction_rule", &C::friction_rule, "Of shape_material_mu."},
      F{"least_depth", &C::least_depth, "Contacts that are less deep [m] get no impulse."},
      Field<C, int>{"max_iterations", &C::max_iterations, "Sweeps over the contacts of a world."},
      F{"tolerance", &C::tolerance, "Largest change of a velocity, relative to those at the contacts."});
}

}  // namespace

void bind_resolve_impulses(nb::module_& m) {
  bind_impulse_config(m);
  nb::class_<ImpulseResolver>(m, "ImpulseResolver",
                              "Impulses on the contacts of a model: all contacts of a world are solved together, with "
                              "the restitution and friction of their shapes. Bodies are free, kinematic or static.")
      .def(
          "__init__",
          [](ImpulseResolver* self, const ModelHandle& model, const ImpulseConfig& config, const Queue* queue) {
            new (self) ImpulseResolver(model.model, config, queue);
          },
          nb::arg("model"), nb::arg("config") = ImpulseConfig{}, nb::kw_only(), nb::arg("queue") = nb::none())
      .def(
          "resolve",
          [](ImpulseResolver& self, const State& state_in, const State& state_out, const Contacts& contacts) {
            Array<Vec3> impulse;
            {
              nb::gil_scoped_release unlocked;
              impulse = self.resolve(state_in, state_out, contacts);
            }
            return ArrayHandle(impulse);
          },
          nb::arg("state_in"), nb::arg("state_out"), nb::arg("contacts"),
          "The impulse of each contact on shape 1, world frame [N s]; shape 0 gets its negative. state_out becomes "
          "state_in with the velocities after the impact; it may be the same state. The next call writes over the "
          "result.")
      .def_prop_ro(
          "status", [](const ImpulseResolver& self) { return ArrayHandle(self.status()); },
          "per world, then of the globals, of the last call: 0, or bits: 2 a velocity is not finite, 4 the sweeps did "
          "not converge, 8 a body was written to where its joint cannot bring it")
      .def_prop_ro("config", &ImpulseResolver::config);
  m.def(
      "resolve_impulses",
      [](const ModelHandle& model, const State& state_in, const State& state_out, const Contacts& contacts,
         const ImpulseConfig& config) {
        Array<Vec3> impulse;
        {
          nb::gil_scoped_release unlocked;
          impulse = resolve_impulses(model.model, state_in, state_out, contacts, config);
        }
        return ArrayHandle(impulse);
      },
      nb::arg("model"), nb::arg("state_in"), nb::arg("state_out"), nb::arg("contacts"),
      nb::arg("config") = ImpulseConfig{},
      "The impulse of each contact on shape 1, world frame [N s]; state_out becomes state_in with the velocities after "
      "the impact. To call it often, make an ImpulseResolver.");
}

}  // namespace carom::inline CAROM_PRECISION::python
