// Worlds with shapes of every type in random poses, near enough to each other to touch.
#pragma once

#include <memory>

#include "carom/carom.h"
#include "tests/random.h"

namespace carom::mixed_scene {

// Adds one shape of a random type; planes and heightfields stand in the world, others on a body of their own.
class ShapeMaker {
 public:
  explicit ShapeMaker(unsigned seed) : random_(seed) {
    box_ = std::make_shared<Mesh>(make_box_mesh(Real(0.3), Real(0.2), Real(0.4)));
    ball_ = std::make_shared<Mesh>(make_sphere_mesh(Real(0.4), 1));
    sdf_ = std::make_shared<SDF>(sdf_from_mesh(*box_, Real(0.1), Real(0.2)));
    std::vector<Real> heights(36);
    for (Real& h : heights) h = uniform(-0.1, 0.1);
    field_ = std::make_shared<Heightfield>(heights, 6, 6, Real(2), Real(2));
  }

  Real uniform(double low, double high) { return Real(random_.uniform(low, high)); }
  Transform pose(Real spread) {
    const Vec3 p{uniform(-spread, spread), uniform(-spread, spread), uniform(-spread, spread)};
    return {p, normalize(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)})};
  }
  int add(ModelBuilder& builder, Real spread, bool fields) {
    const Transform X = pose(spread);
    const ShapeConfig cfg{.thickness = uniform(0, 0.01), .contact_margin = uniform(0, 0.05)};
    const int kind = random_.below(fields ? 11 : 8);
    if (kind == 8) return builder.add_shape_plane(-1, 0, 0, {.xform = {{0, 0, -spread}, {}}, .cfg = cfg});
    if (kind == 9)
      return builder.add_shape_heightfield(field_, {1, 1, 1}, {.xform = {{0, 0, -spread}, {}}, .cfg = cfg});
    const int body = builder.add_body({.xform = X});
    const ShapeArgs args{.xform = pose(Real(0.1)), .cfg = cfg};
    const Real size = uniform(0.2, 0.4);
    switch (kind) {
      case 0: return builder.add_shape_sphere(body, size, args);
      case 1: return builder.add_shape_capsule(body, size / 2, size, args);
      case 2: return builder.add_shape_ellipsoid(body, size, size / 2, size * Real(0.7), args);
      case 3: return builder.add_shape_cylinder(body, size, size / 2, args);
      case 4: return builder.add_shape_box(body, size, size / 2, size * Real(0.7), args);
      case 5: return builder.add_shape_cone(body, size, size, args);
      case 6: return builder.add_shape_convex_hull(body, ball_, {1, Real(0.7), Real(0.5)}, args);
      case 7: return builder.add_shape_mesh(body, box_, {1, 1, 1}, args);
      default: return builder.add_shape_sdf(body, sdf_, {1, 1, 1}, args);
    }
  }

 private:
  SeededRandom random_;
  std::shared_ptr<const Mesh> box_, ball_;
  std::shared_ptr<const SDF> sdf_;
  std::shared_ptr<const Heightfield> field_;
};

inline ModelBuilder make(unsigned seed, int worlds, int shapes) {
  ShapeMaker maker(seed);
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) maker.add(builder, 1, true);
  for (int w = 0; w < worlds; ++w) {
    builder.begin_world();
    const int count = 1 + int(maker.uniform(0, shapes));
    for (int i = 0; i < count; ++i) maker.add(builder, 1, true);
    builder.end_world();
  }
  for (int i = 0; i < 2; ++i) maker.add(builder, 1, true);
  return builder;
}

}  // namespace carom::mixed_scene
