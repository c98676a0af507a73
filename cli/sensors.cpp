// carom sensors: what a model file measures, of what, and where the numbers of contact sensors stand.
#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "carom/carom.h"
#include "cli/commands.h"
#include "cli/load_model.h"
#include "cli/table.h"

namespace carom::cli {

namespace {

using nlohmann::ordered_json;

// What a sensor looks at, or against what.
struct Sensed {
  SensorObject type;
  int body, shape, joint = -1, axis = 0, tendon = -1, actuator = -1;
  Transform xform;
};

Sensed object_of(const Model& m, int s) {
  return {static_cast<SensorObject>(m.sensor_object_type[s]),
          m.sensor_body[s],
          m.sensor_shape[s],
          m.sensor_joint[s],
          m.sensor_axis[s],
          m.sensor_tendon[s],
          m.sensor_actuator[s],
          m.sensor_frame[s]};
}
Sensed reference_of(const Model& m, int s) {
  Sensed sensed{};
  sensed.type = static_cast<SensorObject>(m.sensor_reference_type[s]);
  sensed.body = m.sensor_reference_body[s];
  sensed.shape = m.sensor_reference_shape[s];
  sensed.xform = m.sensor_reference_frame[s];
  return sensed;
}

std::string name_of(const Model& m, const Sensed& sensed) {
  switch (sensed.type) {
    case SensorObject::kNone: return "";
    case SensorObject::kShape:
    case SensorObject::kSite: return m.key(Entity::kShape, sensed.shape);
    case SensorObject::kJoint: return m.key(Entity::kJoint, sensed.joint);
    case SensorObject::kTendon: return m.key(Entity::kTendon, sensed.tendon);
    case SensorObject::kActuator: return m.key(Entity::kActuator, sensed.actuator);
    default: return sensed.body < 0 ? "world" : m.key(Entity::kBody, sensed.body);
  }
}

std::string numbers(const Vec3& v) {
  return format("%.4g", double(v.x)) + " " + format("%.4g", double(v.y)) + " " + format("%.4g", double(v.z));
}

std::string shown(const Model& m, const Sensed& sensed) {
  if (sensed.type == SensorObject::kNone) return "-";
  std::string line = std::string(sensor_object_name(sensed.type)) + " " + name_of(m, sensed);
  if (sensed.type == SensorObject::kFrame) line += " at " + numbers(sensed.xform.p);
  if (sensed.axis > 0) line += " axis " + std::to_string(sensed.axis);
  return line;
}

ordered_json json_of(const Model& m, const Sensed& sensed) {
  ordered_json out{{"type", sensor_object_name(sensed.type)}};
  if (sensed.type == SensorObject::kNone) return out;
  out["name"] = name_of(m, sensed);
  const Transform& X = sensed.xform;
  if (sensed.type == SensorObject::kFrame) out["xform"] = {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w};
  if (sensed.type == SensorObject::kJoint) out["axis"] = sensed.axis;
  return out;
}

// -- Layouts of contact sensors

const char* field_unit(int bit) {
  switch (bit) {
    case kContactFound: return "contacts";
    case kContactForce: return "N";
    case kContactTorque: return "N m";
    case kContactDist:
    case kContactPos: return "m";
    case kContactLinVel: return "m/s";
    case kContactAngVel: return "rad/s";
    default: return "unit";
  }
}

// Where the fields of entry i begin: first + i * stride + offset.
struct Layout {
  int dim, first, entries, stride, data;
};
Layout layout_of(const Model& m, const SensorChannel& channel, int s, SensorLayout layout) {
  const int data = m.sensor_data[s], num = m.sensor_num[s];
  if (layout == SensorLayout::kMujoco) return {channel.dim, 0, num, contact_data_size(data), data};
  const bool net = static_cast<ContactReduce>(m.sensor_reduce[s]) == ContactReduce::kNetForce;
  const int rest = data & ~kContactFound;
  return {channel.flat_dim, 1, net ? 1 : num, contact_data_size(rest), rest};
}

ordered_json fields_of(const Layout& layout) {
  ordered_json fields = ordered_json::array();
  for (int k = 0, offset = 0; k < kContactDataBits; ++k) {
    const int bit = layout.data & 1 << k;
    if (!bit) continue;
    fields.push_back({{"name", contact_data_name(bit)},
                      {"offset", offset},
                      {"size", contact_data_size(bit)},
                      {"unit", field_unit(bit)}});
    offset += contact_data_size(bit);
  }
  return fields;
}

std::string layout_line(SensorLayout name, const Layout& layout) {
  std::string line = std::string("  ") + sensor_layout_name(name) + ", " + std::to_string(layout.dim) + " numbers: ";
  if (layout.first > 0) line += "[0] valid entries";
  if (layout.stride == 0) return line;
  line += std::string(layout.first > 0 ? ", then " : "") + std::to_string(layout.entries) + " x " +
          std::to_string(layout.stride) + " from [" + std::to_string(layout.first) + "]:";
  for (const auto& field : fields_of(layout)) {
    const int from = field["offset"].get<int>(), size = field["size"].get<int>();
    line += " " + field["name"].get<std::string>() + " +" + std::to_string(from) +
            (size > 1 ? ".." + std::to_string(from + size - 1) : "");
  }
  return line;
}

constexpr SensorLayout kLayouts[] = {SensorLayout::kFlat, SensorLayout::kMujoco};

bool is_contact(const SensorChannel& channel) { return channel.type == SensorType::kContact; }

// -- All of it

// A sensor in all worlds that have it: a channel, or a member of one.
struct Listed {
  const SensorChannel& channel;
  std::string name;
  int row = -1;    // in the first world that has it
  int worlds = 0;  // that have it
};
std::vector<Listed> all_listed(const std::vector<SensorChannel>& channels) {
  std::vector<Listed> all;
  for (const SensorChannel& channel : channels) {
    const std::size_t width = static_cast<std::size_t>(channel.width());
    for (std::size_t member = 0; member < width; ++member) {
      Listed one{channel, channel.key};
      if (!channel.members.empty()) one.name += "[" + channel.members[member] + "]";
      for (std::size_t at = member; at < channel.sensors.size(); at += width) {
        if (channel.sensors[at] < 0) continue;
        if (one.worlds++ == 0) one.row = channel.sensors[at];
      }
      all.push_back(std::move(one));
    }
  }
  return all;
}

// What becomes of its numbers: "cutoff 3, noise 0.1, delay 0.02 s".
std::string reading(const Model& m, int s) {
  std::string line;
  const auto add = [&](const char* name, Real value, const char* unit) {
    if (value != 0) line += (line.empty() ? "" : ", ") + std::string(name) + format(" %g", double(value)) + unit;
  };
  add("cutoff", m.sensor_cutoff[s], "");
  add("noise", m.sensor_noise[s], "");
  add("delay", m.sensor_delay[s], " s");
  add("every", m.sensor_interval[s][0], " s");
  return line.empty() ? "-" : line;
}

void print_text(const Model& m, const std::vector<Listed>& listed) {
  if (listed.empty()) {
    std::printf("no sensors\n");
    return;
  }
  Table table({"sensor", "type", "looks at", "against", "numbers", "unit", "reading"});
  for (const Listed& one : listed)
    table.add({one.name, sensor_type_name(one.channel.type), shown(m, object_of(m, one.row)),
               shown(m, reference_of(m, one.row)), grouped(one.channel.dim), sensor_unit(one.channel.type),
               reading(m, one.row)});
  table.print();
  for (const Listed& one : listed) {
    if (!is_contact(one.channel)) continue;
    std::printf("%s: reduce %s\n", one.name.c_str(),
                contact_reduce_name(static_cast<ContactReduce>(m.sensor_reduce[one.row])));
    for (const SensorLayout name : kLayouts)
      std::printf("%s\n", layout_line(name, layout_of(m, one.channel, one.row, name)).c_str());
  }
}

ordered_json json_of(const Model& m, const Listed& one) {
  const SensorChannel& channel = one.channel;
  const int s = one.row;
  ordered_json out{{"name", one.name},
                   {"channel", channel.key},
                   {"type", sensor_type_name(channel.type)},
                   {"worlds", one.worlds},
                   {"object", json_of(m, object_of(m, s))},
                   {"reference", json_of(m, reference_of(m, s))},
                   {"dim", channel.dim},
                   {"flat_dim", channel.flat_dim},
                   {"unit", sensor_unit(channel.type)},
                   {"cutoff", m.sensor_cutoff[s]},
                   {"noise", m.sensor_noise[s]},
                   {"delay", m.sensor_delay[s]},
                   {"samples", m.sensor_samples[s]},
                   {"interpolation", interpolation_name(static_cast<Interpolation>(m.sensor_interpolation[s]))},
                   {"interval", {m.sensor_interval[s][0], m.sensor_interval[s][1]}}};
  if (channel.type == SensorType::kRangefinder) {
    out["data"] = ray_data_name(m.sensor_data[s]);
    out["resolution"] = {m.sensor_resolution[s][0], m.sensor_resolution[s][1]};
  }
  if (!is_contact(channel)) return out;
  out["data"] = contact_data_name(m.sensor_data[s]);
  out["num"] = m.sensor_num[s];
  out["reduce"] = contact_reduce_name(static_cast<ContactReduce>(m.sensor_reduce[s]));
  for (const SensorLayout name : kLayouts) {
    const Layout layout = layout_of(m, channel, s, name);
    out["layouts"][sensor_layout_name(name)] = {{"dim", layout.dim},
                                                {"first", layout.first},
                                                {"entries", layout.entries},
                                                {"stride", layout.stride},
                                                {"fields", fields_of(layout)}};
  }
  return out;
}

}  // namespace

void sensors(const SensorsArgs& args) {
  const LoadedModel loaded = load_model(args.path);
  const std::vector<SensorChannel> channels = Sensors(loaded.model).channels();
  const std::vector<Listed> listed = all_listed(channels);
  if (!args.json) {
    print_warnings(loaded);
    print_text(loaded.model, listed);
    return;
  }
  ordered_json out{{"file", args.path},
                   {"worlds", loaded.model.world_count},
                   {"warnings", loaded.warnings},
                   {"sensors", ordered_json::array()}};
  for (const Listed& one : listed) out["sensors"].push_back(json_of(loaded.model, one));
  std::printf("%s\n", out.dump(1, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

}  // namespace carom::cli
