// SolverMuJoCo, Simulation, Contacts and what they report. The GIL is released while they run.
#include "carom/simulation.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "carom/error.h"
#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// -- Forward

template <class T>
auto array_of(Array<T> Forward::*member) {
  return [member](const Forward& self) { return ArrayHandle(self.*member); };
}

void bind_forward(nb::module_& m) {
  nb::class_<Forward>(m, "Forward",
                      "What a step computes on its way. Velocities and forces are those of joint_qd, except that a "
                      "free joint's linear velocity is that of its frame's origin.")
      .def(
          "mass_matrix",
          [](const Forward& self, int world) {
            ArrayHandle matrix(self.world_mass_matrix(world));
            const std::size_t n = self.dof_count[world];
            matrix.shape = {n, n};
            return matrix;
          },
          nb::arg("world"), "The mass matrix of one world.")
      .def_prop_ro("bias", array_of(&Forward::bias), "forces of gravity and motion [N], [N m]")
      .def_prop_ro("smooth_force", array_of(&Forward::smooth_force), "all forces but those of constraints")
      .def_prop_ro("qacc_smooth", array_of(&Forward::qacc_smooth), "accelerations without constraints")
      .def_prop_ro("qacc", array_of(&Forward::qacc), "accelerations")
      .def_prop_ro("constraint_force", array_of(&Forward::constraint_force), "forces of limits and contacts, J^T f");
}

// -- SolverMuJoCo

SolverMuJoCo make_solver(const ModelHandle& handle, std::optional<Real> tolerance, int iterations, int ls_iterations,
                         Real ls_tolerance, int max_contacts, int team_size, const Queue* queue) {
  SolverMuJoCoConfig config;
  config.tolerance = tolerance.value_or(config.tolerance);
  config.iterations = iterations;
  config.ls_iterations = ls_iterations;
  config.ls_tolerance = ls_tolerance;
  config.max_contacts = max_contacts;
  config.team_size = team_size;
  nb::gil_scoped_release unlocked;
  return SolverMuJoCo(handle.model, config, queue);
}

std::vector<std::int64_t> report_column(const SolverMuJoCo& solver, std::int32_t WorldReport::*member) {
  std::vector<std::int64_t> column;
  for (const WorldReport& report : solver.reports()) column.push_back(report.*member);
  return column;
}

nb::dict reports_of(const SolverMuJoCo& solver) {
  nb::dict columns;
  columns["status"] = report_column(solver, &WorldReport::status);
  columns["contacts"] = report_column(solver, &WorldReport::contacts);
  columns["frictional"] = report_column(solver, &WorldReport::frictional);
  columns["padded"] = report_column(solver, &WorldReport::padded);
  columns["rows"] = report_column(solver, &WorldReport::rows);
  columns["iterations"] = report_column(solver, &WorldReport::iterations);
  columns["needed"] = report_column(solver, &WorldReport::needed);
  std::vector<double> residual;
  for (const WorldReport& report : solver.reports()) residual.push_back(report.residual);
  columns["residual"] = residual;
  return columns;
}

void bind_solver(nb::module_& m) {
  const SolverMuJoCoConfig defaults;
  nb::class_<SolverMuJoCo>(m, "SolverMuJoCo",
                           "MuJoCo's soft contacts, limits and forces in joint coordinates, solved by Newton's method; "
                           "all worlds in one call. Contacts come from a CollisionPipeline.")
      .def(nb::new_(&make_solver), nb::arg("model"), nb::kw_only(), nb::arg("tolerance") = nb::none(),
           nb::arg("iterations") = defaults.iterations, nb::arg("ls_iterations") = defaults.ls_iterations,
           nb::arg("ls_tolerance") = defaults.ls_tolerance, nb::arg("max_contacts") = defaults.max_contacts,
           nb::arg("team_size") = defaults.team_size, nb::arg("queue") = nb::none(),
           "tolerance: of gradient and improvement over the trace of the mass matrix, None = 1e-6 in single and 1e-8 "
           "in double precision. max_contacts: on a GPU, room per world and kind of friction. team_size: "
           "threads per world on a GPU: 1, 8 or 32; 0 = by number and size of the worlds.")
      .def(
          "step",
          [](SolverMuJoCo& self, const State& in, const State& out, const Control& control, const Contacts* contacts,
             Real dt) { self.step(in, out, control, contacts, dt); },
          nb::arg("state_in"), nb::arg("state_out"), nb::arg("control"), nb::arg("contacts").none(), nb::arg("dt"),
          nb::call_guard<nb::gil_scoped_release>(),
          "A step of dt [s]. state_out may be state_in. contacts: that push, and get their rigid_contact_force; None: "
          "none do.")
      .def("forward", &SolverMuJoCo::forward, nb::arg("state"), nb::arg("control"), nb::arg("contacts").none(),
           nb::arg("dt") = Real(0.002), nb::call_guard<nb::gil_scoped_release>(),
           "What a step of dt computes on its way, without moving; the contacts get their forces here, too.")
      .def_prop_ro(
          "status", [](const SolverMuJoCo& self) { return ArrayHandle(self.status()); },
          "bits per world of the last step: 1 contacts did not fit, 2 not finite and frozen, 4 not converged, 8 a body "
          "was "
          "written to where its joint cannot bring it, or against the joint's coordinates")
      .def("reports", &reports_of, nb::sig("def reports(self) -> dict[str, list[float]]"),
           "Of the last step, per world: status, contacts, frictional, padded, rows, iterations, needed, residual.")
      .def("time_stages", &SolverMuJoCo::time_stages, nb::arg("on"), "Starts or stops measuring the stages of steps.")
      .def("stage_ticks", &SolverMuJoCo::stage_ticks, "Time of each stage, in ticks of a clock of constant rate.")
      .def_static(
          "stage_names",
          [] {
            std::vector<std::string> names(SolverMuJoCo::stage_names().begin(), SolverMuJoCo::stage_names().end());
            return names;
          },
          "The names of the stages.");
}

// -- Simulation

Simulation make_simulation(const ModelHandle& handle, const std::variant<std::string, SolverMuJoCo>& solver, Real dt,
                           const Queue* queue) {
  nb::gil_scoped_release unlocked;
  if (const auto* made = std::get_if<SolverMuJoCo>(&solver)) {
    if (queue) throw Error("Simulation: a solver that was made before has its own queue; give queue= to it instead");
    return Simulation(handle.model, *made, dt);
  }
  return Simulation(handle.model, std::get<std::string>(solver), dt, queue);
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_forward(m);
  bind_solver(m);
  nb::class_<Simulation::Snapshot>(m, "Snapshot", "Everything that the next step of a Simulation depends on.")
      .def_ro("state", &Simulation::Snapshot::state)
      .def_ro("control", &Simulation::Snapshot::control)
      .def_ro("steps", &Simulation::Snapshot::steps);
  nb::class_<Simulation>(m, "Simulation", "A model, a solver, a state and a control, stepped by one call.")
      .def(nb::new_(&make_simulation), nb::arg("model"), nb::arg("solver") = "mujoco", nb::arg("dt") = Real(1) / 240,
           nb::arg("queue") = nb::none(), "solver: \"mujoco\", or a SolverMuJoCo. dt: timestep [s].")
      .def(
          "step",
          [](Simulation& self, int n) {
            nb::gil_scoped_release unlocked;
            return ArrayHandle(self.step(n));
          },
          nb::arg("n") = 1, "n steps. Returns the status of every world: 0, or bits as in SolverMuJoCo.status.")
      .def(
          "reset", [](Simulation& self, nb::handle mask) { self.reset(read_mask(mask)); }, nb::arg("mask") = nb::none(),
          nb::sig("def reset(self, mask: numpy.typing.ArrayLike | None = None) -> None"),
          "Chosen worlds, or all of them, back to the initial state.")
      .def("snapshot", &Simulation::snapshot, "A copy of everything that the next step depends on.")
      .def("restore", &Simulation::restore, nb::arg("snapshot"), "Goes back to a snapshot.")
      .def_prop_ro("state", &Simulation::state, nb::rv_policy::reference_internal,
                   "Where joint coordinates were written since the last step or look, the poses of bodies are worked "
                   "out anew first.")
      .def_prop_ro("control", &Simulation::control, nb::rv_policy::reference_internal)
      .def_prop_ro("solver", &Simulation::solver, nb::rv_policy::reference_internal)
      .def_prop_ro(
          "contacts", [](const Simulation& self) { return self.contacts(); },
          "That the last step solved, with their forces; before the first step those of the initial state. "
          "They are written anew by the steps to come.")
      .def_prop_ro(
          "status", [](const Simulation& self) { return ArrayHandle(self.status()); }, "as step() returns it")
      .def_prop_ro("dt", &Simulation::dt, "[s]")
      .def_prop_ro("steps", &Simulation::steps, "how many were made");
}

}  // namespace carom::inline CAROM_PRECISION::python
