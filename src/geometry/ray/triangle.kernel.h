// Rays and triangles, without gaps between neighbours (S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle
// intersection", 2013): in coordinates sheared so that the ray runs along the third axis, the signs of three areas
// decide. Both neighbours of a side compute the same area up to its sign, so that a ray cannot pass between them.
#pragma once

#include "geometry/ray/ray_hit.h"
#include "geometry/triangle.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ShearedRay {
  Vec3 p;
  int kx, ky, kz;   // kz: where the direction is longest
  Real sx, sy, sz;  // the shear

  CAROM_HD explicit ShearedRay(const Ray& ray) : p(ray.p) {
    const Vec3 size = abs(ray.d);
    kz = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    kx = kz == 2 ? 0 : kz + 1;
    ky = kx == 2 ? 0 : kx + 1;
    if (ray.d[kz] < 0) {  // keeps the turning sense
      const int held = kx;
      kx = ky, ky = held;
    }
    sz = Real(1) / ray.d[kz];
    sx = ray.d[kx] * sz;
    sy = ray.d[ky] * sz;
  }
  CAROM_HD Vec3 shear(Vec3 x) const {
    const Vec3 d = x - p;
    return {d[kx] - sx * d[kz], d[ky] - sy * d[kz], sz * d[kz]};
  }
};

// t where the ray's line meets the triangle, from whichever side; negative where it does not, or behind p.
CAROM_HD Real meet_triangle(const ShearedRay& ray, const TriangleCorners& t) {
  const Vec3 a = ray.shear(t.corner[0]), b = ray.shear(t.corner[1]), c = ray.shear(t.corner[2]);
  // Differences of rounded products, not fma: exchanging the two corners must change the sign and nothing else.
  const Real u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x;
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return -1;
  const Real sum = u + v + w;
  if (!(abs(sum) > 0)) return -1;
  return (u * a.z + v * b.z + w * c.z) / sum;
}

}  // namespace carom::inline CAROM_PRECISION
