// One pose of two shapes, by the narrow phase and by the reference. What is compared, and which bound holds for it:
//
//   exact      plane without end with all but fields; all pairs of convex shapes; sphere with mesh, heightfield, field.
//              The deepest contact has the signed distance, to kDepthBound of the smaller shape's size, and its normal,
//              to kNormalBound where it is unique. Convex pairs are asked for their distance alone, too (ShapeQuery).
//              A normal that separates them as far as the best one, but for what searches end at (kFineTolerance) or
//              rounding, is as good: shapes apart by d are d (1 - x^2 / 2) apart along a normal that is x off.
//   triangles  convex shapes with meshes and heightfields. Apart, the same. Overlapping, docs/collisions.md promises
//   depths
//              along the normals of faces: each contact leads from a point of the shape to a point of a face, and where
//              the shape's farthest point lies over a face that it cuts, out of which no way is less than half as long,
//              one is at least as deep; both to kDepthBound.
//   surfaces   meshes with meshes and heightfields. Apart, the same but for normals. Overlapping, by brute force over
//              all pairs of triangles and the inside of each solid, none is missed; every contact leads from one
//              surface to the other, unless it is the only one that overlaps, and is no less deep than kLeastDepth of
//              what the deepest vertex in the other's solid is.
//   searched   fields with all but spheres; plane with field. No bound is promised for their distance ("as fine as its
//              starts"); it is printed. Failures are overlaps that are missed though a point lies deeper than kDeep of
//              the size in both.
//
// For all: no NaN, no overlap missed or invented by more than the bound, the same with A and B swapped (of searched
// pairs of two types, which are slow, one pose in eight). Errors are relative to the smaller shape's size, or to the
// depth or distance where that is greater. In float no bound is promised for errors, which are printed; the rest holds
// to 64 roundings of the coordinates.
#pragma once

#include "collide/narrow/pair_table.kernel.h"
#include "collide/point_reference.h"

namespace carom::test {

constexpr bool kDouble = sizeof(Real) == 8;
constexpr double kDepthBound = 1e-6, kNormalBound = 1e-3, kDeep = 0.05, kNodeBound = 0.9, kLeastDepth = 0.5;

enum class Promise { kExact, kTriangles, kSurfaces, kSearched };

inline Promise promise_of(KindPair p) {
  const bool fields = p.b == Kind::kSdf;
  if (p.a == Kind::kPlane) return fields ? Promise::kSearched : Promise::kExact;
  if (p.a == Kind::kSphere || (is_convex(p.a) && is_convex(p.b))) return Promise::kExact;
  if (is_surface(p.a) && is_surface(p.b)) return Promise::kSurfaces;
  return is_convex(p.a) && is_surface(p.b) ? Promise::kTriangles : Promise::kSearched;
}

struct Outcome {
  double depth_error = -1, query_error = -1, normal_error = -1;  // of the smaller size; [rad]; -1 = not compared
  bool overlaps = false;                                         // by the reference
  bool missed = false, invented = false, not_finite = false, asymmetric = false;
  bool lost = false;    // no contact though the shapes are nearer than the reach
  bool certain = true;  // the reference could prove its answer
  bool failed = false;  // by the bounds above
  double distance = 0, found = 0;
};

// The points that the narrow phase finds.
struct Found {
  ContactPoint point[kMaxPoints];
  int count = 0, deepest = -1;

  Found(AnyShape& a, AnyShape& b, Real reach) {
    count = collide_shapes(a.view(), a.posed.X, b.view(), b.posed.X, reach, kMaxPoints, point);
    for (int i = 0; i < count; ++i)
      if (deepest < 0 || point[i].distance < point[deepest].distance) deepest = i;
  }
  bool finite() const {
    for (int i = 0; i < count; ++i)
      if (!is_finite(point[i].point) || !is_finite(point[i].normal) || !is_finite(point[i].distance) ||
          std::abs(length(Double3(point[i].normal)) - 1) > 1e-4)
        return false;
    return true;
  }
  double distance() const { return deepest < 0 ? 1e300 : double(point[deepest].distance); }
  Double3 normal() const { return deepest < 0 ? Double3{} : unit(Double3(point[deepest].normal)); }
};

inline double angle_between(Double3 a, Double3 b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

class Differential {
 public:
  Differential(int pair, std::int64_t index)
      : kinds_(all_pairs()[std::size_t(pair)]), index_(index), shapes_(PoseMaker(pair, index).make(kinds_)) {
    small_ = kinds_.a == Kind::kPlane ? b().size() : std::min(a().size(), b().size());
    large_ = std::max(a().size(), b().size());
    // What a result may differ by from the reference: in float, what its rounding makes of the coordinates.
    const double rounding = 64 * double(std::numeric_limits<Real>::epsilon());
    const double rounded = rounding * (large_ + length(offset()) + length(Double3(a().posed.X.p)));
    slack_ = kDouble ? kDepthBound * small_ : rounded;
    told_apart_ = std::max(double(kFineTolerance) * small_, rounded);
  }
  AnyShape& a() { return shapes_.first; }
  AnyShape& b() { return shapes_.second; }

  Outcome run() {
    const Promise promise = promise_of(kinds_);
    if (kinds_.a == Kind::kPlane) with_plane();
    else if (is_convex(kinds_.a) && is_convex(kinds_.b)) of_convex();
    else if (kinds_.a == Kind::kSphere) with_sphere();
    else if (promise == Promise::kTriangles) with_triangles();
    else if (promise == Promise::kSurfaces) of_surfaces();
    else searched();
    if (promise != Promise::kSearched) check_bounds();
    out_.failed = out_.missed || out_.invented || out_.not_finite || out_.asymmetric || out_.lost || out_.failed;
    return out_;
  }

 private:
  Double3 offset() { return Double3(b().posed.X.p) - Double3(a().posed.X.p); }

  void check_bounds() {
    if (!kDouble) return;
    const double bound = kDepthBound + (a().posed.shape.flatness() + b().posed.shape.flatness()) / small_;
    out_.failed = out_.depth_error > bound || out_.query_error > bound || wrong_normal_;
  }

  // Whether distances tell the normal of two convex shapes from the best one.
  bool is_as_good(Double3 n) {
    if (!is_convex(kinds_.a) || !is_convex(kinds_.b)) return false;
    Posed at_origin = a().posed, other = b().posed;
    at_origin.X.p = other.X.p = {};
    return separation(at_origin, other, n) + dot(offset(), n) > out_.distance - told_apart_;
  }
  void compare_normal(Double3 found, Double3 normal) {
    const double error = angle_between(found, normal);
    out_.normal_error = std::max(out_.normal_error, error);
    wrong_normal_ = wrong_normal_ || (error > kNormalBound && !is_as_good(found));
  }

  // Compares the contacts with the distance; the normal where it is unique. Returns those of A and B.
  Found compare(double distance, Double3 normal, bool unique) {
    const Real reach = Real(std::max(1.3 * distance, 0.0) + 0.02 * small_);
    const Found found(a(), b(), reach);
    out_.distance = distance;
    out_.overlaps = distance < 0;
    out_.found = found.distance();
    out_.not_finite = !found.finite();
    out_.lost = found.count == 0 && distance + slack_ < double(reach);
    if (found.count == 0) {
      out_.missed = distance < -slack_;
      return found;
    }
    const bool preferred = is_preferred(found, normal);
    const double excess = std::max(distance - found.distance(), 0.0) - (preferred ? kFacePreference * -distance : 0.0);
    out_.depth_error = std::max({found.distance() - distance, excess, 0.0}) / std::max(small_, std::abs(distance));
    if (unique && !preferred) compare_normal(found.normal(), normal);
    compare_swapped(found, reach, unique);
    compare_touch(distance);
    return found;
  }
  // Of shapes that overlap a face may be taken that is a little deeper than the way out (take_face_normal()).
  bool is_preferred(const Found& found, Double3 normal) {
    if (out_.distance > 0 || !is_convex(kinds_.a) || !is_convex(kinds_.b)) return false;
    const auto has_face = [&](AnyShape& shape) {
      for (const Double3& n : shape.posed.shape.normals())
        if (length(cross(turn(shape.posed.X.q, n), found.normal())) < 64 * kRounding) return true;
      return false;
    };
    return angle_between(found.normal(), normal) < 0.1425 && (has_face(a()) || has_face(b()));
  }
  void compare_swapped(const Found& found, Real reach, bool unique) {
    const Found swapped(b(), a(), reach);
    out_.not_finite = out_.not_finite || !swapped.finite();
    const bool turned = unique &&
                        angle_between(swapped.normal() * -1, found.normal()) > (kDouble ? kNormalBound : 0.05) &&
                        !(is_as_good(found.normal()) && is_as_good(swapped.normal() * -1));
    // At the end of the reach rounding decides whether there is a contact.
    const bool lost = swapped.count == 0 && found.distance() + 2 * slack_ < double(reach);
    const bool moved = swapped.count > 0 && std::abs(swapped.distance() - found.distance()) > 2 * slack_;
    out_.asymmetric = out_.asymmetric || lost || moved || (swapped.count > 0 && turned);
  }
  // With nothing to reach over, contacts are overlaps.
  void compare_touch(double distance) {
    const Found touching(a(), b(), 0);
    if (distance < -slack_ && touching.count == 0) out_.missed = true;
    if (distance > slack_ && touching.count > 0) out_.invented = true;
  }

  // Height of the lowest point over the plane.
  void with_plane() {
    const Double3 n = turn(a().posed.X.q, {0, 0, 1});
    Posed body = b().posed;
    body.X.p = {};
    const double distance = dot(offset() + body.support(n * -1), n);
    if (kinds_.b != Kind::kSdf) {
      compare(distance, n, true);
      return;
    }
    compare_loosely(distance, distance < -kDeep * small_);
    out_.failed = out_.depth_error * small_ > kNodeBound * double(b().sdf->spacing);
  }

  void of_convex() {
    const ConvexDistance query = convex_distance(a().view(), a().posed.X, b().view(), b().posed.X);
    std::vector<Double3> hints;
    const bool finite =
        is_finite(query.normal) && is_finite(query.distance) && is_finite(query.point_a) && is_finite(query.point_b);
    if (finite && length(Double3(query.normal)) > 0.5) hints.push_back(unit(Double3(query.normal)));
    const SignedDistance s = signed_distance(a().posed, b().posed, small_, hints);
    out_.certain = s.certain;
    compare(s.distance, s.normal, s.unique);
    out_.query_error = std::abs(double(query.distance) - s.distance) / std::max(small_, std::abs(s.distance));
    out_.not_finite = out_.not_finite || !finite;
    if (s.unique && finite) compare_normal(hints[0], s.normal);
  }

  // The signed distance of the sphere's centre; the normal by its gradient.
  void with_sphere() {
    const Double3 p = b().to_local(offset() * -1);
    const double distance = point_distance(b(), p) - double(a().posed.shape.scale.x);
    bool unique = false;
    const Double3 outwards = kinds_.b == Kind::kSdf ? gradient(p, unique) : from_nearest(p, distance, unique);
    compare(distance, turn(b().posed.X.q, outwards) * -1, unique);
  }
  Double3 gradient(Double3 p, bool& unique) {
    const SdfArrays& sdf = *b().sdf;
    const double h = 1e-5 * double(sdf.spacing), at[3] = {p.x, p.y, p.z};
    const int count[3] = {sdf.nx, sdf.ny, sdf.nz};
    const Double3 axis[3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
    double g[3];
    unique = true;
    for (int i = 0; i < 3; ++i) {
      const double u = (at[i] - double(sdf.origin[i])) / double(sdf.spacing);
      unique = unique && u > 0 && u < count[i] - 1 && std::abs(u - std::round(u)) > 1e-3;
      g[i] = (field_value(sdf, p + axis[i]) - field_value(sdf, p - axis[i])) / (2 * h);
    }
    unique = unique && length({g[0], g[1], g[2]}) > 0.3;
    return unique ? unit({g[0], g[1], g[2]}) : Double3{0, 0, 1};
  }
  Double3 from_nearest(Double3 p, double distance, bool& unique) {
    const double to_surface = distance + double(a().posed.shape.scale.x);
    Double3 best;
    double least = 1e300;
    for (const Triangle& t : b().triangles) {
      const Double3 away = p - t.nearest(p);
      if (length(away) < least) least = length(away), best = away;
    }
    unique = least > 1e-3 * small_;
    if (!unique) return {0, 0, 1};
    best = unit(best);
    for (const Triangle& t : b().triangles) {
      const Double3 away = p - t.nearest(p);
      if (length(away) < least + kUniqueBy * small_ && dot(unit(away), best) < std::cos(kApart)) unique = false;
    }
    return to_surface < 0 ? best * -1 : best;
  }

  void with_triangles() {
    const TurnedCore core(a().posed);
    const std::vector<Triangle> triangles = b().placed(Double3(a().posed.X.p));
    const Double3 center = center_of_a();
    const bool below = kinds_.b == Kind::kField;
    const double around = 2 * a().size();  // a ball that holds A
    const SurfaceDistance s = nearest_triangle_of(core, around, triangles, small_, {});
    const Double3 local = b().to_local(center - offset());
    const bool inside = below ? local.z < height_at(b().triangles, local) : winds_around(b().faces, local);
    out_.certain = s.certain;
    if (s.distance > 0 && !inside) {
      // From behind, beside the border of a heightfield, there is nothing to touch.
      if (dot(s.normal, triangles[s.triangle].normal()) < -0.02) compare(s.distance, s.normal, s.unique);
      return;
    }
    const double least_overlap = inside && s.distance > 0 ? -s.distance : s.distance;
    overlapping(least_overlap, core, center, triangles, inside);
  }
  Double3 center_of_a() {
    if (kinds_.a != Kind::kHull) return {};
    Double3 sum;
    for (const Vec3& v : a().posed.shape.hull.vertex)
      sum = sum + Double3(v) * (1.0 / double(a().posed.shape.hull.vertex.size()));
    return turn(a().posed.X.q, sum);
  }
  // overlap: about how far a triangle reaches into the core, or the core into the solid; negative. buried:
  // the centre is in the solid, and the way out may be any that leads from it.
  void overlapping(double overlap, const TurnedCore& core, Double3 center, const std::vector<Triangle>& triangles,
                   bool buried) {
    const Real reach = Real(0.02 * small_);
    const Found found(a(), b(), reach);
    out_.overlaps = true;
    out_.distance = overlap;
    out_.found = found.distance();
    out_.not_finite = !found.finite();
    if (found.count == 0 || found.distance() > slack_) {
      out_.missed = buried || is_before_cut(core, center, triangles);
      return;
    }
    double error = 0;
    for (int i = 0; i < found.count; ++i) {
      if (found.point[i].distance < 0 && !buried)
        error = std::max(error, error_of_overlap(found.point[i], core, triangles));
    }
    // Points of the world have its rounding, which is not the error of a depth.
    const double rounding = 8 * double(std::numeric_limits<Real>::epsilon()) * length(Double3(a().posed.X.p));
    error = std::max(error - rounding, 0.0);
    const double promised = buried ? 0 : depth_below_faces(core, center, triangles, small_);
    error = std::max(error, promised + std::min(found.distance(), 0.0));
    out_.depth_error = error / std::max(small_, std::abs(found.distance()));
    compare_swapped(found, reach, false);
  }

  // Whether a triangle is cut whose face has the centre before it. From behind, beside the border of a heightfield,
  // nothing is caught.
  bool is_before_cut(const TurnedCore& core, Double3 center, const std::vector<Triangle>& triangles) {
    const double least = std::max(slack_, kDepthBound * small_);
    for (const Triangle& t : triangles) {
      if (dot(center - t.corner[0], t.normal()) < 1e-3 * small_) continue;
      const LeastDepth cut = core_to_triangle(core, t, {t.normal() * -1},
                                              {.epsilon = 0.1 * least, .clear = 0, .enough = least - core.radius});
      if (cut.depth + core.radius > least) return true;
    }
    return false;
  }

  // A contact is as deep as A is below the plane of a face with its normal, or no deeper than A is in some triangle
  // along it. How far that is off.
  double error_of_overlap(const ContactPoint& contact, const TurnedCore& core, const std::vector<Triangle>& triangles) {
    const double d = contact.distance;
    const Double3 n(contact.normal), p = Double3(contact.point) - Double3(a().posed.X.p), on_b = p + n * (0.5 * d);
    const double reach_a = dot(core.support(n), n) + core.radius, beyond_a = dot(p, n) - 0.5 * d - reach_a;
    double error = 1e300;
    for (const Triangle& t : triangles) {
      const Double3 face = t.normal();
      error = std::min(error, std::max(dot(t.support(n * -1), n) - reach_a - d, 0.0));
      if (angle_between(face * -1, n) < kNormalBound)
        error = std::min(error, std::max(std::abs(dot(on_b - t.corner[0], face)), beyond_a));
    }
    return error;
  }

  // The sum of both signed distances at a place of the world, seen from A.
  double sum_at(Double3 p) {
    return point_distance(a(), a().to_local(p)) + point_distance(b(), b().to_local(p - offset()));
  }
  // How far outside of one of them at least; for a rectangle, which has no inside, from its nearest point.
  double deeper_at(Double3 p) {
    Double3 p_A = a().to_local(p);
    if (kinds_.a == Kind::kRectangle) {
      const double x = 0.5 * double(a().posed.shape.scale.x), y = 0.5 * double(a().posed.shape.scale.y);
      p_A = {std::clamp(p_A.x, -x, x), std::clamp(p_A.y, -y, y), 0};
      p = turn(a().posed.X.q, p_A);
    }
    const double in_b = point_distance(b(), b().to_local(p - offset()));
    return kinds_.a == Kind::kRectangle ? in_b : std::max(point_distance(a(), p_A), in_b);
  }
  // Downhill from the best nodes of a grid, in steps along the axes, until a value is below `enough`.
  template <class Function>
  double searched_minimum(Function f, double enough) {
    const Double3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
      const double o = dot(offset(), axes[i]);
      high[i] = std::min(reach_of(a(), axes[i]), o + reach_of(b(), axes[i]));
      low[i] = std::max(-reach_of(a(), axes[i] * -1), o - reach_of(b(), axes[i] * -1));
      if (low[i] > high[i]) std::swap(low[i], high[i]);
    }
    constexpr int kNodes = 4, kStarts = 3;
    std::vector<std::pair<double, int>> nodes;
    const auto node = [&](int k) {
      const auto along = [&](int i, int n) { return low[i] + (high[i] - low[i]) * (n + 0.5) / kNodes; };
      return Double3{along(0, k % kNodes), along(1, k / kNodes % kNodes), along(2, k / (kNodes * kNodes))};
    };
    for (int k = 0; k < kNodes * kNodes * kNodes; ++k) nodes.push_back({f(node(k)), k});
    std::sort(nodes.begin(), nodes.end());
    double least = 1e300;
    for (int s = 0; s < kStarts && least >= enough; ++s) {
      Double3 p = node(nodes[s].second);
      double value = nodes[s].first, step = 0.2 * length({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
      for (int k = 0; k < 60 && step > 1e-6 * small_ && value >= enough; ++k) {
        bool better = false;
        for (int i = 0; i < 6 && !better; ++i) {
          const Double3 q = p + axes[i / 2] * (i % 2 ? step : -step);
          const double there = f(q);
          if (there < value) value = there, p = q, better = true;
        }
        step *= better ? 1.5 : 0.4;
      }
      least = std::min(least, value);
    }
    return least;
  }
  static double reach_of(AnyShape& s, Double3 n) {
    Posed turned = s.posed;
    turned.X.p = {};
    return dot(turned.support(n), n);
  }

  void searched() {
    const double deepest = searched_minimum([this](Double3 p) { return deeper_at(p); }, -kDeep * small_);
    const double sum = deepest >= 0 ? searched_minimum([this](Double3 p) { return sum_at(p); }, -1e300) : 0;
    compare_loosely(deepest < 0 ? 2 * deepest : sum, deepest < -kDeep * small_);
  }

  // What brute force over all pairs of triangles finds.
  struct Surfaces {
    double distance = 1e300;  // where none cross
    bool before = true;       // and of a heightfield all of the nearest ones are seen from above
    bool cross = false, surely_cross = false;
  };
  Surfaces all_triangles(const std::vector<Triangle>& of_a, const std::vector<Triangle>& of_b) const {
    Surfaces all;
    for (const Triangle& s : of_a) {
      for (const Triangle& t : of_b) {
        if (length(s.middle() - t.middle()) - s.radius() - t.radius() > all.distance + slack_) continue;
        all.cross = all.cross || crosses(s, t, 0) || crosses(t, s, 0);
        if (all.cross) all.surely_cross = all.surely_cross || crosses(s, t, 2 * slack_) || crosses(t, s, 2 * slack_);
        if (all.surely_cross) return all;
        const Double3 way = way_between(s, t);
        if (length(way) > all.distance + slack_) continue;
        if (length(way) < all.distance - slack_) all.before = true;
        all.distance = std::min(all.distance, length(way));
        if (kinds_.b == Kind::kField && dot(way, t.normal()) > -0.02 * length(way)) all.before = false;
      }
    }
    return all;
  }
  // How deep a vertex of one is in the solid of the other at most; 0 where none is.
  double deepest_vertex(const std::vector<Triangle>& of_a, const std::vector<Triangle>& of_b) {
    double most = 0;
    for (const Triangle& s : of_a)
      for (const Double3 p : s.corner) most = std::max(most, -point_distance(b(), b().to_local(p - offset())));
    for (const Triangle& t : of_b)
      for (const Double3 p : t.corner) most = std::max(most, -point_distance(a(), a().to_local(p)));
    return most;
  }
  void of_surfaces() {
    const Double3 origin(a().posed.X.p);
    const std::vector<Triangle> of_a = a().placed(origin), of_b = b().placed(origin);
    const Surfaces all = all_triangles(of_a, of_b);
    const double deep = deepest_vertex(of_a, of_b);
    if (all.surely_cross || deep > slack_) return overlapping_surfaces(deep, of_a, of_b);
    if (!all.cross && all.before) compare(all.distance, {}, false);
  }
  // How far a point is off all triangles. Corners of an overlap may be outside of two sides by kClipSlack of the size:
  // where these meet at a sharp corner, that is farther from it by one over the sine of half its angle. And a triangle
  // may be twenty times as steep as that through which it is seen.
  double off_triangles(const std::vector<Triangle>& triangles, Double3 p) const {
    double least = 1e300;
    for (const Triangle& t : triangles)
      least = std::min(least, length(p - t.nearest(p)) - 20 * double(kClipSlack) * small_ / t.sharpness());
    return least;
  }
  void overlapping_surfaces(double deep, const std::vector<Triangle>& of_a, const std::vector<Triangle>& of_b) {
    const Real reach = Real(0.02 * small_);
    const Found found(a(), b(), reach), touching(a(), b(), 0);
    out_.overlaps = true;
    out_.distance = -deep;
    out_.found = found.distance();
    out_.not_finite = !found.finite();
    out_.missed = found.count == 0 || found.distance() > slack_ || touching.count == 0;
    if (found.count == 0) return;
    int overlaps = 0;
    double error = 0;
    for (int i = 0; i < found.count; ++i) {
      const ContactPoint& c = found.point[i];
      if (!(c.distance < 0)) continue;
      const Double3 half = Double3(c.normal) * (0.5 * double(c.distance)),
                    p = Double3(c.point) - Double3(a().posed.X.p);
      error = std::max({error, off_triangles(of_a, p - half), off_triangles(of_b, p + half)});
      ++overlaps;
    }
    if (overlaps < 2) error = 0;
    if (found.distance() > -kLeastDepth * deep + slack_) error = 1e10;
    out_.depth_error = error / std::max(small_, std::abs(found.distance()));
    compare_swapped(found, reach, false);
  }

  // No more is promised than: deep overlaps are found.
  void compare_loosely(double distance, bool deep) {
    const Real reach = Real(0.1 * small_);
    const Found found(a(), b(), reach);
    out_.distance = distance;
    out_.overlaps = distance < 0;
    out_.found = found.distance();
    out_.not_finite = !found.finite();
    out_.missed = deep && boxes_meet() && (found.count == 0 || found.distance() > 0);
    if (found.count > 0 && distance >= 0 && distance < reach)
      out_.depth_error = std::abs(found.distance() - distance) / small_;
    if (kinds_.a != kinds_.b && index_ % 8 != 0) return;
    const Found swapped(b(), a(), reach);
    out_.asymmetric = std::abs(swapped.distance() - found.distance()) > 2 * slack_;
  }

  // The solid below a heightfield counts as far down as its box, by the width and length of the field.
  bool boxes_meet() {
    return overlap(shape_world_box(a().view(), a().posed.X), shape_world_box(b().view(), b().posed.X));
  }

  KindPair kinds_;
  std::int64_t index_;
  std::pair<AnyShape, AnyShape> shapes_;
  double small_, large_, slack_;
  double told_apart_;          // distances of convex shapes that differ by less are the same [m]
  bool wrong_normal_ = false;  // by more than kNormalBound
  Outcome out_;
};

}  // namespace carom::test
