// Readings of sensors: arrays that steps write anew.
#include "sensors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

std::vector<std::size_t> leading_shape(const Sensors& sensors, const SensorChannel& channel) {
  std::vector<std::size_t> shape;
  if (sensors.model().world_count > 0) shape.push_back(sensors.model().world_count);
  if (!channel.members.empty()) shape.push_back(channel.members.size());
  return shape;
}

template <class T>
ArrayHandle shaped(const Array<T>& values, std::vector<std::size_t> shape, int last) {
  ArrayHandle handle(values);
  shape.push_back(last);
  handle.shape = std::move(shape);
  return handle;
}

}  // namespace

ArrayHandle sensor_values(const Sensors& sensors, const std::string& key, const std::string& layout) {
  const int i = sensors.find(key);
  const SensorChannel& channel = sensors.channels()[i];
  const std::vector<std::size_t> shape = leading_shape(sensors, channel);
  const bool flat = parse_sensor_layout(layout) == SensorLayout::kFlat && channel.type == SensorType::kContact;
  if (!flat) return shaped(sensors.values(i), shape, channel.dim);
  return shaped(sensors.flat_values(i), shape, channel.flat_dim);
}

ReadingsHandle::ReadingsHandle(const Sensors& sensors, const std::string& key) {
  const int i = sensors.find(key);
  readings = sensors.contact_readings(i);
  shape = leading_shape(sensors, sensors.channels()[i]);
}

template <class T>
ArrayHandle ReadingsHandle::array(const Array<T>& column) const {
  ArrayHandle handle(column);
  std::vector<std::size_t> all = shape.empty() ? std::vector<std::size_t>{1} : shape;
  all.insert(all.end(), handle.shape.begin() + 1, handle.shape.end());
  handle.shape = std::move(all);
  return handle;
}

void bind_sensors(nb::module_& m) {
  using R = ReadingsHandle;
  nb::class_<R>(m, "ContactReadings",
                "Of a contact sensor, one row for each world, and in it for each member; written anew by every step. "
                "Forces are in the axes of the world; what is on its second object has the negative on its first one.")
      .def_prop_ro(
          "found", [](const R& self) { return self.array(self.readings.found); },
          "Contacts that match, however many the sensor has room for.")
      .def_prop_ro(
          "force_on_second", [](const R& self) { return self.array(self.readings.force_on_second); },
          "Of all of them together, on the second object: on the thing itself, of a sensor that was given body2, geom2 "
          "or subtree2 alone [N].")
      .def_prop_ro(
          "force_on_first", [](const R& self) { return self.array(self.readings.force_on_first); },
          "Its negative, on the first object: on the thing itself, of a sensor that was given body1, geom1 or subtree1 "
          "alone [N].")
      .def_prop_ro(
          "air_time", [](const R& self) { return self.array(self.readings.air_time); },
          "Since a force was felt last, or the reset [s]; 0 while one is.")
      .def_prop_ro(
          "contact_time", [](const R& self) { return self.array(self.readings.contact_time); },
          "For how long one has been felt [s].")
      .def_prop_ro(
          "most_found", [](const R& self) { return self.array(self.readings.most_found); },
          "Over all steps of the last call of step(): the most contacts at one time.")
      .def_prop_ro(
          "largest_force", [](const R& self) { return self.array(self.readings.largest_force); },
          "Likewise: the size of the force at most [N].")
      .def_prop_ro(
          "impulse_on_second", [](const R& self) { return self.array(self.readings.impulse_on_second); },
          "Likewise [N s].")
      .def_prop_ro(
          "mean_force_on_second", [](const R& self) { return self.array(self.readings.mean_force_on_second); },
          "Likewise: the impulse divided by duration [N].")
      .def_prop_ro(
          "duration", [](const R& self) { return ArrayHandle(self.readings.duration); },
          "Of that call, one number for each world [s].");
}

}  // namespace carom::inline CAROM_PRECISION::python
