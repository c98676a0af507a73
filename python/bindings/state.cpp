// State and Control: their arrays are always writeable.
#include "carom/state.h"

#include <map>

#include "bindings.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

const std::map<std::string, const char*> kDocs = {
    {"joint_q", "joint coordinates [m], [rad], quaternions xyzw"},
    {"joint_qd", "joint velocities [m/s], [rad/s]"},
    {"joint_qdd", "joint accelerations of the last step [m/s^2], [rad/s^2]; where the next solve starts its search"},
    {"act", "activations of every actuator, see Model.actuator_act_start; 0 of those without dynamics"},
    {"ctrl_history",
     "of every actuator with delay_samples, newest first: time between them [s], 0 = a step; then each input in turn; "
     "see Model.actuator_history_start"},
    {"sensor_memory",
     "what sensors remember from step to step: how long something touched, readings to come; see "
     "Model.sensor_memory_start"},
    {"joint_spring_shift",
     "how far from spring_ref the springs of joints are relaxed now, by degree of freedom [m], [rad]; empty where no "
     "spring yields"},
    {"tendon_spring_shift",
     "the same of tendons, from spring_lower and from spring_upper; empty where no spring yields"},
    {"body_asleep",
     "negative: awake, -1 minus the steps that its tree must be slow yet; otherwise asleep: the root of the next tree "
     "that sleeps with it, counted in its world; empty without options.sleep"},
    {"body_q", "poses X_WB [m, quaternion xyzw]"},
    {"body_qd", "velocity of the centre of mass [m/s], angular velocity [rad/s]; world axes"},
    {"body_f", "force [N], torque about the centre of mass [N m]; world axes"},
    {"body_jump",
     "velocity that impulses have given bodies at once since the last step, as in body_qd, which has it already; "
     "resolve_impulses() adds to it, sensors of acceleration feel it over the next step of a Simulation, which sets it "
     "to zero; empty in models without such sensors"},
    {"particle_q", "positions [m]"},
    {"particle_qd", "velocities [m/s]"},
    {"particle_f", "forces [N]"},
    {"joint_f", "joint forces [N], torques [N m]; of free joints a wrench in world axes"},
    {"joint_target_pos", "drive targets [m], [rad], one per degree of freedom; of a ball joint a rotation vector"},
    {"joint_target_vel", "drive targets [m/s], [rad/s], one per degree of freedom"},
    {"ctrl", "inputs of every actuator, all worlds in order; see Model.actuator_ctrl_start"},
    {"tri_activations", "actuation of the triangles"},
    {"tet_activations", "actuation of the tetrahedra"},
};

// Defines a property for an array that visit_state or visit_control shows.
template <class Owner>
auto def_array(nb::class_<Owner>& cls) {
  return [&cls](const char* name, Entity, auto get) {
    using Read = ArrayHandle (*)(const Owner&);
    const Read read = [](const Owner& self) { return ArrayHandle(decltype(get){}(self)); };
    cls.def_prop_ro(
        name, [read](const Owner& self) { return read(self); }, kDocs.at(name));
  };
}

template <class Owner>
void def_worlds(nb::class_<Owner>& cls, const char* copy_worlds_sig) {
  cls.def("clone", &Owner::clone, "A copy with arrays of its own.")
      .def("world", &Owner::world, nb::arg("world"), "That world's part of every array; the same memory.")
      .def(
          "copy_worlds",
          [](const Owner& self, const Owner& other, nb::handle mask) {
            const std::vector<std::uint8_t> worlds = read_mask(mask);
            self.copy_worlds(other, worlds);
          },
          nb::arg("other"), nb::arg("mask"), nb::sig(copy_worlds_sig),
          "Copies the worlds whose mask is set. mask: a bool per world, and one more for the globals if wanted.");
}

}  // namespace

void bind_state(nb::module_& m) {
  nb::class_<State> state(m, "State",
                          "What changes while a Model is simulated; arrays grouped by world. joint_q and joint_qd are "
                          "one side of it, body_q and body_qd the other: either may be written, and whoever reads the "
                          "state next (step, collide, ...) brings the other one in line; see Model.align().");
  visit_state(def_array(state));
  def_worlds(state, "def copy_worlds(self, other: State, mask: numpy.typing.ArrayLike) -> None");
  state.def("assign", &State::assign, nb::arg("other"), "Copies all worlds of another state of the same model.")
      .def(
          "read_worlds", [](const State& self, nb::handle mask) { return self.read_worlds(read_mask(mask)); },
          nb::arg("mask"), nb::sig("def read_worlds(self, mask: numpy.typing.ArrayLike) -> State"),
          "A copy of the worlds whose mask is set and of nothing else; they are worlds 0, 1, 2, ... of the result, "
          "which belongs to no model.")
      .def("clear_forces", &State::clear_forces, "Sets body_f and particle_f to zero.");

  nb::class_<Control> control(m, "Control", "What a user commands; arrays grouped by world.");
  visit_control(def_array(control));
  def_worlds(control, "def copy_worlds(self, other: Control, mask: numpy.typing.ArrayLike) -> None");
}

}  // namespace carom::inline CAROM_PRECISION::python
