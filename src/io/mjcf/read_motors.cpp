// <dcmotor>, <pid>, <orientation>: actuators with several inputs, states or outputs, and the words for inputs.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct InputWord {
  const char* word;
  int bit;
};
// In the order in which they are written.
constexpr InputWord kInputWords[] = {{"pos", mj::kInputPosition},
                                     {"vel", mj::kInputVelocity},
                                     {"ff", mj::kInputForce},
                                     {"voltage", mj::kInputVoltage},
                                     {"pressure", mj::kInputPressure}};

void check_not_negative(const MjcfAttributes& given, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (given.number(name, 0) < 0) given.fail_at(name, "is negative");
}

// Position gain and damping; a ratio stands in the place of the latter, with the other sign, until the model is known.
void read_feedback(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  if (given.has("kv") && given.has("dampratio")) given.fail_at("dampratio", "is given together with kv");
  check_not_negative(given, {"kv", "dampratio"});
  spec.biasprm[1] = -given.number("kp", -before.biasprm[1]);
  spec.biasprm[2] = before.biasprm[2];
  if (given.has("kv")) spec.biasprm[2] = -given.number("kv", 0);
  if (given.has("dampratio")) spec.biasprm[2] = given.number("dampratio", 0);
}

// -- DC motors. K and R stand in gainprm[1] and [0].

struct MotorConstants {
  double resistance, constant;
};

MotorConstants motor_constants(const ActuatorSpec& before, const MjcfAttributes& given, bool passive) {
  Doubles2 torque_and_speed{before.gainprm[1], 0};  // K_t, K_e
  if (given.has("motorconst")) torque_and_speed = {};
  given.read("motorconst", torque_and_speed);
  if (torque_and_speed[0] < 0 || torque_and_speed[1] < 0) given.fail_at("motorconst", "is negative");
  Doubles3 nominal{};  // voltage, torque at stall, speed without load
  given.read("nominal", nominal);
  auto& [by_torque, by_speed] = torque_and_speed;
  if (by_speed == 0 && nominal[0] > 0 && nominal[2] > 0) by_speed = nominal[0] / nominal[2];
  const double constant =
      by_torque > 0 && by_speed > 0 ? std::sqrt(by_torque * by_speed) : std::max(by_torque, by_speed);
  double resistance = given.number("resistance", before.gainprm[0]);
  if (resistance == 0 && nominal[0] > 0 && nominal[1] > 0) resistance = constant * nominal[0] / nominal[1];
  if (!(constant > 0) && !passive)
    fail_at(*given.node, "a DC motor needs a positive motorconst, or a nominal voltage and speed");
  if (!(resistance > 0))
    fail_at(*given.node, "a DC motor needs a positive resistance, or a nominal voltage and torque");
  return {resistance, constant};
}

void read_saturation(ActuatorSpec& spec, const MjcfAttributes& given) {
  if (!given.has("saturation")) return;
  Doubles3 most{0, 0, spec.dynprm[1]};  // torque, current, rate of the current
  given.read("saturation", most);
  const double torque = most[0] > 0 ? most[0] : most[1] > 0 ? most[1] * spec.gainprm[1] : 0;
  spec.force_range = {-torque, torque};
  spec.force_limited = torque > 0 ? 1 : kMjcfAuto;
  spec.dynprm[1] = std::max(most[2], 0.0);
}

void read_inductance(ActuatorSpec& spec, const MjcfAttributes& given) {
  Doubles2 inductance{};  // [H], time constant
  if (!given.read("inductance", inductance)) return;
  if (inductance[0] < 0 || inductance[1] < 0) given.fail_at("inductance", "is negative");
  spec.dynprm[0] = inductance[0] > 0 ? inductance[0] / spec.gainprm[0] : inductance[1];
}

void read_heat(ActuatorSpec& spec, const MjcfAttributes& given) {
  // Resistance, capacity, time constant, coefficient of temperature, temperatures of reference and air.
  std::array<double, 6> heat{spec.dynprm[2], spec.dynprm[3], 0, spec.gainprm[2], spec.gainprm[3], spec.dynprm[4]};
  given.read("thermal", heat);
  auto& [resistance, capacity, time, coefficient, reference, ambient] = heat;
  const bool none = resistance == 0 && capacity == 0 && time == 0;
  if (none) heat = {};
  if (time > 0 && resistance == 0 && capacity > 0) resistance = time / capacity;
  else if (time > 0 && resistance > 0) capacity = time / resistance;
  if (!none && !(resistance > 0)) given.fail_at("thermal", "the resistance must be positive");
  if (!none && !(capacity > 0)) given.fail_at("thermal", "the capacitance must be positive");
  spec.dynprm[2] = resistance;
  spec.dynprm[3] = capacity;
  spec.dynprm[4] = ambient;
  spec.gainprm[2] = coefficient;
  spec.gainprm[3] = reference;
}

// Friction of bristles: stiffness, damping, then Coulomb, static, Stribeck's speed.
void read_bristles(ActuatorSpec& spec, const MjcfAttributes& given) {
  Doubles5 bristles{spec.dynprm[5], spec.dynprm[6], spec.biasprm[3], spec.biasprm[4], spec.biasprm[5]};
  given.read("lugre", bristles);
  if (!(bristles[0] > 0)) bristles = {};
  std::copy_n(bristles.begin(), 2, spec.dynprm.begin() + 5);
  std::copy_n(bristles.begin() + 2, 3, spec.biasprm.begin() + 3);
}

void read_controller(ActuatorSpec& spec, const MjcfAttributes& given) {
  // kp, ki, kd, rate of the setpoint, bound of the integral, voltage.
  std::array<double, 6> numbers{spec.gainprm[4], spec.gainprm[5], spec.gainprm[6],
                                spec.dynprm[7],  spec.dynprm[8],  spec.gainprm[7]};
  given.read("controller", numbers);
  std::copy_n(numbers.begin(), 3, spec.gainprm.begin() + 4);
  spec.dynprm[7] = numbers[3];
  spec.dynprm[8] = numbers[4];
  spec.gainprm[7] = std::max(numbers[5], 0.0);
}

}  // namespace

int read_inputs(const MjcfAttributes& given, int otherwise) {
  std::istringstream stream(given.text("input"));
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  if (words.empty()) return otherwise;
  if (words.size() == 1 && words[0] == "none") return mj::kInputNone;
  if (words.size() == 1 && words[0] == "expmap") return mj::kCtrlExponential;
  if (words.size() == 1 && words[0] == "quat") return mj::kCtrlQuaternion;
  int inputs = 0;
  const InputWord* next = std::begin(kInputWords);
  for (const std::string& word : words) {
    const InputWord* found =
        std::find_if(next, std::end(kInputWords), [&](const InputWord& w) { return w.word == word; });
    if (found == std::end(kInputWords))
      given.fail_at("input", "'", word,
                    "' is none of pos, vel, ff, voltage, pressure, in this order and once each; or ",
                    "none, expmap, quat alone");
    inputs |= found->bit;
    next = found + 1;
  }
  return inputs;
}

void read_dc_motor(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  const bool goes_on = before.gain == mj::kGainDcMotor;
  const std::array<double, 10> none{};
  spec.dynprm = goes_on ? before.dynprm : none;
  spec.gainprm = goes_on ? before.gainprm : none;
  spec.biasprm = goes_on ? before.biasprm : none;
  spec.dynamics = mj::kDynDcMotor;
  spec.gain = mj::kGainDcMotor;
  spec.bias = mj::kBiasDcMotor;
  spec.input = read_inputs(given, goes_on && before.input ? before.input : mj::kInputVoltage);
  spec.act_early = true;
  spec.act_limited = 0;
  const MotorConstants motor = motor_constants(spec, given, spec.input == mj::kInputNone);
  spec.gainprm[0] = motor.resistance;
  spec.gainprm[1] = motor.constant;
  read_saturation(spec, given);
  read_inductance(spec, given);
  read_heat(spec, given);
  read_bristles(spec, given);
  read_controller(spec, given);
  given.read("cogging", spec.biasprm.data(), 3);
}

void read_pid(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  const bool goes_on = before.gain == mj::kGainPid;
  ActuatorSpec fresh;
  fresh.dynprm = fresh.gainprm = {};
  fresh.biasprm = {0, -1};
  const ActuatorSpec& from = goes_on ? before : fresh;
  read_feedback(spec, from, given);
  check_not_negative(given, {"slewmax"});
  const double integral = given.number("ki", from.gainprm[0]), slew = given.number("slewmax", from.dynprm[1]);
  spec.gain = mj::kGainPid;
  spec.bias = mj::kBiasAffine;
  spec.dynamics = integral != 0 || slew > 0 ? mj::kDynPid : mj::kDynNone;
  spec.gainprm = {integral};
  spec.dynprm = {integral != 0 ? given.number("imax", from.dynprm[0]) : 0, slew};
  spec.input = read_inputs(given, goes_on && before.input ? before.input : mj::kInputPosition | mj::kInputVelocity);
  if (given.read("posrange", spec.ctrl_range) && given.number("inheritrange", 0) > 0)
    given.fail_at("posrange", "is given together with inheritrange");
}

void read_orientation(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given) {
  const bool goes_on = before.gain == mj::kGainSo3;
  ActuatorSpec from = before;
  if (!goes_on) from.biasprm = {0, -1};
  read_feedback(spec, from, given);
  spec.gain = mj::kGainSo3;
  spec.bias = mj::kBiasSo3;
  spec.gainprm[0] = -spec.biasprm[1];
  spec.input = read_inputs(given, goes_on && before.input ? before.input : mj::kCtrlExponential);
}

}  // namespace carom::inline CAROM_PRECISION
