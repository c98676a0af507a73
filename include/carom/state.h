// State and Control: what changes while a Model is simulated. Both are sets of arrays grouped by world like the
// Model's; copies share the arrays, clone() makes own ones.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "carom/array.h"
#include "carom/columns.h"

namespace carom::inline CAROM_PRECISION {

// Where each world's rows begin, for every kind of entity; on the host and on the device.
struct WorldLayout {
  Device device;
  int world_count = 0;
  std::array<std::vector<int>, kEntityCount> start;  // world_count + 2 entries each
  std::array<Array<int>, kEntityCount> world_start;  // the same, on the device
  bool springs_yield = false;                        // some did when the model was built: states have arrays for it
  bool sleeps = false;                               // likewise, of options.sleep
  bool feels_jumps = false;                          // it has sensors of acceleration
};

// Bits of a world's status.
enum StatusBit : std::int32_t {
  kStatusOverflow = 1,      // contacts were left out: there was no room
  kStatusNotFinite = 2,     // the world is frozen at its last finite state
  kStatusNotConverged = 4,  // the solver stopped at its largest number of iterations
  kStatusPoseNotKept = 8,   // a body was written to where its joint cannot bring it, or against the joint's coordinates
};

// State::body_asleep of a body that has to be slow for ten steps before it sleeps.
inline constexpr int kFullyAwake = -11;

// The two sides of a state as they were when they were last in line: what differs was written since.
struct AlignedSides {
  Array<Real> joint_q, joint_qd;
  Array<Transform> body_q;
  Array<SpatialVector> body_qd;
  Array<std::uint64_t> joint_frames;  // of the model, then
  Array<Real> asleep_q;               // joint_q of what sleeps, when it fell asleep; of models that sleep
};

// Which of several steps that are sent as a whole: what was written to a state from outside is read by the first, and
// the last one leaves joint coordinates and bodies marked as in line.
struct StepOfCall {
  int index = 0, count = 1;
  bool again = false;       // the steps are sent a second time, from the state that the first one read
  bool poses = true;        // somebody reads the poses of bodies that it leads to
  bool velocities = false;  // and their velocities; those of the last step are always read
  int stage = 0;            // of one step, where a solver takes several; each of them counts as a step of the call

  bool first() const { return index == 0; }
  bool last() const { return index + 1 == count; }
};

// Two sides of one thing: joint_q and joint_qd are what solvers read, body_q and body_qd what collisions and sensors
// read. Either may be written; whoever reads the state next brings the other one in line (Model::align).
struct State {
  Array<Real> joint_q;    // joint coordinates [m], [rad], quaternions xyzw
  Array<Real> joint_qd;   // joint velocities [m/s], [rad/s]
  Array<Real> joint_qdd;  // joint accelerations of the last step; where the next solve starts its search
  Array<Real> act;        // one or more of every actuator (Model::actuator_act_start); 0 without dynamics
  // Of every actuator with delay_samples (Model::actuator_history_start), newest first: time between them [s], 0 = a
  // step; then each input in turn.
  Array<Real> ctrl_history;
  // What sensors remember (Model::sensor_memory_start): how long nothing was touched, readings to come, ...
  Array<Real> sensor_memory;
  // Of models with springs that yield, otherwise empty: how far from where the model says they are relaxed now; by
  // degree of freedom [m], [rad], and of tendons for both ends of the range.
  Array<Real> joint_spring_shift;
  Array<RealN<2>> tendon_spring_shift;
  // Of models with options.sleep, otherwise empty; the same for all bodies of a tree. Negative: awake, -1 minus the
  // steps that it must be slow yet; otherwise it sleeps, and this is the root of a tree that sleeps with it, from the
  // first body of the world on: they follow each other in a circle.
  Array<std::int32_t> body_asleep;
  Array<Transform> body_q;       // X_WB
  Array<SpatialVector> body_qd;  // velocity of the centre of mass, angular velocity; world axes
  Array<SpatialVector> body_f;   // force, torque about the centre of mass; world axes
  // Of models with sensors of acceleration, otherwise empty: velocity that impulses have given bodies at once since the
  // last step, as in body_qd, which has it already. resolve_impulses() adds to it; sensors feel it as an acceleration
  // over the next step of a Simulation, which sets it to zero.
  Array<SpatialVector> body_jump;
  Array<Vec3> particle_q;   // [m]
  Array<Vec3> particle_qd;  // [m/s]
  Array<Vec3> particle_f;   // [N]

  AlignedSides aligned;
  std::shared_ptr<const WorldLayout> layout;  // of the model that made it, whose copies share it; no other takes it

  State clone() const;
  void assign(const State& other) const;  // all worlds; from a state of the same model, here and below
  void clear_forces() const;
  // Copies the worlds whose mask is set. A mask has world_count entries, or one more for the global entities.
  void copy_worlds(const State& other, std::span<const std::uint8_t> mask) const;
  // A copy of the worlds whose mask is set and of nothing else; they are worlds 0, 1, 2, ... of the result, which
  // belongs to no model.
  State read_worlds(std::span<const std::uint8_t> mask) const;
  State world(int world) const;  // that world's part, same memory
};

struct Control {
  Array<Real> joint_f;                             // [N], [N m]; of free joints a wrench in world axes
  Array<Real> joint_target_pos, joint_target_vel;  // one per degree of freedom
  Array<Real> ctrl;                                // one or more inputs of every actuator (Model::actuator_ctrl_start)
  Array<Real> tri_activations, tet_activations;
  std::shared_ptr<const WorldLayout> layout;

  Control clone() const;
  void copy_worlds(const Control& other, std::span<const std::uint8_t> mask) const;
  Control world(int world) const;
};

// Rows of an array that visit_state() or visit_aligned() shows.
inline int state_rows(const WorldLayout& layout, std::string_view name, Entity entity) {
  const bool missing = (name.ends_with("spring_shift") && !layout.springs_yield) ||
                       (name.find("asleep") != std::string_view::npos && !layout.sleeps) ||
                       (name == "body_jump" && !layout.feels_jumps);
  return missing ? 0 : layout.start[static_cast<int>(entity)].back();
}

// Calls visit(name, entity, get) for every array; get(state) returns it.
template <class Visit>
void visit_state(Visit&& visit) {
  visit(
      "joint_q", Entity::kJointCoord, [](auto& s) -> auto& { return s.joint_q; });
  visit(
      "joint_qd", Entity::kJointDof, [](auto& s) -> auto& { return s.joint_qd; });
  visit(
      "joint_qdd", Entity::kJointDof, [](auto& s) -> auto& { return s.joint_qdd; });
  visit(
      "act", Entity::kAct, [](auto& s) -> auto& { return s.act; });
  visit(
      "ctrl_history", Entity::kCtrlHistory, [](auto& s) -> auto& { return s.ctrl_history; });
  visit(
      "sensor_memory", Entity::kSensorMemory, [](auto& s) -> auto& { return s.sensor_memory; });
  visit(
      "joint_spring_shift", Entity::kJointDof, [](auto& s) -> auto& { return s.joint_spring_shift; });
  visit(
      "tendon_spring_shift", Entity::kTendon, [](auto& s) -> auto& { return s.tendon_spring_shift; });
  visit(
      "body_asleep", Entity::kBody, [](auto& s) -> auto& { return s.body_asleep; });
  visit(
      "body_q", Entity::kBody, [](auto& s) -> auto& { return s.body_q; });
  visit(
      "body_qd", Entity::kBody, [](auto& s) -> auto& { return s.body_qd; });
  visit(
      "body_f", Entity::kBody, [](auto& s) -> auto& { return s.body_f; });
  visit(
      "body_jump", Entity::kBody, [](auto& s) -> auto& { return s.body_jump; });
  visit(
      "particle_q", Entity::kParticle, [](auto& s) -> auto& { return s.particle_q; });
  visit(
      "particle_qd", Entity::kParticle, [](auto& s) -> auto& { return s.particle_qd; });
  visit(
      "particle_f", Entity::kParticle, [](auto& s) -> auto& { return s.particle_f; });
}

// The same for the arrays of `aligned`.
template <class Visit>
void visit_aligned(Visit&& visit) {
  visit(
      "aligned.joint_q", Entity::kJointCoord, [](auto& s) -> auto& { return s.aligned.joint_q; });
  visit(
      "aligned.joint_qd", Entity::kJointDof, [](auto& s) -> auto& { return s.aligned.joint_qd; });
  visit(
      "aligned.body_q", Entity::kBody, [](auto& s) -> auto& { return s.aligned.body_q; });
  visit(
      "aligned.body_qd", Entity::kBody, [](auto& s) -> auto& { return s.aligned.body_qd; });
  visit(
      "aligned.joint_frames", Entity::kJoint, [](auto& s) -> auto& { return s.aligned.joint_frames; });
  visit(
      "aligned.asleep_q", Entity::kJointCoord, [](auto& s) -> auto& { return s.aligned.asleep_q; });
}

template <class Visit>
void visit_control(Visit&& visit) {
  visit(
      "joint_f", Entity::kJointDof, [](auto& c) -> auto& { return c.joint_f; });
  visit(
      "joint_target_pos", Entity::kJointDof, [](auto& c) -> auto& { return c.joint_target_pos; });
  visit(
      "joint_target_vel", Entity::kJointDof, [](auto& c) -> auto& { return c.joint_target_vel; });
  visit(
      "ctrl", Entity::kCtrl, [](auto& c) -> auto& { return c.ctrl; });
  visit(
      "tri_activations", Entity::kTriangle, [](auto& c) -> auto& { return c.tri_activations; });
  visit(
      "tet_activations", Entity::kTetrahedron, [](auto& c) -> auto& { return c.tet_activations; });
}

}  // namespace carom::inline CAROM_PRECISION
