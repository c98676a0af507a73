// Rangefinders, and sensors of the distance between shapes, of all worlds.
#pragma once

#include <memory>

#include "carom/sensors.h"

namespace carom::inline CAROM_PRECISION {

class RangeSensors {
 public:
  // The queue runs what is sent.
  RangeSensors(const Model& model, const Queue& queue);

  // Before send(), after edits of the model: while launches are recorded, nothing can be allocated.
  void notice_edits();
  // Does nothing but launch. value_at: of every sensor, where its numbers begin in values; both on the model's device.
  void send(const SensedStep& step, Real* values, const std::int64_t* value_at) const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
