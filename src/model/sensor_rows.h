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

// The columns that sensor_dim() and sensor_memory() read, where the CPU can.
ModelColumns<Vector> sensor_columns(const Model& model);
// Numbers that a sensor gives in MuJoCo's layout.
int sensor_dim(const ModelColumns<Vector>& columns, int sensor);

// Numbers that a sensor keeps in State.sensor_memory, one part behind the other.
struct SensorMemory {
  int readings = 0;  // how many there were since the reset: of a clock, and of noise, delay and interval
  int times = 0;     // of a contact sensor: for how long it has been pushed, or not, negative [s]; of a clock: its time
  int history = 0;   // time until the next one that is due, then times and values of all samples (SampleHistory)

  int size() const { return readings + times + history; }
};
SensorMemory sensor_memory(const ModelColumns<Vector>& columns, int sensor);

// Why a row is no sensor; empty where it is one. Indices in it exist.
std::string why_no_sensor(const ModelData& data, int sensor);

}  // namespace carom::inline CAROM_PRECISION
