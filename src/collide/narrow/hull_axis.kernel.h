// The direction along which two convex hulls are farthest apart, or overlap least.
//
// The separation s(n) = min n.b - max n.a is greatest along the normal of a face of A or of B, or of two edges whose
// arcs cross on the Gauss map (D. Gregorius, "The separating axis test between convex polyhedra", GDC 2013); where
// hulls are apart, it is less than their distance when corners are nearest. Nothing is looked at that cannot win: a
// ball of radius r about the centre c of B and a corner b are inside B, so s(n) <= max n.(c - a) - r, max n.(b - a).
// Those are heights of c and b over a face; along the arc of an edge they are bounded by those over its two faces.
#pragma once

#include "collide/narrow/support.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct HullAxis : SeparatingAxis {
  Vec3 point_a;  // of A, farthest along the normal [m]; not known where the hulls are farther apart than asked
};

// Larger hulls are left to GJK and EPA, whose time grows more slowly.
inline constexpr int kAxisVertices = 64, kAxisFaces = 2 * kAxisVertices,
                     kAxisEdges = 3 * kAxisVertices;  // multiples of kHullRow
static_assert(kAxisEdges <= HullEdgeSet::kMost);

// A hull that is small enough, or a box with the hull that belongs to its present size.
CAROM_HD bool is_small_hull(const ConvexCore& core) {
  if (core.type == CoreType::kHull) return core.hull->vertex_count <= kAxisVertices;
  if (core.type != CoreType::kBox || !core.hull) return false;
  const Vec3 corner = abs(core.hull->vertex[0]);
  return corner.x == core.size.x && corner.y == core.size.y && corner.z == core.size.z;
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

// One hull and the other one, seen from it.
struct HullSide {
  const HullView& hull;
  const HullView& other;
  Mat33 R;      // from the other's frame to the hull's
  Vec3 p;       // [m]
  Vec3 center;  // of the other [m]
  // Over the faces of the hull [m]: of the other's centre, and of the corner of it that is nearest to the best face, or
  // to one that is good.
  Real height_of_center[kAxisFaces], height_of_corner[kAxisFaces];

  CAROM_HD HullSide(const HullView& hull_in, const HullView& other_in, const Mat33& R_in, Vec3 p_in)
      : hull(hull_in), other(other_in), R(R_in), p(p_in), center(R * other.center + p) {}
};

// Numbers of faces or edges that may win.
struct HullCandidates {
  std::uint8_t place[kAxisEdges + kHullRow];
  int count = 0;

  // All of `total` for which test(first), which is asked for a row at a time, holds.
  template <class Test>
  CAROM_HD void collect(int total, const Test& test) {
    int found = 0;  // apart from `count`, which would be read again after each byte that is written
    for (int first = 0; first < total; first += kEntriesAtOnce) {
      found += write_places(test_entries(first, test), first, place + found);
    }
    // What fills up the last row is like entry 0, and found if that is.
    const bool with_padding = found > 0 && place[0] == 0;
    count = with_padding ? found - (whole(total, kEntriesAtOnce) - total) : found;
  }
  // With the last one again until the row is full.
  CAROM_HD int fill_row() {
    if (count > 0) fill_places(place[count - 1], place + count);
    return whole(count, kRowWidth);
  }
};

// The separations along faces of the hull, a row of candidates from number `first` on.
CAROM_HD HullRow face_separations(const HullSide& side, const HullCandidates& faces, int first) {
  HullRow plane[4];
  load_places(&side.hull.face->normal.x, sizeof(HullFace) / sizeof(Real), faces.place + first, plane);
  const Row3 n{plane[0], plane[1], plane[2]};
  const Row3 down = -fma(row3_of(side.R.row2), n.z, fma(row3_of(side.R.row1), n.y, row3_of(side.R.row0) * n.x));
  const auto along = [&](int v) CAROM_HD_LAMBDA { return dot(down, row3_of(side.other.vertex[v])); };
  const int last = side.other.vertex_count - 1;
  HullRow even = along(0), odd = along(last);  // two maxima, which need not wait for each other
  for (int v = 1; v < last; v += 2) {
    even = greater(even, along(v));
    odd = greater(odd, along(v + 1));
  }
  return dot(n, row3_of(side.p)) - plane[3] - greater(even, odd);
}

struct HullFaceAxis {
  int face;  // -1: none
  Real separation;
};

// The heights of a point over the faces of a hull.
CAROM_HD void find_heights(const HullView& hull, Vec3 point, Real (&height)[kAxisFaces]) {
  const Row3 p = row3_of(point);
  const int stride = hull.rows.face_stride;
  const Real *const x = hull.rows.face, *const offset = x + 3 * stride;
  for (int f = 0; f < stride; f += kRowWidth) {
    store_row(dot(load_row3(x + f, stride), p) - load_row(offset + f), height + f);
  }
}

// The face that the other's centre is highest over.
CAROM_HD_LARGE HullFaceAxis highest_hull_face(HullSide& side) {
  find_heights(side.hull, side.center, side.height_of_center);
  GreatestInRows highest;
  for (int f = 0; f < side.hull.face_count; f += kRowWidth) highest.look_at(load_row(side.height_of_center + f));
  const int f = highest.place();
  const HullFace& face = side.hull.face[f];
  const Vec3 down = -(transpose(side.R) * face.normal);
  const Vec3 corner = side.other.vertex[farthest_vertex(side.other, down)];
  find_heights(side.hull, side.R * corner + side.p, side.height_of_corner);
  return {f, dot(face.normal, side.p) - face.offset - dot(down, corner)};
}

// The face that separates most if it separates more than `least`, or `least`.
CAROM_HD_LARGE HullFaceAxis best_hull_face(const HullSide& side, HullFaceAxis least) {
  const HullRow limit(least.separation), limit_of_center(least.separation + side.other.inner_radius);
  HullCandidates faces;
  faces.collect(side.hull.face_count, [&](int f) CAROM_HD_LAMBDA {
    return load_row(side.height_of_center + f) > limit_of_center && load_row(side.height_of_corner + f) > limit;
  });
  GreatestInRows best;
  const int padded = faces.fill_row();
  for (int i = 0; i < padded; i += kRowWidth) best.look_at(face_separations(side, faces, i));
  const Real separation = greatest(best.value);
  return separation > least.separation ? HullFaceAxis{faces.place[best.place()], separation} : least;
}

// How high a point p must be over one face of an edge, if n.(p - edge) is to exceed the limit for some n between the
// normals of both faces. It is no more than the greater height, or, if that is positive, than that / half_cosine.
CAROM_HD Real height_for(const HullView& hull, Real limit) {
  return (limit > 0 ? limit * hull.half_cosine : limit) - hull.face_rise;
}

// The edges along whose arcs a separation may exceed `least`, by the ball in the other hull and by a corner of it.
CAROM_HD_LARGE void find_promising_edges(const HullSide& side, Real least, HullCandidates& edges) {
  const HullView& hull = side.hull;
  const HullRow of_center(height_for(hull, least + side.other.inner_radius));
  const Real of_corner = height_for(hull, least);
  HullCandidates faces;
  faces.collect(hull.face_count,
                [&](int f) CAROM_HD_LAMBDA { return load_row(side.height_of_center + f) > of_center; });
  HullEdgeSet by_ball{};
  for (int i = 0; i < faces.count; ++i) {
    const HullEdgeSet& of_face = hull.face_edges[faces.place[i]];
    CAROM_UNROLL
    for (int k = 0; k < HullEdgeSet::kWords; ++k) by_ball.word[k] |= of_face.word[k];
  }
  int found = 0;
  CAROM_UNROLL
  for (int k = 0; k < HullEdgeSet::kWords; ++k) {
    each_bit(by_ball.word[k], [&](int b) CAROM_HD_LAMBDA {
      const HullEdge& edge = hull.edge[64 * k + b];
      edges.place[found] = std::uint8_t(64 * k + b);
      // No branches, which nobody could foretell.
      found += int(side.height_of_corner[edge.left] > of_corner) | int(side.height_of_corner[edge.right] > of_corner);
    });
  }
  edges.count = found;
}

// Some edges of B, side by side, in the frame of A.
struct EdgeRows {
  Real row[12][kAxisEdges + kHullRow];
  int count;  // and as many after them as fill up a step of the search: without direction, so that they cross nothing

  CAROM_HD Row3 part(int k, int first) const {
    return {load_row(row[3 * k] + first), load_row(row[3 * k + 1] + first), load_row(row[3 * k + 2] + first)};
  }
  CAROM_HD Vec3 one(int k, int i) const { return {row[3 * k][i], row[3 * k + 1][i], row[3 * k + 2][i]}; }
};

CAROM_HD_LARGE void gather_edges(const CorePair& pair, HullCandidates& edges, EdgeRows& out) {
  const Mat33T<HullRow> R{row3_of(pair.R_AB.row0), row3_of(pair.R_AB.row1), row3_of(pair.R_AB.row2)};
  const Row3 p = row3_of(pair.p_AB);
  out.count = edges.count;
  const int padded = edges.fill_row();
  for (int i = 0; i < padded; i += kRowWidth) {
    HullRow parts[12];
    load_places(&pair.b.hull->edge_parts->tail.x, kHullEdgeNumbers, edges.place + i, parts);
    CAROM_UNROLL
    for (int k = 0; k < 4; ++k) {
      const Row3 turned = R * Row3{parts[3 * k], parts[3 * k + 1], parts[3 * k + 2]};
      const Row3 moved = k == 0 ? turned + p : turned;
      store_row(moved.x, out.row[3 * k] + i);
      store_row(moved.y, out.row[3 * k + 1] + i);
      store_row(moved.z, out.row[3 * k + 2] + i);
    }
  }
  for (int i = out.count; i < out.count + kEntriesAtOnce; i += kRowWidth) {
    for (int k = 3; k < 6; ++k) store_row(HullRow(Real(0)), out.row[k] + i);
  }
}

// Pairs of edges whose arcs cross on the Gauss map, collected without branches.
struct CrossingEdges {
  static constexpr int kMost = 512;
  std::uint8_t a[kMost + kHullRow], b[kMost + kHullRow];
  int count = 0;

  // Edge number `place_a` with those of B.
  CAROM_HD void collect(const HullEdgeParts& edge, int place_a, const EdgeRows& edges_b) {
    const HullRow zero(Real(0));
    const Row3 direction = row3_of(edge.direction), left = row3_of(edge.left), right = row3_of(edge.right);
    const auto cross = [&](int first) CAROM_HD_LAMBDA {
      const Row3 direction_b = edges_b.part(1, first);
      const HullRow u = dot(direction, edges_b.part(2, first)), v = dot(direction, edges_b.part(3, first));
      const HullRow x = dot(left, direction_b), y = dot(right, direction_b);
      return u * v < zero && x * y < zero && u * y < zero;
    };
    int found = count;
    for (int first = 0; first < edges_b.count; first += kEntriesAtOnce) {
      fill_places(std::uint8_t(place_a), a + found);
      found += write_places(test_entries(first, cross), first, b + found);
    }
    count = found;
  }
  CAROM_HD bool has_room(int more) const { return count + more <= kMost; }
};

// Whether an edge of A and one of B, both in the frame of A, may separate more than `least`.
CAROM_HD bool may_separate(const HullEdgeParts& a, Vec3 tail_b, Vec3 direction_b, Real least, Real rounding) {
  const Vec3 n = cross(a.direction, direction_b);
  const Real square_length = dot(n, n), along = dot(n, tail_b - a.tail);
  const Real separation = copysign(Real(1), dot(n, a.left + a.right)) * along - rounding;
  return square_length > 16 * kRounding && separation * abs(separation) > least * abs(least) * square_length;
}

// The separation along any direction.
CAROM_HD_LARGE Real hull_separation(const CorePair& pair, Vec3 n) {
  return dot(n, pair.p_AB) - farthest_along(*pair.b.hull, -to_b(pair, n)) - farthest_along(*pair.a.hull, n);
}

// Improves the axis by pairs of edges, and tells whether that was possible. `least` is the same for all, so that their
// order and number at a time do not matter.
CAROM_HD_LARGE bool improve_by_crossings(const CorePair& pair, const EdgeRows& edges_b, const CrossingEdges& crossings,
                                         Real least, Real rounding, HullAxis& best) {
  bool improved = false;
  for (int i = 0; i < crossings.count; ++i) {
    const HullEdgeParts& edge = pair.a.hull->edge_parts[crossings.a[i]];
    const Vec3 direction_b = edges_b.one(1, crossings.b[i]);
    if (!may_separate(edge, edges_b.one(0, crossings.b[i]), direction_b, least, rounding)) continue;
    const Vec3 across = normalize(cross(edge.direction, direction_b));
    const Vec3 n = dot(across, edge.left + edge.right) < 0 ? -across : across;
    const Real separation = hull_separation(pair, n);  // the truth, however badly the arcs cross
    if (!(separation > best.separation + rounding)) continue;
    best = {{n, separation}, edge.tail};
    improved = true;
  }
  return improved;
}

CAROM_HD_LARGE bool improve_by_hull_edges(const CorePair& pair, const HullSide& a, const HullSide& b, Real rounding,
                                          HullAxis& best) {
  HullCandidates from_a, from_b;
  const Real least = best.separation;
  find_promising_edges(a, least, from_a);
  if (from_a.count == 0) return false;
  find_promising_edges(b, least, from_b);
  EdgeRows edges_b;
  gather_edges(pair, from_b, edges_b);
  CrossingEdges crossings;
  bool improved = false;
  for (int i = 0; i < from_a.count; ++i) {
    if (!crossings.has_room(edges_b.count)) {
      improved |= improve_by_crossings(pair, edges_b, crossings, least, rounding, best);
      crossings.count = 0;
    }
    crossings.collect(a.hull.edge_parts[from_a.place[i]], from_a.place[i], edges_b);
  }
  return improve_by_crossings(pair, edges_b, crossings, least, rounding, best) || improved;
}

// The axis of greatest separation; any axis when it is greater than `reach`. Faces of B must win by more than rounding,
// and so must edges.
CAROM_HD_LARGE HullAxis hull_axis(const CorePair& pair, Real reach) {
  const HullView &hull_a = *pair.a.hull, &hull_b = *pair.b.hull;
  const Mat33 R_BA = transpose(pair.R_AB);
  HullSide a(hull_a, hull_b, pair.R_AB, pair.p_AB), b(hull_b, hull_a, R_BA, -(R_BA * pair.p_AB));
  const Real rounding = 4 * kRounding * (core_size(pair.a) + core_size(pair.b) + length(pair.p_AB));
  const HullFaceAxis face_a = best_hull_face(a, highest_hull_face(a));
  HullAxis best{{hull_a.face[face_a.face].normal, face_a.separation}, {}};
  if (best.separation > reach) return best;
  const Vec3 corner_a = hull_a.vertex[hull_a.face_vertex[hull_a.face[face_a.face].first]];
  find_heights(hull_b, b.center, b.height_of_center);
  find_heights(hull_b, to_b(pair, corner_a - pair.p_AB), b.height_of_corner);
  const HullFaceAxis face_b = best_hull_face(b, {-1, best.separation + rounding});
  if (face_b.face >= 0) best = {{-(pair.R_AB * hull_b.face[face_b.face].normal), face_b.separation}, {}};
  if (best.separation > reach) return best;
  if (!improve_by_hull_edges(pair, a, b, rounding, best))
    best.point_a = hull_a.vertex[farthest_vertex(hull_a, best.normal)];
  return best;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
