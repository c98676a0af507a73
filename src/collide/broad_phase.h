// The broad phase: pairs of shapes that the filters leave and that are near each other, sorted by world and shape.
#pragma once

#include <memory>

#include "collide/broad/near.kernel.h"
#include "collide/broad/partner_lists.h"
#include "collide/broad/rank_tree.h"
#include "collide/broad/segment_boxes.h"
#include "collide/rooms.h"

namespace carom::inline CAROM_PRECISION {

class BroadPhase {
 public:
  // places_on_the_way: boxes are those of shapes where they are, and nobody else has to see them first.
  BroadPhase(const Model& model, const ActiveWorlds& active, BroadPhaseMode mode, bool places_on_the_way, Rooms& rooms);

  // Shapes that find_pairs() places itself, and the segments whose marks it sets then (see PlacingOnTheWay). All others
  // are placed before.
  bool places(int shape) const { return lists_ && lists_->is_placed()[shape]; }
  std::vector<bool> segments_placed() const;

  // Fills what the functions below return, and returns how many pairs there are.
  Count find_pairs(const Queue& queue, const NearTest& near, const PlacingOnTheWay& placing);

  Span<const Index2> pairs() const { return pair_.const_view(); }                          // room for more
  Array<Index2> pair_array() const { return pair_.slice(0, room_.size()); }                // once the rooms are settled
  Span<const int> segment_pair_start() const { return segment_pair_start_.const_view(); }  // one more than segments

  BroadPhaseMode mode() const { return mode_; }
  int segment_count() const { return segments_.view.count(); }
  const Segments& segments() const { return segments_; }
  std::int64_t explicit_pair_count() const { return lists_ ? lists_->pair_count() : 0; }

 private:
  static constexpr std::int64_t kMostPairs = 50'000'000;      // near each other; their points take gigabytes
  static constexpr std::int64_t kMostTests = 20'000'000'000;  // of one call, for kNxn: about a minute

  Count find_by_rows(const Queue& queue, const NearTest& near, const PlacingOnTheWay& placing);
  void send_rows(const Queue& queue, const NearTest& near, const PlacingOnTheWay& placing, const PairOutput& out);
  Count find_by_boxes(const Queue& queue, const NearTest& near);
  Count find_by_tree(const Queue& queue, const NearTest& near);
  void sort_pairs(const Queue& queue, Count pairs);
  int member_count() const { return static_cast<int>(segments_.shape.size()); }
  int member_bits() const;

  Device device_;
  ModelFilter filter_, filter_on_cpu_;
  Segments segments_;
  BroadPhaseMode mode_;
  int most_swept_;  // shapes in a world
  std::unique_ptr<PartnerListArrays> lists_;
  SegmentBoxes boxes_;
  std::unique_ptr<RankTree> tree_;
  Array<std::uint64_t> pair_key_;
  Array<int> pair_value_;
  SortScratch sort_;
  Array<int> row_count_, row_start_, segment_pair_start_;
  Room room_;
  Array<Index2> pair_;
};

}  // namespace carom::inline CAROM_PRECISION
