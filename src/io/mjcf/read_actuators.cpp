// <actuator>: general actuators and the shortcuts that fill in their numbers.
#include <algorithm>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct Target {
  const char* attribute;
  int transmission;
};
constexpr Target kTargets[] = {{"joint", mj::kTrnJoint},   {"jointinparent", mj::kTrnJointInParent},
                               {"tendon", mj::kTrnTendon}, {"cranksite", mj::kTrnSliderCrank},
                               {"site", mj::kTrnSite},     {"body", mj::kTrnBody}};

void read_target(ActuatorSpec& spec, const MjcfAttributes& given) {
  const char* first = nullptr;
  for (const Target& target : kTargets) {
    if (!given.rule->find(target.attribute) || !given.has(target.attribute)) continue;
    if (first) given.fail_at(target.attribute, "is given together with ", first);
    first = target.attribute;
    spec.transmission = target.transmission;
    spec.target = given.needed_text(target.attribute);
  }
  const auto has = [&](const char* name) { return given.rule->find(name) && given.has(name); };
  const bool crank = spec.transmission == mj::kTrnSliderCrank, site = spec.transmission == mj::kTrnSite;
  for (const char* name : {"slidersite", "cranklength"})
    if (has(name) && !crank) given.fail_at(name, "needs a cranksite");
  if (has("refsite") && !site) given.fail_at("refsite", "needs a site");
  if (crank) spec.other = given.needed_text("slidersite");
  if (has("refsite")) spec.other = given.text("refsite");
}

// What all shortcuts have, from any default.
void read_mechanics(ActuatorSpec& spec, const MjcfAttributes& given) {
  const auto known = [&](const char* name) { return given.rule->find(name) != nullptr; };
  spec.group = given.integer("group", spec.group);
  given.read("ctrlrange", spec.ctrl_range);
  if (known("forcerange")) given.read("forcerange", spec.force_range);
  if (known("forcelimited")) spec.force_limited = given.word("forcelimited", spec.force_limited);
  given.read("delay", spec.delay);
  spec.samples = given.integer("nsample", spec.samples);
  spec.interpolation = given.word("interp", spec.interpolation);
  if (known("ctrllimited")) spec.ctrl_limited = given.word("ctrllimited", spec.ctrl_limited);
  if (known("gear")) given.read("gear", spec.gear);
  if (known("cranklength")) given.read("cranklength", spec.crank_length);
  if (known("lengthrange")) given.read("lengthrange", spec.length_range);
  if (known("armature")) given.read("armature", spec.armature);
  if (known("damping")) given.read("damping", spec.damping);
  if (known("actrange")) given.read("actrange", spec.act_range);
  if (known("actlimited")) spec.act_limited = given.word("actlimited", spec.act_limited);
  if (known("inheritrange")) given.read("inheritrange", spec.inherit_range);
  if (known("velrange")) given.read("velrange", spec.velocity_range);
  if (known("ffrange")) given.read("ffrange", spec.feedforward_range);
}

void read_general(ActuatorSpec& spec, const MjcfAttributes& given) {
  spec.dynamics = given.word("dyntype", spec.dynamics);
  spec.gain = given.word("gaintype", spec.gain);
  spec.bias = given.word("biastype", spec.bias);
  given.read("dynprm", spec.dynprm);
  given.read("gainprm", spec.gainprm);
  given.read("biasprm", spec.biasprm);
  spec.actdim = given.integer("actdim", spec.actdim);
  spec.act_early = given.is_true("actearly", spec.act_early);
  spec.input = read_inputs(given, spec.input);
}

// Numbers of a class that a shortcut goes on from: `before` is what the class has, if it fits.

// A servo; a ratio of damping stands in the place of the velocity gain, with the other sign, until the model is known.
void read_servo(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given, bool integrated) {
  const char* range = integrated ? "actrange" : "ctrlrange";
  if (given.number("inheritrange", 0) > 0 && given.has(range))
    given.fail_at("inheritrange", "is given together with ", range);
  spec.bias = mj::kBiasAffine;
  spec.input = integrated ? mj::kInputVelocity : mj::kInputPosition;
  spec.gainprm[0] = given.number("kp", before.gainprm[0]);
  spec.biasprm[1] = -spec.gainprm[0];
  spec.biasprm[2] = before.biasprm[2];
  if (given.has("kv") && given.has("dampratio")) given.fail_at("dampratio", "is given together with kv");
  for (const char* name : {"kv", "dampratio"})
    if (given.has(name) && given.number(name, 0) < 0) given.fail_at(name, "is negative");
  if (given.has("kv")) spec.biasprm[2] = -given.number("kv", 0);
  if (given.has("dampratio")) spec.biasprm[2] = given.number("dampratio", 0);
  const bool filtered = before.dynamics == mj::kDynFilterExact;
  if (filtered) spec.dynprm[0] = before.dynprm[0];
  spec.dynamics = integrated ? mj::kDynIntegrator : filtered ? mj::kDynFilterExact : mj::kDynNone;
  if (integrated || !given.has("timeconst")) return;
  spec.dynprm[0] = given.number("timeconst", 0);
  if (spec.dynprm[0] < 0) given.fail_at("timeconst", "is negative");
  spec.dynamics = spec.dynprm[0] > 0 ? mj::kDynFilterExact : mj::kDynNone;
}

void read_velocity(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  spec.bias = mj::kBiasAffine;
  spec.input = mj::kInputVelocity;
  spec.gainprm[0] = given.number("kv", before.gainprm[0]);
  spec.biasprm[2] = -spec.gainprm[0];
}

void read_damper(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  spec.gain = mj::kGainAffine;
  spec.gainprm = {};
  spec.gainprm[2] = -given.number("kv", -before.gainprm[2]);
  if (spec.gainprm[2] > 0) given.fail_at("kv", "is negative");
  spec.ctrl_limited = 1;
  if (spec.ctrl_range[0] < 0 || spec.ctrl_range[1] < 0) given.fail_at("ctrlrange", "of a damper is not negative");
}

void read_cylinder(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  spec.dynamics = mj::kDynFilter;
  spec.bias = mj::kBiasAffine;
  spec.input = mj::kInputPressure;
  spec.dynprm[0] = given.number("timeconst", before.dynprm[0]);
  std::copy_n(before.biasprm.begin(), 3, spec.biasprm.begin());
  given.read("bias", spec.biasprm.data(), 3);
  spec.gainprm[0] = given.number("area", before.gainprm[0]);
  double diameter = 0;
  if (given.read("diameter", diameter) && diameter >= 0)
    spec.gainprm[0] = 3.14159265358979323846 / 4 * diameter * diameter;
}

// A negative number stands for what there is already.
void read_if_not_negative(const MjcfAttributes& given, const char* name, double* numbers) {
  const MjcfValue* value = given.find(name);
  for (std::size_t k = 0; value && k < value->numbers.size(); ++k)
    if (value->numbers[k] >= 0) numbers[k] = value->numbers[k];
}

void read_muscle(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  const bool goes_on = before.gain == mj::kGainMuscle;
  spec.dynprm = goes_on ? before.dynprm : std::array<double, 10>{0.01, 0.04, 0};
  spec.gainprm = goes_on ? before.gainprm : std::array<double, 10>{0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  spec.dynamics = mj::kDynMuscle;
  spec.gain = mj::kGainMuscle;
  spec.bias = mj::kBiasMuscle;
  read_if_not_negative(given, "timeconst", spec.dynprm.data());
  if (given.rule->find("tausmooth") && given.read("tausmooth", spec.dynprm[2]) && spec.dynprm[2] < 0)
    given.fail_at("tausmooth", "is negative");
  read_if_not_negative(given, "range", spec.gainprm.data());
  std::size_t place = 2;
  for (const char* name : {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"})
    read_if_not_negative(given, name, &spec.gainprm[place++]);
  spec.biasprm = spec.gainprm;
}

void read_adhesion(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  spec.gainprm[0] = given.number("gain", before.gainprm[0]);
  if (spec.gainprm[0] < 0) given.fail_at("gain", "is negative");
  spec.ctrl_limited = 1;
  if (spec.ctrl_range[0] < 0 || spec.ctrl_range[1] < 0) given.fail_at("ctrlrange", "of adhesion is not negative");
}

void forget_gains(ActuatorSpec& spec) {
  const ActuatorSpec fresh;
  spec.dynamics = fresh.dynamics;
  spec.gain = fresh.gain;
  spec.bias = fresh.bias;
  spec.input = fresh.input;
  spec.dynprm = fresh.dynprm;
  spec.gainprm = fresh.gainprm;
  spec.biasprm = fresh.biasprm;
  spec.act_early = fresh.act_early;
  spec.actdim = fresh.actdim;
}

int gain_of(const std::string& shortcut) {
  struct Entry {
    const char* shortcut;
    int gain;
  };
  constexpr Entry kGains[] = {{"damper", mj::kGainAffine},
                              {"muscle", mj::kGainMuscle},
                              {"dcmotor", mj::kGainDcMotor},
                              {"pid", mj::kGainPid},
                              {"orientation", mj::kGainSo3}};
  for (const Entry& entry : kGains)
    if (shortcut == entry.shortcut) return entry.gain;
  return mj::kGainFixed;
}

}  // namespace

void apply_actuator(ActuatorSpec& spec, const MjcfAttributes& given) {
  const std::string& shortcut = given.rule->id;
  read_mechanics(spec, given);
  if (shortcut == "general") {
    spec.shortcut = shortcut;
    read_general(spec, given);
    return;
  }
  // Gains are those of a class that was written with the same word, or with the general one and gains of this type.
  const bool same = spec.shortcut == shortcut || spec.shortcut == "general";
  ActuatorSpec before = spec;
  if (!same || spec.gain != gain_of(shortcut)) forget_gains(before);
  forget_gains(spec);
  spec.shortcut = shortcut;
  if (shortcut == "position") read_servo(spec, before, given, false);
  if (shortcut == "intvelocity") read_servo(spec, before, given, true);
  if (shortcut == "velocity") read_velocity(spec, before, given);
  if (shortcut == "damper") read_damper(spec, before, given);
  if (shortcut == "cylinder") read_cylinder(spec, before, given);
  if (shortcut == "muscle") read_muscle(spec, before, given);
  if (shortcut == "adhesion") read_adhesion(spec, before, given);
  if (shortcut == "dcmotor") read_dc_motor(spec, before, given);
  if (shortcut == "pid") read_pid(spec, before, given);
  if (shortcut == "orientation") read_orientation(spec, before, given);
}

void read_actuator(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("actuator"))) {
    const MjcfAttributes given = read_attributes(*child.node, *child.rule, in.messages);
    ActuatorSpec spec = find_class(in, *child.node, given.text("class")).actuator;
    apply_actuator(spec, given);
    spec.place = child.node->place;
    spec.name = given.text("name");
    read_target(spec, given);
    if (spec.transmission < 0) fail_at(*child.node, "names nothing that it drives");
    in.spec.actuators.push_back(std::move(spec));
  }
}

}  // namespace carom::inline CAROM_PRECISION
