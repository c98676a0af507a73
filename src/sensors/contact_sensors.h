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

  bool empty() const { return seats_.empty(); }
  void notice_edits();  // of the model: volumes may have another size
  void send(const Queue& queue, const SensedStep& step, Real* values, PlaceInCall place);
  // Otherwise contacts are all that is read.
  bool reads_bodies() const { return reads_bodies_; }
  // Of a channel of contact sensors.
  ContactReadings readings(int channel) const;
  // From now on they are told; before that nobody pays for them. Returns whether that is new.
  bool ask_for_readings(const Queue& queue, int channel);
  void copy_rows(const Queue& queue, ContactSensors& from, const Array<std::uint8_t>& mask);

 private:
  void seat_sensors(const Model& model, const Channels& channels);
  void make_criteria(const Model& model);
  ContactCriteria criteria() const;
  ContactBooks books() const;
  ContactReadingRows reading_rows() const;
  TellContacts tell(const SensedContacts& contacts, const SensedShapes& shapes, const SpatialVector* body_qd,
                    Real* values, PlaceInCall place) const;

  Model model_;
  std::vector<int> channel_start_, channel_size_;  // of each channel among the readings
  std::vector<int> kind_;                          // of each channel: its place in kinds_, -1 = not of contacts
  std::vector<ContactChannel> kinds_;              // as they are in channels_
  std::vector<char> is_contact_;                   // of each row of the model
  bool reads_bodies_ = false, has_sites_ = false, remembers_ = false, in_a_row_ = true;
  Array<ContactSeat> seats_;
  Array<ContactChannel> channels_;
  Array<int> seat_start_;  // of each group of worlds
  GeometryTable geometry_;
  std::int64_t generation_;  // of the model, when it was made
  Array<std::uint64_t> first_, second_;
  Array<std::int64_t> criteria_start_;
  Array<int> words_;
  // ContactBooks.
  Array<std::int64_t> start_, word_start_;
  Array<int> time_at_;
  Array<ContactObjects> objects_;
  Array<ContactTotals> totals_;
  Array<ContactCall> calls_;
  Array<std::uint64_t> touched_, rests_, called_, told_;
  Array<int> row_;            // of each reading
  ContactReadings readings_;  // of all channels, one after the other
  Array<Real> memory_;        // State::sensor_memory of the last step
};

}  // namespace carom::inline CAROM_PRECISION
