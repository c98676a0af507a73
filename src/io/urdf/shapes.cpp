// Collisions and visuals as shapes, and which of them never touch.
//
// Colliding meshes are their convex hulls. Shapes of links that fixed joints hold together do not touch each other, nor
// those of the links that hang on these by other joints; what stands still does not touch what stands still.
#include "io/urdf/import.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const char* element_of(UrdfGeometry geometry) {
  constexpr const char* kElements[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
  return kElements[static_cast<int>(geometry)];
}

void add_urdf_shape(UrdfImport& in, int link, const UrdfShape& shape, const ShapeConfig& cfg) {
  const UrdfPlacement& place = in.placed(link);
  in.now(shape.place, element_of(shape.geometry));
  const bool is_mesh = shape.geometry == UrdfGeometry::kMesh;
  const std::shared_ptr<const Mesh> mesh = is_mesh ? in.meshes.mesh_of(shape) : nullptr;
  if (is_mesh && !mesh) return;  // a visual whose file is not there
  const ShapeArgs args{to_real(place.X_BL * shape.X_LS), cfg, free_key(in.shape_keys, shape.name)};
  const Vec3 size = to_real(shape.size), half = to_real(shape.size * 0.5);
  switch (shape.geometry) {
    case UrdfGeometry::kBox: in.builder.add_shape_box(place.body, half.x, half.y, half.z, args); break;
    case UrdfGeometry::kSphere: in.builder.add_shape_sphere(place.body, size.x, args); break;
    case UrdfGeometry::kCylinder: in.builder.add_shape_cylinder(place.body, size.x, half.y, args); break;
    case UrdfGeometry::kCapsule: in.builder.add_shape_capsule(place.body, size.x, half.y, args); break;
    case UrdfGeometry::kMesh:
      if (cfg.has_shape_collision) in.builder.add_shape_convex_hull(place.body, mesh, {1, 1, 1}, args);
      else in.builder.add_shape_mesh(place.body, mesh, {1, 1, 1}, args);
  }
}

// By link: the first of those that fixed joints hold together with it. The world holds nothing.
struct UrdfGroups {
  std::vector<int> of, parent;  // parent: the group that a group hangs on, -1: the world
  std::vector<char> moves;
};

UrdfGroups groups_of(const UrdfImport& in) {
  const std::size_t count = in.spec.links.size();
  UrdfGroups groups{std::vector<int>(count), std::vector<int>(count, -1), std::vector<char>(count)};
  for (const int link : in.spec.order) {
    const auto l = static_cast<std::size_t>(link);
    const UrdfMotion& motion = in.moved(link);
    groups.of[l] = link;
    if (link == in.world) continue;
    const bool fixed = motion.type == UrdfJointType::kFixed;
    const int around = motion.parent < 0 ? -1 : groups.of[static_cast<std::size_t>(motion.parent)];
    groups.moves[l] = !fixed || (around >= 0 && groups.moves[static_cast<std::size_t>(around)]);
    if (fixed && around >= 0) groups.of[l] = around;
    else groups.parent[l] = around;
  }
  return groups;
}

}  // namespace

void add_urdf_shapes(UrdfImport& in) {
  for (const int i : in.spec.order) {
    const UrdfLink& link = in.link(i);
    const bool seen = in.args.parse_visuals_as_colliders;
    ShapeConfig cfg = in.builder.default_shape_cfg;
    if (!in.weighs_shapes(i)) cfg.density = 0;
    if (!seen && !in.args.hide_visuals && !link.visuals.empty()) cfg.is_visible = false;
    for (const UrdfShape& shape : seen ? link.visuals : link.collisions) {
      add_urdf_shape(in, i, shape, cfg);
      in.colliders.push_back({in.builder.count(Entity::kShape) - 1, i});
    }
    if (seen) continue;
    cfg.density = 0;
    cfg.has_shape_collision = cfg.has_particle_collision = false;
    cfg.is_visible = !in.args.hide_visuals;
    for (const UrdfShape& shape : link.visuals) add_urdf_shape(in, i, shape, cfg);
  }
}

void add_urdf_filters(UrdfImport& in) {
  constexpr std::size_t kMostColliders = 1 << 16;  // every pair is looked at
  if (in.colliders.size() > kMostColliders)
    fail(*in.spec.file, ": ", in.colliders.size(), " shapes collide, more than ", kMostColliders);
  const UrdfGroups groups = groups_of(in);
  const bool parents = in.builder.default_shape_cfg.collision_filter_parent;
  const auto joined = [&](int a, int b) {  // what the builder itself keeps apart
    const UrdfMotion &first = in.moved(a), &second = in.moved(b);
    const int body_a = in.placed(a).body, body_b = in.placed(b).body;
    const auto hangs_on = [&](const UrdfMotion& motion, int body) {
      return motion.parent >= 0 && in.placed(motion.parent).body == body;
    };
    return body_a == body_b || (parents && (hangs_on(first, body_b) || hangs_on(second, body_a)));
  };
  const auto filtered = [&](int a, int b) {
    const int A = groups.of[static_cast<std::size_t>(a)], B = groups.of[static_cast<std::size_t>(b)];
    const bool move_a = groups.moves[static_cast<std::size_t>(A)], move_b = groups.moves[static_cast<std::size_t>(B)];
    if (A == B || (!move_a && !move_b) || (move_a && move_b && !in.args.enable_self_collisions)) return true;
    if (A == in.world || B == in.world || !parents) return false;
    return groups.parent[static_cast<std::size_t>(A)] == B || groups.parent[static_cast<std::size_t>(B)] == A;
  };
  for (std::size_t i = 0; i < in.colliders.size(); ++i)
    for (std::size_t k = i + 1; k < in.colliders.size(); ++k) {
      const auto [shape_a, a] = in.colliders[i];
      const auto [shape_b, b] = in.colliders[k];
      if (a != b && filtered(a, b) && !joined(a, b)) in.builder.add_shape_collision_filter_pair(shape_a, shape_b);
    }
}

}  // namespace carom::inline CAROM_PRECISION
