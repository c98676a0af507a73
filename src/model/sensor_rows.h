// What types of sensors look at, how many numbers they give, and what they remember.
#pragma once

#include <string>

#include "carom/model.h"
#include "carom/sensor_config.h"

namespace carom::inline CAROM_PRECISION {

// Bits of SensorObjects.
using SensorObjects = unsigned;
constexpr SensorObjects sensor_objects(SensorObject object) { return 1u << static_cast<int>(object); }

struct SensorFacts {
  const char* name;  // the element of MJCF
  int dim;           // numbers; 0: as many as its row asks for
  SensorObjects objects, references;
  const char* unit;
};
const SensorFacts& sensor_facts(SensorType type);
// Of frames.
constexpr bool measures_acceleration(SensorType type) {
  return type == SensorType::kAccelerometer || type == SensorType::kFrameLinAcc || type == SensorType::kFrameAngAcc;
}

// What solvers tell beside the forces of contacts (SolverForces).
bool is_of_actuation(SensorType type);
// What sleeps has no contacts, and no solver looks at it: such sensors keep what they read last.
bool keeps_in_sleep(SensorType type);

// The columns that sensor_dim() and sensor_memory() read, where the CPU can.
ModelColumns<Vector> sensor_columns(const Model& model);
// Numbers that a sensor gives in MuJoCo's layout.
int sensor_dim(const ModelColumns<Vector>& columns, int sensor);

// Numbers that a sensor keeps in State.sensor_memory, one part behind the other.
struct SensorMemory {
  int readings = 0;  // how many there were since the reset: of a clock, and of noise, delay and interval
  int times = 0;     // of a contact sensor: for how long it has been pushed, or not, negative [s]; of a clock: its time
  int totals = 0;  // of a contact sensor, where bodies sleep: found and force on the second object, as it saw them last
  int kept = 0;    // of what reads forces, where bodies sleep: its numbers, as it measured them last
  int history = 0;  // time until the next one that is due, then times and values of all samples (SampleHistory)

  int before_kept() const { return readings + times + totals; }
  int before_history() const { return before_kept() + kept; }
  int size() const { return before_history() + history; }
};
// sleeps: whether bodies of the model may (options.sleep).
SensorMemory sensor_memory(const ModelColumns<Vector>& columns, int sensor, bool sleeps);

// Why a row is no sensor; empty where it is one. Indices in it exist.
std::string why_no_sensor(const ModelData& data, int sensor);

}  // namespace carom::inline CAROM_PRECISION
