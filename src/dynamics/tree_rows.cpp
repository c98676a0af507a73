#include "dynamics/tree_rows.h"

#include <algorithm>

#include "backend/launch.h"
#include "backend/team.h"
#include "dynamics/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

TreeRowLayout layout_of(const TreePlan& tree) {
  TreeRowLayout at{};
  const auto take = [&]<class T>(const T*, std::size_t count) {
    static_assert(sizeof(T) % sizeof(Real) == 0);
    const int first = at.total;
    at.total += static_cast<int>(count * (sizeof(T) / sizeof(Real)));
    return first;
  };
  at.gravity = take(static_cast<Vec3*>(nullptr), 1);
  at.links = take(static_cast<LinkParams<Real>*>(nullptr), tree.links.size());
  at.dofs = take(static_cast<DofParams<Real>*>(nullptr), tree.dof_link.size());
  at.holds = take(static_cast<HoldParams<Real>*>(nullptr), tree.dof_link.size());
  at.bodies = take(static_cast<BodyInLink<Real>*>(nullptr), tree.body_link.size());
  return at;
}

}  // namespace

TreeRows::TreeRows(const Model& model, const TreePlan& tree, const PartArchetype& archetype)
    : layout_(layout_of(tree)), parts_(std::span<const PartRows>(archetype.parts), model.device) {}

void TreeRows::pack(const Model& m, const Queue& queue, const TreePlan& tree) {
  const std::int64_t parts = parts_.size();
  Array<Real> rows(parts * layout_.total, m.device);
  PackTree kernel{
      .part = parts_.const_view(),
      .tree = tree.view,
      .origin = tree.origin,
      .columns = {m.body_mass.data(), m.body_flags.data(), m.body_com.data(), m.body_inertia.data(), m.joint_X_p.data(),
                  m.joint_X_c.data(), m.joint_axis.data(), m.joint_stiffness.data(), m.joint_spring_ref.data(),
                  m.joint_damping.data(), m.joint_armature.data(), m.joint_effort_lower.data(),
                  m.joint_effort_upper.data(), m.joint_q.data(), nullptr},
      .holds = {m.joint_limit_lower.data(), m.joint_limit_upper.data(), m.joint_limit_ke.data(),
                m.joint_limit_kd.data(), m.joint_target_ke.data(), m.joint_target_kd.data(), m.joint_friction.data()},
      .gravity = m.gravity.data(),
      .globals = m.world_count,
      .layout = layout_,
      .rows = rows.data(),
      .memory = nullptr,
      .bytes_per_part = 0};
  Arena count;
  kernel.take(count);
  kernel.bytes_per_part = (count.used + 15) / 16 * 16 + 16;
  const Array<char> memory(kernel.bytes_per_part * parts, m.device);
  kernel.memory = memory.data();
  launch(queue, static_cast<int>(parts), kernel);
  queue.finish();
  const Array<Real> values = rows.on_cpu();
  const Real* const first = values.data();
  shared_ = true;
  for (std::int64_t i = 1; i < parts && shared_; ++i)
    shared_ = std::equal(first, first + layout_.total, first + i * layout_.total);
  rows_ = shared_ ? rows.slice(0, std::min<std::int64_t>(parts, 1) * layout_.total).clone() : rows;
  lane_width_ = 0;
}

TreeRowView TreeRows::view(int width) {
  if (width == 1 || !shared_) return {rows_.data(), shared_ ? 0 : layout_.total, nullptr, layout_};
  if (lane_width_ != width) {
    lane_rows_ = Array<Real>(std::int64_t{layout_.total} * width);
    for (int k = 0; k < layout_.total; ++k) std::fill_n(lane_rows_.data() + k * width, width, rows_[k]);
    lane_width_ = width;
  }
  return {rows_.data(), 0, lane_rows_.data(), layout_};
}

}  // namespace carom::inline CAROM_PRECISION
