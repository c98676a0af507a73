// Mass properties of every shape from its density. Closed forms for the primitives, sums over tetrahedra for the rest.
// A shell is the solid minus the solid that is left `thickness` inwards.
#include "base/fail.h"
#include "geometry/moments.h"
#include "geometry/topology.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr double kPi = 3.14159265358979323846;

// A body that is symmetric to all three planes; mean of x^2, y^2 and z^2 over it.
Moments centred(double volume, Vec3d mean_square) { return {volume, {}, mat33_diagonal(mean_square) * volume}; }

Moments box_moments(Vec3d h) { return centred(8 * h.x * h.y * h.z, multiply_each(h, h) * (1.0 / 3)); }

Moments ellipsoid_moments(Vec3d r) { return centred(4 * kPi / 3 * r.x * r.y * r.z, multiply_each(r, r) * (1.0 / 5)); }

Moments cylinder_moments(double r, double h) { return centred(2 * kPi * r * r * h, {r * r / 4, r * r / 4, h * h / 3}); }

// A cylinder and two half balls, whose centres of mass are 3 r / 8 beyond its ends.
Moments capsule_moments(double r, double h) {
  const double z2 = r * r / 5 + 3 * r * h / 4 + h * h;
  return cylinder_moments(r, h) + centred(4 * kPi / 3 * r * r * r, {r * r / 5, r * r / 5, z2});
}

// The centre of mass is a quarter of the height above the base, so half_height / 2 below the frame's origin.
Moments cone_moments(double r, double h) {
  const Moments about_com = centred(2 * kPi / 3 * r * r * h, {3 * r * r / 20, 3 * r * r / 20, 3 * h * h / 20});
  return moved(about_com, {0, 0, -h / 2});
}

// What is left of a cone when its base and its side are moved inwards by t: a similar cone.
Moments inner_cone_moments(double r, double h, double t) {
  const double slant = sqrt(r * r + 4 * h * h);
  const double base = -h + t, apex = h - t * slant / r;
  const double inner_h = (apex - base) / 2;
  if (!(inner_h > 0)) return {};
  return moved(cone_moments(r * inner_h / h, inner_h), {0, 0, (base + apex) / 2});
}

// The solid that lies at least t inwards of the surface; t = 0 is the shape itself, nothing left gives zeros.
// An ellipsoid's inner surface is the ellipsoid with radii less by t.
Moments primitive_moments(ShapeType type, Vec3d s, double t) {
  const double r = s.x - t;
  if (!(r > 0)) return {};
  switch (type) {
    case ShapeType::kSphere: return ellipsoid_moments({r, r, r});
    case ShapeType::kCapsule: return capsule_moments(r, s.y);
    case ShapeType::kCylinder: return s.y > t ? cylinder_moments(r, s.y - t) : Moments{};
    case ShapeType::kCone: return inner_cone_moments(s.x, s.y, t);
    default: break;
  }
  const Vec3d inner = {s.x - t, s.y - t, s.z - t};
  if (!(inner.y > 0 && inner.z > 0)) return {};
  return type == ShapeType::kBox ? box_moments(inner) : ellipsoid_moments(inner);
}

Inertia inertia_from_moments(const Moments& m, double density) {
  const Vec3d com = m.first / m.volume;
  const Mat33d spread = m.second - outer(com, com) * m.volume;
  const Mat33d inertia = (mat33_identity<double>() * trace(spread) - spread) * density;
  return {
      Real(m.volume * density), to_real(com), {to_real(inertia.row0), to_real(inertia.row1), to_real(inertia.row2)}};
}

Moments solid_or_shell_moments(ShapeType type, Vec3d scale, const Mesh* mesh, const SDF* sdf, bool is_solid, double t) {
  switch (type) {
    case ShapeType::kMesh:
    case ShapeType::kConvexHull: {
      if (!mesh) fail(shape_type_name(type), " has no mesh: give it one");
      if (!is_solid) return mesh_surface_moments(*mesh, scale) * t;
      require_solid(*mesh, "give the body an explicit mass, or make the shape a shell (is_solid = false, thickness)");
      return mesh_moments(*mesh, scale);
    }
    case ShapeType::kSdf: {
      if (!sdf) fail("sdf shape has no SDF: give it one");
      const Moments solid = sdf_moments(*sdf, scale.x, 0);
      return is_solid ? solid : solid - sdf_moments(*sdf, scale.x, -t);
    }
    default: {
      const Moments solid = primitive_moments(type, scale, 0);
      return is_solid ? solid : solid - primitive_moments(type, scale, t);
    }
  }
}

}  // namespace

Inertia shape_inertia(ShapeType type, Vec3 scale, Real density, const Mesh* mesh, const SDF* sdf, bool is_solid,
                      Real thickness) {
  if (!(density >= 0) || !is_finite(density)) {
    fail(shape_type_name(type), ": density must be finite and not negative, is ", density);
  }
  const bool massless = type == ShapeType::kNone || type == ShapeType::kPlane || type == ShapeType::kHeightfield;
  if (massless || density == 0) return {};
  validate_shape_scale(type, scale);
  if (!is_solid && (!(thickness > 0) || !is_finite(thickness))) {
    fail(shape_type_name(type), ": thickness of a shell must be positive, is ", thickness);
  }
  const Moments moments = solid_or_shell_moments(type, to_double(scale), mesh, sdf, is_solid, thickness);
  if (!(moments.volume > 0)) {
    fail(shape_type_name(type), " has no volume, so no mass follows from its density: give the body an explicit mass");
  }
  return inertia_from_moments(moments, density);
}

}  // namespace carom::inline CAROM_PRECISION
