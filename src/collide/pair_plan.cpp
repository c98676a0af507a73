#include "collide/pair_plan.h"

#include <algorithm>

#include "base/fail.h"
#include "collide/filter/pair_filter.h"
#include "collide/narrow/type_rank.h"

namespace carom::inline CAROM_PRECISION {

namespace {

ShapeType type_of(const HostModel& host, int row) { return static_cast<ShapeType>(host.column.shape_type[row]); }

PairKind kind_of(const HostModel& host, int first, int second) {
  const ShapeType a = type_of(host, first), b = type_of(host, second);
  const auto unsupported = [&] {
    fail("shapes '", host.name(Entity::kShape, first), "' (", shape_type_name(a), ") and '",
         host.name(Entity::kShape, second), "' (", shape_type_name(b),
         "): this pair of shapes cannot be tested yet; filter the pair or use planes, spheres and capsules");
  };
  if (a == ShapeType::kPlane && b == ShapeType::kSphere) return PairKind::kPlaneSphere;
  if (a == ShapeType::kPlane && b == ShapeType::kCapsule) return PairKind::kPlaneCapsule;
  if (a == ShapeType::kSphere && b == ShapeType::kSphere) return PairKind::kSphereSphere;
  if (a == ShapeType::kSphere && b == ShapeType::kCapsule) return PairKind::kSphereCapsule;
  if (!(a == ShapeType::kCapsule && b == ShapeType::kCapsule)) unsupported();
  return PairKind::kCapsuleCapsule;
}

// MuJoCo's rule: the higher priority decides, otherwise the larger of both.
int condim_of(const HostModel& host, int a, int b) {
  const ModelColumns<Array>& c = host.column;
  const int pa = c.shape_priority[a], pb = c.shape_priority[b];
  const int condim = pa > pb   ? c.shape_condim[a]
                     : pb > pa ? c.shape_condim[b]
                               : std::max(c.shape_condim[a], c.shape_condim[b]);
  if (condim != 1 && condim != 3)
    fail("shapes '", host.name(Entity::kShape, a), "' and '", host.name(Entity::kShape, b), "': condim ", condim,
         " (torsional or rolling friction) is not supported by SolverMuJoCo yet; use 1 or 3");
  return condim;
}

}  // namespace

PairPlan::PairPlan(const HostModel& host, const PairFilter& filter, int world, const ShapeCarriers& carriers) {
  add_shapes(host, world, carriers);
  add_pairs(host, filter, world, carriers);
  const Device device = host.model.device;
  shape_link_ = Array<int>(std::span<const int>(shape_link), device);
  pairs_ = Array<ShapePair>(std::span<const ShapePair>(pairs), device);
  const int hits = 2 * static_cast<int>(pairs.size());
  view = {shape_link_.const_view(), pairs_.const_view(), hits, 0};
}

int PairPlan::row(const HostModel& host, int shape, int world) const {
  return shape <= -2 ? -2 - shape : host.begin(Entity::kShape, world) + shape;
}

// The world's own shapes and the global ones, in the order of the model.
void PairPlan::add_shapes(const HostModel& host, int world, const ShapeCarriers& carriers) {
  const ModelColumns<Array>& c = host.column;
  const int begin = host.begin(Entity::kShape, world), end = begin + host.count(Entity::kShape, world);
  const auto add = [&](int row) {
    const bool own = row >= begin && row < end;
    if ((c.shape_flags[row] & kShapeIsSite) || !(c.shape_flags[row] & kShapeCollidesShapes)) return;
    const int body = c.shape_body[row];
    if (!own && body >= 0) return;  // on a global body: refused where bodies are checked
    shapes.push_back(own ? row - begin : -2 - row);
    shape_link.push_back(body < 0 ? -1 : carriers.body_link[body - host.begin(Entity::kBody, world)]);
  };
  const auto globals = host.global_rows(Entity::kShape);
  for (int row = 0; world >= 0 && row < globals.front_end; ++row) add(row);
  for (int row = begin; row < end; ++row) add(row);
  for (int row = globals.back_begin; world >= 0 && row < host.model.shape_count; ++row) add(row);
}

void PairPlan::add_pairs(const HostModel& host, const PairFilter& filter, int world, const ShapeCarriers& carriers) {
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = i + 1; j < shapes.size(); ++j) {
      const int a = row(host, shapes[i], world), b = row(host, shapes[j], world);
      if (shape_link[i] == shape_link[j]) continue;  // rigidly connected, or both do not move
      if (!filter(a, b)) continue;
      const bool flipped = type_rank(type_of(host, a)) > type_rank(type_of(host, b));
      ShapePair pair{};
      pair.first = static_cast<int>(flipped ? j : i);
      pair.second = static_cast<int>(flipped ? i : j);
      pair.shape0 = shapes[i];
      pair.shape1 = shapes[j];
      pair.flipped = flipped;
      pair.kind = static_cast<int>(kind_of(host, flipped ? b : a, flipped ? a : b));
      pair.condim = condim_of(host, a, b);
      for (int word = 0; word < kDofWords; ++word) {
        const auto moved = [&](int shape) {
          return shape_link[shape] < 0 ? 0 : carriers.moved_by[kDofWords * shape_link[shape] + word];
        };
        const std::uint64_t first = moved(pair.first), second = moved(pair.second);
        pair.moved_by_first[word] = first & ~second;
        pair.moved_by_second[word] = second & ~first;
      }
      for (int dof = 0; dof < 64 * kDofWords; ++dof)
        if ((pair.moved_by_first[dof / 64] | pair.moved_by_second[dof / 64]) >> (dof % 64) & 1)
          pair.blocks |= std::uint64_t{1} << (dof / 3);
      pairs.push_back(pair);
    }
}

void PairPlan::check_numbers(const HostModel& host, int world) const {
  for (const ShapePair& pair : pairs) {
    const int at = row(host, shapes[pair.first], world);  // planes come first in a pair
    const Vec3 scale = host.column.shape_scale[at];
    if (type_of(host, at) == ShapeType::kPlane && (scale.x > 0 || scale.y > 0))
      fail("plane '", host.name(Entity::kShape, at), "' is finite; only infinite planes are supported yet");
  }
}

void PairPlan::write_params(const HostModel& host, int world, const std::vector<Transform>& X_LB,
                            ShapeParams<Real>* out, PairReach<Real>* reaches) const {
  const ModelColumns<Array>& c = host.column;
  std::vector<Real> radius(shapes.size()), margin(shapes.size());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const int at = row(host, shapes[s], world), body = c.shape_body[at];
    Transform X = c.shape_transform[at];
    if (body >= 0) X = X_LB[body - host.begin(Entity::kBody, world)] * X;
    const Vec3 axis = rotate(X.q, Vec3{0, 0, 1}), scale = c.shape_scale[at];
    const Real grown = c.shape_thickness[at];
    const ShapeType type = type_of(host, at);
    // A plane grows by moving along its normal.
    if (type == ShapeType::kPlane) out[s] = {fma(axis, grown, X.p), axis, 0, 0};
    else out[s] = {X.p, axis, scale.x + grown, type == ShapeType::kCapsule ? scale.y : Real(0)};
    radius[s] = out[s].radius + out[s].half_height;
    margin[s] = c.shape_contact_margin[at];
  }
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const int a = pairs[p].first, b = pairs[p].second;
    const Real sum = margin[a] + margin[b];
    reaches[p] = {radius[a] + radius[b] + sum, sum};
  }
}

}  // namespace carom::inline CAROM_PRECISION
