// eval_fk, eval_ik and eval_jacobian: collects the views and launches the kernels.
#include "carom/kinematics.h"

#include "backend/launch.h"
#include "base/fail.h"
#include "dynamics/kernels.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
void check_size(const char* who, const char* name, const Array<T>& array, std::int64_t size, Device device) {
  if (array.size() != size) fail(who, ": ", name, " has ", array.size(), " entries; the model needs ", size);
  if (size > 0 && !(array.device() == device))
    fail(who, ": ", name, " is on ", array.device().name(), ", the model on ", device.name());
}

// The worlds of an archetype that the mask chooses.
Array<int> chosen_worlds(const Model& model, const Archetype& archetype, std::span<const std::uint8_t> mask) {
  if (mask.empty()) return archetype.worlds;
  const bool globals = static_cast<int>(mask.size()) > model.world_count && mask.back() != 0;
  std::vector<int> worlds;
  for (const int world : archetype.world_list)
    if (world < 0 ? globals : mask[world] != 0) worlds.push_back(world);
  return Array<int>(std::span<const int>(worlds), model.device);
}

}  // namespace

void eval_fk(const Model& model, const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state,
             std::span<const std::uint8_t> mask, const Queue* queue) {
  check_state("eval_fk", "state", state, model);
  check_size("eval_fk", "joint_q", joint_q, model.joint_coord_count, model.device);
  check_size("eval_fk", "joint_qd", joint_qd, model.joint_dof_count, model.device);
  if (!mask.empty()) check_mask("eval_fk", model.layout, mask);
  const Queue& q = queue ? *queue : default_queue(model.device);
  for (const Archetype& archetype : model.archetypes) {
    const Array<int> worlds = chosen_worlds(model, archetype, mask);
    send_fk(q, model, archetype, worlds, joint_q, joint_qd, state);
    if (!mask.empty()) q.finish();  // the list of worlds is gone when this returns
  }
  q.finish();
}

void eval_ik(const Model& model, const State& state, const Array<Real>& joint_q, const Array<Real>& joint_qd,
             std::span<const std::uint8_t> mask, const Queue* queue) {
  check_state("eval_ik", "state", state, model);
  check_size("eval_ik", "joint_q", joint_q, model.joint_coord_count, model.device);
  check_size("eval_ik", "joint_qd", joint_qd, model.joint_dof_count, model.device);
  const Array<std::uint8_t> full = mask.empty() ? Array<std::uint8_t>() : full_mask("eval_ik", model.layout, mask);
  const Queue& q = queue ? *queue : default_queue(model.device);
  EvalIk kernel = ik_kernel(model, state, joint_q, joint_qd);
  kernel.mask = full.const_view();
  launch(q, model.joint_count, kernel);
  q.finish();
}

// -- Jacobian

namespace {

// Number of every row among the global ones; rows of worlds get 0.
Array<int> number_among_globals(const Model& model, Entity entity) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  std::vector<int> number(start.back(), 0);
  int next = 0;
  for (int row = 0; row < start.back(); ++row) {
    const bool in_world = model.world_count > 0 && row >= start.front() && row < start[model.world_count];
    if (!in_world) number[row] = next++;
  }
  return Array<int>(std::span<const int>(number), model.device);
}

int count_in_world(const Model& model, Entity entity, int world) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  if (world < model.world_count) return start[world + 1] - start[world];
  return start.back() - (model.world_count > 0 ? start[model.world_count] - start.front() : 0);
}

}  // namespace

Jacobian make_jacobian(const Model& model) {
  Jacobian jacobian;
  jacobian.layout = model.layout;
  jacobian.start = {0};
  for (int world = 0; world <= model.world_count; ++world) {  // the last one stands for the globals
    jacobian.rows.push_back(6 * count_in_world(model, Entity::kBody, world));
    jacobian.cols.push_back(count_in_world(model, Entity::kJointDof, world));
    jacobian.start.push_back(jacobian.start.back() + std::int64_t{jacobian.rows.back()} * jacobian.cols.back());
  }
  jacobian.values = Array<Real>(jacobian.start.back(), model.device);
  jacobian.device_start = Array<std::int64_t>(std::span<const std::int64_t>(jacobian.start), model.device);
  jacobian.device_cols = Array<int>(std::span<const int>(jacobian.cols), model.device);
  jacobian.global_row = number_among_globals(model, Entity::kBody);
  jacobian.global_col = number_among_globals(model, Entity::kJointDof);
  return jacobian;
}

Array<Real> Jacobian::world(int world) const {
  const int entry = world < 0 ? static_cast<int>(rows.size()) - 1 : world;
  if (world < -1 || entry >= static_cast<int>(rows.size()) - (world >= 0))
    fail("world ", world, " does not exist: there are ", rows.size() - 1);
  return values.slice(start[entry], start[entry + 1]);
}

void eval_jacobian(const Model& model, const State& state, const Jacobian& jacobian, const Queue* queue) {
  check_state("eval_jacobian", "state", state, model);
  check_owner("eval_jacobian", "jacobian", jacobian.layout, model.layout);
  const Queue& q = queue ? *queue : default_queue(model.device);
  send_align(q, model, state);
  launch(q, model.body_count,
         EvalJacobian{
             .body_world = model.body_world.const_view(),
             .body_joint = model.body_joint.const_view(),
             .body_world_start = model.body_world_start.const_view(),
             .dof_world_start = model.joint_dof_world_start.const_view(),
             .value_start = jacobian.device_start.const_view(),
             .cols = jacobian.device_cols.const_view(),
             .global_entry = model.world_count,
             .joint_type = model.joint_type.const_view(),
             .joint_parent = model.joint_parent.const_view(),
             .joint_child = model.joint_child.const_view(),
             .joint_world = model.joint_world.const_view(),
             .joint_qd_start = model.joint_qd_start.const_view(),
             .joint_q_start = model.joint_q_start.const_view(),
             .joint_dof_dim = model.joint_dof_dim.const_view(),
             .joint_X_p = model.joint_X_p.data(),
             .joint_X_c = model.joint_X_c.data(),
             .joint_axis = model.joint_axis.data(),
             .body_com = model.body_com.data(),
             .body_q = state.body_q.data(),
             .joint_q = state.joint_q.data(),
             .global_row = jacobian.global_row.const_view(),
             .global_col = jacobian.global_col.const_view(),
             .values = jacobian.values.data(),
         });
  q.finish();
}

}  // namespace carom::inline CAROM_PRECISION
