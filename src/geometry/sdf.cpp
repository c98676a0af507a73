// Signed distance fields: checks, interpolation, volume integrals.
#include <algorithm>
#include <array>

#include "base/fail.h"
#include "geometry/moments.h"

namespace carom::inline CAROM_PRECISION {

SDF::SDF(std::vector<Real> values_in, int nx_in, int ny_in, int nz_in, Vec3 origin_in, Real spacing_in)
    : values(std::move(values_in)), nx(nx_in), ny(ny_in), nz(nz_in), origin(origin_in), spacing(spacing_in) {
  if (nx < 2 || ny < 2 || nz < 2) {
    fail("sdf grid must have at least 2 nodes along x, y and z, has ", nx, " x ", ny, " x ", nz);
  }
  const std::size_t count = std::size_t(nx) * ny * nz;
  if (values.size() != count) {
    fail("sdf has ", values.size(), " values, but nx * ny * nz = ", nx, " * ", ny, " * ", nz, " = ", count);
  }
  if (!is_finite(origin)) fail("sdf origin is not finite");
  if (!(spacing > 0) || !is_finite(spacing)) fail("sdf spacing must be positive and finite, is ", spacing);
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_finite(values[i])) {
      fail("sdf value at node (", i % nx, ", ", i / nx % ny, ", ", i / nx / ny, ") is not finite");
    }
  }
}

Real sdf_distance(const SDF& sdf, Vec3 p) {
  const int size[3] = {sdf.nx, sdf.ny, sdf.nz};
  int cell[3];
  double fraction[3], outside_squared = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double u = (double(p[axis]) - sdf.origin[axis]) / sdf.spacing;
    const double inside = clamp(u, 0.0, double(size[axis] - 1));
    cell[axis] = std::min(int(inside), size[axis] - 2);
    fraction[axis] = inside - cell[axis];
    outside_squared += square((u - inside) * sdf.spacing);
  }
  const auto along_x = [&](int j, int k) {
    const double a = sdf.value(cell[0], cell[1] + j, cell[2] + k), b = sdf.value(cell[0] + 1, cell[1] + j, cell[2] + k);
    return a + fraction[0] * (b - a);
  };
  const auto along_y = [&](int k) { return along_x(0, k) + fraction[1] * (along_x(1, k) - along_x(0, k)); };
  return Real(along_y(0) + fraction[2] * (along_y(1) - along_y(0)) + sqrt(outside_squared));
}

// -- Volume integrals

namespace {

struct Node {
  Vec3d x;
  double value;
};

// Where the value is zero between an inner and an outer node.
Vec3d crossing(const Node& in, const Node& out) { return in.x + (out.x - in.x) * (in.value / (in.value - out.value)); }

Moments unsigned_tetrahedron(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const Moments m = tetrahedron_moments(a, b, c, d);
  return m.volume < 0 ? m * -1.0 : m;
}

// The part of a tetrahedron where the linear function through its corners' values is negative.
Moments negative_part(std::array<Node, 4> n) {
  std::sort(n.begin(), n.end(), [](const Node& a, const Node& b) { return a.value < b.value; });
  const int inner = int(std::count_if(n.begin(), n.end(), [](const Node& a) { return a.value < 0; }));
  const auto whole = [&] { return unsigned_tetrahedron(n[0].x, n[1].x, n[2].x, n[3].x); };
  switch (inner) {
    case 0: return {};
    case 1: return unsigned_tetrahedron(n[0].x, crossing(n[0], n[1]), crossing(n[0], n[2]), crossing(n[0], n[3]));
    case 2: {  // a wedge between the triangles (n0, a2, a3) and (n1, b2, b3)
      const Vec3d a2 = crossing(n[0], n[2]), a3 = crossing(n[0], n[3]);
      const Vec3d b2 = crossing(n[1], n[2]), b3 = crossing(n[1], n[3]);
      return unsigned_tetrahedron(n[0].x, a2, a3, b3) + unsigned_tetrahedron(n[0].x, a2, b2, b3) +
             unsigned_tetrahedron(n[0].x, n[1].x, b2, b3);
    }
    case 3:
      return whole() - unsigned_tetrahedron(n[3].x, crossing(n[0], n[3]), crossing(n[1], n[3]), crossing(n[2], n[3]));
    default: return whole();
  }
}

// The six tetrahedra of a cell share its diagonal from corner 0 to corner 7 (bits of a corner: x 1, y 2, z 4).
constexpr int kTetrahedra[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};

Moments cell_moments(const std::array<Node, 8>& corner) {
  Moments sum;
  for (const auto& t : kTetrahedra) {
    sum = sum + negative_part({corner[t[0]], corner[t[1]], corner[t[2]], corner[t[3]]});
  }
  return sum;
}

}  // namespace

Moments sdf_moments(const SDF& sdf, double scale, double level) {
  const double spacing = sdf.spacing * scale;
  Moments sum;  // about the grid's origin
  for (int k = 0; k + 1 < sdf.nz; ++k) {
    for (int j = 0; j + 1 < sdf.ny; ++j) {
      for (int i = 0; i + 1 < sdf.nx; ++i) {
        std::array<Node, 8> corner;
        bool any_inside = false;
        for (int c = 0; c < 8; ++c) {
          const int ci = i + (c & 1), cj = j + (c >> 1 & 1), ck = k + (c >> 2);
          corner[c] = {Vec3d{double(ci), double(cj), double(ck)} * spacing, sdf.value(ci, cj, ck) * scale - level};
          any_inside = any_inside || corner[c].value < 0;
        }
        if (any_inside) sum = sum + cell_moments(corner);
      }
    }
  }
  return moved(sum, to_double(sdf.origin) * scale);
}

}  // namespace carom::inline CAROM_PRECISION
