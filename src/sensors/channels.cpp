#include "sensors/channels.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "base/near_names.h"
#include "model/sensor_rows.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr const char* kChannelsWho = "sensors";

int flat_dim(const ModelColumns<Vector>& c, int s) {
  if (static_cast<SensorType>(c.sensor_type[s]) != SensorType::kContact) return sensor_dim(c, s);
  const bool net = c.sensor_reduce[s] == static_cast<int>(ContactReduce::kNetForce);
  return 1 + (net ? 1 : c.sensor_num[s]) * contact_data_size(c.sensor_data[s] & ~kContactFound);
}

// "feet[left]" is a member of the channel "feet".
struct Key {
  std::string channel, member;

  explicit Key(const std::string& key) : channel(key) {
    const std::size_t bracket = key.find('[');
    if (bracket == std::string::npos || bracket == 0 || key.back() != ']') return;
    channel = key.substr(0, bracket);
    member = key.substr(bracket + 1, key.size() - bracket - 2);
  }
};

struct Place {
  int channel, member, row;
};

// Sensors of a channel differ in what they look at alone.
bool are_alike(const SensorChannel& a, const SensorChannel& b) {
  return a.type == b.type && a.dim == b.dim && a.flat_dim == b.flat_dim && a.data == b.data && a.num == b.num &&
         a.reduce == b.reduce;
}
[[noreturn]] void fail_other(const SensorChannel& channel, const SensorChannel& own, int world) {
  fail(kChannelsWho, ": sensor '", channel.key, "' is of type ", sensor_type_name(own.type), " with ", own.dim,
       " numbers in world ", world, ", and of type ", sensor_type_name(channel.type), " with ", channel.dim,
       " elsewhere, or their data, num and reduce differ; give sensors of one key the same ones");
}

int member_of(SensorChannel& channel, const Key& key, bool is_new) {
  if (!is_new && key.member.empty() != channel.members.empty())
    fail(kChannelsWho, ": '", key.channel, "' is the key of a sensor and of members in brackets; choose another one");
  if (key.member.empty()) return 0;
  const auto found = std::find(channel.members.begin(), channel.members.end(), key.member);
  if (found != channel.members.end()) return static_cast<int>(found - channel.members.begin());
  channel.members.push_back(key.member);
  return static_cast<int>(channel.members.size()) - 1;
}

}  // namespace

Channels::Channels(const Model& model) : rows(std::max(model.world_count, 1)) {
  const ModelColumns<Vector> c = sensor_columns(model);
  const std::vector<int>& first_of_world = model.layout->start[static_cast<int>(Entity::kSensor)];
  std::map<std::string, int> known;
  std::vector<Place> place;
  for (int s = 0; s < model.sensor_count; ++s) {
    const int world = c.sensor_world[s], id = c.sensor_key_id[s];
    Key key(id >= 0 ? model.keys->name(id) : text("sensor_", s - first_of_world[std::max(world, 0)]));
    if (world < 0 && model.world_count > 0)
      fail(kChannelsWho, ": sensor '", key.channel,
           "' is global, beside worlds; add it between begin_world() and end_world() of the world that it looks at");
    // Those without a key are called by their place; where worlds have something else there, by their world, too.
    SensorChannel own{key.channel, {}, static_cast<SensorType>(c.sensor_type[s]), sensor_dim(c, s), flat_dim(c, s)};
    if (own.type == SensorType::kContact || own.type == SensorType::kRangefinder) own.data = c.sensor_data[s];
    if (own.type == SensorType::kContact)
      own.num = c.sensor_num[s], own.reduce = static_cast<ContactReduce>(c.sensor_reduce[s]);
    const auto other = known.find(key.channel);
    if (id < 0 && other != known.end() && !are_alike(list[other->second], own))
      key.channel = text(model.world_key(world), "/", key.channel);
    const auto [found, is_new] = known.try_emplace(key.channel, static_cast<int>(list.size()));
    if (is_new) list.push_back(own), list.back().key = key.channel;
    if (!are_alike(list[found->second], own)) fail_other(list[found->second], own, world);
    place.push_back({found->second, member_of(list[found->second], key, is_new), std::max(world, 0)});
  }
  start.push_back(0);
  for (SensorChannel& channel : list) {
    channel.sensors.resize(std::size_t(rows) * channel.width(), -1);
    start.push_back(start.back() + std::int64_t{channel.dim} * static_cast<std::int64_t>(channel.sensors.size()));
  }
  for (int s = 0; s < model.sensor_count; ++s) {
    SensorChannel& channel = list[place[s].channel];
    const std::int64_t at = std::int64_t{place[s].row} * channel.width() + place[s].member;
    channel.sensors[at] = s;
    value_at.push_back(start[place[s].channel] + at * channel.dim);
  }
}

int Channels::find(const std::string& key) const {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].key == key) return static_cast<int>(i);
  if (list.empty()) fail(kChannelsWho, ": there is no sensor '", key, "': the model has none");
  std::vector<std::string> keys;
  for (const SensorChannel& channel : list) keys.push_back(channel.key);
  fail(kChannelsWho, ": there is no sensor '", key, "'; near are ", near_names(keys, key));
}

}  // namespace carom::inline CAROM_PRECISION
