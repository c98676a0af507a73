// Sensors: where the values are, and what is launched to read them.
#include "carom/sensors.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "model/chosen_queue.h"
#include "model/owner.h"
#include "sensors/actuation_sensors.h"
#include "sensors/channels.h"
#include "sensors/contact_sensors.h"
#include "sensors/finish_values.h"
#include "sensors/keep_readings.h"
#include "sensors/kernels.h"
#include "sensors/motion_sensors.h"
#include "sensors/range_sensors.h"

namespace carom::inline CAROM_PRECISION {

const char* sensor_layout_name(SensorLayout layout) { return layout == SensorLayout::kMujoco ? "mujoco" : "flat"; }

SensorLayout parse_sensor_layout(const std::string& name) {
  for (const SensorLayout layout : {SensorLayout::kFlat, SensorLayout::kMujoco})
    if (name == sensor_layout_name(layout)) return layout;
  fail("there is no layout '", name, "' of sensors; use \"flat\" or \"mujoco\"");
}

namespace {

constexpr const char* kWho = "sensors";

// The flat layout of a channel of contact sensors.
struct FlatChannel {
  Array<float> values;
  Array<int> sensor;  // of each world and member
  FlattenContacts kernel{};
};

}  // namespace

struct Sensors::Data {
  Model model;
  Queue queue;
  Channels channels;
  ContactSensors contacts;
  MotionSensors motion;
  ActuationSensors actuation;
  RangeSensors ranges;
  ReadingKeeper keeper;
  ValueFinisher finisher;
  Array<std::int64_t> value_at;  // first number of each sensor
  Array<Real> values;
  Array<std::int64_t> channel_start;
  Array<int> channel_dim;
  std::vector<FlatChannel> flat;  // empty where nobody asked
  std::int64_t version = 0;

  Data(const Model& of, const Queue* q, std::uint64_t s)
      : model(of),
        queue(chosen_queue(kWho, of, q)),
        channels(of),
        contacts(of, channels),
        motion(of),
        actuation(of),
        ranges(of, queue),
        keeper(of),
        finisher(of, s),
        value_at(std::span<const std::int64_t>(channels.value_at), of.device),
        values(channels.start.back(), of.device),
        flat(channels.list.size()) {
    std::vector<int> dim;
    for (const SensorChannel& c : channels.list) dim.push_back(c.dim * c.width());
    channel_dim = Array<int>(std::span<const int>(dim), model.device);
    channel_start = Array<std::int64_t>(std::span<const std::int64_t>(channels.start), model.device);
  }

  const SensorChannel& channel(int i) const {
    if (i < 0 || i >= static_cast<int>(channels.list.size()))
      fail(kWho, ": channel ", i, " does not exist: there are ", channels.list.size());
    return channels.list[i];
  }
  void check_contacts(const char* what, int i) const {
    const SensorChannel& c = channel(i);
    if (c.type != SensorType::kContact)
      fail(kWho, ": '", c.key, "' is a ", sensor_type_name(c.type), " sensor; contact sensors alone have a ", what);
  }

  void send_flat(int i) const { launch(queue, static_cast<int>(flat[i].sensor.size()), flat[i].kernel); }
  Real* first_value(int i) const { return values.data() + channels.start[i]; }

  void make_flat(int i) {
    const SensorChannel& c = channels.list[i];
    FlatChannel& to = flat[i];
    to.values = Array<float>(c.flat_dim * static_cast<std::int64_t>(c.sensors.size()), model.device);
    ++version;
    to.sensor = Array<int>(std::span<const int>(c.sensors), model.device);
    const bool net = c.reduce == ContactReduce::kNetForce;
    // How many match, where the values do not say it.
    if (!(c.data & kContactFound)) contacts.ask_for_readings(queue, i);
    to.kernel = {to.sensor.data(),
                 contacts.readings(i).found.data(),
                 first_value(i),
                 c.data,
                 c.num,
                 c.dim / c.num,
                 net,
                 c.flat_dim,
                 to.values.data()};
  }
};

Sensors::Sensors(const Model& model, const Queue* queue, std::uint64_t seed)
    : data_(std::make_shared<Data>(model, queue, seed)) {}

void Sensors::prepare() const {
  data_->contacts.notice_edits();
  data_->motion.notice_edits();
  data_->ranges.notice_edits();
}

void Sensors::send(const SensedStep& step, bool first_of_call, bool last_of_call) const {
  Data& d = *data_;
  if (d.channels.list.empty()) return;
  d.contacts.send(d.queue, step, d.values.data(), {first_of_call, last_of_call});
  d.motion.send(d.queue, step, d.values.data(), d.value_at.data());
  d.actuation.send(d.queue, step, d.values.data(), d.value_at.data());
  d.ranges.send(step, d.values.data(), d.value_at.data());
  d.keeper.send(d.queue, step, d.values.data(), d.value_at.data());
  d.finisher.send(d.queue, step, d.values.data(), d.value_at.data());
  for (std::size_t i = 0; i < d.flat.size() && last_of_call; ++i)
    if (!d.flat[i].values.empty()) d.send_flat(static_cast<int>(i));
}

bool Sensors::reads_bodies() const {
  const auto& list = data_->channels.list;
  const auto is_of_contacts = [](const SensorChannel& c) { return c.type == SensorType::kContact; };
  return data_->contacts.reads_bodies() || !std::all_of(list.begin(), list.end(), is_of_contacts);
}

void Sensors::update(const SensedStep& step) const {
  const Data& d = *data_;
  check_state(kWho, "step.state", step.state, d.model);
  check_contacts(kWho, "step.contacts", step.contacts, d.model);
  check_control(kWho, "step.control", step.control, d.model);
  check_dt(kWho, step.dt);
  if (step.joint_qdd.size() != d.model.joint_dof_count)
    fail(kWho, ": step.joint_qdd has ", step.joint_qdd.size(), " numbers; the model has ", d.model.joint_dof_count,
         " degrees of freedom");
  prepare();
  send(step);
  d.queue.finish();
}

const std::vector<SensorChannel>& Sensors::channels() const { return data_->channels.list; }
int Sensors::find(const std::string& key) const { return data_->channels.find(key); }
const Model& Sensors::model() const { return data_->model; }
std::int64_t Sensors::version() const { return data_->version; }

Array<Real> Sensors::values(int channel) const {
  data_->channel(channel);
  return data_->values.slice(data_->channels.start[channel], data_->channels.start[channel + 1]);
}

Array<float> Sensors::flat_values(int channel) const {
  Data& d = *data_;
  d.check_contacts("flat layout", channel);
  if (d.flat[channel].values.empty()) {
    d.make_flat(channel);
    d.send_flat(channel);
    d.queue.finish();
  }
  return d.flat[channel].values;
}

void Sensors::copy_worlds(const Sensors& other, std::span<const std::uint8_t> mask) const {
  Data& d = *data_;
  check_owner(kWho, "other", other.data_->model.layout, d.model.layout);
  if (static_cast<int>(mask.size()) != d.channels.rows)
    fail(kWho, ": the mask has ", mask.size(), " entries; give ", d.channels.rows);
  if (d.channels.list.empty()) return;
  const Array<std::uint8_t> rows(mask, d.model.device);
  const int channels = static_cast<int>(d.channels.list.size());
  launch(d.queue, channels * d.channels.rows,
         CopyValues{d.channel_start.data(), d.channel_dim.data(), rows.data(), d.channels.rows,
                    other.data_->values.data(), d.values.data()});
  d.contacts.copy_rows(d.queue, other.data_->contacts, rows);
  for (int i = 0; i < channels; ++i)
    if (!d.flat[i].values.empty()) d.send_flat(i);
  d.queue.finish();
}

ContactReadings Sensors::contact_readings(int channel) const {
  Data& d = *data_;
  d.check_contacts("list of contacts", channel);
  if (d.contacts.ask_for_readings(d.queue, channel)) ++d.version;
  return d.contacts.readings(channel);
}

}  // namespace carom::inline CAROM_PRECISION
