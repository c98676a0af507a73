#include "sensors/finish_values.h"

#include <algorithm>

#include "backend/launch.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::vector<FinishedSensor> finished_sensors(const Model& model) {
  const ModelColumns<Vector> c = sensor_columns(model);
  const std::vector<int>& world_start = model.layout->start[static_cast<int>(Entity::kSensor)];
  const Array<int> memory_start = model.sensor_memory_start.on_cpu();
  std::vector<FinishedSensor> sensors;
  for (int s = 0; s < model.sensor_count; ++s) {
    const int world = std::max(c.sensor_world[s], 0);
    const SensorMemory memory = sensor_memory(c, s, model.layout->sleeps);
    const int readings = memory_start[s], history = readings + memory.before_history();
    // Contact sensors have neither noise nor cutoff.
    if (static_cast<SensorType>(c.sensor_type[s]) == SensorType::kContact && memory.history == 0) continue;
    sensors.push_back({.row = s,
                       .world = world,
                       .place = s - (model.world_count > 0 ? world_start[world] : 0),
                       .dim = sensor_dim(c, s),
                       .ray_size = std::max(ray_data_size(c.sensor_data[s]), 1),
                       .readings = memory.readings > 0 ? readings : -1,
                       .history = memory.history > 0 ? history : -1});
  }
  return sensors;
}

}  // namespace

ValueFinisher::ValueFinisher(const Model& of, std::uint64_t s)
    : model(of), seed(s), sensors(std::span<const FinishedSensor>(finished_sensors(of)), of.device) {}

void ValueFinisher::send(const Queue& queue, const SensedStep& step, Real* values, const std::int64_t* value_at) const {
  const FinishColumns columns{model.sensor_type.data(),    model.sensor_data.data(),
                              model.sensor_samples.data(), model.sensor_interpolation.data(),
                              model.sensor_cutoff.data(),  model.sensor_noise.data(),
                              model.sensor_delay.data(),   model.sensor_interval.data()};
  launch(queue, static_cast<int>(sensors.size()),
         FinishValues{sensors.data(), columns, value_at, seed, step.dt, values, step.state.sensor_memory.data()});
}

}  // namespace carom::inline CAROM_PRECISION
