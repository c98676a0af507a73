// Which shapes never touch, whatever their poses: the rules of worlds, groups, masks, bodies and explicit pairs.
#pragma once

#include "carom/collide.h"

namespace carom::inline CAROM_PRECISION {

// Views of the columns that decide.
struct PairFilter {
  Span<const int> shape_world, shape_body, shape_group, shape_flags, shape_contype, shape_conaffinity;
  Span<const int> body_parent;   // body that a joint hangs the body from, -1 = none
  Span<const int> body_carrier;  // body that carries all that is fixed to it, < 0: the world, or what moves as given
  Span<const int> filtered_start, filtered_shape;  // explicit pairs (a, b), a < b, by a
  Span<const int> chosen_start, chosen_shape;      // likewise those that touch whatever the other rules say

  CAROM_HD bool collides(int shape) const {
    return (shape_flags[shape] & kShapeCollidesShapes) != 0 && (shape_flags[shape] & kShapeIsSite) == 0 &&
           shape_group[shape] != 0;
  }

  // For shapes a < b that collide at all.
  CAROM_HD bool operator()(int a, int b) const {
    const int body_a = shape_body[a], body_b = shape_body[b];
    const int carrier_a = carrier(body_a), carrier_b = carrier(body_b);
    if (carrier_a == carrier_b || (carrier_a < 0 && carrier_b < 0))
      return false;  // nothing moves one against the other
    if (chosen_shape.size > 0 && contains(chosen_start, chosen_shape, a, b)) return true;
    if (!test_world_and_group_pair(shape_world[a], shape_world[b], shape_group[a], shape_group[b])) return false;
    if ((shape_contype[a] & shape_conaffinity[b]) == 0 && (shape_contype[b] & shape_conaffinity[a]) == 0) return false;
    return !spares_parent(a, body_a, body_b) && !spares_parent(b, body_b, body_a) &&
           !contains(filtered_start, filtered_shape, a, b);
  }

 private:
  CAROM_HD int carrier(int body) const { return body < 0 ? -1 : body_carrier[body]; }
  // The child's shape says whether it may touch its parent.
  CAROM_HD bool spares_parent(int shape, int body, int other) const {
    return body >= 0 && other >= 0 && (shape_flags[shape] & kShapeFilterParent) != 0 && body_parent[body] == other;
  }
  CAROM_HD static bool contains(Span<const int> start, Span<const int> shape, int a, int b) {
    for (int i = start[a]; i < start[a + 1]; ++i)
      if (shape[i] == b) return true;
    return false;
  }
};

// The filter of a model, with all that it reads on one device.
class ModelFilter {
 public:
  ModelFilter(const Model& model, Device device);
  const PairFilter& view() const { return view_; }

 private:
  Array<int> columns_[6];  // of the model, in the order of the view
  Array<int> body_parent_, body_carrier_, filtered_start_, filtered_shape_, chosen_start_, chosen_shape_;
  PairFilter view_;
};

}  // namespace carom::inline CAROM_PRECISION
