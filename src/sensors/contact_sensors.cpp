#include "sensors/contact_sensors.h"

#include <algorithm>
#include <numeric>

#include "backend/launch.h"
#include "model/host_model.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"
#include "sensors/sensed_sleepers.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Which shapes meet the criteria of sensors.
class Criteria {
 public:
  explicit Criteria(const Model& model) : host_(model), body_joint_(model.body_joint.on_cpu()) {}

  bool meets(SensorObject object, int body, int shape, int candidate) const {
    const int carrier = host_.column.shape_body[candidate];
    switch (object) {
      case SensorObject::kBody: return carrier == body;
      case SensorObject::kSubtree: return hangs_on(carrier, body);
      case SensorObject::kShape: return candidate == shape;
      default: return true;  // no criterion, or a volume, which is looked at where a contact is
    }
  }
  const ModelColumns<Array>& column() const { return host_.column; }
  const HostModel& host() const { return host_; }

 private:
  // Everything hangs on the world.
  bool hangs_on(int body, int root) const {
    while (body >= 0 && body != root) body = body_joint_[body] < 0 ? -1 : host_.column.joint_parent[body_joint_[body]];
    return body == root;
  }

  HostModel host_;
  Array<int> body_joint_;
};

struct Rows {
  int begin, end;
};

// Of a row of contacts; without worlds everything is in one.
Rows own_rows(const Model& model, Entity entity, int row) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  if (model.world_count == 0) return {0, start.back()};
  return {start[row], start[row + 1]};
}

// Shapes that contacts of a row may have: its own and the global ones.
std::vector<int> shapes_of_row(const Model& model, int row) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kShape)];
  const Rows own = own_rows(model, Entity::kShape, row);
  std::vector<int> shapes;
  for (int s = own.begin; s < own.end; ++s) shapes.push_back(s);
  if (model.world_count == 0) return shapes;
  for (int s = 0; s < start.front(); ++s) shapes.push_back(s);
  for (int s = start[model.world_count]; s < start.back(); ++s) shapes.push_back(s);
  return shapes;
}

// Rows of contacts that are of one kind, the first of them foremost.
std::vector<std::vector<int>> kinds_of_rows(const Model& model) {
  if (model.world_count == 0) return {{0}};
  std::vector<std::vector<int>> kinds;
  for (const Archetype& archetype : model.archetypes)
    if (archetype.world_list.front() >= 0) kinds.push_back(archetype.world_list);
  return kinds;
}

// visit(column) for every array of ContactReadings that has a row for each place.
template <class Visit>
void visit_readings(const Visit& visit) {
  using R = ContactReadings;
  for (const auto column : {&R::found, &R::most_found}) visit(column);
  for (const auto column : {&R::force_on_second, &R::force_on_first, &R::impulse_on_second, &R::mean_force_on_second})
    visit(column);
  for (const auto column : {&R::air_time, &R::contact_time, &R::largest_force}) visit(column);
}
ContactReadings make_readings(int places, int rows, Device device) {
  ContactReadings made;
  visit_readings([&]<class T>(Array<T> ContactReadings::*column) { made.*column = Array<T>(places, device); });
  made.duration = Array<Real>(rows, device);
  return made;
}

// Seats are in the order in which readings and values are in memory, for some worlds at a time, whose books stay near
// then.
constexpr int kWorldsTogether = 64;
bool is_before(const ContactSeat& a, const ContactSeat& b) {
  const int group_a = a.world / kWorldsTogether, group_b = b.world / kWorldsTogether;
  return group_a != group_b ? group_a < group_b : a.place < b.place;
}

// The row of every reading.
std::vector<int> rows_of_places(const Channels& channels) {
  std::vector<int> rows;
  for (const SensorChannel& channel : channels.list)
    for (std::size_t i = 0; channel.type == SensorType::kContact && i < channel.sensors.size(); ++i)
      rows.push_back(static_cast<int>(i) / channel.width());
  return rows;
}

template <class T>
Array<T> to_device(const std::vector<T>& values, Device device) {
  return Array<T>(std::span<const T>(values), device);
}

}  // namespace

ContactSensors::ContactSensors(const Model& model, const Channels& channels)
    : model_(model), is_contact_(model.sensor_count, 0), geometry_(model, true), generation_(model.generation()) {
  seat_sensors(model, channels);
  make_criteria(model);
}

// Sensors of the model are in the order of their rows of contacts.
void ContactSensors::seat_sensors(const Model& model, const Channels& channels) {
  const Criteria criteria(model);
  const ModelColumns<Array>& c = criteria.column();
  const SensedSleepers sleepers(criteria.host());
  const bool sleeps = model.layout->sleeps;
  const Array<int> memory_start = model.sensor_memory_start.on_cpu();
  const ModelColumns<Vector> rows = sensor_columns(model);
  std::vector<ContactSeat> seats;
  std::vector<int> place(model.sensor_count, -1), kind(model.sensor_count, -1), time_at;
  std::vector<ContactObjects> objects;
  std::vector<std::int64_t> start(channels.rows + 1, 0);
  int places = 0;
  for (std::size_t i = 0; i < channels.list.size(); ++i) {
    const SensorChannel& channel = channels.list[i];
    const bool of_contacts = channel.type == SensorType::kContact;
    channel_start_.push_back(places);
    channel_size_.push_back(of_contacts ? static_cast<int>(channel.sensors.size()) : 0);
    kind_.push_back(of_contacts ? static_cast<int>(kinds_.size()) : -1);
    if (!of_contacts) continue;
    kinds_.push_back(
        {places, channels.start[i], channel.data, channel.num, contact_data_size(channel.data), channel.reduce});
    reads_bodies_ = reads_bodies_ || (channel.data & (kContactLinVel | kContactAngVel)) != 0;
    for (const int s : channel.sensors) {
      if (s >= 0) place[s] = places, kind[s] = static_cast<int>(kinds_.size()) - 1;
      ++places;
    }
  }
  for (int s = 0; s < model.sensor_count; ++s) {
    if (c.sensor_type[s] != static_cast<int>(SensorType::kContact)) continue;
    is_contact_[s] = 1;
    const int row = std::max(c.sensor_world[s], 0);
    seats.push_back({row, static_cast<int>(start[row + 1]++), place[s], kind[s]});
    const bool of_volume = c.sensor_object_type[s] == static_cast<int>(SensorObject::kSite);
    objects.push_back({of_volume ? c.sensor_shape[s] : -1, sleepers(s)});
    const SensorMemory memory = sensor_memory(rows, s, sleeps);
    time_at.push_back(memory_start[s] + memory.readings);
    const bool is_first = seats.back().bit == 0;
    in_a_row_ = in_a_row_ && (is_first || time_at.back() == time_at[time_at.size() - 2] + 1);
    has_sites_ = has_sites_ || objects.back().site >= 0;
    // What falls asleep amid a call keeps what was measured then.
    if (memory.history > 0 || sleeps) kinds_[kind[s]].remembers = remembers_ = true;
  }
  reads_bodies_ = reads_bodies_ || has_sites_;
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::sort(seats.begin(), seats.end(), is_before);
  std::vector<int> seat_start((channels.rows + kWorldsTogether - 1) / kWorldsTogether + 1, 0);
  for (const ContactSeat& seat : seats) ++seat_start[seat.world / kWorldsTogether + 1];
  std::partial_sum(seat_start.begin(), seat_start.end(), seat_start.begin());

  seats_ = to_device(seats, model.device), channels_ = to_device(kinds_, model.device);
  seat_start_ = to_device(seat_start, model.device);
  start_ = to_device(start, model.device), time_at_ = to_device(time_at, model.device);
  objects_ = to_device(objects, model.device);
  totals_ = Array<ContactTotals>(seats_.size(), model.device), calls_ = Array<ContactCall>(seats_.size(), model.device);
  readings_ = make_readings(places, channels.rows, model.device);
  row_ = to_device(rows_of_places(channels), model.device);
}

void ContactSensors::make_criteria(const Model& model) {
  const Criteria criteria(model);
  const ModelColumns<Array>& c = criteria.column();
  const EntityColumns column = columns_of(*model.layout, Entity::kShape);
  const int rows = std::max(model.world_count, 1);
  std::vector<std::uint64_t> first, second;
  std::vector<std::int64_t> start(rows, 0), word_start(rows + 1, 0);
  std::vector<int> words(rows, 0);
  for (const std::vector<int>& kind : kinds_of_rows(model)) {
    const int row = kind.front();
    const Rows own = own_rows(model, Entity::kSensor, row);
    std::vector<int> sensors;
    for (int s = own.begin; s < own.end; ++s)
      if (is_contact_[s]) sensors.push_back(s);
    const int count = (static_cast<int>(sensors.size()) + 63) / 64;
    for (const int other : kind) start[other] = static_cast<std::int64_t>(first.size()), words[other] = count;
    const std::size_t begin = first.size();
    first.resize(begin + std::size_t(column.most + column.globals) * count);
    second.resize(first.size());
    for (const int shape : shapes_of_row(model, row)) {
      const std::size_t at = begin + std::size_t(column(row, shape)) * count;
      for (std::size_t bit = 0; bit < sensors.size(); ++bit) {
        const int s = sensors[bit];
        const auto meets = [&](int type, int body, int wanted) {
          return std::uint64_t{criteria.meets(static_cast<SensorObject>(type), body, wanted, shape)} << (bit % 64);
        };
        first[at + bit / 64] |= meets(c.sensor_object_type[s], c.sensor_body[s], c.sensor_shape[s]);
        second[at + bit / 64] |=
            meets(c.sensor_reference_type[s], c.sensor_reference_body[s], c.sensor_reference_shape[s]);
      }
    }
  }
  for (int row = 0; row < rows; ++row) word_start[row + 1] = word_start[row] + words[row];
  first_ = to_device(first, model.device), second_ = to_device(second, model.device);
  criteria_start_ = to_device(start, model.device), word_start_ = to_device(word_start, model.device);
  words_ = to_device(words, model.device);
  for (Array<std::uint64_t>* const set : {&touched_, &rests_, &called_, &told_})
    *set = Array<std::uint64_t>(word_start.back(), model.device);
}

void ContactSensors::notice_edits() {
  if (generation_ == model_.generation()) return;
  generation_ = model_.generation();
  geometry_ = GeometryTable(model_, true);
}

ContactCriteria ContactSensors::criteria() const {
  EntityColumns column = columns_of(*model_.layout, Entity::kShape);
  column.start = model_.layout->world_start[static_cast<int>(Entity::kShape)].data();
  return {column, first_.data(), second_.data(), criteria_start_.data(), words_.data()};
}

ContactBooks ContactSensors::books() const {
  return {start_.data(),   word_start_.data(), time_at_.data(), in_a_row_,
          objects_.data(), totals_.data(),     calls_.data(),   touched_.data(),
          rests_.data(),   called_.data(),     told_.data(),    readings_.duration.data()};
}

void ContactSensors::send(const Queue& queue, const SensedStep& step, Real* values, PlaceInCall place) {
  if (empty()) return;
  memory_ = step.state.sensor_memory;
  const Contacts& c = step.contacts;
  const State& state = step.state;
  const SensedContacts contacts{c.rigid_contact_world_start.data(), c.rigid_contact_shape0.data(),
                                c.rigid_contact_shape1.data(),      c.rigid_contact_point.data(),
                                c.rigid_contact_normal.data(),      c.rigid_contact_tangent.data(),
                                c.rigid_contact_force.data(),       c.rigid_contact_torque.data(),
                                c.rigid_contact_depth.data(),       model_.shape_type.data()};
  const SensedShapes shapes{model_.shape_type.data(),  model_.shape_body.data(),        model_.shape_transform.data(),
                            model_.shape_scale.data(), geometry_.shape_geometry().data, geometry_.table(),
                            state.body_q.data()};
  Real* const memory = state.sensor_memory.data();
  const bool tells = place.last || remembers_;
  const AddUpContacts add_up{contacts,   criteria(), books(), shapes, sleeping_bodies(step),
                             has_sites_, tells,      step.dt, memory, place};
  const TellContacts tell = this->tell(contacts, shapes, state.body_qd.data(), values, place);
  const int rows = static_cast<int>(words_.size()), groups = static_cast<int>(seat_start_.size()) - 1;
  if (queue.device().is_cpu())
    return launch(queue, groups, SenseContacts{add_up, tell, rows, kWorldsTogether, seat_start_.data()});
  launch(queue, rows, add_up);
  if (tells) launch(queue, static_cast<int>(seats_.size()), tell);
}

TellContacts ContactSensors::tell(const SensedContacts& contacts, const SensedShapes& shapes,
                                  const SpatialVector* body_qd, Real* values, PlaceInCall place) const {
  return {seats_.data(), channels_.data(),       contacts, criteria(),     books(),        shapes,
          body_qd,       model_.body_com.data(), values,   memory_.data(), reading_rows(), place};
}

bool ContactSensors::ask_for_readings(const Queue& queue, int channel) {
  const int kind = kind_[channel];
  if (kinds_[kind].is_read) return false;
  kinds_[kind].is_read = true;
  channels_.assign(to_device(kinds_, model_.device));
  if (memory_.empty()) return true;  // nothing was sent yet
  launch(queue, static_cast<int>(seats_.size()), TellReadings{tell({}, {}, nullptr, nullptr, {}), kind});
  queue.finish();
  return true;
}

ContactReadingRows ContactSensors::reading_rows() const {
  const ContactReadings& r = readings_;
  return {r.found.data(),         r.force_on_second.data(),   r.force_on_first.data(),
          r.air_time.data(),      r.contact_time.data(),      r.most_found.data(),
          r.largest_force.data(), r.impulse_on_second.data(), r.mean_force_on_second.data()};
}

void ContactSensors::copy_rows(const Queue& queue, ContactSensors& from, const Array<std::uint8_t>& mask) {
  for (std::size_t i = 0; i < kind_.size(); ++i)
    if (kind_[i] >= 0 && kinds_[kind_[i]].is_read) from.ask_for_readings(queue, static_cast<int>(i));
  launch(queue, static_cast<int>(readings_.found.size()),
         CopyReadings{mask.data(), row_.data(), from.reading_rows(), reading_rows()});
  launch(queue, static_cast<int>(words_.size()), CopyBooks{mask.data(), from.books(), books()});
}

ContactReadings ContactSensors::readings(int channel) const {
  const int begin = channel_start_[channel], end = begin + channel_size_[channel];
  ContactReadings part;
  visit_readings([&](auto column) { part.*column = (readings_.*column).slice(begin, end); });
  part.duration = readings_.duration;
  return part;
}

}  // namespace carom::inline CAROM_PRECISION
