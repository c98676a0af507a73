#include "sensors/keep_readings.h"

#include "backend/launch.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"
#include "sensors/sensed_sleepers.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::vector<KeptReading> kept_readings(const Model& model) {
  if (!model.layout->sleeps) return {};
  const HostModel host(model);
  const SensedSleepers objects(host);
  const ModelColumns<Vector> c = sensor_columns(model);
  const Array<int> memory_start = model.sensor_memory_start.on_cpu();
  std::vector<KeptReading> sensors;
  for (int s = 0; s < model.sensor_count; ++s)
    if (const SensorMemory memory = sensor_memory(c, s, true); memory.kept > 0)
      sensors.push_back({s, memory.kept, memory_start[s] + memory.before_kept(), objects(s)});
  return sensors;
}

}  // namespace

ReadingKeeper::ReadingKeeper(const Model& model)
    : sensors(std::span<const KeptReading>(kept_readings(model)), model.device) {}

void ReadingKeeper::send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at) const {
  launch(queue, static_cast<int>(sensors.size()),
         KeepReadings{sensors.data(), sleeping_bodies(step), value_at, values, step.state.sensor_memory.data()});
}

}  // namespace carom::inline CAROM_PRECISION
