// Manifolds of bodies that lie on each other a little askew: the points are the corners of the overlap of the two
// faces, at any tilt, held against a slow reference that intersects all sides with all sides.
#include <gtest/gtest.h>

#include "collide/convex_reference.h"

namespace carom {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;
constexpr double kTilts[] = {0, 1e-4, 1e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2};  // [rad]
constexpr double kDepths[] = {1e-4, 1e-3, 0.01, 0.03, 0.05};                    // [m]

std::vector<ContactPoint> contacts(Posed& a, Posed& b, double reach) {
  ContactPoint point[kMaxManifold];
  const int count = convex_convex(a.shape.view(), a.X, b.shape.view(), b.X, Real(reach), point);
  return {point, point + count};
}

// -- The reference.

struct FacePolygon {
  std::vector<Double3> corner;  // world
  Double3 normal;               // outwards
};

std::vector<FacePolygon> faces_of(const Posed& body) {
  std::vector<FacePolygon> faces;
  const auto world = [&](Double3 p) { return Double3(body.X.p) + turn(body.X.q, p); };
  if (body.shape.type == ShapeType::kConvexHull) {
    for (const HullFace& f : body.shape.hull.face) {
      FacePolygon face{{}, turn(body.X.q, Double3(f.normal))};
      for (int k = 0; k < f.count; ++k)
        face.corner.push_back(world(Double3(body.shape.hull.vertex[body.shape.hull.face_vertex[f.first + k]])));
      faces.push_back(face);
    }
    return faces;
  }
  const double h[3] = {double(body.shape.scale.x), double(body.shape.scale.y), double(body.shape.scale.z)};
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      FacePolygon face;
      for (const auto& [s, t] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
        double p[3];
        p[axis] = side * h[axis], p[(axis + 1) % 3] = s * h[(axis + 1) % 3], p[(axis + 2) % 3] = t * h[(axis + 2) % 3];
        face.corner.push_back(world({p[0], p[1], p[2]}));
      }
      double n[3] = {0, 0, 0};
      n[axis] = side;
      face.normal = turn(body.X.q, {n[0], n[1], n[2]});
      faces.push_back(face);
    }
  }
  return faces;
}

struct Spot {
  double x, y, distance;
};

// The overlap of two faces seen along n: corners of each that are inside the other, and crossings of all sides.
struct Overlap {
  Double3 n, x, y;
  FacePolygon a, b;

  Overlap(const Posed& body_a, const Posed& body_b, Double3 normal) : n(normal) {
    x = unit(cross(n, std::abs(n.x) < 0.6 ? Double3{1, 0, 0} : Double3{0, 1, 0}));
    y = cross(n, x);
    const auto nearest = [](const std::vector<FacePolygon>& faces, Double3 d) {
      return *std::ranges::max_element(faces, {}, [&](const FacePolygon& f) { return dot(f.normal, d); });
    };
    a = nearest(faces_of(body_a), n);
    b = nearest(faces_of(body_b), n * -1);
  }
  static double height(const FacePolygon& f, Double3 p, Double3 n) {  // of the plane of f over p, along n
    return dot(f.corner[0] - p, f.normal) / dot(n, f.normal);
  }
  Spot spot(Double3 p) const { return {dot(p, x), dot(p, y), height(b, p, n) - height(a, p, n)}; }
  static bool covers(const FacePolygon& f, Double3 p, Double3 n) {
    int left = 0, right = 0;
    for (std::size_t i = 0; i < f.corner.size(); ++i) {
      const Double3 e = f.corner[(i + 1) % f.corner.size()] - f.corner[i];
      const double side = dot(cross(e, p - f.corner[i]), n) / length(e);
      left += side > -1e-9, right += side < 1e-9;
    }
    return left == int(f.corner.size()) || right == int(f.corner.size());
  }
  std::vector<Spot> spots(double reach) const {
    std::vector<Spot> all;
    const auto add = [&](Double3 p) {
      const Spot s = spot(p);
      for (const Spot& other : all)
        if (std::hypot(other.x - s.x, other.y - s.y) < 1e-3) return;
      if (s.distance < reach) all.push_back(s);
    };
    for (const Double3& p : a.corner)
      if (covers(b, p, n)) add(p);
    for (const Double3& p : b.corner)
      if (covers(a, p, n)) add(p);
    for (std::size_t i = 0; i < a.corner.size(); ++i) {
      for (std::size_t j = 0; j < b.corner.size(); ++j) {
        const Double3 p = a.corner[i], u = a.corner[(i + 1) % a.corner.size()] - p;
        const Double3 q = b.corner[j], v = b.corner[(j + 1) % b.corner.size()] - q;
        const double across = dot(cross(u, v), n);
        if (std::abs(across) < 1e-9) continue;
        const double s = dot(cross(q - p, v), n) / across, t = dot(cross(q - p, u), n) / across;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) add(p + u * s);
      }
    }
    return all;
  }
};

// Twice the area of the convex hull.
double area(std::vector<Spot> p) {
  std::ranges::sort(p, [](const Spot& a, const Spot& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  const auto half = [](const std::vector<Spot>& in) {
    std::vector<Spot> hull;
    for (const Spot& s : in) {
      while (hull.size() > 1) {
        const Spot &o = hull[hull.size() - 2], &q = hull.back();
        if ((q.x - o.x) * (s.y - o.y) - (q.y - o.y) * (s.x - o.x) > 0) break;
        hull.pop_back();
      }
      hull.push_back(s);
    }
    return hull;
  };
  std::vector<Spot> lower = half(p);
  std::ranges::reverse(p);
  const std::vector<Spot> upper = half(p);
  lower.insert(lower.end(), upper.begin(), upper.end());
  double sum = 0;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const Spot &s = lower[i], &t = lower[(i + 1) % lower.size()];
    sum += s.x * t.y - s.y * t.x;
  }
  return std::abs(sum);
}

// Proves that the points are those of the reference: none is missing, none invented, none listed twice; where there are
// more than a manifold holds, those that are left span nearly the same area.
void expect_overlap(Posed& a, Posed& b, double reach) {
  const std::vector<ContactPoint> found = contacts(a, b, reach);
  const double distance = distance_of(a, b).distance;
  ASSERT_TRUE(found.empty() == (distance > reach) || std::abs(distance - reach) < 1e-6) << distance;
  if (found.empty()) return;
  const Overlap overlap(a, b, unit(Double3(found[0].normal)));
  const std::vector<Spot> expected = overlap.spots(reach);
  std::vector<Spot> spots;
  for (const ContactPoint& c : found) {
    if (c.distance > reach - 1e-6) continue;
    const Spot s{dot(Double3(c.point), overlap.x), dot(Double3(c.point), overlap.y), c.distance};
    for (const Spot& other : spots) EXPECT_GT(std::hypot(other.x - s.x, other.y - s.y), 1e-4) << "listed twice";
    const auto same = [&](const Spot& e) { return std::hypot(e.x - s.x, e.y - s.y) < 2e-3; };
    const auto match = std::ranges::find_if(expected, same);
    ASSERT_NE(match, expected.end()) << "invented: " << s.x << " " << s.y << " " << s.distance;
    EXPECT_NEAR(match->distance, s.distance, 1e-3);
    spots.push_back(s);
  }
  if (expected.size() <= kMaxManifold) {
    for (const Spot& e : expected) {
      if (e.distance > reach - 1e-4) continue;
      // Sides that cross at a small angle: what lies within 1e-4 of a side may be longer than that along it.
      const auto same = [&](const Spot& s) { return std::hypot(e.x - s.x, e.y - s.y) < 1e-2; };
      EXPECT_TRUE(std::ranges::any_of(spots, same)) << "missing: " << e.x << " " << e.y << " " << e.distance;
    }
  } else {
    EXPECT_GT(area(spots), 0.85 * area(expected));
  }
}

// -- Bodies.

Posed prism(int sides, double radius, double half_height) {
  std::vector<Vec3> points;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * kPi * k / sides + 0.1;
    for (const double z : {-half_height, half_height})
      points.push_back({Real(radius * std::cos(angle)), Real(radius * std::sin(angle)), Real(z)});
  }
  Posed hull{{}, {}};
  hull.shape.type = ShapeType::kConvexHull;
  hull.shape.hull = build_hull_arrays(convex_hull(Mesh(points, {})), {1, 1, 1});
  return hull;
}
Posed box(double hx, double hy, double hz) { return primitive(ShapeType::kBox, {Real(hx), Real(hy), Real(hz)}, {}); }

// Puts the body on the top z = `top` of the one below: turned about a level axis, its lowest point `depth` too deep.
void lay_askew(Posed& body, double top, double tilt, double depth, RandomShapes& random) {
  const double yaw = random.uniform(-kPi, kPi), about = random.uniform(-kPi, kPi);
  const Quat level = quat_from_axis_angle({0, 0, 1}, Real(yaw));
  const Vec3 axis{Real(std::cos(about)), Real(std::sin(about)), 0};
  const double x = random.uniform(-0.4, 0.4), y = random.uniform(-0.4, 0.4);
  body.X = {{Real(x), Real(y), 0}, normalize(quat_from_axis_angle(axis, Real(tilt)) * level)};
  body.X.p.z = Real(top - depth - body.support({0, 0, -1}).z);
}

// Proves it for boxes and hulls on each other, over tilts and depths, with and without a margin.
TEST(TiltedManifold, IsTheOverlapOfTheFaces) {
  RandomShapes random(11);
  std::vector<std::pair<Posed, Posed>> pairs;
  pairs.push_back({box(0.5, 0.5, 0.5), box(0.5, 0.5, 0.5)});
  pairs.push_back({box(0.5, 0.7, 0.5), box(0.2, 0.3, 0.1)});
  pairs.push_back({prism(4, 0.7, 0.5), prism(4, 0.7, 0.5)});
  pairs.push_back({prism(6, 0.7, 0.5), box(0.5, 0.3, 0.4)});
  pairs.push_back({box(0.5, 0.5, 0.5), prism(7, 0.4, 0.3)});
  for (auto& [lower, upper] : pairs) {
    const double top = lower.support({0, 0, 1}).z;
    for (const double tilt : kTilts) {
      for (const double depth : kDepths) {
        for (int k = 0; k < 12; ++k) {
          lay_askew(upper, top, tilt, depth, random);
          for (const double reach : {0.0, 0.02}) expect_overlap(lower, upper, reach);
          if (HasFailure()) {
            FAIL() << shape_type_name(lower.shape.type) << " under " << shape_type_name(upper.shape.type) << ", tilt "
                   << tilt << ", depth " << depth << ", pose " << k;
          }
        }
      }
    }
  }
}

// Proves that two cubes of 1 m that are pressed 3 cm into each other keep their manifold however they tilt: the whole
// overlap while the tilt lifts no part of it out, and not a point less on either side of any angle.
TEST(TiltedManifold, CubesKeepTheirFootprint) {
  RandomShapes random(12);
  for (const double tilt : {0.0, 0.005, 0.01, 0.015, 0.02, 0.025}) {
    double points = 0, spanned = 0, whole = 0;
    for (int k = 0; k < 300; ++k) {
      Posed lower = box(0.5, 0.5, 0.5), upper = lower;
      lay_askew(upper, 0.5, tilt, 0.03 + tilt, random);
      const std::vector<ContactPoint> found = contacts(lower, upper, 0);
      std::vector<Spot> spots;
      for (const ContactPoint& c : found) spots.push_back({double(c.point.x), double(c.point.y), 0});
      points += double(found.size()) / 300;
      spanned += area(spots);
      whole += area(Overlap(lower, upper, {0, 0, 1}).spots(1));
    }
    EXPECT_GT(points, 4.5) << tilt;
    EXPECT_GT(spanned, 0.97 * whole) << tilt;
  }
}

// Proves the same for flat ends of round bodies: a cylinder and a cone that stand a little askew list their rim and its
// lowest point; lying ones both ends.
TEST(TiltedManifold, RoundBodies) {
  RandomShapes random(13);
  const Quat lying = quat_from_axis_angle(Vec3{0, 1, 0}, Real(kPi / 2));
  Posed floor = box(2, 2, 0.5);
  for (const double tilt : {0.0, 0.005, 0.02, 0.05}) {
    for (int k = 0; k < 50; ++k) {
      const double about = random.uniform(-kPi, kPi);
      const Quat turned = quat_from_axis_angle(Vec3{Real(std::cos(about)), Real(std::sin(about)), 0}, Real(tilt));
      const auto on_floor = [&](ShapeType type, Quat q, double depth) {
        Posed body = primitive(type, {Real(0.3), Real(0.4), 0}, {{0, 0, 0}, normalize(turned * q)});
        body.X.p.z = Real(0.5 - depth - body.support({0, 0, -1}).z);
        return body;
      };
      for (const ShapeType type : {ShapeType::kCylinder, ShapeType::kCone}) {
        Posed standing = on_floor(type, {}, 0.04);
        const std::vector<ContactPoint> found = contacts(floor, standing, 0);
        EXPECT_GE(found.size(), tilt < 0.03 ? 8u : 5u) << tilt;
        double least = 0;
        for (const ContactPoint& c : found) {
          least = std::min(least, double(c.distance));
          EXPECT_GT(c.normal.z, 0.999);
        }
        EXPECT_NEAR(least, -0.04, 1e-5);
      }
      for (const ShapeType type : {ShapeType::kCylinder, ShapeType::kCapsule}) {
        Posed lies = on_floor(type, lying, 0.05);
        EXPECT_EQ(contacts(floor, lies, 0).size(), 2u) << shape_type_name(type) << " " << tilt;
      }
    }
  }
}

// Proves that a foot which lands 2 degrees askew touches with its lower edge first and with all corners once it is
// pressed down, that a box on a slope of a few degrees keeps four points, and that each box of a leaning stack has the
// footprint of the one above.
TEST(TiltedManifold, FeetSlopesAndStacks) {
  const double two_degrees = kPi / 90;
  Posed floor = box(2, 2, 0.5), foot = box(0.1, 0.05, 0.02);
  foot.X.q = quat_from_axis_angle(Vec3{0, 1, 0}, Real(two_degrees));
  const double rise = 2 * 0.1 * std::sin(two_degrees);
  for (const auto& [depth, points] : {std::pair{0.2 * rise, 2u}, {0.9 * rise, 2u}, {1.1 * rise, 4u}, {2 * rise, 4u}}) {
    foot.X.p.z = 0;
    foot.X.p.z = Real(0.5 - depth - foot.support({0, 0, -1}).z);
    EXPECT_EQ(contacts(floor, foot, 0).size(), points) << depth;
  }
  for (const double slope : {0.02, 0.1, 0.3}) {
    Posed ramp = box(2, 2, 0.5), crate = box(0.2, 0.3, 0.2);
    const Quat q = quat_from_axis_angle(Vec3{1, 0, 0}, Real(slope)),
               slip = quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.01));
    ramp.X.q = q;
    crate.X = {rotate(q, Vec3{Real(0.1), Real(-0.2), Real(0.69)}), normalize(q * slip)};
    const std::vector<ContactPoint> found = contacts(ramp, crate, 0);
    ASSERT_EQ(found.size(), 4u) << slope;
    for (const ContactPoint& c : found) EXPECT_GT(dot(Double3(c.normal), Double3(rotate(q, Vec3{0, 0, 1}))), 0.999);
  }
  Posed below = box(0.5, 0.5, 0.5);
  for (int level = 1; level <= 8; ++level) {  // each leans by 0.01 rad and 2 cm more than the one below
    Posed above = box(0.5, 0.5, 0.5);
    above.X = {{Real(0.02 * level * level), 0, Real(0.97 * level)},
               quat_from_axis_angle(Vec3{0, 1, 0}, Real(0.01 * level))};
    expect_overlap(below, above, 0);
    EXPECT_EQ(contacts(below, above, 0).size(), 4u) << level;
    below = above;
  }
}

// Proves that the normal does not flicker where a face and two edges are equally good: over a slow change of the pose
// it turns by no more than the pose does, but for a few changes from one axis to another.
TEST(TiltedManifold, NormalsFollowThePose) {
  RandomShapes random(14);
  int jumps = 0;
  for (int motion = 0; motion < 100; ++motion) {
    Posed lower = box(0.5, 0.5, 0.5), upper = lower;
    lay_askew(upper, 0.5, 0.02, 0.03, random);
    const Vec3 rate = random.vector(1e-5), drift = random.vector(1e-5);
    Vec3 before{};
    for (int step = 0; step < 200; ++step) {
      upper.X.q = normalize(Quat{rate.x, rate.y, rate.z, 1} * upper.X.q);
      upper.X.p = upper.X.p + drift;
      const std::vector<ContactPoint> found = contacts(lower, upper, 0);
      ASSERT_FALSE(found.empty());
      if (step > 0) jumps += length(Double3(found[0].normal) - Double3(before)) > 1e-3;
      before = found[0].normal;
    }
  }
  EXPECT_LT(jumps, 60);  // of 20,000
}

}  // namespace
}  // namespace carom
