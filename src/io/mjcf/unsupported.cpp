// What a MuJoCo model asks for and carom cannot express, all of it at once, in words; and what of it can be left out.
//
// Not listed, because it does not change the motion: sites, keyframes, cameras, lights, skins, user data; the choice of
// solver and Jacobian, tolerances and iterations, which all lead to one optimum; flags that say how MuJoCo finds
// contacts, or that leave the motion alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr std::size_t kShown = 6;  // names listed per feature

struct Report {
  const CompiledMjcf& m;
  const MjcfArgs& args;
  std::vector<MjcfProblem> problems{};

  void add(const std::string& line, const char* name = "", bool unasked = false) {
    problems.push_back({line, name, unasked});
  }
};

// "a, b, c and 3 more".
std::string cut_short(const std::vector<std::string>& names) {
  std::string line;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) line += (i ? ", " : "") + names[i];
  return names.size() > kShown ? text(line, " and ", names.size() - kShown, " more") : line;
}

// The things of a kind: body, joint, geom, ...
struct Things {
  const char* kind;
  std::size_t count;
  const std::vector<std::string>& names;
};

// A line for each different feature(i), with the names of those i that are bad.
void add_where(Report& report, const Things& things, const std::function<bool(int)>& bad,
               const std::function<std::string(int)>& feature, const char* name = "", bool unasked = false) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (int i = 0; i < static_cast<int>(things.count); ++i) {
    if (!bad(i)) continue;
    const std::string words = feature(i), own = name_at(things.names, i);
    auto line = std::find_if(found.begin(), found.end(), [&](const auto& other) { return other.first == words; });
    if (line == found.end()) line = found.insert(found.end(), {words, {}});
    line->second.push_back(own.empty() ? std::to_string(i) : "'" + own + "'");
  }
  for (const auto& [words, names] : found)
    report.add(text(words, ": ", things.kind, " ", cut_short(names)), name, unasked);
}
void add_where(Report& report, const Things& things, const std::function<bool(int)>& bad, const char* feature,
               const char* name = "") {
  add_where(
      report, things, bad, [feature](int) { return std::string(feature); }, name);
}

// -- Numbers that are none

template <class T>
void add_not_numbers(std::vector<std::string>& lines, const MjcfField& field, const T* values, std::size_t size) {
  std::vector<std::string> rows;
  const bool option = field.rows == MjcfRows::kOption;
  const std::size_t width = option ? 1 : field.width;
  for (std::size_t first = 0; first < size; first += width)
    if (std::any_of(values + first, values + first + width, [](T value) { return std::isnan(value); }))
      rows.push_back(std::to_string(first / width));
  if (rows.empty()) return;
  const bool scalar = option && field.width == 1;
  lines.push_back(text("not a number: ", field.name, scalar ? "" : ", row " + cut_short(rows)));
}

void report_numbers(Report& report) {
  std::vector<std::string> lines, option_lines;
  for (const std::string& field : report.args.not_numbers) lines.push_back("not a number: " + field);
  visit_mjcf_fields(report.m, [&](const MjcfField& field, const auto& values) {
    using Values = std::decay_t<decltype(values)>;
    if constexpr (std::is_same_v<Values, double>) {
      add_not_numbers(option_lines, field, &values, 1);
    } else if constexpr (!std::is_same_v<Values, int>) {
      if constexpr (std::is_floating_point_v<typename Values::value_type>)
        add_not_numbers(field.rows == MjcfRows::kOption ? option_lines : lines, field, values.data(), values.size());
    }
  });
  std::sort(lines.begin(), lines.end());
  std::sort(option_lines.begin(), option_lines.end());
  for (const std::string& line : lines) report.add(line);
  for (const std::string& line : option_lines) report.add(line);
}

// -- Options and flags

std::string general(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}

void report_flags(Report& report) {
  const CompiledMjcf& m = report.m;
  for (int bit = mj::kDisableFlags; bit < 31; ++bit)
    if (m.opt_disableflags >> bit & 1) report.add(text("disabled flag ", bit), "flag");
  if (m.opt_enableflags & mj::kIpc) report.add("enabled flag ipc", "flag");
  for (int bit = mj::kEnableFlags; bit < 31; ++bit)
    if (m.opt_enableflags >> bit & 1) report.add(text("enabled flag ", bit), "flag");
  if ((m.opt_enableflags & mj::kSleep) && (m.opt_disableflags & mj::kNoIsland))
    report.add("enabled flag sleep without islands", "flag");
}

void report_options(Report& report) {
  const CompiledMjcf& m = report.m;
  if (ignores(report.args, "noslip") && m.opt_noslip_iterations > 0)
    report.add(text("noslip_iterations ", m.opt_noslip_iterations), "noslip");
  if (ignores(report.args, "fluid") && (m.opt_density != 0 || m.opt_viscosity != 0))
    report.add(text("fluid with density ", general(m.opt_density), " and viscosity ", general(m.opt_viscosity)),
               "fluid");
  const std::array<double, 5>& friction = m.opt_o_friction;
  if ((m.opt_enableflags & mj::kOverride) && (friction[0] != friction[1] || friction[3] != friction[4]))
    report.add("o_friction that differs between the two tangents");
  report_flags(report);
}

// -- Things

void report_elements(Report& report) {
  const CompiledMjcf& m = report.m;
  const bool left_out = ignores(report.args, "equality");
  add_where(
      report, {"equality", m.eq_type.size(), m.name_eq},
      [&](int i) { return left_out || m.eq_type[i] < mj::kConnect || m.eq_type[i] > mj::kEqualTendons; },
      [&](int i) { return mj::name_of(mj::kEqualityNames, m.eq_type[i]) + " equality constraint"; }, "equality");
  const auto all = [](int) { return true; };
  if (ignores(report.args, "pair"))
    add_where(report, {"pair", m.pair_dim.size(), m.name_pair}, all, "contact pair with parameters of its own", "pair");
  add_where(report, {"flex", m.name_flex.size(), m.name_flex}, all, "flex", "flex");
  if (m.nplugin > 0) report.add(text(m.nplugin, " plugins"), "plugin");
}

void report_bodies(Report& report) {
  const CompiledMjcf& m = report.m;
  if (ignores(report.args, "gravcomp"))
    add_where(
        report, {"body", m.body_gravcomp.size(), m.name_body}, [&](int i) { return m.body_gravcomp[i] != 0; },
        "gravcomp", "gravcomp");
}

// Whether free or ball joint i has other numbers along some of its axes; values: a column of a field with this width.
bool is_uneven(const CompiledMjcf& m, int i, const std::vector<double>& values, int column = 0, int width = 1) {
  const int type = m.jnt_type[i];
  if (type != mj::kFree && type != mj::kBall) return false;
  const double* first = rows_from(values, m.jnt_dofadr[i], mj::dof_count(type), width) + column;
  for (int k = 0; k < mj::dof_count(type); ++k)
    if (first[k * width] != first[0]) return true;
  return false;
}

void report_joints(Report& report) {
  const CompiledMjcf& m = report.m;
  const Things joints{"joint", m.jnt_type.size(), m.name_jnt};
  const auto has_friction = [&](int i) {
    const int count = mj::dof_count(m.jnt_type[i]);
    const double* friction = rows_from(m.dof_frictionloss, m.jnt_dofadr[i], count);
    return std::any_of(friction, friction + count, [](double number) { return number != 0; });
  };
  if (ignores(report.args, "frictionloss")) add_where(report, joints, has_friction, "frictionloss", "frictionloss");
  const auto differs = [&](const std::vector<double>& values, const char* feature) {
    add_where(
        report, joints, [&](int i) { return is_uneven(m, i, values); }, feature);
  };
  differs(m.dof_damping, "damping that differs between the axes of a joint");
  differs(m.dof_armature, "armature that differs between the axes of a joint");
  differs(m.dof_frictionloss, "frictionloss that differs between the axes of a joint");
  add_where(
      report, joints,
      [&](int i) { return is_uneven(m, i, m.dof_dampingpoly, 0, 2) || is_uneven(m, i, m.dof_dampingpoly, 1, 2); },
      "nonlinear damping that differs between the axes of a joint");
  if (ignores(report.args, "springyield"))
    add_where(
        report, joints, [&](int i) { return m.jnt_springyield[i] != 0; }, "springyield", "springyield");
}

void report_geoms(Report& report) {
  const CompiledMjcf& m = report.m;
  const Things geoms{"geom", m.geom_type.size(), m.name_geom};
  const auto collides = [&](int i) { return m.geom_contype[i] != 0 || m.geom_conaffinity[i] != 0; };
  const auto on_moving_body = [&](int i) { return at(m.body_weldid, m.geom_bodyid[i]) != 0; };
  add_where(
      report, geoms, [&](int i) { return m.geom_type[i] == mj::kSdf; }, "signed distance field");
  add_where(
      report, geoms, [&](int i) { return m.geom_type[i] == mj::kHfield && on_moving_body(i); },
      "hfield on a moving body");
  if (ignores(report.args, "adhesion"))
    add_where(
        report, geoms, [&](int i) { return collides(i) && m.geom_adhesion[i] != 0; }, "adhesion", "adhesion");
  const auto surface_moves = [&](int i) {
    const double* velocity = row(m.geom_surfacevel, i, 6);
    return std::any_of(velocity, velocity + 6, [](double number) { return number != 0; });
  };
  if (ignores(report.args, "surfacevel"))
    add_where(
        report, geoms, [&](int i) { return collides(i) && surface_moves(i); }, "surfacevel", "surfacevel");
}

void report_tendons(Report& report) {
  const CompiledMjcf& m = report.m;
  const Things tendons{"tendon", m.tendon_adr.size(), m.name_tendon};
  if (ignores(report.args, "frictionloss"))
    add_where(
        report, tendons, [&](int i) { return m.tendon_frictionloss[i] != 0; }, "frictionloss", "frictionloss");
  if (ignores(report.args, "springyield"))
    add_where(
        report, tendons, [&](int i) { return m.tendon_springyield[i] != 0; }, "springyield", "springyield");
}

// -- Actuators

bool is_one_of_the_first(int type, int count) { return type >= 0 && type < count; }

void report_actuator_types(Report& report, const Things& actuators) {
  const auto only = [&](const char* feature, const std::vector<int>& types, int supported,
                        std::span<const char* const> names) {
    add_where(
        report, actuators, [&](int i) { return !is_one_of_the_first(types[i], supported); },
        [&](int i) { return text(feature, " ", mj::name_of(names, types[i])); });
  };
  only("transmission", report.m.actuator_trntype, mj::kTrnSo3 + 1, mj::kTransmissionNames);
  only("dyntype", report.m.actuator_dyntype, mj::kDynPid + 1, mj::kDynamicsNames);
  only("gaintype", report.m.actuator_gaintype, mj::kGainPid + 1, mj::kGainNames);
  only("biastype", report.m.actuator_biastype, mj::kBiasSo3 + 1, mj::kBiasNames);
}

// A muscle has one set of numbers, in gain and bias alike.
bool is_half_a_muscle(const CompiledMjcf& m, int i) {
  const int gain = m.actuator_gaintype[i], bias = m.actuator_biastype[i];
  if (!is_one_of_the_first(gain, mj::kGainPid + 1) || !is_one_of_the_first(bias, mj::kBiasSo3 + 1)) return false;
  if ((gain == mj::kGainMuscle) != (bias == mj::kBiasMuscle)) return true;
  const double *of_gain = row(m.actuator_gainprm, i, 10), *of_bias = row(m.actuator_biasprm, i, 10);
  return gain == mj::kGainMuscle && !std::equal(of_gain, of_gain + 9, of_bias);
}

bool has_limited_ctrl(const CompiledMjcf& m, int i) {
  const int count = m.actuator_ctrlnum[i];
  const int* limited = rows_from(m.actuator_ctrllimited, m.actuator_ctrladr[i], count);
  return std::any_of(limited, limited + count, [](int number) { return number != 0; });
}

void report_actuators(Report& report) {
  const CompiledMjcf& m = report.m;
  const Things actuators{"actuator", m.actuator_trntype.size(), m.name_actuator};
  report_actuator_types(report, actuators);
  add_where(
      report, actuators, [&](int i) { return is_half_a_muscle(m, i); }, "gain and bias that are not of one muscle");
  const auto turns = [&](int i) { return m.actuator_gaintype[i] == mj::kGainSo3; };
  const auto has_states = [&](int i) {
    return turns(i) || m.actuator_gaintype[i] == mj::kGainPid || m.actuator_gaintype[i] == mj::kGainDcMotor;
  };
  const auto plain = [&](int i) {
    return m.actuator_dyntype[i] == mj::kDynNone || m.actuator_dyntype[i] == mj::kDynIntegrator;
  };
  add_where(
      report, actuators, [&](int i) { return !has_states(i) && m.actuator_actnum[i] > 1; }, "several activations");
  add_where(
      report, actuators, [&](int i) { return turns(i) && !plain(i); },
      "orientation with other dynamics than an integrator");
  add_where(
      report, actuators,
      [&](int i) { return turns(i) && m.actuator_ctrlspec[i] == mj::kCtrlQuaternion && has_limited_ctrl(m, i); },
      "ctrlrange of a quaternion");
  add_where(
      report, actuators, [&](int i) { return has_states(i) && m.actuator_actlimited[i] != 0; },
      "actrange of several activations");
}

// -- Sensors

// Of those that a user's code fills.
std::string own_sensor_name(int type) {
  constexpr const char* kNames[] = {"tactile", "plugin", "user"};
  const int place = type - mj::kKnownSensors;
  return place >= 0 && place < static_cast<int>(std::size(kNames)) ? kNames[place] : text("unknown (", type, ")");
}

void report_sensors(Report& report) {
  const CompiledMjcf& m = report.m;
  const Things sensors{"sensor", m.sensor_type.size(), m.name_sensor};
  const bool ignored = ignores(report.args, "sensor");
  if (ignored || (m.opt_disableflags & mj::kNoSensor)) {
    add_where(
        report, sensors, [](int) { return true; },
        [&](int) { return std::string(ignored ? "sensors" : "sensors that a flag disables"); }, "sensor", true);
    return;
  }
  add_where(
      report, sensors, [&](int i) { return !mj::is_known_sensor(m.sensor_type[i]); },
      [&](int i) { return own_sensor_name(m.sensor_type[i]) + " sensor"; }, "sensor", true);
  add_where(
      report, sensors, [&](int i) { return !why_no_mjcf_sensor(m, i).empty(); },
      [&](int i) { return why_no_mjcf_sensor(m, i); }, "sensor");
}

}  // namespace

const std::vector<MjcfIgnorable>& mjcf_ignorables() {
  static const std::vector<MjcfIgnorable> all = {
      {"noslip", "no such passes"},
      {"fluid", "no fluid"},
      {"flag", "the flag has no effect"},
      {"equality", "no such constraints"},
      {"pair", "contacts by the materials of the geoms"},
      {"flex", "no flexes"},
      {"plugin", "no plugins"},
      {"gravcomp", "no compensation"},
      {"frictionloss", "no dry friction"},
      {"springyield", "springs do not yield"},
      {"adhesion", "no adhesion"},
      {"surfacevel", "surfaces do not move"},
      {"sensor", "no such sensors"},
  };
  return all;
}

std::vector<MjcfProblem> unsupported(const CompiledMjcf& m, const MjcfArgs& args) {
  Report report{m, args};
  report_numbers(report);
  report_options(report);
  report_elements(report);
  report_bodies(report);
  report_joints(report);
  report_geoms(report);
  report_tendons(report);
  report_actuators(report);
  report_sensors(report);
  return std::move(report.problems);
}

}  // namespace carom::inline CAROM_PRECISION
