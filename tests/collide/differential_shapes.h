// Shapes and poses of the differential test. Pose `index` of a pair is drawn from a generator that is seeded with the
// pair and the index alone, so that each can be looked at again by itself. Shares:
//
//   where      deep 1/4, shallow 1/4 (overlap 1e-7 ... 0.1 of the smaller size), touching 1/4 (gap 0 or within 1e-9),
//              apart 1/4 (gap 1e-6 ... 2)
//   turned     any way 3/5, axes onto axes 1/4, nearly so 3/20 (tilt 1e-9 ... 1e-2 rad)
//   sizes      1e-4 ... 1e3 m; both alike 7/10, each its own 3/20, flat and thin (each extent its own) 3/20
//   place      at the origin 4/5, far from it 1/5 (10 ... 1e4 sizes)
//
// Meshes are closed, of 12 to 96 triangles, half of them not convex; heightfields have 60 triangles; fields 12^3 nodes.
#pragma once

#include <memory>
#include <optional>

#include "collide/surface_reference.h"
#include "geometry/field_arrays.h"
#include "geometry/mesh_tree.h"

namespace carom::test {

// The types of shapes; a plane without end and one with sides are two.
enum class Kind {
  kPlane,
  kRectangle,
  kSphere,
  kCapsule,
  kBox,
  kHull,
  kCylinder,
  kCone,
  kEllipsoid,
  kMesh,
  kField,
  kSdf
};
constexpr int kKinds = 12;

inline const char* kind_name(Kind kind) {
  static constexpr const char* names[] = {"plane",    "rectangle", "sphere",    "capsule", "box",         "hull",
                                          "cylinder", "cone",      "ellipsoid", "mesh",    "heightfield", "sdf"};
  return names[int(kind)];
}
inline ShapeType type_of(Kind kind) {
  static constexpr ShapeType types[] = {ShapeType::kPlane,    ShapeType::kPlane,       ShapeType::kSphere,
                                        ShapeType::kCapsule,  ShapeType::kBox,         ShapeType::kConvexHull,
                                        ShapeType::kCylinder, ShapeType::kCone,        ShapeType::kEllipsoid,
                                        ShapeType::kMesh,     ShapeType::kHeightfield, ShapeType::kSdf};
  return types[int(kind)];
}
inline bool is_convex(Kind kind) { return kind >= Kind::kRectangle && kind <= Kind::kEllipsoid; }
inline bool is_surface(Kind kind) { return kind == Kind::kMesh || kind == Kind::kField; }

struct KindPair {
  Kind a, b;
};
// All but those of planes and heightfields with each other, which do not collide.
inline std::vector<KindPair> all_pairs() {
  const auto is_ground = [](Kind k) { return k == Kind::kPlane || k == Kind::kRectangle || k == Kind::kField; };
  std::vector<KindPair> pairs;
  for (int a = 0; a < kKinds; ++a)
    for (int b = a; b < kKinds; ++b)
      if (!is_ground(Kind(a)) || !is_ground(Kind(b))) pairs.push_back({Kind(a), Kind(b)});
  return pairs;
}

// Made once, all about 1 m in size.
struct Library {
  std::vector<Mesh> hulls, meshes;
  std::vector<Heightfield> fields;
  std::vector<SDF> sdfs;

  static const Library& get() {
    static const Library library;
    return library;
  }

 private:
  Library() {
    RandomShapes random(7);
    for (int i = 0; i < 40; ++i) {
      std::vector<Vec3> points;
      for (int k = i < 38 ? 4 + i : 90; k > 0; --k) points.push_back(random.vector(1));
      if (i % 8 == 0) points = make_box_mesh(1, Real(0.7), Real(0.4)).vertices;
      hulls.push_back(convex_hull(Mesh(points, {})));
    }
    meshes = {make_box_mesh(1, Real(0.7), Real(0.4)), make_sphere_mesh(1, 0), make_sphere_mesh(1, 1),
              testing_shapes::ring_mesh(12)};
    for (int i = 0; i < 4; ++i) {
      Mesh rough = make_sphere_mesh(1, 1);
      for (Vec3& v : rough.vertices) v = v * Real(random.uniform(0.6, 1));
      meshes.push_back(rough);
    }
    for (int i = 0; i < 6; ++i) {
      std::vector<Real> heights;
      for (int k = 0; k < 42; ++k) heights.push_back(Real(i == 0 ? 0 : random.uniform(-0.06, 0.06) * i));
      fields.push_back(Heightfield(heights, 6, 7, 1, Real(0.8)));
    }
    for (const int i : {0, 2, 3, 4}) sdfs.push_back(sdf_from_mesh(meshes[i], Real(0.2), Real(0.15)));
  }
};

struct AnyShape {
  Kind kind;
  Posed posed;  // vertices of surfaces, and places where a field is zero, are those of posed.shape.hull
  std::shared_ptr<const MeshArrays> mesh;
  std::shared_ptr<const HeightfieldArrays> field;
  std::shared_ptr<const SdfArrays> sdf;
  std::vector<Triangle> triangles;           // of a surface or a hull, in the frame of the shape
  std::vector<testing_shapes::Face3> faces;  // the same, of a mesh

  double size() const { return posed.shape.size(); }
  ShapeView view() {
    GeometryView& g = posed.shape.geometry;
    if (kind == Kind::kHull) g.hull = posed.shape.hull.view();
    if (mesh) g.mesh = mesh->view();
    if (field) g.heightfield = field->view();
    if (sdf) g.sdf = sdf->view();
    const bool shared = kind == Kind::kHull || mesh || field || sdf;
    return {type_of(kind), posed.shape.scale, shared ? &g : nullptr};
  }
  // The triangles as they stand, seen from a place in the world.
  std::vector<Triangle> placed(Double3 from) const {
    std::vector<Triangle> all = triangles;
    for (Triangle& t : all)
      for (Double3& p : t.corner) p = turn(posed.X.q, p) + (Double3(posed.X.p) - from);
    return all;
  }
  Double3 to_local(Double3 p_from_shape) const { return turn_back(posed.X.q, p_from_shape); }
};

class PoseMaker {
 public:
  PoseMaker(int pair, std::int64_t index) : random((std::uint64_t(pair) << 40) + std::uint64_t(index)) {}

  // a, b: the types in the order of Kind.
  std::pair<AnyShape, AnyShape> make(KindPair kinds) {
    const double size = log_uniform(1e-4, 1e3);
    const int sizes = random.integer(20);
    const bool thin = sizes < 3;
    const double size_b = sizes >= 3 && sizes < 6 ? log_uniform(1e-4, 1e3) : size;
    AnyShape a = shape(kinds.a, size, thin), b = shape(kinds.b, size_b, thin);
    turn_both(a, b);
    const double small = kinds.a == Kind::kPlane ? b.size() : std::min(a.size(), b.size());
    place(a, b, small);
    if (random.integer(5) == 0) {
      const double far = small * log_uniform(10, 1e4);
      const Vec3 moved = random.vector(far);
      a.posed.X.p += moved;
      b.posed.X.p += moved;
    }
    return {std::move(a), std::move(b)};
  }

 private:
  double log_uniform(double low, double high) { return random.random.log_uniform(low, high); }
  Double3 direction() {
    for (;;) {
      const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
      const double l = length({x, y, z});
      if (l > 0.1 && l < 1) return Double3{x, y, z} * (1 / l);
    }
  }
  static Vec3 rounded(Double3 v) { return {Real(v.x), Real(v.y), Real(v.z)}; }

  Vec3 extents(double size, bool thin) {
    double e[3];
    for (double& x : e) x = thin ? std::max(size * log_uniform(1e-4, 1), 1e-4) : size * random.uniform(0.2, 1);
    return {Real(e[0]), Real(e[1]), Real(e[2])};
  }
  AnyShape shape(Kind kind, double size, bool thin) {
    AnyShape s{kind, {}, {}, {}, {}, {}, {}};
    s.posed.shape.type = type_of(kind);
    s.posed.shape.scale = extents(size, thin);
    const Library& library = Library::get();
    const auto pick = [&](const auto& all) -> const auto& { return all[random.integer(int(all.size()))]; };
    const Vec3 scale = s.posed.shape.scale;
    s.posed.shape.scale = used_sizes(kind, scale);
    if (kind == Kind::kHull) add_hull(s, pick(library.hulls), scale);
    if (kind == Kind::kMesh) add_mesh(s, pick(library.meshes), scale);
    if (kind == Kind::kField) add_field(s, pick(library.fields), scale);
    if (kind == Kind::kSdf) add_sdf(s, pick(library.sdfs), Real(size));
    return s;
  }
  static Vec3 used_sizes(Kind kind, Vec3 e) {
    if (kind == Kind::kSphere) return {e.x, 0, 0};
    if (kind == Kind::kBox || kind == Kind::kEllipsoid) return e;
    const bool two =
        kind == Kind::kRectangle || kind == Kind::kCapsule || kind == Kind::kCylinder || kind == Kind::kCone;
    return two ? Vec3{e.x, e.y, 0} : Vec3{};
  }
  static void add_hull(AnyShape& s, const Mesh& mesh, Vec3 scale) {
    s.posed.shape.hull = build_hull_arrays(mesh, scale);
    const auto corner = [&](int k) { return Double3(s.posed.shape.hull.vertex[mesh.indices[k]]); };
    for (int k = 0; k < int(mesh.indices.size()); k += 3)
      s.triangles.push_back({{corner(k), corner(k + 1), corner(k + 2)}});
  }
  static void add_mesh(AnyShape& s, const Mesh& mesh, Vec3 scale) {
    s.mesh = std::make_shared<MeshArrays>(mesh, scale);
    s.faces = testing_shapes::faces_of(s.mesh->view());
    s.posed.shape.hull.vertex = s.mesh->vertex;
    for (const auto& t : s.mesh->triangle)
      s.triangles.push_back(
          {{Double3(s.mesh->vertex[t[0]]), Double3(s.mesh->vertex[t[1]]), Double3(s.mesh->vertex[t[2]])}});
  }
  static void add_field(AnyShape& s, const Heightfield& field, Vec3 scale) {
    s.field = std::make_shared<HeightfieldArrays>(field, scale);
    const HeightfieldArrays& f = *s.field;
    const auto node = [&](int row, int column) {
      const double x = double(f.hx) * (2.0 * column / (f.ncol - 1) - 1),
                   y = double(f.hy) * (2.0 * row / (f.nrow - 1) - 1);
      return Double3{x, y, double(f.height[std::size_t(row) * f.ncol + column])};
    };
    for (int row = 0; row + 1 < f.nrow; ++row) {
      for (int column = 0; column + 1 < f.ncol; ++column) {
        const Double3 p00 = node(row, column), p11 = node(row + 1, column + 1);
        s.triangles.push_back({{p00, node(row, column + 1), p11}});
        s.triangles.push_back({{p00, p11, node(row + 1, column)}});
      }
    }
    for (const Triangle& t : s.triangles)
      for (const Double3& p : t.corner) s.posed.shape.hull.vertex.push_back(rounded(p));
  }
  // Along the edges of cells the field is linear.
  static void add_sdf(AnyShape& s, const SDF& sdf, Real scale) {
    s.sdf = std::make_shared<SdfArrays>(sdf, scale);
    const SdfArrays& f = *s.sdf;
    const int step[3] = {1, f.nx, f.nx * f.ny};
    for (int k = 0; k < f.nx * f.ny * f.nz; ++k) {
      const int at[3] = {k % f.nx, k / f.nx % f.ny, k / (f.nx * f.ny)}, count[3] = {f.nx, f.ny, f.nz};
      for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] + 1 == count[axis]) continue;
        const double from = f.value[k], to = f.value[k + step[axis]];
        if ((from < 0) == (to < 0)) continue;
        double p[3] = {double(at[0]), double(at[1]), double(at[2])};
        p[axis] += from / (from - to);
        for (int i = 0; i < 3; ++i) p[i] = double(f.origin[i]) + p[i] * double(f.spacing);
        s.posed.shape.hull.vertex.push_back(rounded({p[0], p[1], p[2]}));
      }
    }
  }

  void turn_both(AnyShape& a, AnyShape& b) {
    const int way = random.integer(20);
    const bool any = way < 12, tilted = way >= 17;
    const Quat common = random.integer(2) ? random.rotation() : Quat{0, 0, 0, 1};
    a.posed.X.q = any ? random.rotation() : normalize(common * random.aligned());
    b.posed.X.q = any ? random.rotation() : normalize(common * random.aligned());
    if (!tilted) return;
    const double half_angle = 0.5 * log_uniform(1e-9, 1e-2);
    const Double3 axis = direction() * half_angle;
    b.posed.X.q = normalize(b.posed.X.q * Quat{Real(axis.x), Real(axis.y), Real(axis.z), 1});
  }

  double gap(double small) {
    switch (random.integer(3)) {
      case 0: return -small * log_uniform(1e-7, 0.1);
      case 1: return random.integer(2) ? 0 : small * random.uniform(-1e-9, 1e-9);
      default: return small * log_uniform(1e-6, 2);
    }
  }
  // Moves B, the shape with a surface or the second one, so that along a direction n its gap to A is as wished: a
  // random one, an axis of one of them, or the normal of a triangle, above which A comes to stand.
  void place(AnyShape& a, AnyShape& b, double small) {
    const double off = random.uniform(0, 1) * (a.kind == Kind::kPlane ? b.size() : small);
    const Double3 aside = direction() * off;
    if (random.integer(4) == 0) {
      const double deep = random.uniform(0, 1) * (a.kind == Kind::kPlane ? b.size() : 0.5 * (a.size() + b.size()));
      b.posed.X.p = rounded(direction() * deep);
      return;
    }
    const double width = gap(small);
    if (a.kind == Kind::kPlane) {
      const Double3 n = turn(a.posed.X.q, {0, 0, 1});
      b.posed.X.p = rounded(aside + n * (width - dot(aside, n) - dot(b.posed.support(n * -1), n)));
      return;
    }
    AnyShape& surface = is_surface(a.kind) && !is_surface(b.kind) ? a : b;
    AnyShape& other = &surface == &a ? b : a;
    if (is_surface(surface.kind)) {
      const Triangle& t = surface.triangles[random.integer(int(surface.triangles.size()))];
      const double u = random.uniform(0, 0.5), v = random.uniform(0, 0.5);
      const Double3 at = turn(surface.posed.X.q, t.corner[0] * (1 - u - v) + t.corner[1] * u + t.corner[2] * v);
      const Double3 n = turn(surface.posed.X.q, t.normal());
      surface.posed.X.p = rounded(other.posed.support(n * -1) - n * width - at);
      return;
    }
    const Double3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Quat q = (random.integer(2) ? a : b).posed.X.q;
    const Double3 n = random.integer(2) ? direction() : turn(q, axes[random.integer(3)]);
    const Double3 across = random.integer(3) ? aside - n * dot(aside, n) : Double3{};
    b.posed.X.p = rounded(across);
    b.posed.X.p = rounded(across + n * (width - separation(a.posed, b.posed, n)));
  }

  RandomShapes random;
};

}  // namespace carom::test
