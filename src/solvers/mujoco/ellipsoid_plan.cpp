#include "solvers/mujoco/ellipsoid_plan.h"

#include <algorithm>
#include <map>

#include "model/sources.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::map<int, std::vector<int>> ellipsoids_by_body(const HostModel& host) {
  std::map<int, std::vector<int>> result;
  const ModelOptions& options = host.model.options;
  if (!(options.density > 0 || options.viscosity > 0)) return result;
  for (int s = 0; s < host.model.shape_count; ++s)
    if (host.column.shape_fluid_ellipsoid[s] && host.column.shape_body[s] >= 0)
      result[host.column.shape_body[s]].push_back(s);
  return result;
}

// Of each source of shapes.
std::vector<Vec3> extents(const HostModel& host) {
  std::vector<Vec3> result;
  for (const ShapeSource& source : host.model.shape_sources) {
    result.emplace_back();
    if (const Mesh* const mesh = mesh_of(source))
      for (const Vec3& v : mesh->vertices) result.back() = max(result.back(), abs(v));
  }
  return result;
}

}  // namespace

EllipsoidPlan::EllipsoidPlan(const HostModel& host, const PartArchetype& archetype, const TreePlan& tree,
                             const Array<int>& bodies) {
  const std::map<int, std::vector<int>> by_body = ellipsoids_by_body(host);
  if (by_body.empty()) return;
  const Array<int> listed = bodies.on_cpu();
  const auto shapes_of = [&](const PartRows& part, int b) {
    const auto found = by_body.find(part.body(b, listed.data()));
    return found == by_body.end() ? std::span<const int>() : std::span<const int>(found->second);
  };
  std::vector<int> body, link;
  std::vector<std::size_t> number;  // among those of its body
  for (int b = 0; b < static_cast<int>(tree.body_link.size()); ++b) {
    std::size_t most = 0;
    for (const PartRows& part : archetype.parts) most = std::max(most, shapes_of(part, b).size());
    for (std::size_t k = 0; tree.body_link[b] >= 0 && k < most; ++k) {
      body.push_back(b);
      link.push_back(tree.body_link[b]);
      number.push_back(k);
    }
  }
  const std::vector<Vec3> extent = extents(host);
  std::vector<EllipsoidSource> sources;
  for (const PartRows& part : archetype.parts)
    for (std::size_t e = 0; e < body.size(); ++e) {
      const std::span<const int> shapes = shapes_of(part, body[e]);
      const int shape = number[e] < shapes.size() ? shapes[number[e]] : -1;
      const int source = shape < 0 ? -1 : host.column.shape_source[shape];
      sources.push_back({shape, source < 0 ? Vec3{} : extent[source]});
    }
  body_ = Array<int>(std::span<const int>(body), host.model.device);
  link_ = Array<int>(std::span<const int>(link), host.model.device);
  source_ = Array<EllipsoidSource>(std::span<const EllipsoidSource>(sources), host.model.device);
}

bool is_of_ellipsoids(std::string_view column) {
  return column == "shape_transform" || column == "shape_scale" || column == "shape_fluid_coef";
}

}  // namespace carom::inline CAROM_PRECISION
