#include "collide/broad_phase.h"

#include <algorithm>

#include "backend/launch.h"
#include "backend/scratch.h"
#include "base/fail.h"

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

// Shapes in a world up to which listed pairs, and then a sweep, are fastest (make bench SUITE=collide).
constexpr int kMostListed = 24, kMostSwept = 512;

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
  if (!device.is_cpu()) return BroadPhaseMode::kNxn;
  return most <= kMostSwept ? BroadPhaseMode::kSap : BroadPhaseMode::kTree;
}

}  // namespace

BroadPhase::BroadPhase(const Model& model, BroadPhaseMode mode)
    : device_(model.device),
      filter_(model, model.device),
      filter_on_cpu_(model, Device{}),
      segments_(model, filter_on_cpu_.view()),
      mode_(choose_mode(mode, segments_, model.device)) {
  const bool by_boxes = mode_ == BroadPhaseMode::kSap || mode_ == BroadPhaseMode::kTree;
  if (by_boxes && !device_.is_cpu())
    fail("collision pipeline: BroadPhaseMode ", broad_phase_mode_name(mode_),
         " runs on the CPU alone; use nxn, explicit or auto on ", device_.name());
  if (mode_ == BroadPhaseMode::kNxn && tests_of(segments_) > kMostTests)
    fail(
        "collision pipeline: a world has too many shapes to test each against all others; use BroadPhaseMode tree, sap "
        "or auto");
  if (mode_ == BroadPhaseMode::kExplicit)
    lists_ = std::make_unique<PartnerListArrays>(model, segments_, filter_on_cpu_.view());
  segment_pair_start_ = Array<int>(segment_count() + 1, device_);
}

void BroadPhase::find_pairs(const Queue& queue, const NearTest& near) {
  if (mode_ == BroadPhaseMode::kSap || mode_ == BroadPhaseMode::kTree) find_by_boxes(queue, near);
  else find_by_rows(queue, near);
}

void BroadPhase::make_room(std::int64_t pairs) {
  if (pairs > kMostPairs)
    fail("collision pipeline: more than ", kMostPairs,
         " pairs of shapes are near each other; move them apart, use filters, or fewer worlds at once");
  pair_count_ = static_cast<int>(pairs);
  grow(pair_, pair_count_, device_);
}

void BroadPhase::find_by_boxes(const Queue& queue, const NearTest& near) {
  const bool sweep = mode_ == BroadPhaseMode::kSap;
  const bool all = boxes_.find_pairs(queue, segments_, filter_.view(), near, sweep, kMostPairs);
  make_room(all ? boxes_.pair_count() : kMostPairs + 1);
  boxes_.write_pairs(pair_.data(), segment_pair_start_.data());
}

void BroadPhase::find_by_rows(const Queue& queue, const NearTest& near) {
  const int members = static_cast<int>(segments_.shape.size());
  grow(member_count_, members, device_);
  grow(member_start_, members + 1, device_);
  send_rows(queue, near, {member_count_.data(), nullptr, nullptr});
  const Span<int> starts{member_start_.data(), members + 1};
  exclusive_scan(queue, {member_count_.data(), members}, starts, scan_);
  make_room(scan_total(queue, scan_));
  send_rows(queue, near, {member_count_.data(), member_start_.data(), pair_.data()});
  launch(queue, segment_count() + 1, StartOfSegments{segments_.view.start, starts, segment_pair_start_.data()});
}

void BroadPhase::send_rows(const Queue& queue, const NearTest& near, const PairOutput& out) {
  const int members = static_cast<int>(segments_.shape.size());
  if (lists_) launch(queue, members, NearPartners{segments_.view, lists_->view(), near, out});
  else launch(queue, members, NearMembers{segments_.view, filter_.view(), near, out});
}

}  // namespace carom::inline CAROM_PRECISION
