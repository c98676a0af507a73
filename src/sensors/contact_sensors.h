// The contact sensors of a model: which contacts each of them matches, worked out once for each kind of world, and the
// kernels that read them.
#pragma once

#include "carom/sensors.h"
#include "collide/geometry_table.h"
#include "sensors/channels.h"
#include "sensors/sense_contacts.kernel.h"

namespace carom::inline CAROM_PRECISION {

class ContactSensors {
 public:
  ContactSensors(const Model& model, const Channels& channels);

  bool empty() const { return sensors_.empty(); }
  void notice_edits();  // of the model: volumes may have another size
  void send(const Queue& queue, const SensedStep& step, Real* values, bool first_of_call) const;
  // Of a channel of contact sensors.
  ContactReadings readings(int channel) const;
  void copy_rows(const Queue& queue, const ContactSensors& from, const Array<std::uint8_t>& mask) const;

 private:
  void make_criteria(const Model& model);
  ContactCriteria criteria() const;
  ContactReadingRows reading_rows() const;

  Model model_;
  std::vector<int> channel_start_, channel_size_;  // of each channel among the readings
  std::vector<char> is_contact_;                   // of each row of the model
  Array<ContactSensor> sensors_;
  GeometryTable geometry_;
  std::int64_t generation_;  // of the model, when it was made
  Array<std::uint64_t> first_, second_, touched_;
  Array<std::int64_t> criteria_start_, touched_start_;
  Array<int> words_;
  Array<int> row_;            // of each reading
  ContactReadings readings_;  // of all channels, one after the other
};

}  // namespace carom::inline CAROM_PRECISION
