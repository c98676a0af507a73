// Penetration of two convex cores: the direction n and the least depth h(n) = max n.(a - b) by which B must move along
// n to come free of A.
//
// The expanding polytope algorithm (G. van den Bergen, "Proximity queries and penetration depth computation on 3D game
// objects", 2001): a polytope inside A - B grows at its face nearest to the origin. The depth lies between the offset
// of that face and the least h(n) met so far, so the search can stop anywhere and knows its error. The same holds, with
// negative offsets, when the origin is outside by no more than rounding, so touching cores need no special care.
#pragma once

#include "collide/narrow/gjk.kernel.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// Where two cores are nearest or deepest, in the frame of A.
struct CoreContact {
  Vec3 normal;            // unit, from A to B
  Real distance;          // of the cores, negative when they overlap [m]
  Vec3 point_a, point_b;  // on A and on B [m]
};

inline constexpr int kEpaVertices = 128;
inline constexpr int kEpaFaces = 2 * kEpaVertices;  // a closed surface of triangles has 2 v - 4 of them

// A triangle of the polytope. Side k runs from corner k to corner k + 1 and is side twin_side[k] of face twin[k].
struct EpaFace {
  Real normal[3];  // unit, outwards
  std::uint8_t corner[3], twin_side[3];
  std::int16_t twin[3];
};

// The growing polytope. Plain arrays: nothing is initialised before it is used.
struct EpaPolytope {
  Real w[kEpaVertices][3], a[kEpaVertices][3];
  EpaFace face[kEpaFaces];
  Real offset[kEpaFaces];  // of the plane of the face; kEpaRemoved for faces that are gone
  std::int16_t free_face[kEpaFaces];
  int vertex_count, face_count, free_count;
};
inline constexpr Real kEpaRemoved = std::numeric_limits<Real>::max();

inline constexpr int kDescentSteps = 256;  // most need 20, valleys that are nearly level more
inline constexpr Real kDescentGain = Real(1e-3);

CAROM_HD Vec3 vec3_of(const Real* p) { return {p[0], p[1], p[2]}; }

CAROM_HD int add_vertex(EpaPolytope& e, const DifferencePoint& p) {
  const int i = e.vertex_count++;
  for (int k = 0; k < 3; ++k) e.w[i][k] = p.w[k], e.a[i][k] = p.a[k];
  return i;
}

// Returns the face, or -1 when the three corners are in line, so that its normal would not have length 1, or there is
// no room.
CAROM_HD int add_face(EpaPolytope& e, int i, int j, int k) {
  const Vec3 p = vec3_of(e.w[i]), n = cross(vec3_of(e.w[j]) - p, vec3_of(e.w[k]) - p);
  const Real nn = length_squared(n);
  if (!(nn > kTinyArea) || (e.free_count == 0 && e.face_count == kEpaFaces)) return -1;
  const int f = e.free_count > 0 ? e.free_face[--e.free_count] : e.face_count++;
  EpaFace& face = e.face[f];
  const Vec3 unit = n * (1 / sqrt(nn));
  for (int c = 0; c < 3; ++c) face.normal[c] = unit[c];
  face.corner[0] = std::uint8_t(i), face.corner[1] = std::uint8_t(j), face.corner[2] = std::uint8_t(k);
  e.offset[f] = dot(unit, p);
  return f;
}
CAROM_HD void remove_face(EpaPolytope& e, int f) {
  e.offset[f] = kEpaRemoved;
  e.free_face[e.free_count++] = std::int16_t(f);
}
CAROM_HD void join_faces(EpaPolytope& e, int f, int side_f, int g, int side_g) {
  e.face[f].twin[side_f] = std::int16_t(g), e.face[f].twin_side[side_f] = std::uint8_t(side_g);
  e.face[g].twin[side_g] = std::int16_t(f), e.face[g].twin_side[side_g] = std::uint8_t(side_f);
}

// The tetrahedron of the first four vertices, turned so that normals point outwards.
CAROM_HD bool add_tetrahedron(EpaPolytope& e) {
  const Vec3 p = vec3_of(e.w[0]);
  const Vec3 x = vec3_of(e.w[1]) - p, y = vec3_of(e.w[2]) - p, z = vec3_of(e.w[3]) - p;
  const bool turned = dot(cross(x, y), z) > 0;  // vertex 3 must lie behind face 0 1 2
  const int i = turned ? 2 : 1, j = turned ? 1 : 2;
  const int f0 = add_face(e, 0, i, j), f1 = add_face(e, 0, 3, i), f2 = add_face(e, i, 3, j), f3 = add_face(e, j, 3, 0);
  if (f0 < 0 || f1 < 0 || f2 < 0 || f3 < 0) return false;
  join_faces(e, f0, 0, f1, 2), join_faces(e, f0, 1, f2, 2), join_faces(e, f0, 2, f3, 2);
  join_faces(e, f1, 1, f2, 0), join_faces(e, f2, 1, f3, 0), join_faces(e, f3, 1, f1, 0);
  return true;
}

// Removes the faces that vertex `top` sees, beginning with f, and closes the hole with triangles around it. The walk
// over the seen region goes around counter-clockwise, so its border comes side by side. Returns false when rounding has
// left no single closed border, or there is no room; the polytope is of no further use then.
CAROM_HD_LARGE bool grow(EpaPolytope& e, int f, int top, Real tolerance) {
  const Vec3 p = vec3_of(e.w[top]);
  std::int16_t stack_face[kEpaFaces];
  std::uint8_t stack_side[kEpaFaces];
  int depth = 0, first = -1, last = -1;
  for (int k = 2; k >= 0; --k) stack_face[depth] = e.face[f].twin[k], stack_side[depth++] = e.face[f].twin_side[k];
  remove_face(e, f);
  while (depth > 0) {
    const int g = stack_face[--depth], side = stack_side[depth];
    if (e.offset[g] == kEpaRemoved) continue;
    const EpaFace face = e.face[g];
    const int next = side == 2 ? 0 : side + 1, after = side == 0 ? 2 : side - 1;
    if (dot(vec3_of(face.normal), p) - e.offset[g] > tolerance) {
      if (depth + 2 > kEpaFaces) return false;
      stack_face[depth] = face.twin[after], stack_side[depth++] = face.twin_side[after];
      stack_face[depth] = face.twin[next], stack_side[depth++] = face.twin_side[next];
      remove_face(e, g);
      continue;
    }
    const int added = add_face(e, face.corner[next], face.corner[side], top);
    if (added < 0) return false;
    join_faces(e, added, 0, g, side);
    if (last >= 0) {
      if (e.face[last].corner[1] != e.face[added].corner[0]) return false;
      join_faces(e, last, 1, added, 2);
    } else {
      first = added;
    }
    last = added;
  }
  if (first < 0 || first == last || e.face[last].corner[1] != e.face[first].corner[0]) return false;
  join_faces(e, last, 1, first, 2);
  return true;
}

CAROM_HD int nearest_face(const EpaPolytope& e) {
  int nearest = 0;
  Real least = e.offset[0];
  for (int f = 1; f < e.face_count; ++f) {
    if (e.offset[f] < least) least = e.offset[f], nearest = f;
  }
  return nearest;
}
// The nearest of the faces whose normals have a cosine of more than `limit` with n; -1 when there is none.
CAROM_HD int nearest_face_about(const EpaPolytope& e, Vec3 n, Real limit) {
  int nearest = -1;
  for (int f = 0; f < e.face_count; ++f) {
    if (e.offset[f] == kEpaRemoved || (nearest >= 0 && e.offset[f] >= e.offset[nearest])) continue;
    if (dot(vec3_of(e.face[f].normal), n) > limit) nearest = f;
  }
  return nearest;
}

CAROM_HD TriangleFoot epa_foot(const EpaPolytope& e, const std::uint8_t* corner) {
  return triangle_foot(vec3_of(e.w[corner[0]]), vec3_of(e.w[corner[1]]), vec3_of(e.w[corner[2]]));
}
// Where several faces lie in the plane of face f, the one that has the foot of the origin.
CAROM_HD int face_of_foot(const EpaPolytope& e, int f, Real tolerance) {
  int best = f;
  Real most = -kEpaRemoved;
  for (int g = 0; g < e.face_count; ++g) {
    if (e.offset[g] > e.offset[f] + tolerance) continue;
    if (dot(vec3_of(e.face[g].normal), vec3_of(e.face[f].normal)) < Real(0.5)) continue;
    const TriangleFoot foot = epa_foot(e, e.face[g].corner);
    const Real inside = min(min(foot.weight[0], foot.weight[1]), foot.weight[2]) / foot.nn;
    if (inside > most) most = inside, best = g;
  }
  return best;
}

// The point nearest to the origin between two points.
CAROM_HD Vec3 shortest_between(Vec3 p, Vec3 q) {
  const Vec3 e = q - p;
  const Real ee = length_squared(e);
  return ee > 0 ? fma(e, clamp(-dot(p, e) / ee, Real(0), Real(1)), p) : p;
}

// Goes downhill in the depth h(n), whose gradient across n is that part of the support point w(n). Where two smooth
// parts of h meet in a valley, a step that fails has met the gradient of the other side; the shortest vector between
// both leads along the valley (P. Wolfe, "A method of conjugate subgradients", 1975). Where the two cancel, the least
// depth lies within the step: shorter ones begin anew. Steps grow while they succeed.
CAROM_HD_LARGE void descend(const CorePair& pair, Real tolerance, Vec3& n, Real& h) {
  DifferencePoint p = difference_support(pair, n);
  Vec3 gradient = fma(n, -h, p.w), uphill = gradient;
  Real angle = length(uphill) / (abs(h) + length(uphill));
  for (int k = 0; k < kDescentSteps && angle > 16 * kRounding; ++k) {
    if (angle * length(uphill) <= kDescentGain * tolerance) {
      uphill = gradient;
      angle *= Real(0.25);
    }
    const Real slope = length(uphill);
    if (angle * slope <= kDescentGain * tolerance) return;  // more than that a step does not gain
    const Vec3 next = normalize(fma(uphill, -angle / max(slope, kTinyArea), n));
    const DifferencePoint q = difference_support(pair, next);
    const Real depth = dot(next, q.w);
    if (depth < h) {
      n = next, h = depth, p = q;
      uphill = gradient = fma(n, -h, p.w);
      angle *= 2;
      continue;
    }
    const Vec3 shorter = shortest_between(uphill, fma(n, -dot(n, q.w), q.w));
    if (length_squared(shorter) > Real(0.8) * length_squared(uphill)) angle *= Real(0.25);
    uphill = shorter;
  }
}

// Up to this many vertices the polytope grows wherever it is nearest. What is not settled then is a curved shape that
// is about equally deep in many directions: the search goes downhill from the best of them, and the polytope grows
// there, in a window that halves every 6 steps.
inline constexpr int kEpaGlobalVertices = 64;
inline constexpr Real kEpaWindow = Real(0.5), kEpaWindowShrinks = Real(0.79);  // [rad^2 / 2], 2^(-2/6)
inline constexpr Real kEpaBasin = Real(0.1);  // around a direction found downhill, no other one is looked for
inline constexpr int kEpaStarts = 8;

// The least depth met, with the triangle where it was.
struct EpaSearch {
  Vec3 normal;
  Real least = kEpaRemoved;
  std::uint8_t corner[3] = {};
};

CAROM_HD void note_depth(EpaSearch& s, Vec3 n, Real h, const EpaFace& face) {
  if (!(h < s.least)) return;
  s.least = h;
  s.normal = n;
  for (int k = 0; k < 3; ++k) s.corner[k] = face.corner[k];
}

// Whether a depth less than `least` is possible well away from the direction n.
CAROM_HD bool is_open_elsewhere(const EpaPolytope& e, Vec3 n, Real least) {
  for (int f = 0; f < e.face_count; ++f) {
    if (e.offset[f] < least && dot(vec3_of(e.face[f].normal), n) < 1 - kEpaBasin) return true;
  }
  return false;
}

// Goes downhill from the best direction so far, and then from normals of faces behind which there may be less depth,
// each time from the best one well apart from those before, until the polytope shows that there is nothing less.
CAROM_HD_LARGE void descend_from_best(const CorePair& pair, const EpaPolytope& e, Real tolerance, EpaSearch& s) {
  Real depth[kEpaFaces];
  for (int f = 0; f < e.face_count; ++f) {
    depth[f] = kEpaRemoved;
    if (!(e.offset[f] < s.least)) continue;
    const Vec3 n = vec3_of(e.face[f].normal);
    depth[f] = dot(n, difference_support(pair, n).w);
    note_depth(s, n, depth[f], e.face[f]);
  }
  Vec3 start[kEpaStarts], n = s.normal;
  Real h = s.least;
  for (int k = 0; k < kEpaStarts; ++k) {
    start[k] = n;
    descend(pair, tolerance, n, h);
    if (h < s.least) s.least = h, s.normal = n;
    if (!is_open_elsewhere(e, s.normal, s.least - tolerance)) return;
    int best = -1;
    for (int f = 0; f < e.face_count; ++f) {
      bool apart = depth[f] < (best < 0 ? kEpaRemoved : depth[best]);
      for (int j = 0; j <= k && apart; ++j) apart = dot(vec3_of(e.face[f].normal), start[j]) < Real(0.7);
      if (apart) best = f;
    }
    if (best < 0) return;
    n = vec3_of(e.face[best].normal);
    h = depth[best];
  }
}

// The nearest face about the best direction so far. The window shrinks, but never below the faces that are there.
CAROM_HD int nearest_face_in_window(const EpaPolytope& e, Vec3 n, Real& window) {
  window *= kEpaWindowShrinks;
  for (; window < kEpaWindow; window *= 4) {
    const int f = nearest_face_about(e, n, 1 - window);
    if (f >= 0) return f;
  }
  return -1;
}

// Along n, with the points of A and B at the foot of the origin on a triangle, held inside the triangle. They belong to
// n where the foot is inside.
CAROM_HD CoreContact epa_contact(const EpaPolytope& e, Vec3 n, Real h, const std::uint8_t* corner) {
  const TriangleFoot foot = epa_foot(e, corner);
  Vec3 a{}, w{};
  Real weights = 0;
  for (int k = 0; k < 3; ++k) {
    const Real weight = max(foot.weight[k], Real(0));
    a = fma(vec3_of(e.a[corner[k]]), weight, a);
    w = fma(vec3_of(e.w[corner[k]]), weight, w);
    weights += weight;
  }
  if (!(weights > 0)) return {n, -h, vec3_of(e.a[corner[0]]), vec3_of(e.a[corner[0]]) - vec3_of(e.w[corner[0]])};
  const Real inv = 1 / weights;
  return {n, -h, a * inv, (a - w) * inv};
}

// Grows the polytope until the depth is known to `tolerance`, there is no more room, or rounding ends it. Returns true
// when the depth is the least of all directions, false when it is the least of those met.
CAROM_HD_LARGE bool expand_polytope(const CorePair& pair, EpaPolytope& e, Real rounding, Real tolerance,
                                    CoreContact& contact) {
  EpaSearch search;
  Real window = kEpaWindow;
  for (;;) {
    const bool local = e.vertex_count >= kEpaGlobalVertices;
    if (e.vertex_count == kEpaGlobalVertices) descend_from_best(pair, e, tolerance, search);
    const int f = local ? nearest_face_in_window(e, search.normal, window) : nearest_face(e);
    if (f < 0) break;
    const EpaFace& face = e.face[f];
    const Vec3 n = vec3_of(face.normal);
    const DifferencePoint p = difference_support(pair, n);
    const Real h = dot(n, p.w);
    note_depth(search, n, h, face);
    const bool settled = search.least - e.offset[f] <= tolerance || h - e.offset[f] <= rounding;
    if (settled && h <= search.least + tolerance) {
      contact = epa_contact(e, n, h, e.face[face_of_foot(e, f, rounding)].corner);
      return !local;
    }
    if (settled || e.vertex_count == kEpaVertices || !grow(e, f, add_vertex(e, p), rounding)) break;
  }
  if (e.vertex_count < kEpaGlobalVertices) descend_from_best(pair, e, tolerance, search);
  contact = epa_contact(e, search.normal, search.least, search.corner);
  return false;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
