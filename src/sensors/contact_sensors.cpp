#include "sensors/contact_sensors.h"

#include "backend/launch.h"
#include "model/host_model.h"
#include "model/sensor_rows.h"
#include "sensors/kernels.h"

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

// Bodies whose sleep lets a sensor keep what it read; those of volumes do not, and without criteria there are none.
int sleeping_body(const ModelColumns<Array>& c, SensorObject object, int body, int shape) {
  if (object == SensorObject::kBody || object == SensorObject::kSubtree) return body;
  return object == SensorObject::kShape ? c.shape_body[shape] : -1;
}

// Rows of contacts that are of one kind, the first of them foremost.
std::vector<std::vector<int>> kinds_of_rows(const Model& model) {
  if (model.world_count == 0) return {{0}};
  std::vector<std::vector<int>> kinds;
  for (const Archetype& archetype : model.archetypes)
    if (archetype.world_list.front() >= 0) kinds.push_back(archetype.world_list);
  return kinds;
}

// visit(column) for every array of ContactReadings.
template <class Visit>
void visit_readings(const Visit& visit) {
  using R = ContactReadings;
  for (const auto column : {&R::found, &R::most_found}) visit(column);
  for (const auto column : {&R::force_on_second, &R::impulse_on_second}) visit(column);
  for (const auto column : {&R::air_time, &R::contact_time, &R::largest_force, &R::duration}) visit(column);
}
ContactReadings make_readings(int rows, Device device) {
  ContactReadings made;
  visit_readings([&]<class T>(Array<T> ContactReadings::*column) { made.*column = Array<T>(rows, device); });
  return made;
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
  const Criteria criteria(model);
  const ModelColumns<Array>& c = criteria.column();
  const Array<int> memory_start = model.sensor_memory_start.on_cpu();
  std::vector<ContactSensor> sensors;
  std::vector<int> place(model.sensor_count, -1);
  int places = 0;
  for (const SensorChannel& channel : channels.list) {
    const bool of_contacts = channel.type == SensorType::kContact;
    channel_start_.push_back(places);
    channel_size_.push_back(of_contacts ? static_cast<int>(channel.sensors.size()) : 0);
    for (std::size_t i = 0; of_contacts && i < channel.sensors.size(); ++i, ++places)
      if (channel.sensors[i] >= 0) place[channel.sensors[i]] = places;
  }
  std::vector<int> next_bit(channels.rows, 0);
  ModelColumns<Vector> rows;  // what sensor_memory() reads
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (info.entity == Entity::kSensor || info.entity == Entity::kActuator)
      get(rows).assign(get(c).begin(), get(c).end());
  });
  for (int s = 0; s < model.sensor_count; ++s) {
    if (c.sensor_type[s] != static_cast<int>(SensorType::kContact)) continue;
    const SensorObject object = static_cast<SensorObject>(c.sensor_object_type[s]),
                       reference = static_cast<SensorObject>(c.sensor_reference_type[s]);
    const int world = std::max(c.sensor_world[s], 0);
    const bool site = object == SensorObject::kSite;
    is_contact_[s] = 1;
    sensors.push_back(
        {.world = world,
         .bit = next_bit[world]++,
         .place = place[s],
         .data = c.sensor_data[s],
         .num = c.sensor_num[s],
         .size = contact_data_size(c.sensor_data[s]),
         .reduce = static_cast<ContactReduce>(c.sensor_reduce[s]),
         .site = site ? c.sensor_shape[s] : -1,
         .body = {site ? -1 : sleeping_body(c, object, c.sensor_body[s], c.sensor_shape[s]),
                  site ? -1 : sleeping_body(c, reference, c.sensor_reference_body[s], c.sensor_reference_shape[s])},
         .memory = memory_start[s] + sensor_memory(rows, s).readings,
         .values = channels.value_at[s]});
  }
  sensors_ = to_device(sensors, model.device);
  readings_ = make_readings(places, model.device);
  row_ = to_device(rows_of_places(channels), model.device);
  make_criteria(model);
}

void ContactSensors::make_criteria(const Model& model) {
  const Criteria criteria(model);
  const ModelColumns<Array>& c = criteria.column();
  const EntityColumns column = columns_of(*model.layout, Entity::kShape);
  const int rows = std::max(model.world_count, 1);
  std::vector<std::uint64_t> first, second;
  std::vector<std::int64_t> start(rows, 0), touched_start(rows + 1, 0);
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
  for (int row = 0; row < rows; ++row) touched_start[row + 1] = touched_start[row] + words[row];
  first_ = to_device(first, model.device), second_ = to_device(second, model.device);
  criteria_start_ = to_device(start, model.device), touched_start_ = to_device(touched_start, model.device);
  words_ = to_device(words, model.device);
  touched_ = Array<std::uint64_t>(touched_start.back(), model.device);
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

void ContactSensors::send(const Queue& queue, const SensedStep& step, Real* values, bool first_of_call) const {
  if (empty()) return;
  const Contacts& c = step.contacts;
  const SensedContacts contacts{c.rigid_contact_world_start.data(), c.rigid_contact_shape0.data(),
                                c.rigid_contact_shape1.data(),      c.rigid_contact_point.data(),
                                c.rigid_contact_normal.data(),      c.rigid_contact_tangent.data(),
                                c.rigid_contact_force.data(),       c.rigid_contact_torque.data(),
                                c.rigid_contact_depth.data(),       model_.shape_type.data()};
  launch(queue, static_cast<int>(words_.size()),
         FindSensorsTouched{contacts, criteria(), touched_start_.data(), touched_.data()});
  const State& state = step.state;
  SenseContacts read{};
  read.sensors = sensors_.const_view();
  read.contacts = contacts;
  read.criteria = criteria();
  read.touched_start = touched_start_.data(), read.touched = touched_.data();
  read.shapes = {model_.shape_type.data(),  model_.shape_body.data(),        model_.shape_transform.data(),
                 model_.shape_scale.data(), geometry_.shape_geometry().data, geometry_.table(),
                 state.body_q.data()};
  read.body_qd = state.body_qd.data(), read.body_com = model_.body_com.data();
  read.body_asleep = state.body_asleep.empty() ? nullptr : state.body_asleep.data();
  read.dt = step.dt;
  read.values = values;
  read.memory = state.sensor_memory.data();
  read.readings = reading_rows();
  read.first_of_call = first_of_call;
  launch(queue, static_cast<int>(sensors_.size()), read);
}

ContactReadingRows ContactSensors::reading_rows() const {
  const ContactReadings& r = readings_;
  return {r.found.data(),      r.force_on_second.data(), r.air_time.data(),          r.contact_time.data(),
          r.most_found.data(), r.largest_force.data(),   r.impulse_on_second.data(), r.duration.data()};
}

void ContactSensors::copy_rows(const Queue& queue, const ContactSensors& from, const Array<std::uint8_t>& mask) const {
  launch(queue, static_cast<int>(readings_.found.size()),
         CopyReadings{mask.data(), row_.data(), from.reading_rows(), reading_rows()});
}

ContactReadings ContactSensors::readings(int channel) const {
  const int begin = channel_start_[channel], end = begin + channel_size_[channel];
  ContactReadings part;
  visit_readings([&](auto column) { part.*column = (readings_.*column).slice(begin, end); });
  return part;
}

}  // namespace carom::inline CAROM_PRECISION
