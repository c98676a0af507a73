// The contacts of the call before, as kernels see them: ages are counted from them, and some are kept.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Where a contact was found: the point of either surface in the frame of its shape. It stays as it is while the contact
// is kept.
struct FoundPoint {
  Transform X_AB;         // of shape 1 in the frame of shape 0, then; q of zeros: not to be kept
  Vec3 point_a, point_b;  // [m]
  Vec3 normal_a;          // from shape 0 to shape 1, in the frame of shape 0
};

// Sorted by segment, shapes and feature.
struct FormerContacts {
  const int* segment_start;
  const int *shape0, *shape1, *feature, *age;
  const FoundPoint* found;   // nullptr: none are kept
  const int* are_forgotten;  // of each segment: not 0 where there are none; nullptr: there are in all

  CAROM_HD int begin(int segment) const { return segment_start[segment]; }
  CAROM_HD int end(int segment) const {
    return segment_start[segment + (are_forgotten && are_forgotten[segment] ? 0 : 1)];
  }
  CAROM_HD bool is_of(int i, int a, int b) const { return shape0[i] == a && shape1[i] == b; }
  CAROM_HD bool is(int i, int a, int b, int f) const { return is_of(i, a, b) && feature[i] == f; }
  CAROM_HD bool is_before(int i, int a, int b, int f) const {
    if (shape0[i] != a) return shape0[i] < a;
    if (shape1[i] != b) return shape1[i] < b;
    return feature[i] < f;
  }
  // The contact, or the first one behind where it would be, among [begin, end); it is looked for around `at`.
  CAROM_HD int find(int begin, int end, int at, int a, int b, int f) const {
    if (at > end) at = end;
    if (at < end && is(at, a, b, f)) return at;
    int low = begin, high = end, step = 1;
    if (at < end && is_before(at, a, b, f)) {
      for (low = at + 1; low + step < end && is_before(low + step, a, b, f); step *= 2) low += step + 1;
      if (low + step < high) high = low + step;
    } else {
      for (high = at; high - step > begin && !is_before(high - step, a, b, f); step *= 2) high -= step;
      if (high - step > low) low = high - step;
    }
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (is_before(middle, a, b, f)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

// Over a list of worlds, -1 = what is global.
struct ForgetWorlds {
  const int* world;
  int world_count;
  int* are_forgotten;  // of each segment

  CAROM_HD void operator()(int i) const { are_forgotten[world[i] < 0 ? world_count : world[i]] = 1; }
};

}  // namespace carom::inline CAROM_PRECISION
