// Lengths that actuators can have, found by pulling at them, as MuJoCo's compiler does: the model without contacts,
// gravity, friction, springs and dampers starts at qpos0, and forces along the moment J of the actuator,
//
//   -+ J accel / |M^-1 J|,     bounded to the norm maxforce where that is positive,
//
// shorten it or lengthen it until limits and constraints hold it. Velocities fall with exp(-t / timeconst). What it
// reaches in the last seconds is the end of its range. All actuators are pulled at once, each in two worlds.
//
// The simulation has the precision of the library.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/fail.h"
#include "carom/mjcf.h"
#include "carom/solver_mujoco.h"
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/rows.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr double kSmallest = 1e-15, kShortestTimeconst = 0.01;  // [s]; both MuJoCo's

// -- The model that is pulled

// Contacts are off, so shapes only stand in the way of a fast start; geoms that tendons wrap around keep their radius.
void simplify_shapes(CompiledMjcf& m) {
  std::fill(m.geom_type.begin(), m.geom_type.end(), int(mj::kSphere));
  for (std::vector<int>* bits : {&m.geom_contype, &m.geom_conaffinity}) std::fill(bits->begin(), bits->end(), 0);
  for (std::size_t i = 0; i < m.geom_size.size(); i += 3)
    if (!(m.geom_size[i] > 0)) m.geom_size[i] = 1;
}

// An orientation is pulled about its first axis, that of its output 0. Actuators of sites have the axes of their
// reference, orientations those of the site: so both change places, and the sign with them.
void turn_about_first_axis(CompiledMjcf& m, std::size_t i) {
  int* ends = &m.actuator_trnid[2 * i];
  double* gear = &m.actuator_gear[6 * static_cast<std::size_t>(m.actuator_outadr[i])];
  std::fill_n(gear, 6, 0.0);
  m.actuator_armature[i] = 0;  // MuJoCo leaves it out
  if (ends[1] < 0) {
    m.actuator_trntype[i] = mj::kTrnJoint;
    gear[0] = 1;
  } else {
    m.actuator_trntype[i] = mj::kTrnSite;
    std::swap(ends[0], ends[1]);
    gear[3] = -1;
  }
}

// One control each, which is its force.
void make_motors(CompiledMjcf& m) {
  const std::size_t count = m.actuator_trntype.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (m.actuator_trntype[i] == mj::kTrnSo3) turn_about_first_axis(m, i);
    m.actuator_ctrladr[i] = static_cast<int>(i);
  }
  for (std::vector<int>* zeros :
       {&m.actuator_dyntype, &m.actuator_gaintype, &m.actuator_biastype, &m.actuator_actnum, &m.actuator_ctrlspec,
        &m.actuator_history, &m.actuator_forcelimited, &m.actuator_actlimited, &m.actuator_actearly,
        &m.jnt_actfrclimited, &m.tendon_actfrclimited})
    std::fill(zeros->begin(), zeros->end(), 0);
  for (std::vector<double>* zeros : {&m.actuator_dynprm, &m.actuator_gainprm, &m.actuator_biasprm})
    std::fill(zeros->begin(), zeros->end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) m.actuator_gainprm[10 * i] = 1;
  m.actuator_ctrlnum.assign(count, 1);
  m.actuator_ctrllimited.assign(count, 0);
  m.actuator_ctrlrange.assign(2 * count, 0);
  m.opt_disableactuator = 0;
}

// MuJoCo's flags, whatever the file says. What is pulled at does not sleep.
CompiledMjcf pulled_model(CompiledMjcf m) {
  m.opt_disableflags =
      mj::kNoFrictionloss | mj::kNoContact | mj::kNoSpring | mj::kNoDamper | mj::kNoGravity | mj::kNoSensor;
  m.opt_enableflags &= ~mj::kSleep;
  simplify_shapes(m);
  make_motors(m);
  return m;
}

// -- Pulling

// What lengths there were.
struct LengthSpan {
  double shortest = std::numeric_limits<double>::infinity(), longest = -shortest;

  void add(double length) {
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
};

// Worlds 2 k and 2 k + 1 pull at actuator k of the list: the one shortens it, the other lengthens it.
struct Pulling {
  const MjcfLengthSearch& how;
  double dt;  // [s]
  std::span<const int> actuators;
  Model model;
  SolverMuJoCo solver{model};
  State state = model.state();
  Control control = model.control();
  std::vector<LengthSpan> spans = std::vector<LengthSpan>(2 * actuators.size());  // by world, in the last seconds
  std::vector<bool> broken = std::vector<bool>(2 * actuators.size());             // by world: it was not finite

  int per_world(int total) const { return total / model.world_count; }
  int actuator(int world) const {
    return world * per_world(model.actuator_count) + actuators[static_cast<std::size_t>(world) / 2];
  }
  Real& ctrl(int world) { return control.ctrl[model.actuator_ctrl_start[actuator(world)]]; }
  double norm(const Array<Real>& of_dofs, int world) const {
    const int count = per_world(model.joint_dof_count);
    double sum = 0;
    for (int i = world * count; i < (world + 1) * count; ++i) sum += double(of_dofs[i]) * double(of_dofs[i]);
    return std::sqrt(sum);
  }
};

// What a force of 1 does where nothing moves: its forces are J, its accelerations M^-1 J. The velocities come back.
Forward unit_pull(Pulling& p) {
  const Array<Real> velocities = p.state.joint_qd.clone();
  std::fill(p.state.joint_qd.begin(), p.state.joint_qd.end(), Real(0));
  for (int world = 0; world < p.model.world_count; ++world) p.ctrl(world) = 1;
  Forward unit = p.solver.forward(p.state, p.control, nullptr, Real(p.dt));
  p.state.joint_qd.assign(velocities);
  return unit;
}

double pull(const Pulling& p, const Forward& unit, int world) {
  double force = p.how.accel / std::max(p.norm(unit.qacc_smooth, world), kSmallest);
  const double size = std::abs(force) * p.norm(unit.smooth_force, world);
  if (p.how.maxforce > 0 && size > p.how.maxforce) force *= p.how.maxforce / size;
  return world % 2 == 0 ? -force : force;
}

// Returns the lengths of all actuators where the step began.
Array<Real> step(Pulling& p) {
  const double decay = std::exp(-p.dt / std::max(kShortestTimeconst, p.how.timeconst));
  for (Real& velocity : p.state.joint_qd) velocity = Real(double(velocity) * decay);
  const Forward unit = unit_pull(p);
  for (int world = 0; world < p.model.world_count; ++world) p.ctrl(world) = Real(pull(p, unit, world));
  p.solver.step(p.state, p.state, p.control, nullptr, Real(p.dt));
  for (int world = 0; world < p.model.world_count; ++world)
    if (p.solver.status()[world] & kStatusNotFinite) p.broken[static_cast<std::size_t>(world)] = true;
  return unit.actuator_length;
}

void run(Pulling& p) {
  for (double time = 0; time < p.how.inttotal;) {
    const Array<Real> lengths = step(p);
    time += p.dt;
    if (!(time > p.how.inttotal - p.how.interval)) continue;
    for (int world = 0; world < p.model.world_count; ++world)
      p.spans[static_cast<std::size_t>(world)].add(double(lengths[p.actuator(world)]));
  }
}

// The range of actuator k of the list. Errors begin with `where`.
std::array<double, 2> found_range(const Pulling& p, std::size_t k, const std::string& where) {
  const LengthSpan ends[] = {p.spans[2 * k], p.spans[2 * k + 1]};
  const double lower = ends[0].shortest, upper = ends[1].longest;
  constexpr const char* kWayOut = "; limit the joints that it moves, or give lengthrange";
  if (p.broken[2 * k] || p.broken[2 * k + 1])
    fail(where, "the simulation that looks for its lengths does not stay finite", kWayOut);
  if (!(lower < upper))
    fail(where, "a simulation that pulls at it found no range of lengths: the shortest is ", lower, ", the longest ",
         upper, kWayOut);
  for (const LengthSpan& end : ends)
    if (end.longest - end.shortest > p.how.tolrange * (upper - lower))
      fail(where, "a simulation of ", p.how.inttotal,
           " s that pulls at it did not come to rest: at the end its length ", "is ", end.shortest, " to ", end.longest,
           ", in a range of ", lower, " to ", upper, kWayOut);
  return {lower, upper};
}

// So many that their worlds fit into memory.
std::size_t pulled_at_once(const CompiledMjcf& m) {
  constexpr std::size_t kMost = 128, kRows = std::size_t{1} << 19;
  return std::clamp(kRows / (m.body_parentid.size() + m.geom_type.size()), std::size_t{1}, kMost);
}

}  // namespace

void find_length_ranges(ReadMjcf& read, const MjcfArgs& args) {
  const MjcfLengthSearch how = std::exchange(read.length_search, {});
  if (how.actuators.empty()) return;
  ModelBuilder pulled = import_mjcf(pulled_model(read.model), args, read.places).builder;
  Integrator& integrator = pulled.options.integrator;
  if (integrator == Integrator::kRK4)
    integrator = Integrator::kEuler;  // MuJoCo takes half steps, which RK4 has none of
  const std::size_t at_once = pulled_at_once(read.model), count = how.actuators.size();
  for (std::size_t first = 0; first < count; first += at_once) {
    const auto list = std::span(how.actuators).subspan(first, std::min(at_once, count - first));
    ModelBuilder worlds;
    worlds.replicate(pulled, 2 * static_cast<int>(list.size()));
    Pulling pulling{how, how.timestep > 0 ? how.timestep : read.model.opt_timestep, list, worlds.finalize()};
    run(pulling);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto range = found_range(pulling, k, read.places.where(MjcfRows::kActuator, list[k]));
      const auto output = static_cast<std::size_t>(at(read.model.actuator_outadr, list[k]));
      std::copy(range.begin(), range.end(), &read.model.actuator_lengthrange[2 * output]);
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
