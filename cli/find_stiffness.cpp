// What is too stiff for the timestep: springs, servos and dampers that act on joints and fixed tendons, and the solref
// of contacts, limits and equality constraints.
//
// A spring k on what moves with the inertia m swings with w^2 = k / m; a step of semi-implicit Euler is stable up to
// w dt = 2 and a poor picture of the swing from 1 on. Damping b that a step takes as it was at its beginning is stable
// up to b dt / m = 2; what it takes as it is at its end adds b dt to m. The inertia of a coordinate is that with all
// other joints free: the inverse of an entry of (M + dt B)^-1, B: damping of joints that is taken so.
#include <cmath>

#include "cli/findings.h"
#include "cli/table.h"

namespace carom::cli {

namespace {

constexpr double kStiff = 1;         // w dt
constexpr double kStiffDamping = 2;  // b dt / m
constexpr double kTurn = 6.283185307179586;

// -- The inverse of the mass matrix of one world

struct Matrix {
  int n = 0;
  std::vector<double> values{};

  double& operator()(int i, int j) {
    return values[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
  }
  double operator()(int i, int j) const {
    return values[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
  }
};

// M^-1 of the rows [first, last), which are coupled to no others, by Gauss and Jordan: M is positive definite.
void invert_block(Matrix& M, int first, int last) {
  for (int p = first; p < last; ++p) {
    const double pivot = 1 / M(p, p);
    M(p, p) = 1;
    for (int j = first; j < last; ++j) M(p, j) *= pivot;
    for (int i = first; i < last; ++i) {
      if (i == p) continue;
      const double factor = M(i, p);
      if (factor == 0) continue;
      M(i, p) = 0;
      for (int j = first; j < last; ++j) M(i, j) -= factor * M(p, j);
    }
  }
}

// Trees are blocks on the diagonal. added: to the diagonal.
Matrix inverse_mass(const Array<Real>& mass, const std::vector<double>& added) {
  const int n = static_cast<int>(added.size());
  Matrix M{n, std::vector<double>(mass.begin(), mass.end())};
  for (int i = 0; i < n; ++i) M(i, i) += added[static_cast<std::size_t>(i)];
  int first = 0, reach = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j)
      if (M(i, j) != 0) reach = std::max(reach, j);
    if (reach > i) continue;
    invert_block(M, first, i + 1);
    first = reach = i + 1;
  }
  return M;
}

// -- What acts, and along which coordinates

struct Part {
  int dof;  // of the world
  double coef;
};
using Line = std::vector<Part>;

double inverse_along(const Matrix& inverse, const Line& line) {
  double sum = 0;
  for (const Part& a : line)
    for (const Part& b : line) sum += a.coef * b.coef * inverse(a.dof, b.dof);
  return sum;
}

struct Pull {
  std::string kind, name;
  double stiffness = 0, damping = 0;
  bool damping_is_implicit = false;
  std::string advice;
};

void judge(const Pull& pull, double inverse, double dt, std::vector<Finding>& findings) {
  const double implicit = pull.damping_is_implicit ? pull.damping * dt * inverse : 0;
  const double swing = std::sqrt(std::max(0.0, pull.stiffness) * inverse / (1 + implicit)) * dt;
  if (swing > kStiff)
    findings.push_back({Severity::kWarning, pull.kind, pull.name, swing,
                        "swings once in " + format("%.3g", kTurn * dt / swing * 1e3) + " ms, and a step takes " +
                            format("%.3g", dt * 1e3) + " ms: stiffness " + format("%.3g", pull.stiffness) +
                            " on an inertia of " + format("%.3g", 1 / inverse),
                        pull.advice});
  const double decay = pull.damping * dt * inverse;
  if (!pull.damping_is_implicit && decay > kStiffDamping)
    findings.push_back({Severity::kWarning, pull.kind, pull.name, decay,
                        "stops what it acts on in " + format("%.3g", dt / decay * 1e3) + " ms, and a step takes " +
                            format("%.3g", dt * 1e3) + " ms: damping " + format("%.3g", pull.damping) +
                            " on an inertia of " + format("%.3g", 1 / inverse),
                        "lower the damping or the timestep, or use the integrator implicitfast"});
}

struct World {
  const Model& model;
  int first_dof;
  Matrix inverse;

  Line along_joint(int joint, int axis, double coef) const {
    return {{model.joint_qd_start[joint] + axis - first_dof, coef}};
  }
  Line along_tendon(int tendon, double coef) const {
    Line line;
    for (int i = 0; i < model.tendon_joint_count; ++i)
      if (model.tendon_joint_tendon[i] == tendon)
        line.push_back({model.joint_qd_start[model.tendon_joint_joint[i]] + model.tendon_joint_axis[i] - first_dof,
                        coef * double{model.tendon_joint_coef[i]}});
    return line;
  }
};

bool solves_velocities(const Model& model) {
  return model.options.integrator == Integrator::kImplicitFast || model.options.integrator == Integrator::kImplicit;
}

bool solves_joint_damping(const Model& model) {
  return solves_velocities(model) || (model.options.integrator == Integrator::kEuler && model.options.euler_damping);
}

void find_springs(const World& world, int last_dof, double dt, std::vector<Finding>& findings) {
  const Model& m = world.model;
  int joint = 0;
  for (int dof = world.first_dof; dof < last_dof; ++dof) {
    while (m.joint_qd_start[joint + 1] <= dof) ++joint;
    const int i = dof - world.first_dof;
    const double explicit_damping = solves_joint_damping(m) ? 0.0 : double{m.joint_damping[dof]};
    judge({"stiff spring", m.key(Entity::kJoint, joint), double{m.joint_stiffness[dof]}, explicit_damping, false,
           "lower its stiffness or the timestep, or raise the armature of its joint"},
          world.inverse(i, i), dt, findings);
  }
}

void find_tendon_springs(const World& world, int number, double dt, std::vector<Finding>& findings) {
  const Model& m = world.model;
  for (int t = m.tendon_world_start[number]; t < m.tendon_world_start[number + 1]; ++t) {
    const double inverse = inverse_along(world.inverse, world.along_tendon(t, 1));
    if (inverse > 0)
      judge({"stiff tendon", m.key(Entity::kTendon, t), double{m.tendon_stiffness[t]}, double{m.tendon_damping[t]},
             solves_velocities(m), "lower its stiffness or the timestep"},
            inverse, dt, findings);
  }
}

void find_servos(const World& world, int number, double dt, std::vector<Finding>& findings) {
  const Model& m = world.model;
  for (int a = m.actuator_world_start[number]; a < m.actuator_world_start[number + 1]; ++a) {
    if (static_cast<ActuatorLaw>(m.actuator_law[a]) != ActuatorLaw::kAffine) continue;
    Line line;
    const int joint = m.actuator_joint[a];
    const double gear = m.actuator_gear[a];
    if (m.actuator_tendon[a] >= 0) line = world.along_tendon(m.actuator_tendon[a], gear);
    if (joint >= 0 && gear != 0) line = world.along_joint(joint, m.actuator_axis[a], gear);
    const double inverse = inverse_along(world.inverse, line);
    if (!(inverse > 0)) continue;
    judge({"stiff servo", m.key(Entity::kActuator, a), -double{m.actuator_bias[a][1]}, -double{m.actuator_bias[a][2]},
           solves_velocities(m), "lower its gain or the timestep, or raise the armature of its joint"},
          inverse, dt, findings);
  }
}

// -- solref

// A time constant below two steps, which refsafe makes two; or a stiffness that swings faster than steps follow.
void judge_solref(const Model& model, const std::string& name, const RealN<2>& solref, Real dmax,
                  std::vector<Finding>& findings) {
  const double dt = model.options.timestep;
  if (solref[0] > 0 && solref[1] > 0 && double{solref[0]} < 2 * dt * (1 - 1e-5)) {
    const std::string now = model.options.refsafe ? ", so it counts as twice the timestep" : ", and refsafe is off";
    const Severity severity = model.options.refsafe ? Severity::kNote : Severity::kWarning;
    findings.push_back({severity, "stiff solref", name, double{solref[0]},
                        "solref asks for " + format("%.3g", double{solref[0]} * 1e3) + " ms, and a step takes " +
                            format("%.3g", dt * 1e3) + " ms" + now,
                        "make the time constant at least twice the timestep"});
  }
  const double swing = solref[0] < 0 ? std::sqrt(-double{solref[0]}) / double{dmax} * dt : 0;
  if (swing > kStiff)
    findings.push_back({Severity::kWarning, "stiff solref", name, swing,
                        "solref asks for a stiffness that swings once in " + format("%.3g", kTurn * dt / swing * 1e3) +
                            " ms, and a step takes " + format("%.3g", dt * 1e3) + " ms",
                        "lower the stiffness or the timestep"});
}

bool is_limited(const Model& m, int dof) {
  return m.joint_limit_lower[dof] > -kUnlimited || m.joint_limit_upper[dof] < kUnlimited;
}

}  // namespace

void find_stiff_forces(const Model& model, std::vector<Finding>& findings) {
  if (model.options.integrator == Integrator::kDiscrete || model.joint_dof_count == 0) return;
  const Real dt = model.options.timestep;
  const Forward forward = SolverMuJoCo(model).forward(model.state(), model.control(), nullptr, dt);
  for (int w = 0; w < model.world_count; ++w) {
    if (!is_examined(model, w)) continue;
    const int first = model.joint_dof_world_start[w], last = model.joint_dof_world_start[w + 1];
    std::vector<double> damping(static_cast<std::size_t>(last - first), 0.0);
    if (solves_joint_damping(model))
      for (int dof = first; dof < last; ++dof)
        damping[static_cast<std::size_t>(dof - first)] = double{dt} * double{model.joint_damping[dof]};
    const World world{model, first, inverse_mass(forward.world_mass_matrix(w), damping)};
    find_springs(world, last, dt, findings);
    find_tendon_springs(world, w, dt, findings);
    find_servos(world, w, dt, findings);
  }
}

void find_stiff_constraints(const Model& model, std::vector<Finding>& findings) {
  if (model.options.integrator == Integrator::kDiscrete) return;
  for (int s = 0; s < model.shape_count; ++s)
    if (is_examined(model, model.shape_world[s]) && (model.shape_flags[s] & kShapeCollidesShapes))
      judge_solref(model, model.key(Entity::kShape, s), model.shape_solref[s], model.shape_solimp[s][1], findings);
  for (int p = 0; p < model.contact_pair_count; ++p)
    if (is_examined(model, model.contact_pair_world[p]))
      judge_solref(model, model.key(Entity::kContactPair, p), model.contact_pair_solref[p],
                   model.contact_pair_solimp[p][1], findings);
  for (int j = 0; j < model.joint_count; ++j)
    for (int dof = model.joint_qd_start[j]; dof < model.joint_qd_start[j + 1]; ++dof)
      if (is_examined(model, model.joint_world[j]) && is_limited(model, dof))
        judge_solref(model, model.key(Entity::kJoint, j), model.joint_limit_solref[dof],
                     model.joint_limit_solimp[dof][1], findings);
  for (int e = 0; e < model.equality_constraint_count; ++e)
    if (is_examined(model, model.equality_constraint_world[e]))
      judge_solref(model, model.key(Entity::kEqualityConstraint, e), model.equality_constraint_solref[e],
                   model.equality_constraint_solimp[e][1], findings);
}

}  // namespace carom::cli
