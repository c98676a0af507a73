#include "cli/contents.h"

#include <cstdio>

#include "cli/table.h"

namespace carom::cli {

namespace {

using nlohmann::ordered_json;

bool is_shown(int world) { return world <= 0; }

// How many rows of the first world and the globals there are of each name.
template <class Name>
ordered_json count_by(int rows, const Array<int>& world, const Name& name) {
  ordered_json counts = ordered_json::object();
  for (int i = 0; i < rows; ++i) {
    if (!is_shown(world[i])) continue;
    const std::string key = name(i);
    counts[key] = counts.value(key, 0) + 1;
  }
  return counts;
}

int total(const ordered_json& counts) {
  int sum = 0;
  for (const auto& count : counts) sum += count.get<int>();
  return sum;
}

const char* equality_name(int type) {
  constexpr const char* kNames[] = {"connect", "weld", "joint", "tendon"};
  return kNames[type];
}

double mass_of(const Model& model) {
  double mass = 0;
  for (int b = 0; b < model.body_count; ++b)
    if (is_shown(model.body_world[b])) mass += model.body_mass[b];
  return mass;
}

std::string joined(const ordered_json& counts) {
  std::string line;
  for (const auto& [name, count] : counts.items())
    line += (line.empty() ? "" : ", ") + grouped(count.get<int>()) + " " + name;
  return line;
}

}  // namespace

ordered_json contents(const Model& m) {
  const auto count = [](int rows, const Array<int>& world) {
    int sum = 0;
    for (int i = 0; i < rows; ++i) sum += is_shown(world[i]);
    return sum;
  };
  const auto shape = [&](int s) { return std::string(shape_type_name(static_cast<ShapeType>(m.shape_type[s]))); };
  const auto joint = [&](int j) { return std::string(joint_type_name(static_cast<JointType>(m.joint_type[j]))); };
  const auto actuator = [&](int a) {
    const auto law = static_cast<ActuatorLaw>(m.actuator_law[a]);
    const bool servo = m.actuator_bias[a][1] != 0 || m.actuator_bias[a][2] != 0;
    return std::string(law != ActuatorLaw::kAffine ? actuator_law_name(law) : servo ? "servo" : "motor");
  };
  const auto equality = [&](int e) { return std::string(equality_name(m.equality_constraint_type[e])); };
  ordered_json out;
  out["worlds"] = m.world_count;
  out["timestep"] = m.options.timestep;
  out["integrator"] = integrator_name(m.options.integrator);
  out["bodies"] = count(m.body_count, m.body_world);
  out["mass"] = mass_of(m);
  out["joints"] = count_by(m.joint_count, m.joint_world, joint);
  out["dofs"] = m.world_count > 0 ? m.joint_dof_world_start[1] : m.joint_dof_count;
  out["shapes"] = count_by(m.shape_count, m.shape_world, shape);
  int colliding = 0;
  for (int s = 0; s < m.shape_count; ++s)
    colliding += is_shown(m.shape_world[s]) && (m.shape_flags[s] & kShapeCollidesShapes) != 0;
  out["colliding_shapes"] = colliding;
  out["contact_pairs"] = count(m.contact_pair_count, m.contact_pair_world);
  out["equality_constraints"] = count_by(m.equality_constraint_count, m.equality_constraint_world, equality);
  out["tendons"] = count(m.tendon_count, m.tendon_world);
  out["actuators"] = count_by(m.actuator_count, m.actuator_world, actuator);
  const auto sensor = [&](int s) { return std::string(sensor_type_name(static_cast<SensorType>(m.sensor_type[s]))); };
  out["sensors"] = count_by(m.sensor_count, m.sensor_world, sensor);
  out["particles"] = count(m.particle_count, m.particle_world);
  return out;
}

void print_contents(const Model& model) {
  const ordered_json c = contents(model);
  std::printf("  steps of %g ms, integrator %s; %s%s\n", 1e3 * double{model.options.timestep},
              integrator_name(model.options.integrator), grouped(model.world_count).c_str(),
              model.world_count == 1 ? " world" : " worlds, of which the first has");
  const auto line = [](const char* what, const std::string& text) { std::printf("  %-12s %s\n", what, text.c_str()); };
  const auto by_type = [&](const char* what, const ordered_json& counts, const std::string& more = "") {
    if (counts.empty()) return;
    std::string text = counts.size() > 1 ? grouped(total(counts)) + ": " : "";
    text += joined(counts);
    line(what, text += more);
  };
  const auto number = [&](const char* what, const ordered_json& count) {
    if (count.get<int>() > 0) line(what, grouped(count.get<int>()));
  };
  line("bodies", grouped(c["bodies"].get<int>()) + ", " + format("%.4g", c["mass"].get<double>()) + " kg");
  by_type("joints", c["joints"], "; " + grouped(c["dofs"].get<int>()) + " degrees of freedom");
  by_type("shapes", c["shapes"], "; " + grouped(c["colliding_shapes"].get<int>()) + " collide");
  by_type("equalities", c["equality_constraints"]);
  by_type("actuators", c["actuators"]);
  by_type("sensors", c["sensors"]);
  number("tendons", c["tendons"]);
  number("pairs", c["contact_pairs"]);
  number("particles", c["particles"]);
}

}  // namespace carom::cli
