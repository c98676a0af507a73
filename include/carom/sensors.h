// Sensors: what all sensors of a model read, in all worlds at once, on the CPU or a GPU. Which there are is said by
// ModelBuilder::add_sensor() or by a file; docs/sensors.md has them all.
//
// A Simulation has one, and updates it with every step. Values belong to the instant from which the step began: that is
// where contacts were found and forces acted.
#pragma once

#include <memory>
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
};

// Sensors with one key, one in each world that has it; or the place in its world of one that was given none.
struct SensorChannel {
  std::string key;
  SensorType type;
  int dim;                   // numbers in each world, in MuJoCo's layout
  int flat_dim;              // and in the flat one
  std::vector<int> sensors;  // row in the model for each world, -1: the world has none, and reads zeros
};

class Sensors {
 public:
  // The queue runs what is sent; that of the model's device by default. Noise is the same for the same seed, world and
  // number of readings since the world's reset.
  explicit Sensors(const Model& model, const Queue* queue = nullptr, std::uint64_t seed = 0);

  // Reads all of them. send() does nothing but launch; update() waits until it is done.
  void send(const SensedStep& step) const;
  void update(const SensedStep& step) const;

  const std::vector<SensorChannel>& channels() const;
  // The channel with this key. Throws Error, with those whose names are near, where there is none.
  int find(const std::string& key) const;
  // (worlds, dim), world by world; a model without worlds has one row. The same memory is written by every update.
  Array<Real> values(int channel) const;
  // (worlds, flat_dim). Laid out from the first call on, with every update.
  Array<float> flat_values(int channel) const;
  const Model& model() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
