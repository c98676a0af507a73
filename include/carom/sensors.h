// Sensors: what all sensors of a model read, in all worlds at once, on the CPU or a GPU. Which there are is said by
// ModelBuilder::add_sensor() or by a file; docs/sensors.md has them all.
//
// A Simulation has one, and updates it with every step. Values belong to the instant from which the step began: that is
// where contacts were found and forces acted.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "carom/contacts.h"
#include "carom/model.h"
#include "carom/queue.h"
#include "carom/sensor_config.h"
#include "carom/solver_forces.h"

namespace carom::inline CAROM_PRECISION {

// How contact sensors are laid out; all others are the same in both. kFlat: how many entries are valid, at most num,
// then their values without `found`, zeros behind; a net force is always one entry. kMujoco: num entries, each with all
// its fields, where `found` is the number of all that match.
enum class SensorLayout : std::int32_t { kFlat, kMujoco };
const char* sensor_layout_name(SensorLayout layout);        // "flat", "mujoco"
SensorLayout parse_sensor_layout(const std::string& name);  // throws Error for anything else

// An instant, and what a step from there came to.
struct SensedStep {
  State state;            // of that instant; its sensor_memory is written
  Array<Real> joint_qdd;  // accelerations
  Contacts contacts;      // with their forces
  Control control;
  SolverForces forces;
  Real dt = 0;  // of the step [s]
  // State::body_asleep behind the step: what it woke was awake in it. Empty: as it is in `state`.
  Array<std::int32_t> body_asleep{};
};

// Sensors with one key, one in each world that has it; of one that was given none the key is its place in its world.
// Sensors whose keys are feet[left], feet[right], ... are members of one channel `feet`.
struct SensorChannel {
  std::string key;
  std::vector<std::string> members;  // what stands in brackets; empty: it is a sensor of its own
  SensorType type;
  int dim;                // numbers of a member in each world, in MuJoCo's layout
  int flat_dim;           // and in the flat one
  int data = 0, num = 0;  // of contact sensors and rangefinders: bits of SensorConfig::data; its num and reduce
  ContactReduce reduce = ContactReduce::kNone;
  std::vector<int> sensors{};  // row in the model, world by world, -1: the world has none, and reads zeros

  int width() const { return members.empty() ? 1 : static_cast<int>(members.size()); }
};

// Of a contact sensor, one row for each world, and in it for each member. Forces are in the axes of the world; what is
// on its second object has the negative on its first one.
struct ContactReadings {
  Array<int> found;                             // contacts that match, however many it has room for
  Array<Vec3> force_on_second, force_on_first;  // of all of them together [N]
  Array<Real> air_time;                         // since a force was felt last, or the reset [s]; 0 while one is
  Array<Real> contact_time;                     // for how long one has been felt [s]
  // Over all steps of the last call of Simulation::step(), so that what happens between two looks is not missed.
  Array<int> most_found;             // at one time
  Array<Real> largest_force;         // size of the force, at most [N]
  Array<Vec3> impulse_on_second;     // [N s]
  Array<Vec3> mean_force_on_second;  // the impulse by `duration` [N]; where no time passed, force_on_second
  Array<Real> duration;              // of the call, one number for each world [s]
};

class Sensors {
 public:
  // The queue runs what is sent; that of the model's device by default. Noise is the same for the same seed, world and
  // number of readings since the world's reset.
  explicit Sensors(const Model& model, const Queue* queue = nullptr, std::uint64_t seed = 0);

  // Reads all of them: update(), or prepare(), which notices edits of the model, and send(), which does nothing but
  // launch. With the first step of a call what is told of several steps begins anew; values of contact sensors are
  // written by the last one.
  void prepare() const;
  void send(const SensedStep& step, bool first_of_call = true, bool last_of_call = true) const;
  void update(const SensedStep& step) const;
  // Otherwise nothing of step.state is read but what sleeps, and what sensors remember.
  bool reads_bodies() const;

  const std::vector<SensorChannel>& channels() const;
  // The channel with this key. Throws Error, with those whose names are near, where there is none.
  int find(const std::string& key) const;
  // (worlds, members, dim), world by world; a model without worlds has one row. The same memory is written by every
  // update.
  Array<Real> values(int channel) const;
  // Of contact sensors: (worlds, members, flat_dim), laid out from the first call on, with every update. Throws Error
  // for other sensors.
  Array<float> flat_values(int channel) const;
  // The same memory is written by every update, from the first call on. Throws Error for other sensors.
  ContactReadings contact_readings(int channel) const;
  // Takes over what others of the same model read in the worlds whose mask is set, one entry for each row.
  void copy_worlds(const Sensors& other, std::span<const std::uint8_t> mask) const;
  const Model& model() const;
  std::int64_t version() const;  // another one when send() launches something else

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
