// The narrow phase, pair by pair: room for the points, the points, and how many of them a pair may keep.
#pragma once

#include "collide/narrow/boxes_apart.kernel.h"
#include "collide/narrow/mujoco/pair_table.kernel.h"
#include "collide/narrow/pair_table.kernel.h"
#include "collide/narrow/round_pairs.kernel.h"
#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

// Posed shapes, as the narrow phase reads them.
struct PosedShapes {
  Span<const int> type, geometry;  // geometry: row of the table, -1 = none
  Span<const Vec3> scale;
  Span<const Real> thickness, contact_margin;
  Span<const Vec3> box_lower, box_upper;  // in the frames of the shapes
  const GeometryView* table;
  const Transform* X_WS;

  CAROM_HD ShapeView operator[](int s) const {
    return {static_cast<ShapeType>(type[s]), scale[s], geometry[s] < 0 ? nullptr : table + geometry[s]};
  }
  CAROM_HD Real reach(int a, int b) const {
    return contact_margin[a] + contact_margin[b] + thickness[a] + thickness[b];
  }
  // Known from boxes around them; of shapes that are searched, which takes longer than to look at the boxes.
  CAROM_HD bool surely_apart(int a, int b) const {
    const ShapeType of_a = static_cast<ShapeType>(type[a]), of_b = static_cast<ShapeType>(type[b]);
    const bool round = pair_table::is_round(of_a) && pair_table::is_round(of_b);
    const bool boxes = of_a == ShapeType::kBox && of_b == ShapeType::kBox;
    if (round || boxes || of_a == ShapeType::kPlane || of_b == ShapeType::kPlane) return false;
    return boxes_apart(local_box(box_lower[a], box_upper[a]), X_WS[a], local_box(box_lower[b], box_upper[b]), X_WS[b],
                       reach(a, b));
  }
};

// Room for the points of each pair.
struct RoomOfPairs {
  Span<const Index2> pair;
  PosedShapes shapes;
  int max_per_pair, max_on_heightfield;
  int* room;

  CAROM_HD void operator()(int p) const {
    const ShapeView a = shapes[pair[p][0]], b = shapes[pair[p][1]];
    const bool heightfield = a.type == ShapeType::kHeightfield || b.type == ShapeType::kHeightfield;
    const int most = most_points(a, b), allowed = heightfield ? max_on_heightfield : max_per_pair;
    room[p] = most < allowed ? most : allowed;
  }
};

// The points of each pair. Shapes that have a thickness are nearer by it.
struct PointsOfPairs {
  Span<const Index2> pair;
  PosedShapes shapes;
  const int* start;  // one more than pairs
  int point_room;    // pairs whose points exceed it have none
  ContactPoint* point;
  int* count;
  const int* order = nullptr;   // in which pairs are looked at; nullptr: as they come
  const int* wanted = nullptr;  // of each pair: the others stay as they are; nullptr: all are

  CAROM_HD int ordered(int i) const { return order ? order[i] : i; }
  CAROM_HD void operator()(int i) const {
    collide_pair(ordered(i), [](const auto&... posed) CAROM_HD_LAMBDA { return collide_shapes(posed...); });
  }
  // collide: finds the points of two posed shapes.
  template <class Collide>
  CAROM_HD void collide_pair(int p, Collide collide) const {
    if (wanted && !wanted[p]) return;
    if (start[p + 1] > point_room) {
      count[p] = 0;
      return;
    }
    const int a = pair[p][0], b = pair[p][1];
    if (shapes.surely_apart(a, b)) {
      count[p] = 0;
      return;
    }
    const Real grown_a = shapes.thickness[a], grown_b = shapes.thickness[b];
    ContactPoint* const out = point + start[p];
    const int n =
        collide(shapes[a], shapes.X_WS[a], shapes[b], shapes.X_WS[b], shapes.reach(a, b), start[p + 1] - start[p], out);
    for (int i = 0; i < n; ++i) {
      out[i].distance -= grown_a + grown_b;
      out[i].point = fma(out[i].normal, (grown_a - grown_b) * Real(0.5), out[i].point);
    }
    count[p] = n;
  }
#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    if (wanted) return round_pairs::collide_wanted(*this, begin, end);
    round_pairs::collide_range(*this, begin, end);
  }
#endif
};

// Those that MuJoCo makes. A kernel of its own, so that the other one carries nothing of it.
struct PointsAsMujoco : PointsOfPairs {
  CAROM_HD void operator()(int i) const {
    collide_pair(ordered(i), [](const auto&... posed) CAROM_HD_LAMBDA { return collide_shapes_as_mujoco(posed...); });
  }
#if !defined(__CUDACC__)
  CAROM_HD void range(int begin, int end) const {
    if (wanted) return round_pairs::collide_wanted(*this, begin, end);
    round_pairs::collide_range(*this, begin, end);
  }
#endif
};

// Takes those contacts of a segment away that exceed its room: the last ones.
struct LimitPairs {
  Span<const Index2> pair;
  Span<const int> shape_world;
  int world_count;
  const int* segment_pair_start;
  const int* contact_start;  // of each pair, without the limit
  int most;
  int* count;

  CAROM_HD void operator()(int p) const {
    const int segment = segment_of_pair(shape_world, world_count, pair[p]);
    const int left = most - (contact_start[p] - contact_start[segment_pair_start[segment]]);
    if (count[p] > left) count[p] = left > 0 ? left : 0;
  }
};

}  // namespace carom::inline CAROM_PRECISION
