// The broad phase: pairs of shapes that the filters leave and that are near each other, sorted by world and shape.
#pragma once

#include <memory>

#include "backend/scan.h"
#include "collide/broad/near.kernel.h"
#include "collide/broad/partner_lists.h"
#include "collide/broad/segment_boxes.h"

namespace carom::inline CAROM_PRECISION {

class BroadPhase {
 public:
  BroadPhase(const Model& model, BroadPhaseMode mode);

  // Fills what the functions below return.
  void find_pairs(const Queue& queue, const NearTest& near);

  int pair_count() const { return pair_count_; }
  Span<const Index2> pairs() const { return {pair_.data(), pair_count_}; }
  Array<Index2> pair_array() const { return pair_.slice(0, pair_count_); }
  Span<const int> segment_pair_start() const { return segment_pair_start_.const_view(); }  // one more than segments

  BroadPhaseMode mode() const { return mode_; }
  int segment_count() const { return segments_.view.count(); }
  const Segments& segments() const { return segments_; }
  std::int64_t explicit_pair_count() const { return lists_ ? lists_->pair_count() : 0; }

 private:
  static constexpr std::int64_t kMostPairs = 50'000'000;      // near each other; their points take gigabytes
  static constexpr std::int64_t kMostTests = 20'000'000'000;  // of one call, for kNxn: about a minute

  void find_by_rows(const Queue& queue, const NearTest& near);
  void send_rows(const Queue& queue, const NearTest& near, const PairOutput& out);
  void find_by_boxes(const Queue& queue, const NearTest& near);
  void make_room(std::int64_t pairs);

  Device device_;
  ModelFilter filter_, filter_on_cpu_;
  Segments segments_;
  BroadPhaseMode mode_;
  std::unique_ptr<PartnerListArrays> lists_;
  SegmentBoxes boxes_;
  Array<int> member_count_, member_start_, segment_pair_start_;
  ScanScratch scan_;
  Array<Index2> pair_;
  int pair_count_ = 0;
};

}  // namespace carom::inline CAROM_PRECISION
