#include "collide/broad/partner_lists.h"

#include "base/fail.h"
#include "collide/like_shapes.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Lists beyond these take seconds to make and gigabytes to keep.
constexpr std::size_t kMostPartners = 200'000'000;
constexpr int kMostMembers = 50'000;  // of a segment

[[noreturn]] void fail_too_many(int members) {
  fail("collision pipeline: the pairs of ", members,
       " shapes in one world are too many to list; use BroadPhaseMode tree, sap or auto");
}

// The rows of all lists, one list after the other.
struct Rows {
  std::vector<int> list_start, partner_start{0}, partner;
  std::vector<std::uint64_t> partner_bits, first_bits, plane_bits;
  std::vector<std::int64_t> list_pairs;

  // The list of a segment.
  void add(const Model& model, const Segments& segments, int segment, const PairFilter& filter,
           const Array<int>& type) {
    const int first = segments.start[segment], end = segments.start[segment + 1];
    if (end - first > kMostMembers) fail_too_many(end - first);
    const bool small = end - first <= kMostInWord;
    const auto bit = [&](int m) { return std::uint64_t{1} << (m - first); };
    list_start.push_back(static_cast<int>(partner_start.size()) - 1);
    list_pairs.push_back(0);
    first_bits.push_back(0);
    plane_bits.push_back(0);
    for (int m = first; m < end; ++m) {
      partner_bits.push_back(0);
      if (small && type[segments.shape[m]] == static_cast<int>(ShapeType::kPlane)) plane_bits.back() |= bit(m);
      for (int other = m + 1; other < end; ++other) {
        if (!meet_in_segment(filter, segment, model.world_count, segments.shape[m], segments.shape[other])) continue;
        ++list_pairs.back();
        if (small) partner_bits.back() |= bit(other);
        else partner.push_back(other - first);
      }
      if (partner_bits.back() != 0) first_bits.back() |= bit(m);
      if (partner.size() > kMostPartners) fail_too_many(end - first);
      partner_start.push_back(static_cast<int>(partner.size()));
    }
  }
};

template <class T>
Array<T> on_device(const std::vector<T>& values, Device device) {
  return Array<T>(std::span<const T>(values), device);
}

}  // namespace

PartnerListArrays::PartnerListArrays(const Model& model, const Segments& segments, const PairFilter& filter,
                                     bool places_on_the_way) {
  const std::vector<int>& segment_list = segments.kind;
  const Array<int> type = model.shape_type.on_cpu();
  Rows rows;
  for (int segment = 0; segment <= model.world_count; ++segment) {
    const int list = segment_list[segment];
    if (list == static_cast<int>(rows.list_start.size())) rows.add(model, segments, segment, filter, type);
    pair_count_ += rows.list_pairs[list];
  }
  segment_list_ = on_device(segment_list, model.device);
  list_start_ = on_device(rows.list_start, model.device);
  partner_start_ = on_device(rows.partner_start, model.device);
  partner_ = on_device(rows.partner, model.device);
  partner_bits_ = on_device(rows.partner_bits, model.device);
  first_bits_ = on_device(rows.first_bits, model.device);
  plane_bits_ = on_device(rows.plane_bits, model.device);
  note_placed(model, segments, segment_list, places_on_the_way);
  make_rows(segments, segment_list, model.device);
  const auto words = [&](int row, bool small) {
    return small ? int{rows.partner_bits[row] != 0} : (rows.partner_start[row + 1] - rows.partner_start[row] + 63) / 64;
  };
  make_words(segments, segment_list, rows.list_start, words, model.device);
}

void PartnerListArrays::note_placed(const Model& model, const Segments& segments, const std::vector<int>& segment_list,
                                    bool places_on_the_way) {
  const Array<int> list_start = list_start_.on_cpu(), world = model.shape_world.on_cpu(),
                   body = model.shape_body.on_cpu();
  const std::vector<int>& body_start = model.layout->start[static_cast<int>(Entity::kBody)];
  const LikeShapes like(model);
  std::vector<std::uint64_t> bits(list_start.size(), 0);
  std::vector<int> body_in_world(partner_bits_.size(), -1), like_shape(partner_bits_.size(), -1);
  std::vector<bool> is_known(list_start.size(), false);
  is_placed_.resize(model.shape_count, false);
  places_in_segment_.resize(model.world_count + 1, false);
  const int placing_worlds = places_on_the_way && model.device.is_cpu() ? model.world_count : 0;
  for (int segment = 0; segment < placing_worlds; ++segment) {
    const int list = segment_list[segment], begin = segments.start[segment], end = segments.start[segment + 1];
    for (int m = begin; m < end && end - begin <= kMostInWord; ++m) {
      const int s = segments.shape[m], row = list_start[list] + m - begin;
      const bool own_body = body[s] >= body_start[segment] && body[s] < body_start[segment + 1];
      const bool placed = world[s] >= 0 && own_body && like.one_formula(s, s);
      if (!is_known[list]) like_shape[row] = like.first_of_kind(s);
      if (like_shape[row] != like.first_of_kind(s) || (!placed && body[s] >= 0)) like_shape[row] = -1;
      if (!placed) continue;
      body_in_world[row] = body[s] - body_start[segment];
      bits[list] |= std::uint64_t{1} << (m - begin);
      is_placed_[s] = places_in_segment_[segment] = true;
    }
    is_known[list] = true;
  }
  placed_bits_ = on_device(bits, model.device);
  placed_body_ = on_device(body_in_world, model.device);
  like_ = on_device(like_shape, model.device);
}

// On a GPU every member has a row, since rows are what threads share. A CPU has one for all members of a small segment.
void PartnerListArrays::make_rows(const Segments& segments, const std::vector<int>& segment_list, Device device) {
  std::vector<int> row_start, row_segment, segment_row_start;
  std::vector<bool> together;
  for (std::size_t segment = 0; segment + 1 < segments.start.size(); ++segment) {
    const int first = segments.start[segment], end = segments.start[segment + 1];
    together.push_back(device.is_cpu() && end - first <= kMostInWord);
    segment_row_start.push_back(static_cast<int>(row_start.size()));
    for (int m = first; m < end; m = together.back() ? end : m + 1) {
      row_start.push_back(m);
      row_segment.push_back(static_cast<int>(segment));
    }
  }
  const int rows = static_cast<int>(row_start.size());
  segment_row_start.push_back(rows);
  row_start.push_back(segments.start.back());
  std::vector<int> alike_end(rows);
  for (int row = rows - 1; row >= 0; --row) {
    const int segment = row_segment[row], next = row + 1 < rows ? row_segment[row + 1] : -1;
    const bool goes_on = next >= 0 && together[next] && segment_list[next] == segment_list[segment];
    alike_end[row] = !together[segment] ? row : goes_on ? alike_end[row + 1] : row + 1;
  }
  row_start_ = on_device(row_start, device);
  row_segment_ = on_device(row_segment, device);
  alike_end_ = on_device(alike_end, device);
  segment_row_start_ = on_device(segment_row_start, device);
}

void PartnerListArrays::make_words(const Segments& segments, const std::vector<int>& segment_list,
                                   const std::vector<int>& list_start,
                                   const std::function<int(int row, bool small)>& words_of, Device device) {
  const Array<int> row_start = row_start_.on_cpu(), row_segment = row_segment_.on_cpu();
  std::vector<int> start{0};
  for (int row = 0; row < row_count(); ++row) {
    const int segment = row_segment[row], first = segments.start[segment];
    const bool small = segments.start[segment + 1] - first <= kMostInWord;
    int words = 0;
    for (int m = row_start[row]; m < row_start[row + 1]; ++m)
      words += words_of(list_start[segment_list[segment]] + m - first, small);
    start.push_back(start.back() + words);
  }
  word_ = Array<std::uint64_t>(start.back(), device);
  word_start_ = on_device(start, device);
}

}  // namespace carom::inline CAROM_PRECISION
