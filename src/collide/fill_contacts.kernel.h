// From the points of the pairs to Contacts: dense arrays in the order of the pairs, with the age of every contact: for
// how many calls the same features of the same shapes have been near each other.
#pragma once

#include "backend/count.h"
#include "carom/contacts.h"
#include "collide/contact_point.h"
#include "collide/former_contacts.kernel.h"
#include "collide/narrow_phase.kernel.h"
#include "collide/not_finite.kernel.h"
#include "collide/segments.h"
#include "collide/speculative.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Where contacts are written.
struct ContactColumns {
  int *shape0, *shape1, *feature, *age;
  Vec3 *position, *normal;
  Real* depth;
  Vec3 *tangent, *point0, *point1, *force, *torque;
  Real *impact_time, *impact_speed;  // nullptr: nothing is looked for ahead
};

struct FillContacts {
  Span<const Index2> pair;
  PosedShapes shapes;
  const int *point_start, *contact_start;  // of each pair
  const int* segment_pair_start;
  const ContactPoint* point;
  const Impact* impact;  // of each pair, or nullptr
  Span<const int> shape_world, shape_body;
  Span<const Transform> body_q;
  int world_count;
  FormerContacts former;
  ContactColumns out;
  int room;          // of the columns; pairs whose contacts exceed it are left out
  bool body_points;  // point0 and point1, too

#if !defined(__CUDACC__)
  // A copy that nothing written here can change stays in registers.
  CAROM_HD void range(int begin, int end) const {
    const FillContacts own = *this;
    for (int p = begin; p < end; ++p) own(p);
  }
#endif
  CAROM_HD void operator()(int p) const {
    const int begin = contact_start[p], end = contact_start[p + 1];
    if (end > room || begin == end) return;
    const int a = pair[p][0], b = pair[p][1], segment = segment_of_pair(shape_world, world_count, pair[p]);
    const Vec3 tangent = suggested_tangent(a, b);
    const ContactPoint* from = point + point_start[p];
    const FormerContacts& before = former;
    const int begin_before = before.begin(segment), end_before = before.end(segment);
    int at_before = begin_before + begin - contact_start[segment_pair_start[segment]];  // where it mostly was
    const ContactColumns& to = out;
    for (int i = begin; i < end; ++i, ++from) {
      const ContactPoint at = *from;
      at_before = before.find(begin_before, end_before, at_before, a, b, at.feature);
      const bool was = at_before < end_before && before.is(at_before, a, b, at.feature);
      to.age[i] = was ? before.age[at_before++] + 1 : 0;
      to.shape0[i] = a;
      to.shape1[i] = b;
      to.feature[i] = at.feature;
      to.position[i] = at.point;
      to.normal[i] = at.normal + Vec3{0, 0, 0};  // no -0, whose sign compilers do not agree about
      to.depth[i] = -at.distance;
      for (int k = 0; k < 3; ++k) {  // number by number: whole structs would wait for their parts to be written
        to.tangent[i][k] = tangent[k];
        to.force[i][k] = to.torque[i][k] = Real(0);
      }
      if (impact) to.impact_time[i] = impact[p].time, to.impact_speed[i] = impact[p].speed;
      if (body_points) put_in_bodies(i, a, b, at, impact ? impact[p].share : Real(0.5));
    }
  }
  // share: of the way from a to b, where the point is.
  CAROM_HD void put_in_bodies(int i, int a, int b, const ContactPoint& at, Real share) const {
    const Vec3 between = at.normal * at.distance;
    out.point0[i] = in_body(shape_body[a], fma(between, -share, at.point));
    out.point1[i] = in_body(shape_body[b], fma(between, 1 - share, at.point));
  }

  // Of a capsule on a plane, its axis: there friction along it and across it differ most.
  CAROM_HD Vec3 suggested_tangent(int a, int b) const {
    const auto is = [&](int shape, ShapeType type)
                        CAROM_HD_LAMBDA { return shapes.type[shape] == static_cast<int>(type); };
    const auto axis = [&](int shape) CAROM_HD_LAMBDA { return axis_z(shapes.X_WS[shape].q) + Vec3{0, 0, 0}; };
    if (is(a, ShapeType::kPlane) && is(b, ShapeType::kCapsule)) return axis(b);
    if (is(a, ShapeType::kCapsule) && is(b, ShapeType::kPlane)) return axis(a);
    return {};
  }
  CAROM_HD Vec3 in_body(int body, Vec3 p_W) const {
    return body < 0 ? p_W : transform_point(inverse(body_q[body]), p_W);
  }
};

// Where the contacts of each segment begin. Without room for all of them there are none, for whoever reads them before
// somebody looks at the totals.
struct StartOfContacts {
  Span<const int> segment_pair_start;
  const int* contact_start;  // one more than pairs
  Count contacts;
  int* segment_start;
  int* total;

  CAROM_HD void operator()(int segment) const {
    const int start = contact_start[segment_pair_start[segment]], all = contacts.size();
    segment_start[segment] = start < all ? start : all;
    if (segment + 1 == static_cast<int>(segment_pair_start.size)) *total = all;
  }
};

// What each segment has to report: how many contacts it would have without a limit, and what is wrong.
struct ReportSegments {
  const int* segment_pair_start;
  const int* contact_start;  // of each pair, without the limit; one more than pairs
  int most;                  // 0 = no limit
  SegmentMarks not_finite;
  int* needed;
  std::int32_t* status;

  CAROM_HD void operator()(int segment) const {
    const int all = contact_start[segment_pair_start[segment + 1]] - contact_start[segment_pair_start[segment]];
    needed[segment] = all;
    status[segment] = (most > 0 && all > most ? kStatusOverflow : 0) | (not_finite.any(segment) ? kStatusNotFinite : 0);
  }
};

}  // namespace carom::inline CAROM_PRECISION
