// Penetration of two hulls by libccd, in double. Minkowski portal refinement finds some depth, which may be greater
// than the least; its EPA stops early, at one that may be less.
#include "bench/pairs/contender.h"

#if defined(CAROM_HAS_CCD)

#include <ccd/ccd.h>

#include <memory>

#endif

namespace carom::inline CAROM_PRECISION {

#if defined(CAROM_HAS_CCD)

namespace {

struct PlacedHull {
  std::span<const ccd_vec3_t> vertex;
  double R[3][3];
  ccd_vec3_t p;
};

PlacedHull placed(std::span<const ccd_vec3_t> vertex, const Transform& X) {
  const Mat33 R = mat33_from_quat(X.q);
  PlacedHull hull{vertex, {}, {{X.p.x, X.p.y, X.p.z}}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) hull.R[i][j] = R[i][j];
  }
  return hull;
}

void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const PlacedHull& hull = *static_cast<const PlacedHull*>(object);
  double d[3];
  for (int j = 0; j < 3; ++j) {
    d[j] = hull.R[0][j] * direction->v[0] + hull.R[1][j] * direction->v[1] + hull.R[2][j] * direction->v[2];
  }
  const ccd_vec3_t* best = nullptr;
  double most = -1e300;
  for (const ccd_vec3_t& vertex : hull.vertex) {
    const double along = vertex.v[0] * d[0] + vertex.v[1] * d[1] + vertex.v[2] * d[2];
    if (along > most) most = along, best = &vertex;
  }
  for (int i = 0; i < 3; ++i) {
    const double* row = hull.R[i];
    point->v[i] = row[0] * best->v[0] + row[1] * best->v[1] + row[2] * best->v[2] + hull.p.v[i];
  }
}

void center(const void* object, ccd_vec3_t* point) { *point = static_cast<const PlacedHull*>(object)->p; }

struct CcdCase {
  std::vector<ccd_vec3_t> vertex_a, vertex_b;
  std::vector<PlacedHull> a, b;
  ccd_t settings;
};

using Penetration = int (*)(const void*, const void*, const ccd_t*, ccd_real_t*, ccd_vec3_t*, ccd_vec3_t*);

void sweep(const CcdCase& c, Penetration penetration, std::span<double> distance) {
  for (std::size_t i = 0; i < distance.size(); ++i) {
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    const bool found = penetration(&c.a[i], &c.b[i], &c.settings, &depth, &direction, &position) == 0;
    distance[i] = found ? -depth : 0;
  }
}

std::vector<ccd_vec3_t> to_ccd(const Mesh& mesh) {
  std::vector<ccd_vec3_t> vertices;
  for (const Vec3 v : mesh.vertices) vertices.push_back({{v.x, v.y, v.z}});
  return vertices;
}

}  // namespace

std::vector<PairContender> ccd_contenders(const PairCase& problem) {
  if (!problem.a.mesh || !problem.b.mesh || problem.question != PairQuestion::kDepth) return {};
  const auto c = std::make_shared<CcdCase>();
  c->vertex_a = to_ccd(*problem.a.mesh);
  c->vertex_b = to_ccd(*problem.b.mesh);
  for (const PairPose& pose : problem.pose) {
    c->a.push_back(placed(c->vertex_a, pose.X_WA));
    c->b.push_back(placed(c->vertex_b, pose.X_WB));
  }
  CCD_INIT(&c->settings);
  c->settings.support1 = c->settings.support2 = support;
  c->settings.center1 = c->settings.center2 = center;
  c->settings.max_iterations = 500;
  return {{"libccd MPR", [c](std::span<double> distance) { sweep(*c, ccdMPRPenetration, distance); }, true},
          {"libccd EPA", [c](std::span<double> distance) { sweep(*c, ccdGJKPenetration, distance); }, true}};
}

#else

std::vector<PairContender> ccd_contenders(const PairCase&) { return {}; }

#endif

}  // namespace carom::inline CAROM_PRECISION
