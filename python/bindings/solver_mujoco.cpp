// SolverMuJoCo and what it computes on its way. The GIL is released while it runs.
#include "carom/solver_mujoco.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// -- Forward

template <class T>
auto array_of(Array<T> Forward::*member) {
  return [member](const Forward& self) { return ArrayHandle(self.*member); };
}

void bind_rows(nb::module_& m) {
  using Rows = ConstraintRows;
  const auto array = [](auto member) { return [member](const Rows& self) { return ArrayHandle(self.*member); }; };
  nb::class_<Rows>(
      m, "ConstraintRows",
      "The constraint rows that act: those of contacts, then limits by world. Limits and contacts without "
      "friction have one direction, those with friction three, along the normal and both tangents, and those that "
      "resist spinning or rolling six: turning about the same axes, too.")
      .def("__len__", [](const Rows& self) { return self.kind.size(); })
      .def(
          "kind_name", [](const Rows& self, int i) { return row_kind_name(static_cast<RowKind>(self.kind[i])); },
          nb::arg("row"),
          "\"joint limit\", \"tendon limit\", \"frictionless contact\", \"contact with friction\" or \"contact with "
          "turning "
          "friction\".")
      .def_prop_ro("kind", array(&Rows::kind), "number of the kind; kind_name() says it in words")
      .def_prop_ro("source", array(&Rows::source), "number of the contact, the degree of freedom or the tendon")
      .def_prop_ro("D", array(&Rows::D), "stiffness: 1 / regularisation")
      .def_prop_ro("reference", array(&Rows::reference), "acceleration that the row asks for")
      .def_prop_ro("residual", array(&Rows::residual), "J a - reference of the solution")
      .def_prop_ro("force", array(&Rows::force), "along the directions of the row [N], [N m]");
}

void bind_forward(nb::module_& m) {
  bind_rows(m);
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
      .def_prop_ro("constraint_force", array_of(&Forward::constraint_force), "forces of limits and contacts, J^T f")
      .def_prop_ro("actuator_length", array_of(&Forward::actuator_length),
                   "lengths of actuators, times their gears [m], [rad]; 0 of orientations, which have three axes")
      .def_ro("rows", &Forward::rows, "the constraint rows that act, on the CPU");
}

void bind_forces(nb::module_& m) {
  nb::class_<SolverForces> cls(m, "SolverForces",
                               "What a solver knows for sensors, of the instant from which its last step began. Arrays "
                               "that no sensor of the model asks for are empty.");
  visit_forces([&](const char* name, auto array, const char* doc) {
    cls.def_prop_ro(
        name, [array](const SolverForces& self) { return ArrayHandle(self.*array); }, doc);
  });
}

// -- SolverMuJoCo

SolverMuJoCo make_solver_mujoco(const ModelHandle& handle, std::optional<Real> tolerance, int iterations,
                                int ls_iterations, Real ls_tolerance, int max_contacts, int team_size,
                                const Queue* queue) {
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

void bind_solver(nb::module_& m) {
  const SolverMuJoCoConfig defaults;
  nb::class_<SolverMuJoCo>(m, "SolverMuJoCo",
                           "MuJoCo's soft contacts, limits and forces in joint coordinates, solved by Newton's method; "
                           "all worlds in one call. Contacts come from a CollisionPipeline.")
      .def(nb::new_(&make_solver_mujoco), nb::arg("model"), nb::kw_only(), nb::arg("tolerance") = nb::none(),
           nb::arg("iterations") = defaults.iterations, nb::arg("ls_iterations") = defaults.ls_iterations,
           nb::arg("ls_tolerance") = defaults.ls_tolerance, nb::arg("max_contacts") = defaults.max_contacts,
           nb::arg("team_size") = defaults.team_size, nb::arg("queue") = nb::none(),
           "tolerance: of gradient and improvement over the trace of the mass matrix, None = 1e-6 in single and 1e-8 "
           "in double precision. max_contacts: on a GPU, room per world, for "
           "those with and those without friction each. team_size: "
           "threads per world on a GPU: 1, 8 or 32; 0 = by number, size and rows of the worlds.")
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
      .def("reports", &SolverMuJoCo::reports, nb::rv_policy::copy,
           "What the last step, or forward(), did in each world: arrays that the next one writes anew.")
      .def("forces", &SolverMuJoCo::forces, nb::rv_policy::copy,
           "What sensors of the model ask for, of the last step: arrays that the next one writes anew.")
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

}  // namespace

void bind_solver_mujoco(nb::module_& m) {
  bind_forward(m);
  bind_forces(m);
  bind_solver(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
