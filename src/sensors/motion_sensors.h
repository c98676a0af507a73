// MotionSensors: the sensors of a model that poses, velocities and accelerations of bodies and joints answer, and the
// forces of contacts with them. Which sensors these are, is worked out once; numbers of the model are read with every
// step, so edits of it are noticed by themselves.
#pragma once

#include <optional>
#include <vector>

#include "carom/model.h"
#include "carom/queue.h"
#include "carom/sensors.h"
#include "collide/geometry_table.h"
#include "model/host_model.h"
#include "sensors/sense_energies.kernel.h"
#include "sensors/sense_frames.kernel.h"
#include "sensors/sense_sites.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The part of an archetype's joint tree that somebody asks for, on the model's device.
struct SensedTree {
  Array<TreeJoint> moved;   // joints down to bodies whose acceleration is asked for
  Array<int> loose_bodies;  // of these, those that no joint moves
  Array<TreeJoint> joined;  // joints whose forces are asked for on both sides
  Array<int> carried;       // bodies that these forces carry
};

class MotionSensors {
 public:
  // Throws Error for a sensor that cannot be answered in this model.
  explicit MotionSensors(const Model& model);

  // Launches what fills the numbers of these sensors; value_at: of each sensor of the model, on its device.
  void send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at);
  // What edits of the model change in what is launched; send() begins with it.
  void notice_edits();

 private:
  void list_enclosed(const HostModel& host, const std::vector<int>& sensors);
  void list_clocks(const std::vector<int>& sensors);
  void ask_for_bodies(const HostModel& host);
  void plan_trees();
  void send_trees(const Queue& queue, const SensedStep& step);
  void send_frames(const Queue& queue, const SensedStep& step, const SensorOutput& out);
  void send_joints(const Queue& queue, const State& state, const SensorOutput& out) const;
  void send_sums(const Queue& queue, const SensedStep& step, const SensorOutput& out) const;
  void send_sites(const Queue& queue, const SensedStep& step, const SensorOutput& out) const;
  SensedBodies bodies(const State& state) const;
  SensedShapes shapes(const State& state) const;
  ContactsOfWorlds contacts(const Contacts& contacts) const;
  TiesOfWorlds ties(const SolverForces& forces) const;
  SensedJoints joints(const State& state) const;
  SensedTendons tendons(const SensedStep& step) const;
  RowsOfWorlds rows_of(Entity entity) const;

  Model model_;
  // Rows of the sensors of each kernel.
  Array<int> frames_, joints_, subtrees_, energies_, touches_, insides_, clocks_;
  Array<int> clock_at_;                         // State::sensor_memory of each clock
  Array<int> enclosed_start_, enclosed_shape_;  // SenseInside
  // Of each body: whether its acceleration, and the wrench from its parent, is asked for.
  std::vector<bool> moves_, carries_;
  bool moves_any_ = false, carries_any_ = false;
  std::vector<SensedTree> trees_;               // of each archetype
  Array<SpatialVector> acceleration_, wrench_;  // of each body
  std::optional<GeometryTable> geometry_;       // where shapes have to be inside as a whole
  std::int64_t generation_ = 0;                 // of the model, when these were made
};

// Whether sensors of this type are among them.
bool senses_motion(SensorType type);

}  // namespace carom::inline CAROM_PRECISION
