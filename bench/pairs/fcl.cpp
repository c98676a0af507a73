// FCL's functions for pairs, in double, without the dispatch and the results of fcl::collide(): its default solver,
// which calls libccd's MPR for hulls, and the closed forms it has for spheres, capsules and half spaces. Its other
// solver (GJKSolver_indep) is slower for hulls, and its depths are wrong in nine pairs of ten.
#include "bench/pairs/contender.h"

#if defined(CAROM_HAS_FCL)

#include <fcl/config.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>

#include <algorithm>
#include <memory>

#endif

namespace carom::inline CAROM_PRECISION {

#if defined(CAROM_HAS_FCL)

namespace {

using Solver = fcl::detail::GJKSolver_libccd<double>;
using fcl::Capsuled;
using fcl::Convexd;
using fcl::Halfspaced;
using fcl::Sphered;

struct FclPose {
  fcl::Transform3d a, b;
};
using FclPoses = std::vector<FclPose, Eigen::aligned_allocator<FclPose>>;

fcl::Transform3d to_fcl(const Transform& X) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = fcl::Quaterniond(X.q.w, X.q.x, X.q.y, X.q.z).toRotationMatrix();
  result.translation() = fcl::Vector3d(X.p.x, X.p.y, X.p.z);
  return result;
}

std::shared_ptr<Convexd> to_fcl(const Mesh& mesh) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3 v : mesh.vertices) vertices->emplace_back(v.x, v.y, v.z);
  auto faces = std::make_shared<std::vector<int>>();
  for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
    if (i % 3 == 0) faces->push_back(3);
    faces->push_back(mesh.indices[i]);
  }
  return std::make_shared<Convexd>(vertices, mesh.triangle_count(), faces);
}

// Both shapes in all poses.
template <class A, class B>
auto sweep(std::shared_ptr<A> a, std::shared_ptr<B> b, std::shared_ptr<const FclPoses> poses) {
  return [=, contacts = std::vector<fcl::ContactPointd>()](std::span<double> distance) mutable {
    const Solver solver;
    for (std::size_t i = 0; i < distance.size(); ++i) {
      const FclPose& pose = (*poses)[i];
      contacts.clear();
      const bool found = solver.shapeIntersect(*a, pose.a, *b, pose.b, &contacts);
      double depth = 0;
      for (const fcl::ContactPointd& contact : contacts) depth = std::max(depth, contact.penetration_depth);
      distance[i] = found ? -depth : 0;
    }
  };
}

// For two capsules FCL has a closed form of the distance alone.
auto sweep_capsules(Capsuled a, Capsuled b, std::shared_ptr<const FclPoses> poses) {
  return [=](std::span<double> distance) {
    const Solver solver;
    for (std::size_t i = 0; i < distance.size(); ++i) {
      const FclPose& pose = (*poses)[i];
      fcl::Vector3d point_a, point_b;
      solver.shapeDistance(a, pose.a, b, pose.b, &distance[i], &point_a, &point_b);
    }
  };
}

std::function<void(std::span<double>)> closed_form(const PairCase& problem, std::shared_ptr<const FclPoses> poses) {
  const auto capsule = [](const PairShape& shape) {
    return std::make_shared<Capsuled>(shape.scale.x, 2 * shape.scale.y);
  };
  const auto sphere = [](const PairShape& shape) { return std::make_shared<Sphered>(shape.scale.x); };
  const PairShape &a = problem.a, &b = problem.b;
  const bool sphere_b = b.type == ShapeType::kSphere;
  if (a.type == ShapeType::kPlane) {
    const auto plane = std::make_shared<Halfspaced>(fcl::Vector3d::UnitZ(), 0.0);
    if (sphere_b) return sweep(plane, sphere(b), poses);
    return sweep(plane, capsule(b), poses);
  }
  if (a.type == ShapeType::kSphere) {
    if (sphere_b) return sweep(sphere(a), sphere(b), poses);
    return sweep(sphere(a), capsule(b), poses);
  }
  return sweep_capsules(*capsule(a), *capsule(b), poses);
}

bool has_closed_form(ShapeType type) {
  return type == ShapeType::kPlane || type == ShapeType::kSphere || type == ShapeType::kCapsule;
}

}  // namespace

std::vector<PairContender> fcl_contenders(const PairCase& problem) {
  const bool hulls = problem.a.mesh && problem.b.mesh && problem.question == PairQuestion::kDepth;
  if (!hulls && !(has_closed_form(problem.a.type) && has_closed_form(problem.b.type))) return {};
  FclPoses converted;
  for (const PairPose& pose : problem.pose) converted.push_back({to_fcl(pose.X_WA), to_fcl(pose.X_WB)});
  const auto poses = std::make_shared<const FclPoses>(std::move(converted));
  const std::string name = "FCL " FCL_VERSION;
  if (!hulls) return {{name, closed_form(problem, poses)}};
  const auto a = to_fcl(*problem.a.mesh), b = to_fcl(*problem.b.mesh);
  return {{name, sweep(a, b, poses), true}};
}

#else

std::vector<PairContender> fcl_contenders(const PairCase&) { return {}; }

#endif

}  // namespace carom::inline CAROM_PRECISION
