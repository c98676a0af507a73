// Who may meet whom: the colliding shapes of a world together with the global ones are a segment, and the global shapes
// among themselves are the last one. Segments are worked out once; worlds cost what they contain.
#pragma once

#include <vector>

#include "collide/filter/pair_filter.h"
#include "model/active_worlds.h"

namespace carom::inline CAROM_PRECISION {

struct SegmentView {
  Span<const int> start;    // segment_count + 1 entries: members of each segment
  Span<const int> shape;    // of each member; ascending inside a segment
  Span<const int> segment;  // of each member
  int world_count;          // segments before the last one

  CAROM_HD int count() const { return world_count + 1; }
};

struct Segments {
  std::vector<int> start, shape;  // as in the view
  // Segments of one kind have equally many members, and the filters say the same about them: the worlds of an archetype
  // are of one; worlds without bodies, those that are left out and the globals have their own. Numbered in order of
  // their first segment.
  std::vector<int> kind;
  SegmentView view;

  // Worlds that are left out have no members.
  Segments(const Model& model, const PairFilter& filter_on_cpu, const ActiveWorlds& active);

  // Leaves out members that the filters let meet nobody, of segments with so many members at most: to find them takes a
  // look at every pair.
  void drop_lonely(const Model& model, const PairFilter& filter_on_cpu, int most_members);

 private:
  void upload(const Model& model);

  Array<int> start_, shape_, segment_;
};

// A pair belongs to the world of its shapes, or to the last segment when both are global.
CAROM_HD int segment_of_pair(Span<const int> shape_world, int world_count, Index2 pair) {
  const int a = shape_world[pair[0]], b = shape_world[pair[1]], world = a > b ? a : b;
  return world < 0 ? world_count : world;
}

// Whether a member of a segment meets another there: pairs of global shapes belong to the last segment.
CAROM_HD bool meet_in_segment(const PairFilter& filter, int segment, int world_count, int a, int b) {
  if (segment < world_count && filter.shape_world[a] < 0 && filter.shape_world[b] < 0) return false;
  return filter(a, b);
}

}  // namespace carom::inline CAROM_PRECISION
