// eval_inverse_dynamics, eval_forward_dynamics and eval_mass_matrix. The GIL is released while they run.
#include "carom/dynamics.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "joint_arrays.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// The array to fill, a new one when none is given.
ArrayHandle array_to_fill(std::optional<ArrayHandle> given, const Model& model) {
  if (!given) return ArrayHandle(Array<Real>(model.joint_dof_count, model.device));
  given->check_writeable();
  return *given;
}

ArrayHandle inverse_dynamics(const ModelHandle& handle, const State& state, nb::handle joint_qdd,
                             std::optional<ArrayHandle> joint_f, const Dynamics* dynamics, const Queue* queue) {
  const Array<Real> qdd = joint_input(joint_qdd, handle.model, "joint_qdd");
  ArrayHandle result = array_to_fill(std::move(joint_f), handle.model);
  const Array<Real> f = array_of_numbers(result, "joint_f");
  nb::gil_scoped_release unlocked;
  eval_inverse_dynamics(handle.model, state, qdd, f, dynamics, queue);
  return result;
}

ArrayHandle forward_dynamics(const ModelHandle& handle, const State& state, nb::handle joint_f,
                             std::optional<ArrayHandle> joint_qdd, const Dynamics* dynamics, const Queue* queue) {
  const Array<Real> f = joint_input(joint_f, handle.model, "joint_f");
  ArrayHandle result = array_to_fill(std::move(joint_qdd), handle.model);
  const Array<Real> qdd = array_of_numbers(result, "joint_qdd");
  nb::gil_scoped_release unlocked;
  eval_forward_dynamics(handle.model, state, f, qdd, dynamics, queue);
  return result;
}

MassMatrix mass_matrix(const ModelHandle& handle, const State& state, std::optional<MassMatrix> given,
                       const Dynamics* dynamics, const Queue* queue) {
  nb::gil_scoped_release unlocked;
  MassMatrix result = given ? *given : make_mass_matrix(handle.model);
  eval_mass_matrix(handle.model, state, result, dynamics, queue);
  return result;
}

ArrayHandle mass_matrix_of_world(const MassMatrix& matrix, int world) {
  ArrayHandle values(matrix.world(world));
  const std::size_t n = matrix.rows[world < 0 ? matrix.rows.size() - 1 : world];
  values.shape = {n, n};
  return values;
}

void bind_mass_matrix(nb::module_& m) {
  nb::class_<MassMatrix>(m, "MassMatrix",
                         "The mass matrix of every world, armature of joints included: symmetric, a row and a column "
                         "for each degree of freedom in the order of joint_qd.")
      .def("world", &mass_matrix_of_world, nb::arg("world"), "Matrix of a world; -1 = of a model without worlds.")
      .def_prop_ro(
          "values", [](const MassMatrix& self) { return ArrayHandle(self.values); },
          "The matrices of all worlds one after the other, row by row.")
      .def_ro("start", &MassMatrix::start, "First value of each world, then of the globals, then the total.")
      .def_ro("rows", &MassMatrix::rows, "Rows per world, then of the globals; as many columns.");
  m.def(
      "make_mass_matrix", [](const ModelHandle& handle) { return make_mass_matrix(handle.model); }, nb::arg("model"),
      "Room for the mass matrices of all worlds.");
  m.def("eval_mass_matrix", &mass_matrix, nb::arg("model"), nb::arg("state"), nb::arg("mass_matrix") = nb::none(),
        nb::arg("dynamics") = nb::none(), nb::arg("queue") = nb::none(),
        "Fills a MassMatrix, a new one when none is given, and returns it.");
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  const nb::class_<Dynamics> dynamics(
      m, "Dynamics",
      "What eval_inverse_dynamics, eval_forward_dynamics and eval_mass_matrix work a model by: its "
      "trees, as links and degrees of freedom. Made by make_dynamics(); follows edits of the model.");
  m.def(
      "make_dynamics", [](const ModelHandle& handle) { return make_dynamics(handle.model); }, nb::arg("model"),
      "What those who often evaluate the dynamics of a model keep; otherwise each call makes one.");
  m.def("eval_inverse_dynamics", &inverse_dynamics, nb::arg("model"), nb::arg("state"), nb::arg("joint_qdd"),
        nb::arg("joint_f") = nb::none(), nb::arg("dynamics") = nb::none(), nb::arg("queue") = nb::none(),
        nb::sig("def eval_inverse_dynamics(model: Model, state: State, joint_qdd: Array | "
                "numpy.typing.NDArray[typing.Any], joint_f: Array | None = None, dynamics: Dynamics | None = None, "
                "queue: Queue | None = None) -> Array"),
        "The forces [N], [N m] that joints need for these accelerations [m/s^2], [rad/s^2], as control.joint_f has "
        "them: for inertia with armature, velocities and gravity, and against state.body_f; whatever else acts is not "
        "counted. Fills joint_f, a new array when none is given, and returns it.");
  m.def("eval_forward_dynamics", &forward_dynamics, nb::arg("model"), nb::arg("state"), nb::arg("joint_f"),
        nb::arg("joint_qdd") = nb::none(), nb::arg("dynamics") = nb::none(), nb::arg("queue") = nb::none(),
        nb::sig("def eval_forward_dynamics(model: Model, state: State, joint_f: Array | "
                "numpy.typing.NDArray[typing.Any], joint_qdd: Array | None = None, dynamics: Dynamics | None = None, "
                "queue: Queue | None = None) -> Array"),
        "The inverse of eval_inverse_dynamics: the accelerations that these forces lead to. Fills joint_qdd, a new "
        "array when none is given, and returns it. An enabled equality constraint is an Error.");
  bind_mass_matrix(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
