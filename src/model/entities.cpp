#include "model/entities.h"

#include <bit>
#include <functional>
#include <sstream>

#include "base/fail.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr std::array<const char*, kEntityCount> kEntityNames = {
    "particle", "body",         "shape",       "contact_pair", "joint",  "articulation", "equality_constraint",
    "spring",   "triangle",     "edge",        "tetrahedron",  "tendon", "tendon_joint", "tendon_point",
    "actuator", "joint_dof",    "joint_coord", "controller",   "ctrl",   "act",          "ctrl_history",
    "sensor",   "sensor_memory"};

// By the number of JointType: the fewest and the most linear and angular axes. How they move is said in joints/.
struct JointTypeFacts {
  const char* name;
  Index2 least, most;
};
constexpr std::array<JointTypeFacts, 7> kJointTypes = {{{"prismatic", {1, 0}, {1, 0}},
                                                        {"revolute", {0, 1}, {0, 1}},
                                                        {"ball", {0, 3}, {0, 3}},
                                                        {"fixed", {0, 0}, {0, 0}},
                                                        {"free", {3, 3}, {3, 3}},
                                                        {"distance", {3, 3}, {3, 3}},
                                                        {"d6", {0, 0}, {3, 3}}}};

// One more column list would be one too many: every pointer is found by walking the columns once.
struct ColumnIndex {
  using Integers = std::vector<int> ModelColumns<Vector>::*;
  using Counter = std::function<std::size_t(const ModelColumns<Vector>&)>;
  std::array<Integers, kEntityCount> world{}, key{}, custom{};
  std::array<Counter, kEntityCount> count{};
};

const ColumnIndex& column_index() {
  static const ColumnIndex index = [] {
    ColumnIndex made;
    visit_columns([&](const ColumnInfo& info, auto get) {
      const int e = static_cast<int>(info.entity);
      if (!made.count[e]) made.count[e] = [get](const ModelColumns<Vector>& c) { return get(c).size(); };
      if constexpr (std::is_same_v<decltype(get), ColumnOf<int>>) {
        if (info.refers == Refers::kWorld) made.world[e] = get.in_builder;
        if (info.refers == Refers::kKey) made.key[e] = get.in_builder;
        if (info.refers == Refers::kText) made.custom[e] = get.in_builder;
      }
    });
    return made;
  }();
  return index;
}

}  // namespace

const char* entity_name(Entity entity) { return kEntityNames[static_cast<int>(entity)]; }

const char* axis_name(Axis axis) {
  constexpr const char* kNames[] = {"X", "Y", "Z"};
  return kNames[static_cast<int>(axis)];
}

Axis parse_axis(const std::string& name) {
  if (name == "X" || name == "x") return Axis::kX;
  if (name == "Y" || name == "y") return Axis::kY;
  if (name == "Z" || name == "z") return Axis::kZ;
  fail("there is no axis '", name, "'; use \"X\", \"Y\" or \"Z\"");
}

const char* integrator_name(Integrator integrator) {
  switch (integrator) {
    case Integrator::kEuler: return "euler";
    case Integrator::kImplicitFast: return "implicitfast";
    case Integrator::kImplicit: return "implicit";
    case Integrator::kDiscrete: return "discrete";
    case Integrator::kRK4: break;
  }
  return "rk4";
}

const char* cone_name(Cone cone) { return cone == Cone::kPyramidal ? "pyramidal" : "elliptic"; }

Cone parse_cone(const std::string& name) {
  for (const Cone cone : {Cone::kPyramidal, Cone::kElliptic})
    if (name == cone_name(cone)) return cone;
  fail("there is no cone '", name, "'; use \"pyramidal\" or \"elliptic\"");
}

const char* combine_rule_name(CombineRule rule) {
  constexpr const char* kNames[kCombineRules] = {"average", "max", "min", "geometric"};
  return kNames[static_cast<int>(rule)];
}

CombineRule parse_combine_rule(const std::string& name) {
  for (int i = 0; i < kCombineRules; ++i)
    if (name == combine_rule_name(static_cast<CombineRule>(i))) return static_cast<CombineRule>(i);
  fail("there is no combine rule '", name, "'; use \"average\", \"max\", \"min\" or \"geometric\"");
}

const char* sleep_policy_name(SleepPolicy policy) {
  constexpr const char* kNames[kSleepPolicies] = {"auto", "never", "allowed", "init"};
  return kNames[static_cast<int>(policy)];
}

SleepPolicy parse_sleep_policy(const std::string& name) {
  for (int i = 0; i < kSleepPolicies; ++i)
    if (name == sleep_policy_name(static_cast<SleepPolicy>(i))) return static_cast<SleepPolicy>(i);
  fail("there is no sleep policy '", name, "'; use \"auto\", \"never\", \"allowed\" or \"init\"");
}

Integrator parse_integrator(const std::string& name) {
  for (const Integrator integrator :
       {Integrator::kEuler, Integrator::kImplicitFast, Integrator::kRK4, Integrator::kImplicit, Integrator::kDiscrete})
    if (name == integrator_name(integrator)) return integrator;
  fail("there is no integrator '", name, "'; use \"euler\", \"implicitfast\", \"rk4\", \"implicit\" or \"discrete\"");
}

namespace {

constexpr std::array<const char*, 4> kTendonPointTypes = {"point", "sphere", "cylinder", "pulley"};
constexpr std::array<const char*, 5> kActuatorLaws = {"affine", "muscle", "pid", "dcmotor", "orientation"};
constexpr std::array<const char*, 3> kInterpolations = {"hold", "linear", "cubic"};
constexpr std::array<const char*, 5> kInputNames = {"position", "velocity", "force", "voltage", "quaternion"};
constexpr std::array<const char*, 5> kActuatorDynamics = {"none", "integrator", "filter", "filterexact", "muscle"};

// The one with this name.
template <class Enum, std::size_t N>
Enum parse_name(const char* what, const std::array<const char*, N>& names, const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
    known += text(i == 0 ? "" : i + 1 < N ? ", " : " or ", '"', names[i], '"');
  }
  fail("there is no ", what, " '", name, "'; use ", known);
}

}  // namespace

const char* tendon_point_type_name(TendonPointType type) { return kTendonPointTypes[static_cast<int>(type)]; }
TendonPointType parse_tendon_point_type(const std::string& name) {
  return parse_name<TendonPointType>("type of tendon point", kTendonPointTypes, name);
}
const char* actuator_law_name(ActuatorLaw law) { return kActuatorLaws[static_cast<int>(law)]; }
ActuatorLaw parse_actuator_law(const std::string& name) {
  return parse_name<ActuatorLaw>("law of actuators", kActuatorLaws, name);
}
const char* actuator_dynamics_name(ActuatorDynamics dynamics) { return kActuatorDynamics[static_cast<int>(dynamics)]; }
ActuatorDynamics parse_actuator_dynamics(const std::string& name) {
  return parse_name<ActuatorDynamics>("dynamics of actuators", kActuatorDynamics, name);
}

const char* interpolation_name(Interpolation interpolation) { return kInterpolations[static_cast<int>(interpolation)]; }
Interpolation parse_interpolation(const std::string& name) {
  return parse_name<Interpolation>("interpolation", kInterpolations, name);
}

std::string actuator_inputs_name(int inputs) {
  std::string name;
  for (std::size_t k = 0; k < kInputNames.size(); ++k)
    if (inputs >> k & 1) name += text(name.empty() ? "" : " ", kInputNames[k]);
  return name;
}
int parse_actuator_inputs(const std::string& inputs) {
  enum class Place : int {};
  int bits = 0;
  std::istringstream words(inputs);
  for (std::string word; words >> word;)
    bits |= 1 << static_cast<int>(parse_name<Place>("input of actuators", kInputNames, word));
  return bits;
}
int actuator_ctrl_count(const ModelColumns<Vector>& columns, int actuator) {
  const int inputs = columns.actuator_inputs[actuator];
  if (columns.actuator_law[actuator] == static_cast<int>(ActuatorLaw::kOrientation))
    return inputs == kInputQuaternion ? 4 : 3;
  return std::popcount(static_cast<unsigned>(inputs));
}
int actuator_act_count(const ModelColumns<Vector>& columns, int actuator) {
  const bool is_orientation = columns.actuator_law[actuator] == static_cast<int>(ActuatorLaw::kOrientation);
  if (is_orientation && columns.actuator_dynamics[actuator] != static_cast<int>(ActuatorDynamics::kNone)) return 3;
  return std::max(std::popcount(static_cast<unsigned>(columns.actuator_states[actuator])), 1);
}
int actuator_history_count(const ModelColumns<Vector>& columns, int actuator) {
  return columns.actuator_delay_samples[actuator] * (1 + actuator_ctrl_count(columns, actuator));
}
bool has_controller(int law) {
  return law == static_cast<int>(ActuatorLaw::kPid) || law == static_cast<int>(ActuatorLaw::kDcMotor);
}

const char* joint_type_name(JointType type) { return kJointTypes[static_cast<int>(type)].name; }

bool joint_type_exists(int type, Index2 dofs) {
  if (type < 0 || type >= static_cast<int>(kJointTypes.size())) return false;
  const JointTypeFacts& facts = kJointTypes[type];
  for (int part = 0; part < 2; ++part)
    if (dofs[part] < facts.least[part] || dofs[part] > facts.most[part]) return false;
  return true;
}

const std::vector<int>* world_column(const ModelColumns<Vector>& columns, Entity entity) {
  const auto column = column_index().world[static_cast<int>(entity)];
  return column ? &(columns.*column) : nullptr;
}

const std::vector<int>* key_column(const ModelColumns<Vector>& columns, Entity entity) {
  const auto column = column_index().key[static_cast<int>(entity)];
  return column ? &(columns.*column) : nullptr;
}

std::vector<int> ModelColumns<Vector>::*custom_column(Entity entity) {
  return column_index().custom[static_cast<int>(entity)];
}

int entity_count(const ModelColumns<Vector>& columns, Entity entity) {
  const auto& count = column_index().count[static_cast<int>(entity)];
  return count ? static_cast<int>(count(columns)) : 0;
}

std::string describe(const ModelData& data, Entity entity, int index) {
  std::string name = text(entity_name(entity), " ", index);
  const std::vector<int>* keys = key_column(data.columns, entity);
  if (keys && index >= 0 && index < static_cast<int>(keys->size()) && (*keys)[index] >= 0)
    name += text(" '", data.keys.name((*keys)[index]), "'");
  return name;
}

std::string why_not_driven(const ModelData& data, int joint, int axis) {
  const JointType type = static_cast<JointType>(data.columns.joint_type[joint]);
  const bool has_axes = kJointTypes[static_cast<int>(type)].most != Index2{};
  if (!has_axes || turns_at_once(type))
    return text(describe(data, Entity::kJoint, joint), " is a ", joint_type_name(type),
                " joint; name a prismatic, revolute or d6 joint, which has a coordinate for each axis");
  const auto [linear, angular] = data.columns.joint_dof_dim[joint];
  if (axis < 0 || axis >= linear + angular)
    return text("axis ", axis, " does not exist: ", describe(data, Entity::kJoint, joint), " has ", linear + angular);
  return {};
}

std::string why_not_a_path(std::span<const int> types) {
  constexpr int kPoint = static_cast<int>(TendonPointType::kPoint),
                kPulley = static_cast<int>(TendonPointType::kPulley);
  const auto wraps = [&](std::size_t i) { return types[i] != kPoint && types[i] != kPulley; };
  int points = 0;  // of the current piece
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] < 0 || types[i] > kPulley) return text("type ", types[i], " of a tendon point does not exist");
    const bool begins = i == 0 || types[i - 1] == kPulley, ends = i + 1 == types.size() || types[i + 1] == kPulley;
    if (wraps(i) && (begins || ends || wraps(i - 1) || wraps(i + 1)))
      return "what a tendon wraps around must stand between two points";
    if (types[i] == kPulley && (begins || i + 1 == types.size())) return "a pulley must stand between two pieces";
    points = begins ? 0 : points;
    points += types[i] == kPoint;
    if (ends && types[i] != kPulley && points < 2) return "each piece of a tendon needs at least two points";
  }
  return types.empty() ? "has no points; list at least two" : "";
}

int KeyTable::intern(const std::string& name) {
  const auto [place, added] = index_.try_emplace(name, size());
  if (added) names_.push_back(name);
  return place->second;
}

int KeyTable::find(const std::string& name) const {
  const auto place = index_.find(name);
  return place == index_.end() ? -1 : place->second;
}

}  // namespace carom::inline CAROM_PRECISION
