// What Simulation and Model show of sensors.
#pragma once

#include <string>

#include "array.h"
#include "carom/sensors.h"

namespace carom::inline CAROM_PRECISION::python {

// (worlds, members, numbers), without the dimensions of worlds and members where there are none.
ArrayHandle sensor_values(const Sensors& sensors, const std::string& key, const std::string& layout);

// The readings of a contact sensor, and how they are shaped.
struct ReadingsHandle {
  ContactReadings readings;
  std::vector<std::size_t> shape;  // worlds, members

  ReadingsHandle(const Sensors& sensors, const std::string& key);
  template <class T>
  ArrayHandle array(const Array<T>& column) const;
};

}  // namespace carom::inline CAROM_PRECISION::python
