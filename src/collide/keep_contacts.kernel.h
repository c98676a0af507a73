// Contacts that are kept: pairs whose shapes have hardly moved against each other since their points were found are not
// searched again. The points go along with the surfaces that they lie on, and the normal turns half as far as the
// shapes have turned against each other, for nobody knows whose face it belongs to.
//
//   X_AB      pose of shape 1 in the frame of shape 0; 0: when the points were found
//   q         = q_AB q_AB0^-1, the turn between the shapes; n = q^(1/2) n_0
//   gap       = X_AB p_B - p_A, depth = -n . gap
//   moved     = |dp| + |chord(q)| r <= keep_distance
//
// with p the origin of the smaller shape in the frame of the other one, and r its radius: no point of it has moved
// further. So nothing that a search would find lies deeper by more than that.
#pragma once

#include <limits>

#include "backend/count.h"
#include "collide/former_contacts.kernel.h"
#include "collide/narrow_phase.kernel.h"
#include "collide/speculative.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Of all others a search takes no longer than to keep what it found: a formula, a sphere beside a shape whose distance
// is one, corners below a plane, two boxes.
CAROM_HD bool is_worth_keeping(const ShapeView& a, const ShapeView& b) {
  const auto is_primitive = [](ShapeType type) CAROM_HD_LAMBDA {
    return type != ShapeType::kConvexHull && type_rank(type) <= type_rank(ShapeType::kEllipsoid);
  };
  const auto is_quick = [](const ShapeView& s)
                            CAROM_HD_LAMBDA { return s.type == ShapeType::kSphere || is_half_space(s.type, s.scale); };
  const bool boxes = a.type == ShapeType::kBox && b.type == ShapeType::kBox;
  const bool round = pair_table::is_round(a.type) && pair_table::is_round(b.type);
  const bool quick = (is_quick(a) && is_primitive(b.type)) || (is_quick(b) && is_primitive(a.type));
  return !boxes && !round && !quick;
}

// Over all pairs, or those that are wanted: their contacts, where they are kept.
struct KeepPairs {
  Span<const Index2> pair;
  PosedShapes shapes;
  Span<const Real> radius;  // of each shape about its origin [m]
  Span<const int> shape_world;
  int world_count;
  FormerContacts former;
  const int* contact_start;  // of each pair in the call before, if the pairs are those of then: where to look first
  int most;                  // contacts of a segment, 0 = no limit: those of the last pair may have been cut
  Real keep_distance;        // [m]
  bool chosen;               // `wanted` says already which pairs are looked at
  const int* start;          // as in PointsOfPairs
  int point_room;
  ContactPoint* point;
  int *count, *wanted;
  int* kept_from;  // of each pair that is wanted: its first former contact, -1 = it is searched

  CAROM_HD void operator()(int p) const {
    if (chosen && !wanted[p]) return;
    const int segment = segment_of_pair(shape_world, world_count, pair[p]);
    const int begin = former.begin(segment), end = former.end(segment), first = first_former(p, begin, end);
    const bool was_cut = most > 0 && end - begin == most;
    const int kept = first < 0 ? 0 : keep(p, first, end, was_cut);
    wanted[p] = kept == 0;
    kept_from[p] = kept == 0 ? -1 : first;
    if (kept > 0) count[p] = kept;
  }

 private:
  CAROM_HD int first_former(int p, int begin, int end) const {
    const int a = pair[p][0], b = pair[p][1];
    if (begin == end || start[p + 1] > point_room || !is_worth_keeping(shapes[a], shapes[b])) return -1;
    const int around = contact_start[p] < begin ? begin : contact_start[p];
    const int first = former.find(begin, end, around, a, b, std::numeric_limits<int>::min());
    return first < end && former.is_of(first, a, b) ? first : -1;
  }

  // How many contacts there are from `first` on; 0: the pair has to be searched. was_cut: contacts that came behind the
  // end were left out.
  CAROM_HD int keep(int p, int first, int end, bool was_cut) const {
    const int a = pair[p][0], b = pair[p][1];
    const Transform X_WA = shapes.X_WS[a], then = former.found[first].X_AB;
    const Transform X_AB = inverse(X_WA) * shapes.X_WS[b];
    const Quat turn = X_AB.q * conjugate(then.q);
    const bool is_known = dot(turn, turn) > Real(0.5);  // not zeros
    if (!is_known || !(moved(a, b, then, X_AB, length(vector_part(turn))) <= keep_distance)) return 0;
    const Quat half =
        normalize(turn.w < 0 ? Quat{-turn.x, -turn.y, -turn.z, 1 - turn.w} : Quat{turn.x, turn.y, turn.z, 1 + turn.w});
    const Real reach = shapes.contact_margin[a] + shapes.contact_margin[b];
    const int room = start[p + 1] - start[p];
    int n = 0;
    for (int i = first; i < end && former.is_of(i, a, b); ++i, ++n) {
      if (n == room || (was_cut && i + 1 == end)) return 0;
      const FoundPoint found = former.found[i];
      const Vec3 normal = rotate(half, found.normal_a), gap = transform_point(X_AB, found.point_b) - found.point_a;
      const Real distance = dot(normal, gap);
      if (!(distance < reach)) return 0;  // it may come back: to drop it would leave a hole
      point[start[p] + n] = {transform_point(X_WA, fma(gap, Real(0.5), found.point_a)), rotate(X_WA.q, normal),
                             distance, former.feature[i]};
    }
    return n;
  }

  // sine: of half the angle that they have turned.
  CAROM_HD Real moved(int a, int b, const Transform& then, const Transform& now, Real sine) const {
    const bool b_is_smaller = radius[b] <= radius[a];  // planes and heightfields have no end
    const Vec3 way = b_is_smaller ? now.p - then.p : rotate_inverse(now.q, now.p) - rotate_inverse(then.q, then.p);
    return fma(2 * sine, radius[b_is_smaller ? b : a], length(way));
  }
};

// Over all pairs, once their contacts are known: where these were found.
struct RememberPoints {
  Span<const Index2> pair;
  PosedShapes shapes;
  const int *point_start, *contact_start;  // of each pair
  const ContactPoint* point;
  const Impact* impact;  // of each pair, or nullptr
  const int* kept_from;
  const FoundPoint* former;
  FoundPoint* found;
  int room;  // pairs whose contacts exceed it are left out

  CAROM_HD void operator()(int p) const {
    const int begin = contact_start[p], end = contact_start[p + 1], a = pair[p][0], b = pair[p][1];
    if (end > room || begin == end || !is_worth_keeping(shapes[a], shapes[b])) return;
    const bool is_ahead = impact && impact[p].speed > 0;
    if (kept_from[p] >= 0 && !is_ahead) {
      for (int i = begin; i < end; ++i) found[i] = former[kept_from[p] + i - begin];
      return;
    }
    const Transform X_AW = inverse(shapes.X_WS[a]), X_BW = inverse(shapes.X_WS[b]);
    Transform X_AB = X_AW * shapes.X_WS[b];
    if (is_ahead) X_AB.q = {0, 0, 0, 0};  // of a meeting to come
    const ContactPoint* from = point + point_start[p];
    for (int i = begin; i < end; ++i, ++from) {
      const Vec3 half = from->normal * (from->distance * Real(0.5));
      found[i] = {X_AB, transform_point(X_AW, from->point - half), transform_point(X_BW, from->point + half),
                  rotate(X_AW.q, from->normal)};
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
