// Solvers by name, what they report, and Simulation. The GIL is released while they run.
#include "carom/simulation.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "carom/error.h"
#include "convert.h"
#include "model.h"
#include "sensors.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// -- Solvers: Python sees each as a class of its own, not as carom::Solver.

template <class List>
struct InPython;
template <class... S>
struct InPython<SolverList<S...>> {
  using Given = std::variant<std::string, S...>;  // a name or a solver
  using Shown = std::variant<S*...>;

  static Shown shown(const Solver& solver) {
    Shown one;
    ((solver.get_if<S>() ? (void)(one = solver.get_if<S>()) : (void)0), ...);
    return one;
  }
};
using GivenSolver = InPython<Solvers>::Given;

void bind_reports(nb::module_& m) {
  nb::class_<SolverReports> cls(
      m, "SolverReports",
      "What the last step of a solver did, one entry per world; written anew by every step. An "
      "array that says nothing about a solver is empty.");
  visit_reports([&](const char* name, auto array, const char* doc) {
    cls.def_prop_ro(
        name, [array](const SolverReports& self) { return ArrayHandle(self.*array); }, doc);
  });
}

// -- Simulation

Simulation make_simulation(const ModelHandle& handle, const GivenSolver& solver, std::optional<Real> dt,
                           const Queue* queue, const std::string& contacts, std::uint64_t sensor_seed) {
  const ContactRule rule = parse_contact_rule(contacts);
  nb::gil_scoped_release unlocked;
  return std::visit(
      [&]<class S>(const S& given) {
        if constexpr (SolverLike<S>) {
          if (queue)
            throw Error("Simulation: a solver that was made before has its own queue; give queue= to it instead");
          return Simulation(handle.model, given, dt, rule, sensor_seed);
        } else {
          return Simulation(handle.model, given, dt, queue, rule, sensor_seed);
        }
      },
      solver);
}

// -- Sensors

constexpr const char *kBefore = "before", *kNow = "now";

const Sensors& sensors_at(const Simulation& simulation, const std::string& when) {
  if (when != kBefore && when != kNow)
    throw Error("sensors: there is no instant '" + when + "'; use \"before\" or \"now\"");
  nb::gil_scoped_release unlocked;
  return when == kBefore ? simulation.sensors() : simulation.sensors_now();
}

// Of a state without a simulation: one is made for this look.
nb::object read_state(const ModelHandle& handle, const std::string& key, const State& state,
                      const std::string& layout) {
  const Simulation simulation(handle.model);
  simulation.state().assign(state);
  const nb::object values = nb::cast(sensor_values(sensors_at(simulation, kNow), key, layout));
  return numpy_of(values).attr("copy")();
}

void def_get_sensor_value() {
  auto cls = nb::borrow<nb::class_<ModelHandle>>(nb::type<ModelHandle>());
  cls.def(
      "get_sensor_value",
      [](const ModelHandle&, const std::string& key, const Simulation& simulation, const std::string& layout) {
        return numpy_of(nb::cast(sensor_values(sensors_at(simulation, kBefore), key, layout)));
      },
      nb::arg("key"), nb::arg("data"), nb::arg("layout") = sensor_layout_name(SensorLayout::kFlat),
      nb::sig("def get_sensor_value(self, key: str, data: Simulation, layout: str = 'flat') -> "
              "numpy.typing.NDArray[Any]"),
      "What a sensor reads in a simulation, as Simulation.sensor() does; or in a state, as it is there.");
  cls.def("get_sensor_value", &read_state, nb::arg("key"), nb::arg("data"),
          nb::arg("layout") = sensor_layout_name(SensorLayout::kFlat),
          nb::sig("def get_sensor_value(self, key: str, data: State, layout: str = 'flat') -> "
                  "numpy.typing.NDArray[Any]"));
}

nb::dict features_by_name(const SolverAbilities& abilities) {
  nb::dict features;
  for (int i = 0; i < static_cast<int>(Feature::kCount); ++i)
    features[feature_name(static_cast<Feature>(i))] = abilities.features.has(static_cast<Feature>(i));
  return features;
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_reports(m);
  m.def("solver_names", &solver_names, "The solvers that Simulation(solver=) finds by name.");
  nb::class_<SolverAbilities>(m, "SolverAbilities", "What a solver can do. Models that ask for more it refuses.")
      .def_prop_ro(
          "coordinates", [](const SolverAbilities& a) { return a.coordinates; },
          "in which it moves bodies, and how joints hold them")
      .def_prop_ro(
          "contacts", [](const SolverAbilities& a) { return a.contacts; },
          "what they are, with the numbers of the material that count")
      .def_prop_ro("features", &features_by_name, nb::sig("def features(self) -> dict[str, bool]"),
                   "what a model may have, and whether the solver supports it");
  m.def("solver_abilities", &solver_abilities, nb::arg("name"), "What the solver of this name can do.");
  nb::class_<Simulation::Snapshot>(m, "Snapshot", "Everything that the next step of a Simulation depends on.")
      .def_ro("state", &Simulation::Snapshot::state)
      .def_ro("control", &Simulation::Snapshot::control)
      .def_ro("steps", &Simulation::Snapshot::steps);
  nb::class_<Simulation>(m, "Simulation", "A model, a solver, a state and a control, stepped by one call.")
      .def(nb::new_(&make_simulation), nb::arg("model"), nb::arg("solver") = kDefaultSolver, nb::arg("dt") = nb::none(),
           nb::arg("queue") = nb::none(), nb::arg("contacts") = contact_rule_name(CollisionConfig{}.contacts),
           nb::arg("sensor_seed") = 0,
           "solver: one of solver_names(), with its default options, or a solver. dt: timestep [s]; None: that of "
           "model.options. contacts: whose points pairs of shapes have, \"carom\" or \"mujoco\". sensor_seed: of the "
           "noise of sensors.")
      .def(
          "step",
          [](Simulation& self, int n) {
            nb::gil_scoped_release unlocked;
            return ArrayHandle(self.step(n));
          },
          nb::arg("n") = 1,
          "n steps. Returns the status of every world: 0, or bits: 1 contacts did not fit, 2 not "
          "finite and frozen, 4 not converged, 8 a body was written to where its joint cannot bring it.")
      .def(
          "reset", [](Simulation& self, nb::handle mask) { self.reset(read_mask(mask)); }, nb::arg("mask") = nb::none(),
          nb::sig("def reset(self, mask: numpy.typing.ArrayLike | None = None) -> None"),
          "Chosen worlds, or all of them, back to the initial state. What it costs grows with the worlds chosen.")
      .def(
          "set_active", [](Simulation& self, nb::handle mask) { self.set_active(read_mask(mask)); }, nb::arg("mask"),
          nb::sig("def set_active(self, mask: numpy.typing.ArrayLike | None) -> None"),
          "Which worlds steps take from now on: a bool per world, None = all. The others stand still and cost nothing: "
          "their state keeps its bits, they have no contacts, their status is 0, and their sensors say what they said. "
          "To switch costs as much as an edit of a shape does.")
      .def_prop_ro(
          "active",
          [](const Simulation& self) { return std::vector<bool>(self.active().begin(), self.active().end()); },
          "Of each world whether steps take it.")
      .def("snapshot", &Simulation::snapshot, "A copy of everything that the next step depends on.")
      .def("restore", &Simulation::restore, nb::arg("snapshot"), "Goes back to a snapshot.")
      .def_prop_ro("state", &Simulation::state, nb::rv_policy::reference_internal,
                   "Where joint coordinates were written since the last step or look, the poses of bodies are worked "
                   "out anew first.")
      .def_prop_ro("control", &Simulation::control, nb::rv_policy::reference_internal)
      .def_prop_ro(
          "solver", [](const Simulation& self) { return InPython<Solvers>::shown(self.solver()); },
          nb::rv_policy::reference_internal, "The solver that steps it.")
      .def_prop_ro(
          "contacts", [](const Simulation& self) { return self.contacts(); },
          "That the last step solved, with their forces; they are written anew by the steps to come. At the start, "
          "after reset() of all worlds and after restore() those of the state, without forces. A world that was reset "
          "alone shows what it touched in its last step until the next one.")
      .def_prop_ro(
          "status", [](const Simulation& self) { return ArrayHandle(self.status()); }, "as step() returns it")
      .def(
          "sensor",
          [](const Simulation& self, const std::string& key, const std::string& layout, const std::string& when) {
            return sensor_values(sensors_at(self, when), key, layout);
          },
          nb::arg("key"), nb::arg("layout") = sensor_layout_name(SensorLayout::kFlat), nb::arg("when") = kBefore,
          "What a sensor reads in all worlds: (worlds, numbers), of members in brackets (worlds, members, numbers), "
          "without worlds no dimension of them. Steps write to the same memory. layout of contact sensors: \"flat\" is "
          "float32 and begins with the number of entries that are valid, \"mujoco\" is entry by entry as MuJoCo has "
          "it. when "
          "\"before\": at the beginning of the last step, where its forces acted; \"now\": in the state as it is, "
          "which costs as much as a step.")
      .def(
          "contact_sensor",
          [](const Simulation& self, const std::string& key, const std::string& when) {
            return ReadingsHandle(sensors_at(self, when), key);
          },
          nb::arg("key"), nb::arg("when") = kBefore,
          "What a contact sensor tells beside its values: force on a side, time in the air, what happened over all "
          "steps of the last call.")
      .def_prop_ro(
          "sensor_keys",
          [](const Simulation& self) {
            std::vector<std::string> keys;
            for (const SensorChannel& channel : self.sensors().channels()) keys.push_back(channel.key);
            return keys;
          },
          "Keys of all sensors.")
      .def_prop_ro("dt", &Simulation::dt, "[s]")
      .def_prop_ro("steps", &Simulation::steps, "how many were made");
  def_get_sensor_value();
}

}  // namespace carom::inline CAROM_PRECISION::python
