// ModelBuilder: shapes, sites and collision filter pairs.
#include "carom/builder.h"
#include "model/checks.h"
#include "model/entities.h"
#include "model/sources.h"
#include "model/up_axis.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::string describe_new(ShapeType type, int index, const std::string& key) {
  const std::string who = text(shape_type_name(type), " shape ", index);
  return key.empty() ? who : text(who, " '", key, "'");
}

void check_config(const std::string& who, const ShapeConfig& cfg) {
  const std::pair<const char*, Real> sizes[] = {{"density", cfg.density},
                                                {"ke", cfg.ke},
                                                {"kd", cfg.kd},
                                                {"kf", cfg.kf},
                                                {"ka", cfg.ka},
                                                {"mu", cfg.mu},
                                                {"restitution", cfg.restitution},
                                                {"torsional_friction", cfg.torsional_friction},
                                                {"rolling_friction", cfg.rolling_friction},
                                                {"thickness", cfg.thickness},
                                                {"solmix", cfg.solmix}};
  for (const auto& [name, value] : sizes) check_not_negative(who, name, value);
  if (cfg.restitution > 1) fail(who, ": restitution must be at most 1, is ", cfg.restitution);
  if (cfg.contact_margin == cfg.contact_margin) check_not_negative(who, "contact_margin", cfg.contact_margin);
  if (cfg.gap == cfg.gap) check_not_negative(who, "gap", cfg.gap);
  if (!is_condim(cfg.condim)) fail(who, ": condim must be 1, 3, 4 or 6, is ", cfg.condim);
  check_finite(who, "solref", cfg.solref);
  check_finite(who, "solimp", cfg.solimp);
  check_finite(who, "adhesion", cfg.adhesion);
  check_finite(who, "surface_velocity", cfg.surface_velocity);
  check_finite(who, "fluid_coef", cfg.fluid_coef);
}

int flags_of(const ShapeConfig& cfg) {
  return (cfg.is_visible ? kShapeVisible : 0) | (cfg.has_shape_collision ? kShapeCollidesShapes : 0) |
         (cfg.has_particle_collision ? kShapeCollidesParticles : 0) |
         (cfg.collision_filter_parent ? kShapeFilterParent : 0);
}

}  // namespace

int ModelBuilder::intern_source(const ShapeSource& source) {
  if (std::holds_alternative<std::monostate>(source)) return -1;
  for (std::size_t i = 0; i < data_.shape_sources.size(); ++i)
    if (data_.shape_sources[i] == source) return static_cast<int>(i);
  data_.shape_sources.push_back(source);
  return static_cast<int>(data_.shape_sources.size()) - 1;
}

int ModelBuilder::add_shape(int body, ShapeType type, Vec3 scale, const ShapeArgs& args, const ShapeSource& source) {
  const ShapeConfig cfg = args.cfg.value_or(default_shape_cfg);
  const std::string who = describe_new(type, count(Entity::kShape), args.key);
  check_room(Entity::kShape, 1);
  check_body(body, who);
  check_config(who, cfg);
  if (cfg.fluid_ellipsoid && !can_be_ellipsoid(type))
    fail(who, ": a fluid cannot push it as an ellipsoid; set fluid_ellipsoid to false");
  const Transform xform = check_transform(who, "xform", args.xform);

  // Mass is worked out before anything is stored: a shape that has none to give throws here.
  const bool adds_mass = body >= 0 && cfg.density > 0 && !body_locked_[body];
  Inertia inertia;
  try {
    validate_shape_scale(type, scale);
    if (adds_mass)
      inertia = shape_inertia(type, scale, cfg.density, mesh_of(source), sdf_of(source), cfg.is_solid, cfg.thickness);
  } catch (const Error& error) {
    fail(who, ": ", error.what());
  }
  if (!is_finite(inertia.mass) || !is_finite(inertia.inertia))
    fail(who, ": its mass is too large for a finite number; check its size and density");
  const int key_id = claim_key(Entity::kShape, args.key);
  const int shape = append_shape(body, type, scale, source, xform, cfg, flags_of(cfg), key_id);
  if (adds_mass) {
    ModelColumns<Vector>& c = data_.columns;
    const Inertia sum = combine_inertia(Inertia{c.body_mass[body], c.body_com[body], c.body_inertia[body]},
                                        transform_inertia(xform, inertia));
    c.body_mass[body] = sum.mass;
    c.body_com[body] = sum.com;
    c.body_inertia[body] = sum.inertia;
  }
  return shape;
}

int ModelBuilder::append_shape(int body, ShapeType type, Vec3 scale, const ShapeSource& source, const Transform& xform,
                               const ShapeConfig& cfg, int flags, int key_id) {
  ModelColumns<Vector>& c = data_.columns;
  c.shape_type.push_back(static_cast<int>(type));
  c.shape_body.push_back(body);
  c.shape_transform.push_back(xform);
  c.shape_scale.push_back(scale);
  c.shape_source.push_back(intern_source(source));
  c.shape_flags.push_back(flags);
  c.shape_is_solid.push_back(cfg.is_solid);
  c.shape_collision_group.push_back(cfg.collision_group);
  c.shape_thickness.push_back(cfg.thickness);
  c.shape_contact_margin.push_back(cfg.contact_margin);
  c.shape_material_ke.push_back(cfg.ke);
  c.shape_material_kd.push_back(cfg.kd);
  c.shape_material_kf.push_back(cfg.kf);
  c.shape_material_ka.push_back(cfg.ka);
  c.shape_material_mu.push_back(cfg.mu);
  c.shape_material_restitution.push_back(cfg.restitution);
  c.shape_material_torsional_friction.push_back(cfg.torsional_friction);
  c.shape_material_rolling_friction.push_back(cfg.rolling_friction);
  c.shape_contype.push_back(cfg.contype);
  c.shape_conaffinity.push_back(cfg.conaffinity);
  c.shape_condim.push_back(cfg.condim);
  c.shape_priority.push_back(cfg.priority);
  c.shape_solmix.push_back(cfg.solmix);
  c.shape_solref.push_back(cfg.solref);
  c.shape_solimp.push_back(cfg.solimp);
  c.shape_gap.push_back(cfg.gap);
  c.shape_adhesion.push_back(cfg.adhesion);
  c.shape_surface_velocity.push_back(cfg.surface_velocity);
  c.shape_fluid_ellipsoid.push_back(cfg.fluid_ellipsoid);
  c.shape_fluid_coef.push_back(cfg.fluid_coef);
  c.shape_world.push_back(current_world_);
  c.shape_key_id.push_back(key_id);
  c.shape_custom_id.push_back(-1);
  return count(Entity::kShape) - 1;
}

int ModelBuilder::add_ground_plane(Real height, const ShapeArgs& args) {
  check_finite("ground plane", "height", height);
  ShapeArgs lifted = args;
  lifted.xform = Transform{along(up_axis(), height), turn_of_z(up_axis())} * args.xform;
  return add_shape_plane(-1, 0, 0, lifted);
}

int ModelBuilder::add_shape_plane(int body, Real width, Real length, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kPlane, {width, length, 0}, args);
}

int ModelBuilder::add_shape_sphere(int body, Real radius, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kSphere, {radius, 0, 0}, args);
}

int ModelBuilder::add_shape_ellipsoid(int body, Real rx, Real ry, Real rz, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kEllipsoid, {rx, ry, rz}, args);
}

int ModelBuilder::add_shape_box(int body, Real hx, Real hy, Real hz, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kBox, {hx, hy, hz}, args);
}

int ModelBuilder::add_shape_capsule(int body, Real radius, Real half_height, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kCapsule, {radius, half_height, 0}, args);
}

int ModelBuilder::add_shape_cylinder(int body, Real radius, Real half_height, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kCylinder, {radius, half_height, 0}, args);
}

int ModelBuilder::add_shape_cone(int body, Real radius, Real half_height, const ShapeArgs& args) {
  return add_shape(body, ShapeType::kCone, {radius, half_height, 0}, args);
}

int ModelBuilder::add_shape_mesh(int body, std::shared_ptr<const Mesh> mesh, Vec3 scale, const ShapeArgs& args) {
  if (!mesh) fail(describe_new(ShapeType::kMesh, count(Entity::kShape), args.key), ": no mesh; give one");
  if (mesh->triangle_count() == 0)
    fail(describe_new(ShapeType::kMesh, count(Entity::kShape), args.key),
         ": the mesh has no triangles; a cloud of points goes to add_shape_convex_hull()");
  return add_shape(body, ShapeType::kMesh, scale, args, std::move(mesh));
}

int ModelBuilder::add_shape_convex_hull(int body, std::shared_ptr<const Mesh> mesh, Vec3 scale, const ShapeArgs& args) {
  const std::string who = describe_new(ShapeType::kConvexHull, count(Entity::kShape), args.key);
  if (!mesh) fail(who, ": no mesh; give one");
  check_body(body, who);
  try {
    return add_shape(body, ShapeType::kConvexHull, scale, args, std::make_shared<const Mesh>(convex_hull(*mesh)));
  } catch (const Error& error) {
    const std::string message = error.what();
    message.starts_with(who) ? throw : fail(who, ": ", message);
  }
}

int ModelBuilder::add_shape_heightfield(std::shared_ptr<const Heightfield> heightfield, Vec3 scale,
                                        const ShapeArgs& args) {
  if (!heightfield)
    fail(describe_new(ShapeType::kHeightfield, count(Entity::kShape), args.key), ": no heightfield; give one");
  return add_shape(-1, ShapeType::kHeightfield, scale, args, std::move(heightfield));
}

int ModelBuilder::add_shape_sdf(int body, std::shared_ptr<const SDF> sdf, Vec3 scale, const ShapeArgs& args) {
  if (!sdf) fail(describe_new(ShapeType::kSdf, count(Entity::kShape), args.key), ": no sdf; give one");
  return add_shape(body, ShapeType::kSdf, scale, args, std::move(sdf));
}

// A site marks a place: it has a pose and a size to draw, but neither mass nor contacts.
int ModelBuilder::add_site(int body, const Transform& xform, ShapeType type, Vec3 scale, const std::string& key,
                           bool visible, const std::shared_ptr<const Mesh>& mesh) {
  const std::string who = text("site ", describe_new(type, count(Entity::kShape), key));
  check_room(Entity::kShape, 1);
  check_body(body, who);
  const Transform X = check_transform(who, "xform", xform);
  const bool is_hull = type == ShapeType::kConvexHull;
  if (type == ShapeType::kMesh || type == ShapeType::kHeightfield || type == ShapeType::kSdf)
    fail(who, ": a site is a primitive shape; use a sphere, box, capsule, cylinder, ellipsoid, cone or plane, or the ",
         "convex hull of a mesh");
  if (is_hull != (mesh != nullptr)) fail(who, is_hull ? ": no mesh; give one" : ": a mesh is for convex hulls alone");
  ShapeSource source;
  try {
    validate_shape_scale(type, scale);
    if (mesh) source = std::make_shared<const Mesh>(convex_hull(*mesh));
  } catch (const Error& error) {
    fail(who, ": ", error.what());
  }
  const int key_id = claim_key(Entity::kShape, key);
  ShapeConfig cfg = default_shape_cfg;
  cfg.collision_group = 0;
  return append_shape(body, type, scale, source, X, cfg, kShapeIsSite | (visible ? kShapeVisible : 0), key_id);
}

void ModelBuilder::add_shape_collision_filter_pair(int shape_a, int shape_b) {
  for (const int shape : {shape_a, shape_b})
    if (shape < 0 || shape >= count(Entity::kShape))
      fail("collision filter pair: shape ", shape, " does not exist: there are ", count(Entity::kShape), " shapes");
  if (shape_a == shape_b) fail("collision filter pair: names shape ", shape_a, " twice; name two shapes");
  data_.shape_collision_filter_pairs.push_back({std::min(shape_a, shape_b), std::max(shape_a, shape_b)});
}

int ModelBuilder::add_contact_pair(int shape_a, int shape_b, const ContactPairArgs& args) {
  const int pair = count(Entity::kContactPair);
  const std::string who = describe_new("contact pair", pair, args.key);
  ModelColumns<Vector>& c = data_.columns;
  for (const int shape : {shape_a, shape_b}) {
    if (shape < 0 || shape >= count(Entity::kShape))
      fail(who, ": shape ", shape, " does not exist: there are ", count(Entity::kShape), " shapes");
    if (c.shape_world[shape] >= 0 && c.shape_world[shape] != current_world_)
      fail(who, ": ", describe(data_, Entity::kShape, shape), " is of world ", c.shape_world[shape],
           "; a pair is of one world");
    if ((c.shape_flags[shape] & kShapeCollidesShapes) == 0 || c.shape_collision_group[shape] == 0)
      fail(who, ": ", describe(data_, Entity::kShape, shape),
           " touches no shapes; give it has_shape_collision and a collision_group other than 0");
  }
  if (shape_a == shape_b) fail(who, ": names shape ", shape_a, " twice; name two shapes");
  const Index2 shapes{std::min(shape_a, shape_b), std::max(shape_a, shape_b)};
  if (const auto at = std::find(c.contact_pair_shapes.begin(), c.contact_pair_shapes.end(), shapes);
      at != c.contact_pair_shapes.end())
    fail(who, ": its shapes are those of ",
         describe(data_, Entity::kContactPair, static_cast<int>(at - c.contact_pair_shapes.begin())),
         "; give each pair once");
  check_room(Entity::kContactPair, 1);
  if (!is_condim(args.condim)) fail(who, ": condim must be 1, 3, 4 or 6, is ", args.condim);
  for (const Real number : args.friction) check_not_negative(who, "friction", number);
  check_finite(who, "solref", args.solref);
  check_finite(who, "solref_friction", args.solref_friction);
  check_finite(who, "solimp", args.solimp);
  check_finite(who, "margin", args.margin);
  check_not_negative(who, "gap", args.gap);
  check_finite(who, "adhesion", args.adhesion);
  const int key_id = claim_key(Entity::kContactPair, args.key);
  c.contact_pair_shapes.push_back(shapes);
  c.contact_pair_condim.push_back(args.condim);
  c.contact_pair_friction.push_back(args.friction);
  c.contact_pair_solref.push_back(args.solref);
  c.contact_pair_solref_friction.push_back(args.solref_friction);
  c.contact_pair_solimp.push_back(args.solimp);
  c.contact_pair_margin.push_back(args.margin);
  c.contact_pair_gap.push_back(args.gap);
  c.contact_pair_adhesion.push_back(args.adhesion);
  c.contact_pair_world.push_back(current_world_);
  c.contact_pair_key_id.push_back(key_id);
  return pair;
}

}  // namespace carom::inline CAROM_PRECISION
