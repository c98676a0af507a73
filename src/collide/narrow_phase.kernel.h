// The narrow phase, pair by pair: room for the points, the points, and how many of them each world may keep.
#pragma once

#include "collide/narrow/pair_table.kernel.h"
#include "collide/segments.h"

namespace carom::inline CAROM_PRECISION {

// Posed shapes, as the narrow phase reads them.
struct PosedShapes {
  Span<const int> type, geometry;  // geometry: row of the table, -1 = none
  Span<const Vec3> scale;
  Span<const Real> thickness, contact_margin;
  const GeometryView* table;
  const Transform* X_WS;

  CAROM_HD ShapeView operator[](int s) const {
    return {static_cast<ShapeType>(type[s]), scale[s], geometry[s] < 0 ? nullptr : table + geometry[s]};
  }
};

// Room for the points of each pair.
struct RoomOfPairs {
  Span<const Index2> pair;
  PosedShapes shapes;
  int max_per_pair;
  int* room;

  CAROM_HD void operator()(int p) const {
    const int most = most_points(shapes[pair[p][0]], shapes[pair[p][1]]);
    room[p] = most < max_per_pair ? most : max_per_pair;
  }
};

// The points of each pair. Shapes that have a thickness are nearer by it.
struct PointsOfPairs {
  Span<const Index2> pair;
  PosedShapes shapes;
  const int* start;
  ContactPoint* point;
  int* count;

  CAROM_HD void operator()(int p) const {
    const int a = pair[p][0], b = pair[p][1];
    const Real grown_a = shapes.thickness[a], grown_b = shapes.thickness[b];
    const Real reach = shapes.contact_margin[a] + shapes.contact_margin[b] + grown_a + grown_b;
    ContactPoint* const out = point + start[p];
    const int n =
        collide_shapes(shapes[a], shapes.X_WS[a], shapes[b], shapes.X_WS[b], reach, start[p + 1] - start[p], out);
    for (int i = 0; i < n; ++i) {
      out[i].distance -= grown_a + grown_b;
      out[i].point = fma(out[i].normal, (grown_a - grown_b) * Real(0.5), out[i].point);
    }
    count[p] = n;
  }
};

// Counts the contacts of each segment, and takes those away that exceed its room: the last ones.
struct LimitSegments {
  Span<const int> segment_pair_start;
  int most;  // 0 = no limit
  int* count;
  int* needed;
  std::int32_t* status;

  CAROM_HD void operator()(int segment) const {
    int total = 0, kept = 0;
    for (int p = segment_pair_start[segment]; p < segment_pair_start[segment + 1]; ++p) {
      total += count[p];
      if (most > 0 && kept + count[p] > most) count[p] = most - kept;
      kept += count[p];
    }
    needed[segment] = total;
    status[segment] = kept < total ? kStatusOverflow : 0;
  }
};

}  // namespace carom::inline CAROM_PRECISION
