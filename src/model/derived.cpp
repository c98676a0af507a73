#include "model/derived.h"

#include <cstring>
#include <map>
#include <tuple>

#include "model/archetypes.h"
#include "model/kinematics.h"
#include "model/sources.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void derive_inverse_masses(const HostModel& host) {
  const Model& model = host.model;
  const Array<Real>& mass = host.column.body_mass;
  const Array<Mat33>& inertia = host.column.body_inertia;
  const Array<int>& flags = host.column.body_flags;
  Array<Real> inv_mass(model.body_count);
  Array<Mat33> inv_inertia(model.body_count);
  for (int b = 0; b < model.body_count; ++b) {
    if ((flags[b] & kBodyKinematic) || !(mass[b] > 0)) continue;  // stays zero: nothing moves it
    inv_mass[b] = 1 / mass[b];
    inv_inertia[b] = inverse(inertia[b]);
  }
  model.body_inv_mass.assign(inv_mass);
  model.body_inv_inertia.assign(inv_inertia);
}

void derive_inverse_frames(const HostModel& host) {
  Array<Transform> inverses(host.model.joint_count);
  for (int j = 0; j < host.model.joint_count; ++j) inverses[j] = inverse(host.column.joint_X_c[j]);
  host.model.joint_X_c_inv.assign(inverses);
}

// Those that are ready are asleep after the first step. Where some are, MuJoCo counts the beginning as a step of all.
void derive_sleep(const HostModel& host) {
  const Model& model = host.model;
  if (!model.layout->sleeps) return;
  Array<std::int32_t> value(model.body_count);
  const Array<int> joint = model.body_joint.on_cpu(), dof_start = model.joint_qd_start.on_cpu();
  const auto ready = [&](int body) {
    const int root = root_of_moving(host, joint, dof_start, body);
    return root >= 0 && host.column.body_sleep[root] == int(SleepPolicy::kInit);
  };
  bool any = false;
  for (int b = 0; b < model.body_count; ++b) any = any || ready(b);
  for (int b = 0; b < model.body_count; ++b) value[b] = ready(b) ? -1 : kFullyAwake + any;
  model.body_asleep.assign(value);
}

struct Bounds {
  Vec3 lower, upper;
  Real radius;
};

void derive_bounds(const HostModel& host) {
  const Model& model = host.model;
  const Array<int>&type = host.column.shape_type, &source = host.column.shape_source;
  const Array<Vec3>& scale = host.column.shape_scale;
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
  model.shape_collision_aabb_lower.assign(lower);
  model.shape_collision_aabb_upper.assign(upper);
  model.shape_collision_radius.assign(radius);
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

void derive_archetypes(const HostModel& host) {
  const ModelColumns<Array>& c = host.column;
  const auto start = [&](Entity entity) -> const std::vector<int>& {
    return host.model.layout->start[static_cast<int>(entity)];
  };
  std::vector<Archetype> archetypes = find_archetypes(host);
  for (Archetype& archetype : archetypes) {
    const std::vector<int>& worlds = archetype.world_list;
    archetype.shared_kinematics = worlds.front() >= 0 &&
                                  same_in_all_worlds(c.joint_X_p, start(Entity::kJoint), worlds) &&
                                  same_in_all_worlds(c.joint_X_c, start(Entity::kJoint), worlds) &&
                                  same_in_all_worlds(c.joint_axis, start(Entity::kJointDof), worlds) &&
                                  same_in_all_worlds(c.body_com, start(Entity::kBody), worlds);
  }
  host.model.archetypes.replace(std::move(archetypes));
}

}  // namespace

void make_derived_arrays(Model& model) {
  model.body_inv_mass = Array<Real>(model.body_count, model.device);
  model.body_inv_inertia = Array<Mat33>(model.body_count, model.device);
  model.body_asleep = Array<std::int32_t>(model.layout->sleeps ? model.body_count : 0, model.device);
  model.joint_X_c_inv = Array<Transform>(model.joint_count, model.device);
  model.shape_collision_aabb_lower = Array<Vec3>(model.shape_count, model.device);
  model.shape_collision_aabb_upper = Array<Vec3>(model.shape_count, model.device);
  model.shape_collision_radius = Array<Real>(model.shape_count, model.device);
  model.joint_frames = Array<std::uint64_t>(model.joint_count, model.device);
}

void bring_up_to_date(const Model& model) {
  const HostModel host(model);
  derive_inverse_masses(host);
  derive_inverse_frames(host);
  derive_sleep(host);
  derive_bounds(host);
  derive_archetypes(host);
  align_initial_state(model);
  ++model.edits->generation;
}

}  // namespace carom::inline CAROM_PRECISION
