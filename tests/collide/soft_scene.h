// Worlds of particles and shapes at random, and words that the tests of particles share.
#pragma once

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "carom/carom.h"
#include "tests/random.h"

namespace carom::soft_scene {

constexpr Real kTolerance = sizeof(Real) == 8 ? Real(2e-14) : Real(3e-6);

using Ints = std::vector<int>;
using IndexPair = std::pair<int, int>;
using Pairs = std::vector<IndexPair>;

inline Ints values(const Array<int>& array) { return Ints(array.begin(), array.end()); }

// World (globals last), particle, shape or second particle.
using SoftKey = std::tuple<int, int, int>;

inline std::shared_ptr<const Mesh> box_mesh() {
  return std::make_shared<const Mesh>(make_box_mesh(Real(0.1), Real(0.2), Real(0.3)));
}

// z = 3/4 x over [-1, 1] x [-2, 2].
inline std::shared_ptr<const Heightfield> slope() {
  const Real h = Real(0.75);
  return std::make_shared<const Heightfield>(std::vector<Real>{-h, 0, h, -h, 0, h}, 2, 3, Real(1), Real(2));
}

inline Vec3 vec(double x, double y, double z) { return {Real(x), Real(y), Real(z)}; }

inline Vec3 random_vec(FixedRandom& random, Real size) {
  const Real x = random.next(), y = random.next(), z = random.next();
  return Vec3{x, y, z} * size;
}

inline Real random_between(FixedRandom& random, double low, double high) { return Real(random.uniform(low, high)); }

struct Sources {
  std::shared_ptr<const Mesh> mesh = box_mesh();
  std::shared_ptr<const Mesh> open = std::make_shared<const Mesh>(
      std::vector<Vec3>{{-1, -1, 0}, {1, -1, 0}, {0, 1, Real(0.5)}, {0, 0, -1}}, Ints{0, 1, 2, 0, 3, 1});
  std::shared_ptr<const Heightfield> heightfield = slope();
  std::shared_ptr<const SDF> sdf = std::make_shared<const SDF>(sdf_from_mesh(*box_mesh(), Real(0.05), Real(0.1)));
};

inline void add_random_shape(ModelBuilder& b, FixedRandom& random, const Sources& sources) {
  const ShapeConfig cfg{.density = 0,
                        .thickness = random_between(random, 0, 0.02),
                        .contact_margin = random_between(random, 0, 0.1),
                        .collision_group = random.below(6) - 2,
                        .has_particle_collision = !random.one_in(8)};
  const Transform X{random_vec(random, 1),
                    normalize(Quat{random.next(), random.next(), random.next(), Real(1.1) + random.next()})};
  const int body = random.one_in(2) ? b.add_body({.xform = X}) : -1;
  const ShapeArgs args{.xform = body < 0 ? X : Transform{random_vec(random, Real(0.3)), {}}, .cfg = cfg};
  const Vec3 size{random_between(random, 0.05, 0.4), random_between(random, 0.05, 0.4),
                  random_between(random, 0.05, 0.4)};
  switch (random.below(14)) {
    case 0: b.add_shape_plane(body, 0, 0, args); break;
    case 1: b.add_shape_plane(body, 3, 4, args); break;
    case 2: b.add_shape_plane(body, 0, 1, args); break;
    case 3: b.add_shape_sphere(body, size.x, args); break;
    case 4: b.add_shape_capsule(body, size.x, size.y, args); break;
    case 5: b.add_shape_ellipsoid(body, size.x, size.y, size.z, args); break;
    case 6: b.add_shape_cylinder(body, size.x, size.y, args); break;
    case 7: b.add_shape_box(body, size.x, size.y, size.z, args); break;
    case 8: b.add_shape_cone(body, size.x, size.y, args); break;
    case 9: b.add_shape_mesh(body, sources.mesh, size * Real(3), args); break;
    case 10: b.add_shape_mesh(body, sources.open, size, args); break;
    case 11: b.add_shape_convex_hull(body, sources.mesh, size * Real(3), args); break;
    case 12: b.add_shape_heightfield(sources.heightfield, {2, 2, 1}, {.xform = X, .cfg = cfg}); break;
    default: b.add_shape_sdf(body, sources.sdf, {2, 2, 2}, args); break;
  }
}

// Ragged worlds with globals before and behind them; groups and flags of all kinds.
inline ModelBuilder random_builder(std::uint64_t seed, int worlds, int shapes, int particles) {
  SeededRandom random(seed);
  const Sources sources;
  ModelBuilder builder;
  const auto add = [&](int shape_count, int particle_count) {
    for (int i = 0; i < shape_count; ++i) add_random_shape(builder, random, sources);
    for (int i = 0; i < particle_count; ++i) {
      const Vec3 p = random_vec(random, Real(1.5));
      const Real radius = random_between(random, 0, 0.1);
      const int flags = random.one_in(10) ? 0 : kParticleActive;
      builder.add_particle(p, {}, 1, radius, flags, "", random.below(6) - 2);
    }
  };
  add(3, particles / 8);
  for (int w = 0; w < worlds; ++w) {
    builder.begin_world();
    const int shape_count = w == 0 ? shapes : random.below(shapes + 1);
    add(shape_count, w == 0 ? particles : random.below(particles + 1));
    builder.end_world();
  }
  add(3, particles / 8);
  return builder;
}

inline Model random_scene(std::uint64_t seed, int worlds, int shapes, int particles) {
  return random_builder(seed, worlds, shapes, particles).finalize();
}

}  // namespace carom::soft_scene
