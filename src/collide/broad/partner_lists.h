// Builds the lists of BroadPhaseMode::kExplicit: which members of a segment the filters leave to each other, once per
// archetype.
#pragma once

#include <functional>

#include "collide/broad/rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

class PartnerListArrays {
 public:
  PartnerListArrays(const Model& model, const Segments& segments, const PairFilter& filter_on_cpu,
                    bool places_on_the_way);
  PartnerLists view() const {
    return {row_start_.const_view(),    row_segment_.const_view(),   segment_list_.const_view(),
            list_start_.const_view(),   partner_start_.const_view(), partner_.const_view(),
            partner_bits_.const_view(), first_bits_.const_view(),    plane_bits_.const_view(),
            placed_bits_.const_view(),  placed_body_.const_view(),   like_.const_view(),
            alike_end_.const_view(),    word_start_.const_view(),    word_.data()};
  }
  std::int64_t pair_count() const { return pair_count_; }  // of all worlds
  int row_count() const { return static_cast<int>(row_start_.size()) - 1; }
  Span<const int> segment_row_start() const { return segment_row_start_.const_view(); }
  // On the CPU: shapes that are placed on the way, and the segments that have such.
  const std::vector<bool>& is_placed() const { return is_placed_; }
  const std::vector<bool>& places_in_segment() const { return places_in_segment_; }

 private:
  void note_placed(const Model& model, const Segments& segments, const std::vector<int>& segment_list,
                   bool places_on_the_way);
  void make_rows(const Segments& segments, const std::vector<int>& segment_list, Device device);
  void make_words(const Segments& segments, const std::vector<int>& segment_list, const std::vector<int>& list_start,
                  const std::function<int(int row, bool small)>& words_of, Device device);

  Array<int> row_start_, row_segment_, alike_end_, segment_row_start_, segment_list_, list_start_, partner_start_,
      partner_, placed_body_, like_, word_start_;
  Array<std::uint64_t> partner_bits_, first_bits_, plane_bits_, placed_bits_, word_;
  std::vector<bool> is_placed_, places_in_segment_;
  std::int64_t pair_count_ = 0;
};

}  // namespace carom::inline CAROM_PRECISION
