// Shapes as geoms and sites, with the meshes and heightfields that they are made of.
#include <algorithm>
#include <map>

#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const char* geom_type_name(ShapeType type) {
  switch (type) {
    case ShapeType::kPlane: return "plane";
    case ShapeType::kHeightfield: return "hfield";
    case ShapeType::kSphere: return "sphere";
    case ShapeType::kCapsule: return "capsule";
    case ShapeType::kEllipsoid: return "ellipsoid";
    case ShapeType::kCylinder: return "cylinder";
    case ShapeType::kBox: return "box";
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: return "mesh";
    default: return nullptr;
  }
}

void set_sizes(ShapeType type, Vec3 scale, XmlElement& element) {
  switch (type) {
    case ShapeType::kPlane: element.set("size", "0 0 1"); break;  // infinite
    case ShapeType::kSphere: element.set("size", scale.x); break;
    case ShapeType::kCapsule:
    case ShapeType::kCylinder: element.set("size", RealN<2>{scale.x, scale.y}); break;
    case ShapeType::kEllipsoid:
    case ShapeType::kBox: element.set("size", scale); break;
    default: break;
  }
}

// A mesh and its scale are one asset, whoever shows it. Its name.
std::string mesh_asset(MjcfWriting& w, int shape, bool hull) {
  const int source = w.m.shape_source[shape];
  const Mesh& mesh = *std::get<std::shared_ptr<const Mesh>>(w.m.shape_sources[static_cast<std::size_t>(source)]);
  const Vec3 scale = w.m.shape_scale[shape];
  std::string name = text(hull ? "hull_" : "mesh_", source, "_", numbers_text(std::array{scale.x, scale.y, scale.z}));
  if (!w.used[static_cast<std::size_t>(WrittenKind::kMesh)].insert(name).second) return name;
  XmlElement& element = w.asset.add("mesh");
  element.set("name", name);
  std::string vertices;
  for (const Vec3& v : mesh.vertices)
    vertices += (vertices.empty() ? "" : " ") + numbers_text(std::array{float(v.x), float(v.y), float(v.z)});
  element.set("vertex", vertices);
  if (!hull) {  // MuJoCo makes the faces of a hull itself; of a surface it wants no volume then
    element.set("face", numbers_text(mesh.indices));
    element.set("inertia", "shell");
  }
  element.set_unless("scale", scale, Vec3{1, 1, 1});
  return name;
}

// Heights between 0 and 1 and their range; returns what they are all higher by.
double heightfield_asset(MjcfWriting& w, int shape, const std::string& name) {
  const int source = w.m.shape_source[shape];
  const Heightfield& field =
      *std::get<std::shared_ptr<const Heightfield>>(w.m.shape_sources[static_cast<std::size_t>(source)]);
  const Vec3d scale = to_double(w.m.shape_scale[shape]);
  const auto [low, high] = std::minmax_element(field.data.begin(), field.data.end());
  const double range = double(*high) - double(*low);
  XmlElement& element = w.asset.add("hfield");
  element.set("name", name);
  element.set("nrow", field.nrow);
  element.set("ncol", field.ncol);
  constexpr double kBase = 1;  // carom's heightfields are solid below
  element.set("size", std::array<double, 4>{double(field.hx) * scale.x, double(field.hy) * scale.y,
                                            range > 0 ? range * scale.z : 1, kBase});
  std::string heights;  // the first row of a file is the last one
  for (int row = field.nrow - 1; row >= 0; --row)
    for (int column = 0; column < field.ncol; ++column) {
      const double height = double(field.data[static_cast<std::size_t>(row) * field.ncol + column]);
      heights += (heights.empty() ? "" : " ") + number_text(range > 0 ? float((height - double(*low)) / range) : 0.0f);
    }
  element.set("elevation", heights);
  return double(*low) * scale.z;
}

void check_shape(const MjcfWriting& w, int shape, bool collides) {
  const Model& m = w.m;
  const std::string who = "to_mjcf: " + called(w, Entity::kShape, shape);
  const auto type = static_cast<ShapeType>(m.shape_type[shape]);
  if (!geom_type_name(type)) fail(who, " is a ", shape_type_name(type), ", which MJCF has not");
  if (!collides) return;
  if (m.shape_thickness[shape] != 0) fail(who, " has a thickness, which MJCF has not");
  if (type == ShapeType::kMesh)
    fail(who, " is a mesh that collides; MuJoCo would take its hull: add_shape_convex_hull()");
  if (type == ShapeType::kPlane && (m.shape_scale[shape].x != 0 || m.shape_scale[shape].y != 0))
    fail(who, " is a finite plane that collides; those of MuJoCo are infinite");
}

void set_contact_numbers(const MjcfWriting& w, int shape, bool collides, XmlElement& element) {
  const Model& m = w.m;
  const bool masked = collides || !w.contacts;
  element.set_unless("contype", masked ? m.shape_contype[shape] : 0, 1);
  element.set_unless("conaffinity", masked ? m.shape_conaffinity[shape] : 0, 1);
  element.set_unless("condim", m.shape_condim[shape], 3);
  element.set_unless("priority", m.shape_priority[shape], 0);
  const RealN<3> friction{m.shape_material_mu[shape], m.shape_material_torsional_friction[shape],
                          m.shape_material_rolling_friction[shape]};
  element.set_unless("friction", friction, RealN<3>{1, Real(0.005), Real(0.0001)});
  element.set_unless("solmix", m.shape_solmix[shape], Real(1));
  element.set_unless("solref", m.shape_solref[shape], kDefaultSolref);
  element.set_unless("solimp", m.shape_solimp[shape], kDefaultSolimp);
  element.set_unless("margin", m.shape_contact_margin[shape] - m.shape_gap[shape], Real(0));
  element.set_unless("gap", m.shape_gap[shape], Real(0));
  element.set_unless("adhesion", m.shape_adhesion[shape], Real(0));
  const SpatialVector v = m.shape_surface_velocity[shape];
  element.set_unless("surfacevel", RealN<6>{v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z},
                     RealN<6>{});
}

void write_site_shape(const MjcfWriting& w, int shape, XmlElement& into) {
  XmlElement& element = into.add("site");
  const std::string& name = w.shape_name[static_cast<std::size_t>(shape)];
  if (!name.empty()) element.set("name", name);
  const auto type = static_cast<ShapeType>(w.m.shape_type[shape]);
  const bool simple = geom_type_name(type) && w.m.shape_source[shape] < 0 && type != ShapeType::kPlane;
  if (simple) {
    element.set("type", geom_type_name(type));
    set_sizes(type, w.m.shape_scale[shape], element);
  }
  set_pose(element, to_double(w.m.shape_transform[shape]));
}

}  // namespace

void write_shape(MjcfWriting& w, int shape, XmlElement& into) {
  const Model& m = w.m;
  if (m.shape_flags[shape] & kShapeIsSite) {
    write_site_shape(w, shape, into);
    return;
  }
  const auto type = static_cast<ShapeType>(m.shape_type[shape]);
  const bool collides = (m.shape_flags[shape] & kShapeCollidesShapes) != 0 && m.shape_collision_group[shape] != 0;
  check_shape(w, shape, collides);
  XmlElement& element = into.add("geom");
  const std::string& name = w.shape_name[static_cast<std::size_t>(shape)];
  if (!name.empty()) element.set("name", name);
  element.set("type", geom_type_name(type));
  set_sizes(type, m.shape_scale[shape], element);
  Transformd X = to_double(m.shape_transform[shape]);
  if (type == ShapeType::kMesh || type == ShapeType::kConvexHull)
    element.set("mesh", mesh_asset(w, shape, type == ShapeType::kConvexHull));
  if (type == ShapeType::kHeightfield) {
    const std::string field = text("heights_", shape);
    element.set("hfield", field);
    X.p = X.p + rotate(X.q, Vec3d{0, 0, heightfield_asset(w, shape, field)});
  }
  set_pose(element, X);
  if (!(m.shape_flags[shape] & kShapeVisible)) element.set("group", 3);  // viewers hide it at first
  set_contact_numbers(w, shape, collides, element);
  if (!m.shape_fluid_ellipsoid[shape]) return;
  element.set("fluidshape", "ellipsoid");
  element.set("fluidcoef", m.shape_fluid_coef[shape]);
}

}  // namespace carom::inline CAROM_PRECISION
