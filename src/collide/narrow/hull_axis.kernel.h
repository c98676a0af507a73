// The direction along which two convex hulls are farthest apart, or overlap least.
//
// The separation s(n) = min n.b - max n.a is greatest along the normal of a face of A or of B, or of two edges whose
// arcs cross on the Gauss map (D. Gregorius, "The separating axis test between convex polyhedra", GDC 2013); where
// hulls are apart, it is less than their distance when corners are nearest. Nothing is looked at that cannot win: a
// ball of radius r about the centre c of B is inside B, so s(n) <= max n.(c - a) - r. That is the height of c over a
// face, or its distance from an edge, minus r.
#pragma once

#include "collide/narrow/support.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct HullAxis : SeparatingAxis {
  Vec3 point_a;  // of A, farthest along the normal [m]; not known where the hulls are farther apart than asked
};

// Larger hulls are left to GJK and EPA, whose time grows more slowly.
inline constexpr int kAxisVertices = 64, kAxisFaces = 2 * kAxisVertices,
                     kAxisEdges = 3 * kAxisVertices;  // multiples of kHullRow

// A hull that is small enough, or a box with the hull that belongs to its present size.
CAROM_HD bool is_small_hull(const ConvexCore& core) {
  if (core.kind == CoreKind::kHull) return core.hull->vertex_count <= kAxisVertices;
  if (core.kind != CoreKind::kBox || !core.hull) return false;
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
};

CAROM_HD HullSide hull_side(const HullView& hull, const HullView& other, const Mat33& R, Vec3 p) {
  return {hull, other, R, p, R * other.center + p};
}

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
    leave_out_padding(found, total, kEntriesAtOnce);
  }
  // The same for two tests, where the second is asked only for rows in which the first holds somewhere.
  template <class First, class Second>
  CAROM_HD void collect(int total, const First& holds_first, const Second& holds_second) {
    std::uint8_t row[kAxisEdges], bits[kAxisEdges];
    int rows = 0, found = 0;
    for (int first = 0; first < total; first += kRowWidth) {
      row[rows] = std::uint8_t(first);
      bits[rows] = std::uint8_t(row_bits(holds_first(first)));
      rows += bits[rows] != 0;
    }
    for (int k = 0; k < rows; ++k) {
      found += write_places(bits[k] & row_bits(holds_second(row[k])), row[k], place + found);
    }
    leave_out_padding(found, total, kRowWidth);
  }
  // With the last one again until the row is full.
  CAROM_HD int fill_row() {
    if (count > 0) fill_places(place[count - 1], place + count);
    return whole(count, kRowWidth);
  }

 private:
  // What fills up the last row is like entry 0, and found if that is.
  CAROM_HD void leave_out_padding(int found, int total, int step) {
    const bool with_padding = found > 0 && place[0] == 0;
    count = with_padding ? found - (whole(total, step) - total) : found;
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

// The heights of the other's centre over a row of faces.
CAROM_HD HullRow center_heights(const HullSide& side, int first) {
  const Real* const face = side.hull.rows.face + first;
  const int stride = side.hull.rows.face_stride;
  return dot(load_row3(face, stride), row3_of(side.center)) - load_row(face + 3 * stride);
}

// The face that the other's centre is highest over.
CAROM_HD HullFaceAxis highest_hull_face(const HullSide& side) {
  GreatestInRows highest;
  for (int f = 0; f < side.hull.face_count; f += kRowWidth) highest.look_at(center_heights(side, f));
  const int f = highest.place();
  const HullFace& face = side.hull.face[f];
  const Vec3 down = -(transpose(side.R) * face.normal);
  return {f, dot(face.normal, side.p) - face.offset - farthest_along(side.other, down)};
}

// The face that separates most if it separates more than `least`, or `least`.
CAROM_HD_LARGE HullFaceAxis best_hull_face(const HullSide& side, HullFaceAxis least) {
  const HullRow limit(least.separation + side.other.inner_radius);
  HullCandidates faces;
  faces.collect(side.hull.face_count, [&](int f) CAROM_HD_LAMBDA { return center_heights(side, f) > limit; });
  GreatestInRows best;
  const int padded = faces.fill_row();
  for (int i = 0; i < padded; i += kRowWidth) best.look_at(face_separations(side, faces, i));
  const Real separation = greatest(best.value);
  return separation > least.separation ? HullFaceAxis{faces.place[best.place()], separation} : least;
}

// Edges side by side, as the search for promising ones reads them.
struct ArcRows {
  Row3 tail, left, right;
  HullRow versine;

  // Holds wherever reaches() does, but for rounding, and takes a third of the time: n.q is no more than the greater of
  // left.q and right.q, or, if that is positive, than that / cos(half the angle), where cos >= cos^2 = 1 - versine / 2.
  CAROM_HD auto may_reach(Row3 p, HullRow limit, HullRow half_of_positive) const {
    const Row3 q = p - tail;
    return greater(dot(left, q), dot(right, q)) > fma(-half_of_positive, versine, limit);
  }

  // Whether n.(p - tail) exceeds the limit for a direction n between the normals of the two faces. Across the edge
  // q = p - tail has the length far / sine, and that is the maximum if its direction there is between both.
  CAROM_HD auto reaches(Row3 p, HullRow limit) const {
    const HullRow zero(Real(0)), two(Real(2));
    const Row3 q = p - tail;
    const HullRow height_left = dot(left, q), height_right = dot(right, q), difference = height_left - height_right;
    const HullRow far2 = fma(difference, difference, two * versine * height_left * height_right);
    const HullRow sine2 = versine * (two - versine);
    const auto between = difference + versine * height_right > zero && versine * height_left - difference > zero;
    return max(height_left, height_right) > limit || (between && (limit < zero || far2 > limit * limit * sine2));
  }
};

// The edges along whose arcs a separation may exceed `least`, by the ball in the other hull and by a vertex of it. Most
// are ruled out by a simple bound for the ball.
CAROM_HD_LARGE void find_promising_edges(const HullSide& side, Vec3 vertex, Real least, HullCandidates& edges) {
  const int stride = side.hull.rows.edge_stride;
  const Row3 center = row3_of(side.center), corner = row3_of(vertex);
  const HullRow limit(least), limit_of_ball(least + side.other.inner_radius);
  const auto arcs = [&](int e) CAROM_HD_LAMBDA -> ArcRows {
    const Real* const first = side.hull.rows.edge + e;
    return {load_row3(first, stride), load_row3(first + 6 * stride, stride), load_row3(first + 9 * stride, stride),
            load_row(first + 12 * stride)};
  };
  const HullRow half_of_positive = max(limit_of_ball, HullRow(Real(0))) * HullRow(Real(0.5));
  edges.collect(
      side.hull.edge_count,
      [&](int e) CAROM_HD_LAMBDA { return arcs(e).may_reach(center, limit_of_ball, half_of_positive); },
      [&](int e) CAROM_HD_LAMBDA { return arcs(e).reaches(center, limit_of_ball) && arcs(e).reaches(corner, limit); });
}

// Some edges of B, side by side, in the frame of A.
struct EdgeRows {
  Real row[12][kAxisEdges];

  CAROM_HD Row3 part(int k, int first) const {
    return {load_row(row[3 * k] + first), load_row(row[3 * k + 1] + first), load_row(row[3 * k + 2] + first)};
  }
  CAROM_HD Vec3 one(int k, int i) const { return {row[3 * k][i], row[3 * k + 1][i], row[3 * k + 2][i]}; }
};

CAROM_HD_LARGE void gather_edges(const CorePair& pair, const HullCandidates& edges, int count, EdgeRows& out) {
  const Mat33T<HullRow> R{row3_of(pair.R_AB.row0), row3_of(pair.R_AB.row1), row3_of(pair.R_AB.row2)};
  const Row3 p = row3_of(pair.p_AB);
  for (int i = 0; i < count; i += kRowWidth) {
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
}

// Pairs of edges whose arcs cross on the Gauss map, collected without branches.
struct CrossingEdges {
  static constexpr int kMost = 512;
  std::uint8_t a[kMost + kHullRow], b[kMost + kHullRow];
  int count = 0;

  // Edge number `place_a` with those of B, `count_b` in whole rows.
  CAROM_HD void collect(const HullEdgeParts& edge, int place_a, const EdgeRows& edges_b, int count_b) {
    const HullRow zero(Real(0));
    const Row3 direction = row3_of(edge.direction), left = row3_of(edge.left), right = row3_of(edge.right);
    int found = count;
    for (int first = 0; first < count_b; first += kRowWidth) {
      const Row3 direction_b = edges_b.part(1, first);
      const HullRow u = dot(direction, edges_b.part(2, first)), v = dot(direction, edges_b.part(3, first));
      const HullRow x = dot(left, direction_b), y = dot(right, direction_b);
      fill_places(std::uint8_t(place_a), a + found);
      found += write_places(row_bits(u * v < zero && x * y < zero && u * y < zero), first, b + found);
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

// Improves the axis by pairs of edges. `least` is the same for all, so that their order and number at a time do not
// matter.
CAROM_HD_LARGE void improve_by_crossings(const CorePair& pair, const EdgeRows& edges_b, const CrossingEdges& crossings,
                                         Real least, Real rounding, HullAxis& best) {
  for (int i = 0; i < crossings.count; ++i) {
    const HullEdgeParts& edge = pair.a.hull->edge_parts[crossings.a[i]];
    const Vec3 direction_b = edges_b.one(1, crossings.b[i]);
    if (!may_separate(edge, edges_b.one(0, crossings.b[i]), direction_b, least, rounding)) continue;
    const Vec3 across = normalize(cross(edge.direction, direction_b));
    const Vec3 n = dot(across, edge.left + edge.right) < 0 ? -across : across;
    const Real separation = hull_separation(pair, n);  // the truth, however badly the arcs cross
    if (separation > best.separation + rounding) best = {{n, separation}, edge.tail};
  }
}

CAROM_HD_LARGE void improve_by_hull_edges(const CorePair& pair, const HullSide& a, const HullSide& b, Real rounding,
                                          HullAxis& best) {
  HullCandidates from_a, from_b;
  const Vec3 vertex_a = a.hull.vertex[farthest_vertex(a.hull, best.normal)];
  const Vec3 vertex_b = b.hull.vertex[farthest_vertex(b.hull, -to_b(pair, best.normal))];
  best.point_a = vertex_a;
  find_promising_edges(a, point_from_b(pair, vertex_b), best.separation, from_a);
  if (from_a.count == 0) return;
  find_promising_edges(b, to_b(pair, vertex_a - pair.p_AB), best.separation, from_b);
  const int count_b = from_b.fill_row();
  const Real least = best.separation;
  EdgeRows edges_b;
  gather_edges(pair, from_b, count_b, edges_b);
  CrossingEdges crossings;
  for (int i = 0; i < from_a.count; ++i) {
    if (!crossings.has_room(count_b)) {
      improve_by_crossings(pair, edges_b, crossings, least, rounding, best);
      crossings.count = 0;
    }
    crossings.collect(a.hull.edge_parts[from_a.place[i]], from_a.place[i], edges_b, count_b);
  }
  improve_by_crossings(pair, edges_b, crossings, least, rounding, best);
}

// The axis of greatest separation; any axis when it is greater than `reach`. Faces of B must win by more than rounding,
// and so must edges.
CAROM_HD_LARGE HullAxis hull_axis(const CorePair& pair, Real reach) {
  const HullView &hull_a = *pair.a.hull, &hull_b = *pair.b.hull;
  const Mat33 R_BA = transpose(pair.R_AB);
  const HullSide a = hull_side(hull_a, hull_b, pair.R_AB, pair.p_AB);
  const HullSide b = hull_side(hull_b, hull_a, R_BA, -(R_BA * pair.p_AB));
  const Real rounding = 4 * kRounding * (core_size(pair.a) + core_size(pair.b) + length(pair.p_AB));
  const HullFaceAxis face_a = best_hull_face(a, highest_hull_face(a));
  HullAxis best{{hull_a.face[face_a.face].normal, face_a.separation}, {}};
  if (best.separation > reach) return best;
  const HullFaceAxis face_b = best_hull_face(b, {-1, best.separation + rounding});
  if (face_b.face >= 0) best = {{-(pair.R_AB * hull_b.face[face_b.face].normal), face_b.separation}, {}};
  if (best.separation > reach) return best;
  improve_by_hull_edges(pair, a, b, rounding, best);
  return best;
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
