// Heavy loads on light links, motors without bounds, joints that begin beyond their limits, and what the first step
// says.
#include <algorithm>
#include <cmath>
#include <map>

#include "cli/findings.h"
#include "cli/table.h"

namespace carom::cli {

namespace {

constexpr double kMassRatio = 1000;  // of what a link carries to the link
constexpr double kBeyond = 1e-3;     // [m] or [rad]
constexpr Real kNoEffort = JointDofConfig{}.effort_upper;

// The nearest body with mass on the way to the root; massless links stand for further joints of a body. -1: none.
int heavy_ancestor(const Model& model, int body) {
  while (body >= 0 && !(model.body_mass[body] > 0)) {
    const int joint = model.body_joint[body];
    body = joint >= 0 ? model.joint_parent[joint] : -1;
  }
  return body;
}

bool is_bounded(Real lower, Real upper, Real none) { return lower > -none && upper < none; }

// All inputs of an actuator.
// A muscle takes no more than its full activation, whatever it is told.
bool has_bounded_ctrl(const Model& model, int actuator) {
  if (static_cast<ActuatorDynamics>(model.actuator_dynamics[actuator]) == ActuatorDynamics::kMuscle) return true;
  for (int i = model.actuator_ctrl_start[actuator]; i < model.actuator_ctrl_start[actuator + 1]; ++i)
    if (!is_bounded(model.actuator_ctrl_lower[i], model.actuator_ctrl_upper[i], kUnlimited)) return false;
  return true;
}

bool has_bounded_force(const Model& model, int actuator) {
  if (is_bounded(model.actuator_force_lower[actuator], model.actuator_force_upper[actuator], kUnlimited)) return true;
  if (const int tendon = model.actuator_tendon[actuator]; tendon >= 0)
    return is_bounded(model.tendon_effort_lower[tendon], model.tendon_effort_upper[tendon], kNoEffort);
  const int joint = model.actuator_joint[actuator];
  if (joint < 0) return false;
  const int dof = model.joint_qd_start[joint] + model.actuator_axis[actuator];
  return is_bounded(model.joint_effort_lower[dof], model.joint_effort_upper[dof], kNoEffort);
}

// Whether each coordinate of a joint is one degree of freedom, with limits of its own.
bool has_plain_coordinates(const Model& model, int joint) {
  const auto type = static_cast<JointType>(model.joint_type[joint]);
  return type == JointType::kPrismatic || type == JointType::kRevolute || type == JointType::kD6;
}

}  // namespace

void find_mass_ratios(const Model& model, std::vector<Finding>& findings) {
  // Children stand after their parents, so what a body carries is known when its turn comes from behind.
  std::vector<double> carried(static_cast<std::size_t>(model.body_count), 0.0);
  for (int b = model.body_count - 1; b >= 0; --b) {
    if (!is_examined(model, model.body_world[b]) || model.body_joint[b] < 0) continue;
    const int parent = heavy_ancestor(model, model.joint_parent[model.body_joint[b]]);
    if (parent < 0 || !(model.body_mass[b] > 0)) continue;
    const double load = carried[static_cast<std::size_t>(b)] + double{model.body_mass[b]};
    carried[static_cast<std::size_t>(parent)] += load;
    const double ratio = load / double{model.body_mass[parent]};
    if (model.body_joint[parent] < 0 || !(ratio > kMassRatio)) continue;
    findings.push_back({Severity::kWarning, "mass ratio",
                        model.key(Entity::kBody, parent) + ", " + model.key(Entity::kBody, b), ratio,
                        "carries " + format("%.3g", ratio) + " times its own mass: " +
                            format("%.3g", double{model.body_mass[parent]}) + " kg and " + format("%.3g", load) + " kg",
                        "give the light body more mass, or its joint an armature"});
  }
}

void find_unlimited_motors(const Model& model, std::vector<Finding>& findings) {
  for (int a = 0; a < model.actuator_count; ++a) {
    if (!is_examined(model, model.actuator_world[a]) || has_bounded_ctrl(model, a) || has_bounded_force(model, a))
      continue;
    const double force = std::abs(double{model.actuator_gain[a]} * double{model.actuator_gear[a]});
    findings.push_back({Severity::kWarning, "unlimited motor", model.key(Entity::kActuator, a), force,
                        "has no bounds: its force is " + format("%.3g", force) + " times whatever ctrl is",
                        "give it a ctrlrange or a forcerange"});
  }
}

void find_starts_beyond_limits(const Model& model, const Start& start, std::vector<Finding>& findings) {
  for (int j = 0; j < model.joint_count; ++j) {
    if (!is_examined(model, model.joint_world[j]) || !has_plain_coordinates(model, j)) continue;
    const int dofs = model.joint_qd_start[j + 1] - model.joint_qd_start[j];
    for (int k = 0; k < dofs; ++k) {
      const int dof = model.joint_qd_start[j] + k;
      const double q = start.state.joint_q[model.joint_q_start[j] + k];
      const double lower = model.joint_limit_lower[dof], upper = model.joint_limit_upper[dof];
      const double beyond = std::max(lower - q, q - upper);
      if (!(beyond > kBeyond)) continue;
      // A habit of many files, whose keyframes begin elsewhere.
      findings.push_back({Severity::kNote, "beyond limits", model.key(Entity::kJoint, j), beyond,
                          "begins at " + format("%.4g", q) + ", beyond its limits " + format("%.4g", lower) + " to " +
                              format("%.4g", upper),
                          "begin within them, or widen the range: it is pushed back in the first steps"});
    }
  }
}

void find_failing_step(const Model& model, const Start& start, std::vector<Finding>& findings) {
  Simulation sim(model);
  sim.state().assign(start.state);
  const Array<std::int32_t>& status = sim.step();
  std::map<int, int> worlds;  // bits, how many have them
  for (int world = 0; world < model.world_count; ++world)
    if (status[world] != 0) ++worlds[status[world]];
  for (const auto& [bits, count] : worlds) {
    const bool broken = (bits & kStatusNotFinite) != 0;
    findings.push_back({broken ? Severity::kError : Severity::kWarning, "first step",
                        std::to_string(count) + (count == 1 ? " world" : " worlds"), static_cast<double>(bits),
                        broken                         ? "a number is not finite after one step"
                        : (bits & kStatusNotConverged) ? "the solver does not converge in the first step"
                                                       : "has status " + std::to_string(bits) + " after one step",
                        "look at the other findings, and at carom inspect --stage forces of the saved model"});
  }
}

}  // namespace carom::cli
