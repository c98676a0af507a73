// Rays in all worlds at once: the first shape that each of them meets, on the CPU or a GPU.
//
// A ray meets the first surface on its way, from whichever side it comes: the near side of a solid, or the far side
// when it begins inside. Planes are met from above alone. Shapes count without their thickness. A world's rays meet its
// shapes and the global ones. These rules, and the normals, are those of MuJoCo's mj_ray (docs/raycasts.md).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

constexpr int kFixedShapes = -2;  // of Rays::exclude_body

// Equally many rays in each world, world by world, on the model's device. A model without worlds has those of one.
struct Rays {
  Array<Vec3> origin;     // [m], in the frame of the body that carries the ray, or of the world
  Array<Vec3> direction;  // likewise, of any length but zero
  Array<int> body;        // that carries it, of its world or global, -1 = none; empty: none carries any
  // Whose shapes it passes through, -1 = none, kFixedShapes: those without a body; empty: the one that carries it
  Array<int> exclude_body;
};

// Rays in the frame of a site each, or of another shape, as rays that the body of the site carries. All have as many
// entries as there are rays; throws Error for a shape that does not exist.
Rays rays_at_sites(const Model& model, const std::vector<int>& site, const std::vector<Vec3>& origin,
                   const std::vector<Vec3>& direction);

struct RayHits {
  Array<Real> distance;  // from the origin to the surface [m], -1: the ray meets nothing
  Array<int> shape;      // that it meets, -1 = none
  Array<Vec3> normal;    // of the surface, unit, outwards, world frame; zero where nothing is met
};

struct RayCasterConfig {
  std::optional<std::vector<int>> shapes = {};  // that rays can meet; not set: all but sites
  bool include_static = true;  // among them those that never move: without a body, or on one welded there
};

class RayCaster {
 public:
  // The queue runs what cast() sends; that of the model's device by default.
  explicit RayCaster(const Model& model, const RayCasterConfig& config = {}, const Queue* queue = nullptr);

  // What each ray meets within max_distance [m], where state.body_q has put the shapes. The arrays belong to the
  // caster: the next call writes over them. Throws Error for a direction without length, numbers that are not finite,
  // and bodies that do not exist or are of another world. On a GPU these are not looked for: such rays meet nothing.
  // Without with_normals those of RayHits are empty.
  const RayHits& cast(const State& state, const Rays& rays, Real max_distance = kUnbounded, bool with_normals = true);

  // cast() in parts, for those who send launches alone. prepare() notices edits of the model and makes room for so many
  // rays; it returns where send() will write. send() does nothing but launch: the sides of the state are in line, and
  // rays that cannot be cast meet nothing.
  const RayHits& prepare(std::int64_t rays, bool with_normals = true);
  void send(const State& state, const Rays& rays, Real max_distance = kUnbounded) const;

  const RayCasterConfig& config() const;
  const Model& model() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

// The same once: a caster that is made for one call.
RayHits cast_rays(const Model& model, const State& state, const Rays& rays, Real max_distance = kUnbounded,
                  const RayCasterConfig& config = {});

// How a spinning lidar looks about: x is ahead, z is up.
struct LidarConfig {
  int channels = 16;          // rays above each other, evenly from the lowest to the highest
  int horizontal_steps = 64;  // rays beside each other, from right to left
  Real lowest = Real(-0.2617993877991494);
  Real highest = Real(0.2617993877991494);        // of the channels, above the horizon [rad]
  Real horizontal_fov = Real(6.283185307179586);  // [rad]; a full turn begins behind and has no ray twice
};
// Unit directions in the order of firing: all channels, from the lowest on, then those of the next step. Throws Error
// for counts that are not positive and angles out of range.
std::vector<Vec3> lidar_pattern(const LidarConfig& config = {});

}  // namespace carom::inline CAROM_PRECISION
