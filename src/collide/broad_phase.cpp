#include "collide/broad_phase.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "backend/launch.h"
#include "backend/scratch.h"
#include "base/fail.h"
#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

const char* broad_phase_mode_name(BroadPhaseMode mode) {
  switch (mode) {
    case BroadPhaseMode::kNxn: return "nxn";
    case BroadPhaseMode::kSap: return "sap";
    case BroadPhaseMode::kExplicit: return "explicit";
    case BroadPhaseMode::kTree: return "tree";
    case BroadPhaseMode::kAuto: break;
  }
  return "auto";
}

namespace {

// Shapes in a world up to which listed pairs, and then a sweep or, on a GPU, all pairs are fastest (make bench
// SUITE=collide; docs/decisions/0009-collision-pipeline.md).
constexpr int kMostListed = 64, kMostSwept = 512;

// Pairs of members of all segments.
std::int64_t tests_of(const Segments& segments) {
  std::int64_t tests = 0;
  for (std::size_t s = 1; s < segments.start.size(); ++s) {
    const std::int64_t members = segments.start[s] - segments.start[s - 1];
    tests += members * (members - 1) / 2;
  }
  return tests;
}

BroadPhaseMode choose_mode(BroadPhaseMode asked, const Segments& segments, Device device) {
  if (asked != BroadPhaseMode::kAuto) return asked;
  int most = 0;
  for (std::size_t s = 1; s < segments.start.size(); ++s)
    most = std::max(most, segments.start[s] - segments.start[s - 1]);
  if (most <= kMostListed) return BroadPhaseMode::kExplicit;
  if (most > kMostSwept) return BroadPhaseMode::kTree;
  return device.is_cpu() ? BroadPhaseMode::kSap : BroadPhaseMode::kNxn;
}

}  // namespace

BroadPhase::BroadPhase(const Model& model, const ActiveWorlds& active, BroadPhaseMode mode, bool places_on_the_way,
                       Rooms& rooms)
    : device_(model.device),
      filter_(model, model.device),
      filter_on_cpu_(model, Device{}),
      segments_(model, filter_on_cpu_.view(), active),
      mode_(choose_mode(mode, segments_, model.device)),
      most_swept_(mode == BroadPhaseMode::kAuto  ? kMostSwept
                  : mode == BroadPhaseMode::kSap ? std::numeric_limits<int>::max()
                                                 : 0),
      room_(rooms, kMostPairs, "pairs of shapes are near each other") {
  const bool by_boxes = mode_ == BroadPhaseMode::kSap || mode_ == BroadPhaseMode::kTree;
  if (by_boxes && rooms.are_kept()) tree_ = std::make_unique<RankTree>(segments_.view, segments_.start, device_);
  if (mode_ == BroadPhaseMode::kNxn && tests_of(segments_) > kMostTests)
    fail(
        "collision pipeline: a world has too many shapes to test each against all others; use BroadPhaseMode tree, sap "
        "or auto");
  if (mode_ == BroadPhaseMode::kExplicit) {
    segments_.drop_lonely(model, filter_on_cpu_.view(), kMostInWord);
    lists_ = std::make_unique<PartnerListArrays>(model, segments_, filter_on_cpu_.view(), places_on_the_way);
  }
  segment_pair_start_ = Array<int>(segment_count() + 1, device_);
}

std::vector<bool> BroadPhase::segments_placed() const {
  return lists_ ? lists_->places_in_segment() : std::vector<bool>(segment_count(), false);
}

Count BroadPhase::find_pairs(const Queue& queue, const NearTest& near, const PlacingOnTheWay& placing) {
  if (tree_) return find_by_tree(queue, near);
  const bool by_boxes = mode_ == BroadPhaseMode::kSap || mode_ == BroadPhaseMode::kTree;
  return by_boxes ? find_by_boxes(queue, near) : find_by_rows(queue, near, placing);
}

Count BroadPhase::find_by_boxes(const Queue& queue, const NearTest& near) {
  const bool all = boxes_.find_pairs(queue, segments_, filter_.view(), near, most_swept_, kMostPairs);
  const Count pairs = room_.set(all ? boxes_.pair_count() : kMostPairs + 1);
  grow(pair_, pairs.room, device_);
  boxes_.write_pairs(pair_.data(), segment_pair_start_.data());
  return pairs;
}

Count BroadPhase::find_by_rows(const Queue& queue, const NearTest& near, const PlacingOnTheWay& placing) {
  const int rows = lists_ ? lists_->row_count() : member_count();
  grow(row_count_, rows, device_);
  grow(row_start_, rows + 1, device_);
  send_rows(queue, near, placing, {row_count_.data(), nullptr, nullptr, 0});
  const Count pairs = room_.sum({rows}, row_count_.data(), row_start_.data());
  grow(pair_, pairs.room, device_);
  send_rows(queue, near, placing, {row_count_.data(), row_start_.data(), pair_.data(), pairs.room});
  launch(queue, segment_count() + 1,
         StartOfSegments{lists_ ? lists_->segment_row_start() : segments_.view.start, row_start_.data(), pairs.room,
                         segment_pair_start_.data()});
  return pairs;
}

Count BroadPhase::find_by_tree(const Queue& queue, const NearTest& near) {
  const int members = member_count();
  grow(row_count_, members, device_);
  grow(row_start_, members + 1, device_);
  tree_->build(queue, near.box);
  PairsInTree kernel{segments_.view, filter_.view(), near, tree_->view(), member_bits(), row_count_.data()};
  launch(queue, members, kernel);
  const Count pairs = room_.sum({members}, row_count_.data(), row_start_.data());
  grow(pair_key_, pairs.room, device_);
  kernel.out = {row_start_.data(), pair_key_.data(), pairs.room};
  launch(queue, members, kernel);
  sort_pairs(queue, pairs);
  launch(queue, segment_count() + 1,
         StartOfSegments{segments_.view.start, row_start_.data(), pairs.room, segment_pair_start_.data()});
  return pairs;
}

void BroadPhase::sort_pairs(const Queue& queue, Count pairs) {
  grow(pair_, pairs.room, device_);
  grow(pair_value_, pairs.room, device_);  // the keys say all; nobody reads these
  launch(queue, pairs.room, BlankKeys{pairs, pair_key_.data()});
  sort_by_key(queue, {pair_key_.data(), pairs.room}, {pair_value_.data(), pairs.room}, sort_, 2 * member_bits());
  launch(queue, pairs, PairsOfKeys{segments_.view.shape, pair_key_.data(), member_bits(), pair_.data()});
}

int BroadPhase::member_bits() const { return std::bit_width(static_cast<unsigned>(member_count()) | 1u); }

void BroadPhase::send_rows(const Queue& queue, const NearTest& near, const PlacingOnTheWay& placing,
                           const PairOutput& out) {
  if (lists_) launch(queue, lists_->row_count(), NearPartners{segments_.view, lists_->view(), near, placing, out});
  else launch(queue, member_count(), NearMembers{segments_.view, filter_.view(), near, out});
}

}  // namespace carom::inline CAROM_PRECISION
