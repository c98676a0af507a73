// eval_fk, eval_ik and eval_jacobian. The GIL is released while they run.
#include "carom/kinematics.h"

#include <nanobind/stl/vector.h>

#include "convert.h"
#include "joint_arrays.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

void fk(const ModelHandle& handle, nb::handle joint_q, nb::handle joint_qd, const State& state, nb::handle mask,
        const Queue* queue) {
  const Array<Real> q = joint_input(joint_q, handle.model, "joint_q");
  const Array<Real> qd = joint_input(joint_qd, handle.model, "joint_qd");
  const std::vector<std::uint8_t> worlds = read_mask(mask);
  nb::gil_scoped_release unlocked;
  eval_fk(handle.model, q, qd, state, worlds, queue);
}

void ik(const ModelHandle& handle, const State& state, nb::handle joint_q, nb::handle joint_qd, nb::handle mask,
        const Queue* queue) {
  const JointOutput q(joint_q, handle.model, "joint_q"), qd(joint_qd, handle.model, "joint_qd");
  const std::vector<std::uint8_t> worlds = read_mask(mask);
  {
    nb::gil_scoped_release unlocked;
    eval_ik(handle.model, state, q.array(), qd.array(), worlds, queue);
  }
  q.store();
  qd.store();
}

Jacobian jacobian(const ModelHandle& handle, const State& state, std::optional<Jacobian> jacobian, const Queue* queue) {
  nb::gil_scoped_release unlocked;
  Jacobian result = jacobian ? *jacobian : make_jacobian(handle.model);
  eval_jacobian(handle.model, state, result, queue);
  return result;
}

ArrayHandle jacobian_of_world(const Jacobian& jacobian, int world) {
  ArrayHandle matrix(jacobian.world(world));
  const std::size_t entry = world < 0 ? jacobian.rows.size() - 1 : world;
  matrix.shape = {std::size_t(jacobian.rows[entry]), std::size_t(jacobian.cols[entry])};
  return matrix;
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  nb::class_<Jacobian>(m, "Jacobian",
                       "d(body twist)/d(joint_qd) of every world: six rows per body (velocity of the centre of mass "
                       "[m/s], angular velocity [rad/s]), one column per degree of freedom.")
      .def("world", &jacobian_of_world, nb::arg("world"), "Matrix of a world; -1 = of the global entities.")
      .def_prop_ro(
          "values", [](const Jacobian& self) { return ArrayHandle(self.values); },
          "The matrices of all worlds one after the other, row by row.")
      .def_ro("start", &Jacobian::start, "First value of each world, then of the globals, then the total.")
      .def_ro("rows", &Jacobian::rows, "Rows per world, then of the globals.")
      .def_ro("cols", &Jacobian::cols, "Columns per world, then of the globals.");

  nb::class_<ModelHandle> model = nb::borrow<nb::class_<ModelHandle>>(nb::type<ModelHandle>());
  model.def(
      "align", [](const ModelHandle& self, const State& state) { self.model.align(state); }, nb::arg("state"),
      nb::call_guard<nb::gil_scoped_release>(),
      "Brings body poses and joint coordinates of a state in line. Where a joint's coordinates or velocities were "
      "written since they were in line, they count; where those of the body that it moves were written alone, the "
      "joint follows the body as far as it can; bodies that were not written are carried along. Solvers, collisions "
      "and queries begin with it.");
  m.def("eval_fk", &fk, nb::arg("model"), nb::arg("joint_q"), nb::arg("joint_qd"), nb::arg("state"),
        nb::arg("mask") = nb::none(), nb::arg("queue") = nb::none(),
        nb::sig("def eval_fk(model: Model, joint_q: Array | numpy.typing.NDArray[typing.Any], joint_qd: Array | "
                "numpy.typing.NDArray[typing.Any], state: State, mask: numpy.typing.ArrayLike | None = None, "
                "queue: Queue | None = None) -> None"),
        "Poses and twists of all bodies of a state from joint coordinates [m, rad] and velocities [m/s, rad/s]. "
        "mask: a bool per world, None = all.");
  m.def("eval_ik", &ik, nb::arg("model"), nb::arg("state"), nb::arg("joint_q"), nb::arg("joint_qd"),
        nb::arg("mask") = nb::none(), nb::arg("queue") = nb::none(),
        nb::sig("def eval_ik(model: Model, state: State, joint_q: Array | numpy.typing.NDArray[typing.Any], joint_qd: "
                "Array | numpy.typing.NDArray[typing.Any], mask: numpy.typing.ArrayLike | None = None, "
                "queue: Queue | None = None) -> None"),
        "The inverse of eval_fk: fills joint_q and joint_qd from poses and twists. Motion that a joint does not allow "
        "is dropped.");
  m.def(
      "make_jacobian", [](const ModelHandle& handle) { return make_jacobian(handle.model); }, nb::arg("model"),
      "Room for the Jacobians of all worlds.");
  m.def("eval_jacobian", &jacobian, nb::arg("model"), nb::arg("state"), nb::arg("jacobian") = nb::none(),
        nb::arg("queue") = nb::none(), "Fills a Jacobian, a new one when none is given, and returns it.");
}

}  // namespace carom::inline CAROM_PRECISION::python
