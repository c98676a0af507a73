#include "geometry/hull_directions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace carom::inline CAROM_PRECISION {
namespace {

using Point = std::array<double, 3>;

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// One square of the grid, in the coordinates of the cube's face.
struct Cell {
  int face;
  double u, v, width;
};

// Cells are halved from the faces of the cube down; a vertex that is no candidate of a cell is none of its quarters.
class Grid {
 public:
  explicit Grid(const std::vector<Vec3>& vertex) {
    double size = 0;
    for (const Vec3& p : vertex) {
      point_.push_back({double(p.x), double(p.y), double(p.z)});
      size = std::max(size, std::sqrt(dot(point_.back(), point_.back())));
    }
    // Whatever rounding makes of the products that are compared, the farthest vertex is on the list.
    slack_ = 32 * double(std::numeric_limits<Real>::epsilon()) * size;
    int depth = 0;
    while (depth < kMostHalvings && kVerticesOfCell * cell_count(1 << depth) < int(vertex.size())) ++depth;
    side_ = 1 << depth;
    lists_.resize(cell_count(side_));
  }

  HullDirectionArrays build(const std::vector<Vec3>& vertex) {
    std::vector<int> all(point_.size());
    std::iota(all.begin(), all.end(), 0);
    for (int face = 0; face < 6; ++face) fill({face, -1, -1, 2}, all);
    HullDirectionArrays out;
    out.side = side_;
    out.start.push_back(0);
    for (std::vector<int>& list : lists_) {
      list.resize(hull_row_stride(list.size()), list.front());
      out.id.insert(out.id.end(), list.begin(), list.end());
      for (int k = 0; k < 3; ++k) {
        for (const int v : list) out.vertex.push_back(vertex[v][k]);
      }
      out.start.push_back(int(out.id.size()));
    }
    return out;
  }

 private:
  static constexpr int kMostHalvings = 4, kVerticesOfCell = 4;

  static int cell_count(int side) { return 6 * side * side; }

  void fill(const Cell& cell, const std::vector<int>& given) {
    const std::vector<int> list = candidates(cell, given);
    if (cell.width * side_ < 3) {
      const auto place = [&](double x) { return int(std::lround((x + 1) * side_ / 2)); };
      lists_[(cell.face * side_ + place(cell.v)) * side_ + place(cell.u)] = list;
      return;
    }
    const double half = cell.width / 2;
    for (int k = 0; k < 4; ++k) fill({cell.face, cell.u + (k & 1) * half, cell.v + (k >> 1) * half, half}, list);
  }

  // A vertex v is the farthest somewhere in the cell only if it is before each other vertex p along some direction of
  // it: (v - p) . d >= 0 for one of the corners d of the cell. Asked of the farthest ones along the corners and along
  // the middle.
  std::vector<int> candidates(const Cell& cell, const std::vector<int>& given) const {
    std::array<Point, 5> direction;  // the corners, moved outwards by more than rounding moves a direction; the middle
    for (int k = 0; k < 5; ++k) {
      const auto at = [&](double x, int bit) { return x + cell.width * (k == 4 ? 0.5 : bit ? 1.001 : -0.001); };
      direction[k] = on_cube(cell.face, at(cell.u, k & 1), at(cell.v, k & 2));
    }
    std::vector<std::array<double, 5>> height(given.size());
    std::array<std::size_t, 5> farthest{};
    for (std::size_t i = 0; i < given.size(); ++i) {
      for (int k = 0; k < 5; ++k) {
        height[i][k] = dot(point_[given[i]], direction[k]);
        if (height[i][k] > height[farthest[k]][k]) farthest[k] = i;
      }
    }
    std::vector<int> found;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool is_one = std::all_of(farthest.begin(), farthest.end(), [&](std::size_t p) {
        bool before = false;
        for (int k = 0; k < 4; ++k) before |= height[i][k] >= height[p][k] - slack_;
        return before;
      });
      if (is_one) found.push_back(given[i]);
    }
    return found;
  }

  static Point on_cube(int face, double u, double v) {
    const int axis = face / 2;
    Point d;
    d[axis] = face % 2 ? 1 : -1, d[(axis + 1) % 3] = u, d[(axis + 2) % 3] = v;
    return d;
  }

  std::vector<Point> point_;
  double slack_ = 0;
  int side_ = 0;
  std::vector<std::vector<int>> lists_;
};

}  // namespace

HullDirectionArrays build_hull_directions(const std::vector<Vec3>& vertex) {
  if (vertex.size() <= kHullScanLimit) return {};
  return Grid(vertex).build(vertex);
}

}  // namespace carom::inline CAROM_PRECISION
