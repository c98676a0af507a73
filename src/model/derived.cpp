// What a Model works out from its columns: inverse masses, bounds of shapes, which archetypes move alike, and the poses
// of the initial state.
#include <cstring>
#include <map>
#include <tuple>

#include "carom/model.h"
#include "model/kinematics.h"
#include "model/sources.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void derive_inverse_masses(Model& model) {
  const Array<Real> mass = model.body_mass.on_cpu();
  const Array<Mat33> inertia = model.body_inertia.on_cpu();
  const Array<int> flags = model.body_flags.on_cpu();
  Array<Real> inv_mass(model.body_count);
  Array<Mat33> inv_inertia(model.body_count);
  for (int b = 0; b < model.body_count; ++b) {
    if ((flags[b] & kBodyKinematic) || !(mass[b] > 0)) continue;  // stays zero: nothing moves it
    inv_mass[b] = 1 / mass[b];
    inv_inertia[b] = inverse(inertia[b]);
  }
  model.body_inv_mass = inv_mass.to(model.device);
  model.body_inv_inertia = inv_inertia.to(model.device);
}

void derive_inverse_frames(Model& model) {
  const Array<Transform> X_c = model.joint_X_c.on_cpu();
  Array<Transform> inverses(model.joint_count);
  for (int j = 0; j < model.joint_count; ++j) inverses[j] = inverse(X_c[j]);
  model.joint_X_c_inv = inverses.to(model.device);
}

struct Bounds {
  Vec3 lower, upper;
  Real radius;
};

void derive_bounds(Model& model) {
  const Array<int> type = model.shape_type.on_cpu(), source = model.shape_source.on_cpu();
  const Array<Vec3> scale = model.shape_scale.on_cpu();
  Array<Vec3> lower(model.shape_count), upper(model.shape_count);
  Array<Real> radius(model.shape_count);
  // Copies of a shape in thousands of worlds are measured once: a mesh is not cheap to walk through.
  std::map<std::tuple<int, int, Real, Real, Real>, Bounds> measured;
  for (int s = 0; s < model.shape_count; ++s) {
    const auto [place, is_new] = measured.try_emplace({type[s], source[s], scale[s].x, scale[s].y, scale[s].z});
    Bounds& bounds = place->second;
    if (is_new) {
      static const ShapeSource kNone;
      const ShapeSource& held = source[s] < 0 ? kNone : model.shape_sources[source[s]];
      const ShapeType shape_type = static_cast<ShapeType>(type[s]);
      shape_local_bounds(shape_type, scale[s], mesh_of(held), heightfield_of(held), sdf_of(held), bounds.lower,
                         bounds.upper);
      bounds.radius = shape_bounding_radius(shape_type, scale[s], mesh_of(held), heightfield_of(held), sdf_of(held));
    }
    lower[s] = bounds.lower;
    upper[s] = bounds.upper;
    radius[s] = bounds.radius;
  }
  model.shape_collision_aabb_lower = lower.to(model.device);
  model.shape_collision_aabb_upper = upper.to(model.device);
  model.shape_collision_radius = radius.to(model.device);
}

// True when the rows of all the worlds hold the same bits as those of the first one.
template <class T>
bool same_in_all_worlds(const Array<T>& column, const std::vector<int>& start, const std::vector<int>& worlds) {
  const int first = start[worlds.front()];
  const std::size_t bytes = (start[worlds.front() + 1] - first) * sizeof(T);
  if (bytes == 0) return true;
  for (const int world : worlds)
    if (std::memcmp(column.data() + start[world], column.data() + first, bytes) != 0) return false;
  return true;
}

void derive_shared_kinematics(Model& model) {
  const Array<Transform> X_p = model.joint_X_p.on_cpu(), X_c = model.joint_X_c.on_cpu();
  const Array<Vec3> axis = model.joint_axis.on_cpu(), com = model.body_com.on_cpu();
  const auto start = [&](Entity entity) -> const std::vector<int>& {
    return model.layout->start[static_cast<int>(entity)];
  };
  for (Archetype& archetype : model.archetypes) {
    const std::vector<int>& worlds = archetype.world_list;
    archetype.shared_kinematics = worlds.front() >= 0 && same_in_all_worlds(X_p, start(Entity::kJoint), worlds) &&
                                  same_in_all_worlds(X_c, start(Entity::kJoint), worlds) &&
                                  same_in_all_worlds(axis, start(Entity::kJointDof), worlds) &&
                                  same_in_all_worlds(com, start(Entity::kBody), worlds);
  }
}

}  // namespace

void Model::refresh() {
  derive_inverse_masses(*this);
  derive_inverse_frames(*this);
  derive_bounds(*this);
  derive_shared_kinematics(*this);
  align_initial_state(*this);
}

}  // namespace carom::inline CAROM_PRECISION
