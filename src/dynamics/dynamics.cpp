// eval_inverse_dynamics, eval_forward_dynamics and eval_mass_matrix: checks, collects the views and launches the
// kernels.
#include "carom/dynamics.h"

#include <mutex>
#include <string>

#include "backend/launch.h"
#include "base/fail.h"
#include "dynamics/kernels.h"
#include "dynamics/tree_input.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

struct Dynamics::Data {
  std::shared_ptr<const WorldLayout> layout;  // of the model that it is made for
  WorldPlans worlds;
  std::mutex mutex;         // threads take their turns
  std::string open_loop;    // an equality constraint that is enabled; empty: there is none
  Array<char> team_memory;  // on a GPU

  explicit Data(const Model& model) : layout(model.layout), worlds(model, MassPattern::kNone) {}
};

namespace {

void check_trees(const Model& model) {
  if (model.world_count == 0) return;
  const Array<int> world = model.body_world.on_cpu();
  for (int b = 0; b < model.body_count; ++b)
    if (world[b] < 0)
      fail("body '", model.key(Entity::kBody, b), "' is global; dynamics are those of the bodies of each world");
}

// What may be edited.
void check_tendons(const Model& model) {
  const Array<Real> armature = model.tendon_armature.on_cpu();
  for (int t = 0; t < model.tendon_count; ++t)
    if (armature[t] != 0)
      fail("tendon '", model.key(Entity::kTendon, t), "' has an armature; dynamics know those of joints alone");
}
std::string find_open_loop(const Model& model) {
  const Array<int> enabled = model.equality_constraint_enabled.on_cpu();
  for (int e = 0; e < model.equality_constraint_count; ++e)
    if (enabled[e] != 0) return model.key(Entity::kEqualityConstraint, e);
  return {};
}

void check_dofs(const char* who, const char* name, const Array<Real>& array, const Model& model) {
  if (array.size() != model.joint_dof_count)
    fail(who, ": ", name, " has ", array.size(), " entries; the model needs ", model.joint_dof_count);
  if (array.size() > 0 && !(array.device() == model.device))
    fail(who, ": ", name, " is on ", array.device().name(), ", the model on ", model.device.name());
}

// Data in line with the model as it is now, which nobody else uses meanwhile.
struct DynamicsInUse {
  std::shared_ptr<Dynamics::Data> data;
  std::unique_lock<std::mutex> lock;

  // given: nullptr makes new ones.
  DynamicsInUse(const char* who, const Model& model, const Dynamics* given, const Queue& queue) {
    if (given && !given->data) fail(who, ": dynamics is empty; make_dynamics() makes one");
    data = given ? given->data : make_dynamics(model).data;
    check_owner(who, "dynamics", data->layout, model.layout);
    lock = std::unique_lock(data->mutex);
    if (data->worlds.generation() == model.generation()) return;
    check_tendons(model);
    data->open_loop = find_open_loop(model);
    data->worlds.keep_up(model, queue);
  }
};

// A kernel of TreeKernel for the worlds of all structures, over a state whose joints are in line with its bodies.
template <class Kernel>
void send_trees(const Queue& queue, Dynamics::Data& d, const Model& model, const State& state, Kernel kernel) {
  send_align(queue, model, state);
  for (WorldPlan& plan : d.worlds.plans) {
    const int n = plan.world_count();
    kernel.worlds = plan.ids.const_view();
    kernel.in = tree_input(d.worlds, plan, lanes_of<Kernel>(queue, n), state);
    if (model.device.is_cpu()) run_lanes_on_cpu(queue, kernel, n);
    else launch_teams(queue, n, kernel, {.team_size = 8, .memory = &d.team_memory});
  }
  queue.finish();
}

}  // namespace

Dynamics make_dynamics(const Model& model) {
  check_trees(model);
  check_tendons(model);
  return {std::make_shared<Dynamics::Data>(model)};
}

void eval_inverse_dynamics(const Model& model, const State& state, const Array<Real>& joint_qdd,
                           const Array<Real>& joint_f, const Dynamics* dynamics, const Queue* queue) {
  const char* const who = "eval_inverse_dynamics";
  check_state(who, "state", state, model);
  check_dofs(who, "joint_qdd", joint_qdd, model);
  check_dofs(who, "joint_f", joint_f, model);
  const Queue& q = queue ? *queue : default_queue(model.device);
  const DynamicsInUse use(who, model, dynamics, q);
  EvalInverseDynamics kernel{};
  kernel.joint_qdd = joint_qdd.data();
  kernel.joint_f = joint_f.data();
  send_trees(q, *use.data, model, state, kernel);
}

void eval_forward_dynamics(const Model& model, const State& state, const Array<Real>& joint_f,
                           const Array<Real>& joint_qdd, const Dynamics* dynamics, const Queue* queue) {
  const char* const who = "eval_forward_dynamics";
  check_state(who, "state", state, model);
  check_dofs(who, "joint_f", joint_f, model);
  check_dofs(who, "joint_qdd", joint_qdd, model);
  const Queue& q = queue ? *queue : default_queue(model.device);
  const DynamicsInUse use(who, model, dynamics, q);
  if (!use.data->open_loop.empty())
    fail(who, ": equality constraint '", use.data->open_loop,
         "' would be left out; disable it, or step the model with a solver");
  EvalForwardDynamics kernel{};
  kernel.joint_f = joint_f.data();
  kernel.joint_qdd = joint_qdd.data();
  send_trees(q, *use.data, model, state, kernel);
}

// -- Mass matrix

MassMatrix make_mass_matrix(const Model& model) {
  check_trees(model);
  MassMatrix matrix;
  matrix.layout = model.layout;
  matrix.start = {0};
  const std::vector<int>& dof = model.layout->start[static_cast<int>(Entity::kJointDof)];
  for (int world = 0; world <= model.world_count; ++world) {  // the last one: of a model without worlds
    const int globals = model.world_count == 0 ? model.joint_dof_count : 0;
    const int n = world < model.world_count ? dof[world + 1] - dof[world] : globals;
    matrix.rows.push_back(n);
    matrix.start.push_back(matrix.start.back() + std::int64_t{n} * n);
  }
  matrix.values = Array<Real>(matrix.start.back(), model.device);
  matrix.device_start = Array<std::int64_t>(std::span<const std::int64_t>(matrix.start), model.device);
  return matrix;
}

Array<Real> MassMatrix::world(int world) const {
  const int entry = world < 0 ? static_cast<int>(rows.size()) - 1 : world;
  if (world < -1 || entry >= static_cast<int>(rows.size()) - (world >= 0))
    fail("world ", world, " does not exist: there are ", rows.size() - 1);
  return values.slice(start[entry], start[entry + 1]);
}

void eval_mass_matrix(const Model& model, const State& state, const MassMatrix& mass_matrix, const Dynamics* dynamics,
                      const Queue* queue) {
  const char* const who = "eval_mass_matrix";
  check_state(who, "state", state, model);
  check_owner(who, "mass_matrix", mass_matrix.layout, model.layout);
  const Queue& q = queue ? *queue : default_queue(model.device);
  const DynamicsInUse use(who, model, dynamics, q);
  EvalMassMatrix kernel{};
  kernel.value_start = mass_matrix.device_start.const_view();
  kernel.values = mass_matrix.values.data();
  send_trees(q, *use.data, model, state, kernel);
}

}  // namespace carom::inline CAROM_PRECISION
