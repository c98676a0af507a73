#include "dynamics/sleep.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "dynamics/kernels.h"
#include "model/copy_state.h"
#include "model/host_model.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The trees of a model, in the order of their first joints. The root of one is the first body that moves.
class Trees {
 public:
  explicit Trees(const HostModel& host) : host_(host), c_(host.column) {
    const Model& model = host.model;
    tree_of_body.assign(model.body_count, -1);
    for (int j = 0; j < model.joint_count; ++j) {
      const int body = c_.joint_child[j];
      if (root_of_moving(host, joint_, dof_start_, body) != body) continue;
      tree_of_body[body] = static_cast<int>(roots.size());
      roots.push_back(body), root_joints.push_back(j);
    }
    for (int b = 0; b < model.body_count; ++b)
      if (const int root = root_of_moving(host, joint_, dof_start_, b); root >= 0) tree_of_body[b] = tree_of_body[root];
    acted_on_.assign(roots.size(), 0);
    list_tendons();
    note_actuators();
    note_drives();
    note_tendons();
  }

  bool may_sleep(int t) const {
    const auto policy = static_cast<SleepPolicy>(c_.body_sleep[roots[t]]);
    return !is_given(t) && policy != SleepPolicy::kNever && !(policy == SleepPolicy::kAuto && acted_on_[t]);
  }
  bool is_given(int t) const { return (c_.body_flags[roots[t]] & kBodyKinematic) != 0; }

  std::vector<int> roots, root_joints, tree_of_body;

 private:
  void note(int body) {
    if (body >= 0 && tree_of_body[body] >= 0) acted_on_[tree_of_body[body]] = 1;
  }
  void list_tendons() {
    bodies_of_tendon_.resize(host_.model.tendon_count);
    for (int e = 0; e < host_.model.tendon_joint_count; ++e)
      bodies_of_tendon_[c_.tendon_joint_tendon[e]].push_back(c_.joint_child[c_.tendon_joint_joint[e]]);
    for (int p = 0; p < host_.model.tendon_point_count; ++p)
      bodies_of_tendon_[c_.tendon_point_tendon[p]].push_back(c_.tendon_point_body[p]);
  }
  void note_actuators() {
    for (int a = 0; a < host_.model.actuator_count; ++a) {
      if (c_.actuator_joint[a] >= 0) note(c_.joint_child[c_.actuator_joint[a]]);
      note(c_.actuator_body[a]);
      if (c_.actuator_tendon[a] >= 0)
        for (const int body : bodies_of_tendon_[c_.actuator_tendon[a]]) note(body);
    }
  }
  // What sleeps would not notice another target, as of an actuator's input.
  void note_drives() {
    for (int j = 0; j < host_.model.joint_count; ++j)
      for (int d = dof_start_[j]; d < dof_start_[j + 1]; ++d)
        if (c_.joint_target_ke[d] != 0 || c_.joint_target_kd[d] != 0) note(c_.joint_child[j]);
  }
  // Those that pull trees towards each other; a limit between two of them does not.
  void note_tendons() {
    for (int i = 0; i < host_.model.tendon_count; ++i) {
      std::vector<int> trees;
      for (const int body : bodies_of_tendon_[i])
        if (body >= 0 && tree_of_body[body] >= 0) trees.push_back(tree_of_body[body]);
      std::sort(trees.begin(), trees.end());
      trees.erase(std::unique(trees.begin(), trees.end()), trees.end());
      const bool pulls = c_.tendon_stiffness[i] != 0 || c_.tendon_damping[i] != 0;
      if (trees.size() > 2 || (trees.size() == 2 && pulls))
        for (const int t : trees) acted_on_[t] = 1;
    }
  }

  const HostModel& host_;
  const ModelColumns<Array>& c_;
  const Array<int> joint_ = host_.model.body_joint.on_cpu(), dof_start_ = host_.model.joint_qd_start.on_cpu();
  std::vector<std::vector<int>> bodies_of_tendon_;
  std::vector<char> acted_on_;
};

// How far bodies reach from their centres of mass: to their joints, those of their children, and around their shapes.
std::vector<Real> lengths_of(const HostModel& host) {
  constexpr Real kLeast = Real(1e-5);
  const ModelColumns<Array>& c = host.column;
  const Array<int> dof_start = host.model.joint_qd_start.on_cpu();
  std::vector<Real> length(host.model.body_count, kLeast);
  const auto reach = [&](int body, Vec3 from, Real more) {
    if (body >= 0) length[body] = std::max(length[body], carom::length(from - c.body_com[body]) + more);
  };
  for (int j = 0; j < host.model.joint_count; ++j) {
    if (dof_start[j] == dof_start[j + 1]) continue;
    reach(c.joint_child[j], c.joint_X_c[j].p, 0);
    reach(c.joint_parent[j], c.joint_X_p[j].p, 0);
  }
  const Array<Real> radius = host.model.shape_collision_radius.on_cpu();
  for (int s = 0; s < host.model.shape_count; ++s)
    if (radius[s] > 0 && c.shape_type[s] != static_cast<int>(ShapeType::kPlane))
      reach(c.shape_body[s], c.shape_transform[s].p, radius[s]);
  // A body without mass stands between the joints of the next one.
  for (int j = host.model.joint_count - 1; j >= 0; --j)
    if (const int parent = c.joint_parent[j]; parent >= 0 && c.body_mass[parent] == 0)
      length[parent] = std::max(length[parent], length[c.joint_child[j]]);
  return length;
}

SleepJoint joint_numbers(const ModelColumns<Array>& c, int j, const Array<int>& coord_start,
                         const Array<int>& dof_start, Real length) {
  const auto type = static_cast<JointType>(c.joint_type[j]);
  return {.coord = coord_start[j],
          .coords = coord_start[j + 1] - coord_start[j],
          .dof = dof_start[j],
          .linear = c.joint_dof_dim[j][0],
          .angular = c.joint_dof_dim[j][1],
          .turns = turns_at_once(type),
          .at_com = velocity_at_com(type),
          .axes = c.joint_X_c[j].q,
          .com = transform_point(inverse(c.joint_X_c[j]), c.body_com[c.joint_child[j]]),
          .length = length};
}

// Where each world begins in a list of rows.
std::vector<int> starts_in(const std::vector<int>& list, const std::vector<int>& start) {
  std::vector<int> first;
  for (const int row : start)
    first.push_back(static_cast<int>(std::lower_bound(list.begin(), list.end(), row) - list.begin()));
  return first;
}

}  // namespace

void check_sleep(const char* solver, const Model& model) {
  if (model.options.sleep != model.layout->sleeps) fail(solver, ": options.sleep was changed after finalize()");
}

Array<int> parts_of_bodies(const Model& model, const Parts& parts) {
  std::vector<int> part_of(model.body_count, -1);
  for (const PartArchetype& archetype : parts.archetypes)
    for (const PartRows& part : archetype.parts)
      for (int b = 0; b < part.count(Entity::kBody); ++b) part_of[part.body(b, parts.bodies.data())] = part.id;
  return Array<int>(std::span<const int>(part_of), model.device);
}

Sleep::Sleep(const Model& model, const std::vector<int>& part_start, const Array<int>& body_part)
    : part_start_(std::span<const int>(part_start), model.device) {
  const HostModel host(model);
  const Trees trees(host);
  const std::vector<Real> length = lengths_of(host);
  const Array<int> part = body_part.on_cpu(), joint_of = model.body_joint.on_cpu(),
                   dof_start = model.joint_qd_start.on_cpu(), coord_start = model.joint_q_start.on_cpu();
  std::vector<std::vector<int>> bodies_of(trees.roots.size());
  for (int b = 0; b < model.body_count; ++b)
    if (trees.tree_of_body[b] >= 0) bodies_of[trees.tree_of_body[b]].push_back(b);
  std::vector<SleepTree> tree;
  std::vector<SleepJoint> joint;
  std::vector<int> bodies;
  for (int t = 0; t < static_cast<int>(bodies_of.size()); ++t) {
    const int first_joint = static_cast<int>(joint.size()), first_body = static_cast<int>(bodies.size());
    for (const int b : bodies_of[t]) {
      bodies.push_back(b);
      if (const int j = joint_of[b]; dof_start[j] < dof_start[j + 1])
        joint.push_back(joint_numbers(host.column, j, coord_start, dof_start, length[b]));
    }
    const int joints = static_cast<int>(joint.size()) - first_joint;
    const bool given = trees.is_given(t) && joints == 1;  // otherwise something moves on it
    tree.push_back({part[trees.roots[t]], trees.roots[t], first_joint, joints, first_body,
                    static_cast<int>(bodies_of[t].size()), trees.may_sleep(t), given});
  }
  const auto starts = [&](Entity entity, int count) {
    return model.world_count > 0 ? model.layout->start[static_cast<int>(entity)] : std::vector<int>{0, count};
  };
  const Device device = model.device;
  const auto to_device = [&]<class T>(const std::vector<T>& values) {
    return Array<T>(std::span<const T>(values), device);
  };
  tree_ = to_device(tree), joint_ = to_device(joint), body_ = to_device(bodies);
  tree_of_body_ = to_device(trees.tree_of_body), first_body_ = to_device(starts(Entity::kBody, model.body_count));
  tree_start_ = to_device(starts_in(trees.root_joints, starts(Entity::kJoint, model.joint_count)));
  for (Array<int>* const array : {&value_, &scratch_}) *array = Array<int>(tree_.size(), device);
  for (Array<int>* const array : {&part_asleep_, &root_, &is_ready_, &last_})
    *array = Array<int>(part_start.back(), device);
  world_asleep_ = Array<int>(worlds(), device);
}

SleepView Sleep::view() const {
  return {tree_start_.const_view(),
          part_start_.const_view(),
          tree_.data(),
          joint_.data(),
          body_.data(),
          tree_of_body_.data(),
          first_body_.data(),
          value_.data(),
          scratch_.data(),
          part_asleep_.data(),
          world_asleep_.data(),
          left_out_.empty() ? nullptr : left_out_.data()};
}

namespace {

SleepInput input(const State& in, const Control& control) {
  return {in.body_asleep.data(),      in.joint_q.data(),      in.joint_qd.data(),
          in.aligned.asleep_q.data(), control.joint_f.data(), in.body_f.data()};
}

}  // namespace

void Sleep::wake_written(const Queue& queue, const State& state, const Control& control) const {
  launch(queue, worlds(), WakeTrees{view(), input(state, control), {}, state.body_asleep.data()});
}

void Sleep::wake(const Queue& queue, const State& in, const Control& control, const Touches& touches) const {
  launch(queue, worlds(), WakeTrees{view(), input(in, control), touches});
}

void Sleep::keep(const Queue& queue, const State& in, const State& out) const { send_moved(queue, in, out); }

const int* Sleep::join(const Queue& queue, const Touches& touches) const {
  launch(queue, worlds(), JoinTouching{view(), touches, root_.data()});
  return root_.data();
}

void Sleep::choose(const Queue& queue, const Model& model, const State& in, const Control& control,
                   const int* root) const {
  launch(
      queue, worlds(),
      ChooseSleepers{view(), input(in, control), model.options.sleep_tolerance, root, is_ready_.data(), last_.data()});
}

void Sleep::put_to_sleep(const Queue& queue, const Array<std::int32_t>& status, const Real* rest_q,
                         const State& out) const {
  launch(queue, worlds(),
         PutToSleep{view(), status.data(), rest_q, out.body_asleep.data(), out.joint_q.data(), out.joint_qd.data(),
                    out.joint_qdd.data(), out.aligned.asleep_q.data()});
}

}  // namespace carom::inline CAROM_PRECISION
