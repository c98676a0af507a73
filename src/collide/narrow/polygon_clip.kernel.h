// The overlap of two features seen along the contact normal, as a polygon whose corners know what they are made of.
//
// One feature, the subject, is cut by the sides of the other (I. Sutherland, G. Hodgman, "Reentrant polygon clipping",
// 1974). A corner of the result is a corner of one feature inside the other, or a crossing of two sides; its label
// says which, and does not depend on which of the two was cut.
#pragma once

#include "collide/narrow/convex_features.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Corners of the subject that are outside by less than this part of its size stay, so that faces of equal size that lie
// on each other keep their four corners under noise.
inline constexpr Real kClipSlack = Real(1e-4);

// A feature in the contact frame: x and y across the normal, z along it [m].
struct FlatFeature {
  Vec3 corner[kMaxFeature];
  int id[kMaxFeature];
  int count;
  Vec3 normal;  // of a face, in the contact frame
  bool first;   // of shape A
};

struct ClipVertex {
  Vec3 p;     // z is that of the subject
  int side;   // what the side that leaves this vertex lies on: side k of the subject, or -1 - k of the clipper
  int label;  // see clip_label
};
inline constexpr int kMaxClip = 2 * kMaxFeature;

struct ClipPolygon {
  ClipVertex vertex[kMaxClip];
  int count;
};

// Which corner of A and which corner of B, or none (-1). A side has the number of the corner where it begins.
CAROM_HD int feature_label(int corner_a, int corner_b) {
  return ((corner_a + 1) & 0x7fff) << 15 | ((corner_b + 1) & 0x7fff);
}

}  // namespace carom::inline CAROM_PRECISION

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

CAROM_HD int clip_label(const FlatFeature& subject, int subject_id, int clipper_id) {
  return subject.first ? feature_label(subject_id, clipper_id) : feature_label(clipper_id, subject_id);
}

// The label of the point where a side of the polygon meets side k of the clipper.
CAROM_HD int crossing_label(const FlatFeature& subject, const FlatFeature& clipper, int side, int k) {
  if (side >= 0) return clip_label(subject, subject.id[side], clipper.id[k]);
  const int before = -1 - side;  // two sides of the clipper meet in a corner of it
  const int corner = (before + 1) % clipper.count == k ? k : before;
  return clip_label(subject, -1, clipper.id[corner]);
}

// One line of the clipper: inside is where line.x x + line.y y >= line.z.
struct ClipLine {
  Real x, y, offset;
};

// Cuts the polygon by side k. Corners outside by less than `slack` stay; crossings nearer than that to a corner that
// stays are the same point.
CAROM_HD_LARGE void clip_by_line(const FlatFeature& subject, const FlatFeature& clipper, int k, ClipLine line,
                                 Real slack, ClipPolygon& polygon) {
  Real inside[kMaxClip];
  bool all_inside = true;
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3 p = polygon.vertex[i].p;
    inside[i] = fma(line.x, p.x, line.y * p.y) - line.offset;
    all_inside &= inside[i] >= -slack;
  }
  if (all_inside) return;
  ClipPolygon cut;
  cut.count = 0;
  for (int i = 0; i < polygon.count && cut.count + 2 <= kMaxClip; ++i) {
    const int j = i + 1 == polygon.count ? 0 : i + 1;
    const ClipVertex& from = polygon.vertex[i];
    const bool keep = inside[i] >= -slack, keep_next = inside[j] >= -slack;
    if (keep) cut.vertex[cut.count++] = from;
    if (keep == keep_next) continue;
    const Real t = clamp(inside[i] / (inside[i] - inside[j]), Real(0), Real(1));
    const Vec3 e = polygon.vertex[j].p - from.p;
    const bool same = (keep ? t : 1 - t) * (abs(e.x) + abs(e.y)) < slack;
    if (keep && same) cut.vertex[cut.count - 1].side = -1 - k;
    if (same) continue;
    const int label = crossing_label(subject, clipper, from.side, k);
    cut.vertex[cut.count++] = {fma(e, t, from.p), keep ? -1 - k : from.side, label};
  }
  polygon.count = cut.count;
  for (int i = 0; i < cut.count; ++i) polygon.vertex[i] = cut.vertex[i];
}

CAROM_HD Real doubled_area(const FlatFeature& f) {
  Real area = 0;
  for (int i = 2; i < f.count; ++i) {
    const Vec3 u = f.corner[i - 1] - f.corner[0], v = f.corner[i] - f.corner[0];
    area += fma(u.x, v.y, -(u.y * v.x));
  }
  return area;
}

// The part of the subject (a face or an edge) inside the clipper (a face).
CAROM_HD_LARGE void clip_features(const FlatFeature& subject, const FlatFeature& clipper, Real slack,
                                  ClipPolygon& polygon) {
  polygon.count = subject.count;
  for (int i = 0; i < subject.count; ++i) {
    polygon.vertex[i] = {subject.corner[i], i, clip_label(subject, subject.id[i], -1)};
  }
  const Real turn = doubled_area(clipper) < 0 ? Real(-1) : Real(1);
  for (int k = 0; k < clipper.count && polygon.count > 0; ++k) {
    const Vec3 p = clipper.corner[k], e = clipper.corner[k + 1 == clipper.count ? 0 : k + 1] - p;
    const Real l = sqrt(fma(e.x, e.x, e.y * e.y));
    if (l == 0) continue;
    const Real x = -e.y * turn / l, y = e.x * turn / l;
    clip_by_line(subject, clipper, k, {x, y, fma(x, p.x, y * p.y)}, slack, polygon);
  }
}

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
