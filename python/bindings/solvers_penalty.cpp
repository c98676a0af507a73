// SolverSemiImplicit, SolverFeatherstone and SolverXPBD.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "carom/solver_featherstone.h"
#include "carom/solver_semi_implicit.h"
#include "carom/solver_xpbd.h"
#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// What they share; the constructor is added by the caller.
template <class S>
nb::class_<S> bind_penalty_solver(nb::module_& m, const char* name, const char* doc) {
  nb::class_<S> cls(m, name, doc);
  cls.def(
         "step",
         [](S& self, const State& in, const State& out, const Control& control, const Contacts* contacts, Real dt) {
           self.step(in, out, control, contacts, dt);
         },
         nb::arg("state_in"), nb::arg("state_out"), nb::arg("control"), nb::arg("contacts").none(), nb::arg("dt"),
         nb::call_guard<nb::gil_scoped_release>(),
         "A step of dt [s]. state_out may be state_in. contacts: that push, and get their rigid_contact_force; None: "
         "none do.")
      .def_prop_ro(
          "status", [](const S& self) { return ArrayHandle(self.status()); },
          "bits per world of the last step: 1 contacts did not fit, 2 not finite and frozen, 4 not converged, 8 a body "
          "was written to where its joint cannot bring it, or against the joint's coordinates")
      .def("reports", &S::reports, nb::rv_policy::copy,
           "What the last step did in each world: arrays that the next one writes anew.")
      .def("forces", &S::forces, nb::rv_policy::copy,
           "What sensors of the model ask for, of the last step: arrays that the next one writes anew.");
  return cls;
}

template <class S>
S made(const ModelHandle& handle, const typename S::Config& config, const Queue* queue) {
  nb::gil_scoped_release unlocked;
  return S(handle.model, config, queue);
}

void bind_semi_implicit(nb::module_& m) {
  using S = SolverSemiImplicit;
  const S::Config d;
  bind_penalty_solver<S>(m, "SolverSemiImplicit",
                         "Bodies that move on their own, joints as springs between them, and contacts by ke, kd, kf, "
                         "ka, mu, torsional and rolling friction of the shapes.")
      .def(nb::new_([](const ModelHandle& model, int iterations, std::optional<Real> tolerance, int max_contacts,
                       Real joint_attach_ke, Real joint_attach_kd, Real angular_damping, const Queue* queue) {
             return made<S>(model,
                            {.iterations = iterations,
                             .tolerance = tolerance.value_or(S::Config{}.tolerance),
                             .max_contacts = max_contacts,
                             .joint_attach_ke = joint_attach_ke,
                             .joint_attach_kd = joint_attach_kd,
                             .angular_damping = angular_damping},
                            queue);
           }),
           nb::arg("model"), nb::kw_only(), nb::arg("iterations") = d.iterations, nb::arg("tolerance") = nb::none(),
           nb::arg("max_contacts") = d.max_contacts, nb::arg("joint_attach_ke") = d.joint_attach_ke,
           nb::arg("joint_attach_kd") = d.joint_attach_kd, nb::arg("angular_damping") = d.angular_damping,
           nb::arg("queue") = nb::none(),
           "iterations: sweeps over the contacts of a world, which end when one changes its velocities by less than "
           "tolerance [m/s], or this share of them (None: 1e-5 in single, 1e-6 in double precision). max_contacts: on "
           "a GPU, room per world. "
           "joint_attach_ke, joint_attach_kd: of what holds "
           "joints. angular_damping: of every body [1/s].");
}

void bind_featherstone(nb::module_& m) {
  using S = SolverFeatherstone;
  const S::Config d;
  bind_penalty_solver<S>(
      m, "SolverFeatherstone",
      "Joint coordinates, in which joints hold exactly, and contacts by ke, kd, kf, ka, mu, torsional "
      "and rolling friction of the shapes.")
      .def(nb::new_([](const ModelHandle& model, int iterations, std::optional<Real> tolerance, int max_contacts,
                       const Queue* queue) {
             return made<S>(model,
                            {.iterations = iterations,
                             .tolerance = tolerance.value_or(S::Config{}.tolerance),
                             .max_contacts = max_contacts},
                            queue);
           }),
           nb::arg("model"), nb::kw_only(), nb::arg("iterations") = d.iterations, nb::arg("tolerance") = nb::none(),
           nb::arg("max_contacts") = d.max_contacts, nb::arg("queue") = nb::none(),
           "iterations: sweeps over the contacts of a world, which end when one changes its velocities by less than "
           "tolerance [m/s], or this share of them (None: 1e-5 in single, 1e-6 in double precision). max_contacts: on "
           "a GPU, room per world.");
}

// What a solver remembers beside the state; nobody looks inside.
struct SolverMemory {
  std::shared_ptr<const void> held;
};

void bind_xpbd(nb::module_& m) {
  using S = SolverXPBD;
  const S::Config d;
  nb::class_<SolverMemory>(m, "SolverMemory", "What a solver remembers of its last step beside the state.")
      .def("__repr__", [](const SolverMemory&) { return "<carom.SolverMemory>"; });
  bind_penalty_solver<S>(m, "SolverXPBD",
                         "Extended position-based dynamics with sub-steps: hard contacts with friction, torsional and "
                         "rolling friction and, when asked for, restitution.")
      .def(nb::new_([](const ModelHandle& model, int iterations, int substeps, bool enable_restitution,
                       Real contact_frequency, Real contact_damping, Real push_speed, Real overlap,
                       Real angular_damping, int max_contacts, const Queue* queue) {
             return made<S>(model,
                            {.iterations = iterations,
                             .substeps = substeps,
                             .enable_restitution = enable_restitution,
                             .contact_frequency = contact_frequency,
                             .contact_damping = contact_damping,
                             .push_speed = push_speed,
                             .overlap = overlap,
                             .angular_damping = angular_damping,
                             .max_contacts = max_contacts},
                            queue);
           }),
           nb::arg("model"), nb::kw_only(), nb::arg("iterations") = d.iterations, nb::arg("substeps") = d.substeps,
           nb::arg("enable_restitution") = d.enable_restitution, nb::arg("contact_frequency") = d.contact_frequency,
           nb::arg("contact_damping") = d.contact_damping, nb::arg("push_speed") = d.push_speed,
           nb::arg("overlap") = d.overlap, nb::arg("angular_damping") = d.angular_damping,
           nb::arg("max_contacts") = d.max_contacts, nb::arg("queue") = nb::none(),
           "iterations: sweeps over joints and contacts in each of `substeps` sub-steps. enable_restitution: contacts "
           "bounce. contact_frequency, contact_damping: of the spring that takes overlaps away [Hz], [1], at no more "
           "than push_speed [m/s], down to `overlap` [m]. angular_damping: of every body [1/s]. max_contacts: on a "
           "GPU, room per world.")
      .def(
          "remember", [](const S& self) { return SolverMemory{self.remember()}; },
          "A copy of what the next step begins with beside the state: the forces of the last one.")
      .def(
          "recall", [](S& self, const SolverMemory& memory) { self.recall(memory.held); }, nb::arg("memory"),
          "Takes back what remember() of the same solver gave.");
}

}  // namespace

void bind_solvers_penalty(nb::module_& m) {
  bind_semi_implicit(m);
  bind_featherstone(m);
  bind_xpbd(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
