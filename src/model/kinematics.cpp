#include "model/kinematics.h"

#include <algorithm>

#include "backend/launch.h"
#include "backend/send_copy.h"
#include "base/hash.h"
#include "model/align.kernel.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// How far the rows of one world reach; those of the globals (-1) are anywhere in the model.
int rows_of_world(const Model& model, Entity entity, int world) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  return world < 0 ? start.back() : start[world + 1] - start[world];
}

AlignedRows aligned_rows(const Model& model, const State& state) {
  return {
      .joint_q = state.joint_q.data(),
      .joint_qd = state.joint_qd.data(),
      .body_q = state.body_q.data(),
      .body_qd = state.body_qd.data(),
      .joint_frames = model.joint_frames.data(),
      .aligned_q = state.aligned.joint_q.data(),
      .aligned_qd = state.aligned.joint_qd.data(),
      .aligned_X = state.aligned.body_q.data(),
      .aligned_V = state.aligned.body_qd.data(),
      .aligned_frames = state.aligned.joint_frames.data(),
  };
}

EvalFk fk_kernel(const Model& model, const Archetype& archetype, const Array<int>& worlds, const Array<Real>& joint_q,
                 const Array<Real>& joint_qd, const State& state) {
  const int first = archetype.world_list.front();
  return {
      .worlds = worlds.const_view(),
      .tree = archetype.tree.const_view(),
      .level_start = archetype.level_start_device.const_view(),
      .loose_bodies = archetype.loose_bodies.const_view(),
      .shared_kinematics = archetype.shared_kinematics,
      .global = first < 0,
      .body_count = rows_of_world(model, Entity::kBody, first),
      .coord_count = rows_of_world(model, Entity::kJointCoord, first),
      .dof_count = rows_of_world(model, Entity::kJointDof, first),
      .body_world_start = model.body_world_start.const_view(),
      .joint_world_start = model.joint_world_start.const_view(),
      .coord_world_start = model.joint_coord_world_start.const_view(),
      .dof_world_start = model.joint_dof_world_start.const_view(),
      .joint_X_p = model.joint_X_p.data(),
      .joint_X_c_inv = model.joint_X_c_inv.data(),
      .joint_axis = model.joint_axis.data(),
      .body_com = model.body_com.data(),
      .joint_q = joint_q.data(),
      .joint_qd = joint_qd.data(),
      .body_q = state.body_q.data(),
      .body_qd = state.body_qd.data(),
      .aligned = aligned_rows(model, state),
      .keep = !state.aligned.body_q.empty() && joint_q.data() == state.joint_q.data() &&
              joint_qd.data() == state.joint_qd.data(),
      .velocities = true,
  };
}

// A joint to a global body moves with that body, which is of no world: such worlds are placed every time.
bool hangs_on_globals(const Archetype& archetype) {
  return std::any_of(archetype.tree_joints.begin(), archetype.tree_joints.end(),
                     [](const TreeJoint& joint) { return joint.parent <= -2; });
}

AlignWorlds align_kernel(const Model& model, const Archetype& archetype, const State& state) {
  return {.fk = fk_kernel(model, archetype, archetype.worlds, state.joint_q, state.joint_qd, state),
          .ik = ik_kernel(model, state, state.joint_q, state.joint_qd),
          .always = hangs_on_globals(archetype),
          .joints_alone = false,
          .world_count = model.world_count,
          .status = nullptr};
}

// The globals come first: worlds may hang on them.
template <class Change>
void send_align_kernels(const Queue& queue, const Model& model, const State& state, Change change) {
  for (const Archetype& archetype : model.archetypes) {
    AlignWorlds kernel = align_kernel(model, archetype, state);
    change(kernel);
    launch(queue, static_cast<int>(archetype.world_list.size()), kernel);
  }
}

// What poses depend on beside the coordinates, one number for each joint. Worlds that move alike are looked at once.
Array<std::uint64_t> hash_frames(const Model& model) {
  const Array<Transform> X_p = model.joint_X_p.on_cpu(), X_c = model.joint_X_c.on_cpu();
  const Array<Vec3> axis = model.joint_axis.on_cpu(), com = model.body_com.on_cpu();
  const Array<int> parent = model.joint_parent.on_cpu(), child = model.joint_child.on_cpu(),
                   dof = model.joint_qd_start.on_cpu();
  const auto hash_joint = [&](int j) {
    Hash hash;
    const auto add = [&](const auto& numbers) { hash.add_bytes(&numbers, sizeof(numbers)); };
    add(X_p[j]), add(X_c[j]), add(com[child[j]]);
    if (parent[j] >= 0) add(com[parent[j]]);
    for (int d = dof[j]; d < dof[j + 1]; ++d) add(axis[d]);
    return hash.value();
  };
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kJoint)];
  Array<std::uint64_t> frames(model.joint_count);
  for (const Archetype& archetype : model.archetypes)
    for (const int world : archetype.world_list) {
      const int first = archetype.world_list.front(), begin = world < 0 ? 0 : start[world];
      const bool known = archetype.shared_kinematics && world != first;
      for (const TreeJoint& joint : archetype.tree_joints)
        frames[begin + joint.joint] = known ? frames[start[first] + joint.joint] : hash_joint(begin + joint.joint);
    }
  return frames.to(model.device);
}

}  // namespace

void send_fk(const Queue& queue, const Model& model, const Archetype& archetype, const Array<int>& worlds,
             const Array<Real>& joint_q, const Array<Real>& joint_qd, const State& state) {
  launch_lanes(queue, fk_kernel(model, archetype, worlds, joint_q, joint_qd, state));
}

void send_fk(const Queue& queue, const Model& model, const State& state, bool last,
             std::span<const Array<int>> worlds) {
  // A GPU copies whole arrays faster than its threads copy the rows of their worlds.
  const bool whole = !model.device.is_cpu() && !state.aligned.body_q.empty();
  for (std::size_t i = 0; i < model.archetypes.size(); ++i) {
    const Archetype& archetype = model.archetypes[i];
    const Array<int>& of_archetype = worlds.empty() ? archetype.worlds : worlds[i];
    EvalFk kernel = fk_kernel(model, archetype, of_archetype, state.joint_q, state.joint_qd, state);
    kernel.velocities = last;
    kernel.keep = kernel.keep && last && !whole;
    launch_lanes(queue, kernel);
  }
  if (last && whole) send_mark_aligned(queue, model, state);
}

void send_mark_aligned(const Queue& queue, const Model& model, const State& state) {
  if (state.aligned.body_q.empty()) return;
  send_copy(queue, state.joint_q, state.aligned.joint_q);
  send_copy(queue, state.joint_qd, state.aligned.joint_qd);
  send_copy(queue, state.body_q, state.aligned.body_q);
  send_copy(queue, state.body_qd, state.aligned.body_qd);
  send_copy(queue, model.joint_frames, state.aligned.joint_frames);
}

EvalIk ik_kernel(const Model& model, const State& state, const Array<Real>& joint_q, const Array<Real>& joint_qd) {
  return {
      .joint_type = model.joint_type.const_view(),
      .joint_parent = model.joint_parent.const_view(),
      .joint_child = model.joint_child.const_view(),
      .joint_world = model.joint_world.const_view(),
      .joint_q_start = model.joint_q_start.const_view(),
      .joint_qd_start = model.joint_qd_start.const_view(),
      .joint_dof_dim = model.joint_dof_dim.const_view(),
      .joint_X_p = model.joint_X_p.data(),
      .joint_X_c = model.joint_X_c.data(),
      .joint_axis = model.joint_axis.data(),
      .body_com = model.body_com.data(),
      .body_q = state.body_q.data(),
      .body_qd = state.body_qd.data(),
      .joint_q = joint_q.data(),
      .joint_qd = joint_qd.data(),
      .mask = {},
  };
}

void send_align(const Queue& queue, const Model& model, const State& state, const Array<std::int32_t>& status) {
  send_align_kernels(queue, model, state, [&](AlignWorlds& kernel) { kernel.status = status.data(); });
}

void send_add_status(const Queue& queue, const Array<std::int32_t>& from, const Array<std::int32_t>& to) {
  launch(queue, static_cast<int>(to.size()), AddStatus{from.data(), to.data()});
}

void send_poses_of_joints(const Queue& queue, const Model& model, const State& state) {
  send_align_kernels(queue, model, state, [](AlignWorlds& kernel) { kernel.joints_alone = true; });
}

void align_world(const Model& model, const State& state, int world) {
  for (const Archetype& archetype : model.archetypes) {
    const std::vector<int>& worlds = archetype.world_list;
    if (worlds.front() < 0) align_kernel(model, archetype, state).align_world(Solo{}, -1);
    else if (std::binary_search(worlds.begin(), worlds.end(), world))
      align_kernel(model, archetype, state).align_world(Solo{}, world);
  }
}

void Model::align(const State& state) const {
  check_state("align", "state", state, *this);
  const Queue& queue = default_queue(device);
  send_align(queue, *this, state);
  queue.finish();
}

// What a builder, a file or an edit says about joints counts; bodies follow.
void align_initial_state(const Model& model) {
  model.joint_frames.assign(hash_frames(model));
  State bodies;
  bodies.body_q = model.body_q;
  bodies.body_qd = model.body_qd;
  const Queue& queue = default_queue(model.device);
  for (const Archetype& archetype : model.archetypes)
    send_fk(queue, model, archetype, archetype.worlds, model.joint_q, model.joint_qd, bodies);
  queue.finish();
}

}  // namespace carom::inline CAROM_PRECISION
