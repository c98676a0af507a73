// The signed distance of two convex bodies, proven: the reference of the differential test.
//
// With M = A - B and its support function h(n) = max n.w over w in M, the signed distance is -min h(n) over all unit
// vectors n, apart or not. Branch and bound covers the sphere of directions with triangles n1 n2 n3. Their support
// points w1 w2 w3 belong to M, so h(n) >= g.n for every g between them; and for n within the triangle g.n is at least
// the least of g.n1, g.n2, g.n3, or where that is negative, it divided by the cosine of the triangle's radius. A
// triangle whose best such bound is no less than the least h met, up to epsilon, holds nothing better; any other is cut
// in two. What is left when no triangle is left is the least depth to epsilon, whatever the shapes and wherever the
// search began. Nothing of this is the algorithm of the engine, and only double is used.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "collide/convex_reference.h"

namespace carom::test {

// A direction that was looked along, and the point of M farthest there.
struct Look {
  Double3 n, w;
  double h;
};

struct LeastDepth {
  double depth;    // least h(n)
  Double3 normal;  // from A to B
  bool unique;     // directions kApart or more away are deeper by more than `clear`
  bool certain;    // no direction is left that could be better by epsilon
};
constexpr double kApart = 0.02;  // [rad]

struct DepthLimits {
  double epsilon;          // [m]
  double clear;            // [m]
  double enough = -1e300;  // a depth below which nobody needs to know more [m]
  int room = 400000;       // most directions to look along
};

// Support: Double3 n -> the farthest point of M along n.
template <class Support>
class DepthSearch {
 public:
  DepthSearch(const Support& support, const DepthLimits& limits) : support_(support), limits_(limits) {}

  // A direction to begin with. Any one is good, and one that is about right saves time.
  void hint(Double3 n) { look(n); }

  LeastDepth run() {
    constexpr double p = 1.618033988749895;
    static constexpr double corner[12][3] = {{-1, p, 0},  {1, p, 0},  {-1, -p, 0}, {1, -p, 0}, {0, -1, p},  {0, 1, p},
                                             {0, -1, -p}, {0, 1, -p}, {p, 0, -1},  {p, 0, 1},  {-p, 0, -1}, {-p, 0, 1}};
    static constexpr int face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                        {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                        {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                        {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    Look at[12];
    for (int i = 0; i < 12; ++i) at[i] = look(unit({corner[i][0], corner[i][1], corner[i][2]}));
    for (const auto& f : face) add_cell({{at[f[0]], at[f[1]], at[f[2]]}});
    const bool certain = refine(limits_.epsilon, limits_.room);
    if (best_.h >= limits_.enough) polish();
    return {best_.h, best_.n, certain && is_unique(), certain};
  }

 private:
  struct Cell {
    Look at[3];
  };
  struct Entry {
    double bound;
    int cell;
    bool operator<(const Entry& other) const { return bound > other.bound; }  // the least is the first of a heap
  };
  // A small triangle that is nearly as good as the best direction.
  struct Rival {
    Double3 n;
    double bound;
  };

  Look look(Double3 n) {
    const Double3 w = support_(n);
    const Look l{n, w, dot(n, w)};
    if (l.h < best_.h) best_ = l;
    return l;
  }

  // The least of g.n_i.
  static double bound(const Cell& c, Double3 g) {
    return std::min({dot(g, c.at[0].n), dot(g, c.at[1].n), dot(g, c.at[2].n)});
  }
  // The greatest bound of the points between the w_i: with equal g.n_i inside of their triangle, or on its sides, where
  // two of the three are equal, or in its corners.
  static double best_bound(const Cell& c) {
    const Double3 w = c.at[0].w, u = c.at[1].w - w, v = c.at[2].w - w;
    const Double3 m = cross(c.at[1].n - c.at[0].n, c.at[2].n - c.at[0].n), across = cross(u, v);
    const double slope = dot(m, across);
    double best = std::max({bound(c, w), bound(c, c.at[1].w), bound(c, c.at[2].w)});
    if (slope != 0) {
      const Double3 g = m * (dot(w, across) / slope), d = g - w;
      const double size = dot(across, across), s = dot(cross(d, v), across) / size, t = dot(cross(u, d), across) / size;
      if (s >= 0 && t >= 0 && s + t <= 1) return std::max(best, bound(c, w + u * s + v * t));
    }
    for (int i = 0; i < 3; ++i) {
      const Double3 from = c.at[i].w, e = c.at[(i + 1) % 3].w - from;
      for (int k = 0; k < 3; ++k) {
        const Double3 difference = c.at[k].n - c.at[(k + 1) % 3].n;
        const double change = dot(e, difference), t = -dot(from, difference) / change;
        if (t > 0 && t < 1) best = std::max(best, bound(c, from + e * t));
      }
    }
    return best;
  }
  // Remembers a triangle with a bound that no direction within it is below, unless nothing in it could be of interest.
  void add_cell(const Cell& c) {
    const double least = best_bound(c);
    const double bounded = least < 0 ? least / bound(c, middle_of(c)) : least;
    if (bounded >= best_.h + limits_.clear) return;
    heap_.push_back({bounded, int(cells_.size())});
    cells_.push_back(c);
    std::push_heap(heap_.begin(), heap_.end());
  }
  static Double3 middle_of(const Cell& c) { return unit(c.at[0].n + c.at[1].n + c.at[2].n); }

  // Cuts triangles, the one with the least bound first, until none is left. Those that are no better but nearly as good
  // are cut until they are small enough to say whether the normal is unique. False when there are too many.
  bool refine(double epsilon, int room) {
    constexpr double kSmall = kApart / 4;
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Entry entry = heap_.back();
      heap_.pop_back();
      const Cell c = cells_[entry.cell];
      if (best_.h < limits_.enough) return true;
      const bool better = entry.bound < best_.h - epsilon, rival = unique_ && entry.bound < best_.h + limits_.clear;
      if (!better && !rival) return true;
      int side = 0;
      double longest = 0;
      for (int k = 0; k < 3; ++k) {
        const Double3 e = c.at[(k + 1) % 3].n - c.at[k].n;
        if (dot(e, e) > longest) longest = dot(e, e), side = k;
      }
      if (longest < 1e-26) continue;  // within rounding of its corners
      if (!better && longest < kSmall * kSmall) {
        add_rival(middle_of(c), entry.bound);
        continue;
      }
      if (--room < 0) return false;
      const Look from = c.at[side], to = c.at[(side + 1) % 3], opposite = c.at[(side + 2) % 3];
      const Look cut = look(unit(from.n + to.n));
      add_cell({{from, cut, opposite}});
      add_cell({{cut, to, opposite}});
    }
    return true;
  }
  void add_rival(Double3 n, double least) {
    rivals_.push_back({n, least});
    if (dot(n, rivals_.front().n) < std::cos(2 * kApart) && rivals_.front().bound < best_.h + limits_.clear)
      unique_ = false;
  }
  bool is_unique() const {
    for (const Rival& r : rivals_)
      if (r.bound < best_.h + limits_.clear && dot(r.n, best_.n) < std::cos(kApart)) return false;
    return unique_;
  }

  // The same once more, about the normal and much finer, since a depth to epsilon is a normal to its root. Where many
  // directions are about as good there is no need, and no end.
  void polish() {
    constexpr double kAround = 3e-3;
    if (!is_unique()) return;
    const Look middle = best_;
    const Double3 x = unit(cross(middle.n, std::abs(middle.n.x) < 0.7 ? Double3{1, 0, 0} : Double3{0, 1, 0}));
    const Double3 y = cross(middle.n, x);
    Look ring[6];
    for (int k = 0; k < 6; ++k) {
      const double angle = k * 1.0471975511965976;
      ring[k] = look(unit(middle.n + x * (kAround * std::cos(angle)) + y * (kAround * std::sin(angle))));
    }
    heap_.clear();
    for (int k = 0; k < 6; ++k) add_cell({{middle, ring[k], ring[(k + 1) % 6]}});
    refine(limits_.epsilon * 1e-4, 1000);
  }

  const Support& support_;
  DepthLimits limits_;
  Look best_{{}, {}, 1e300};
  std::vector<Cell> cells_;
  std::vector<Entry> heap_;
  std::vector<Rival> rivals_;
  bool unique_ = true;
};

// A shape as a core and a ball around it: spheres are points, capsules segments. In double, turned, at the origin.
struct TurnedCore {
  const TestShape& shape;
  Double3 axis[3];
  double radius;

  explicit TurnedCore(const Posed& posed) : shape(posed.shape) {
    axis[0] = turn(posed.X.q, {1, 0, 0}), axis[1] = turn(posed.X.q, {0, 1, 0}), axis[2] = turn(posed.X.q, {0, 0, 1});
    const bool round = shape.type == ShapeType::kSphere || shape.type == ShapeType::kCapsule;
    radius = round ? double(shape.scale.x) : 0;
  }
  Double3 support(Double3 n) const {
    if (shape.type == ShapeType::kSphere) return {};
    const Double3 d{dot(axis[0], n), dot(axis[1], n), dot(axis[2], n)};
    const Double3 p = shape.type == ShapeType::kCapsule
                          ? Double3{0, 0, d.z < 0 ? -double(shape.scale.y) : double(shape.scale.y)}
                          : shape.support(d);
    return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z;
  }
};

struct SignedDistance {
  double distance;
  Double3 normal;  // from A to B
  bool unique;     // all directions kApart away are worse by more than kUniqueBy of the size
  bool certain;
};
// In double. Not inlined: GCC 12 with -O3 and no FMA subtracts in float where it puts this into registers with the
// rest.
[[gnu::noinline]] inline Double3 minus(Vec3 a, Vec3 b) { return Double3(a) - Double3(b); }

constexpr double kUniqueBy = 1e-4;
// size: of the smaller shape. The result is right to 1e-7 of it, or to the rounding of double where shapes differ so
// much that it is more.
inline SignedDistance signed_distance(const Posed& a, const Posed& b, double size, const std::vector<Double3>& hints) {
  const TurnedCore core_a(a), core_b(b);
  const Double3 offset = minus(b.X.p, a.X.p);
  const auto support = [&](Double3 n) { return core_a.support(n) - core_b.support(n * -1) - offset; };
  const double large = a.shape.size() + b.shape.size() + length(offset);
  DepthSearch search(support, DepthLimits{.epsilon = std::max(1e-7 * size, 1e-14 * large), .clear = kUniqueBy * size});
  for (const Double3& n : hints) search.hint(n);
  if (length(offset) > 0) search.hint(unit(offset));
  const LeastDepth found = search.run();
  return {-found.depth - core_a.radius - core_b.radius, found.normal, found.unique, found.certain};
}

}  // namespace carom::test
