#include "collide/filter/pair_filter.h"

#include <algorithm>
#include <vector>

namespace carom::inline CAROM_PRECISION {

namespace {

std::vector<int> parents_of(const Model& model) {
  const Array<int> parent = model.joint_parent.on_cpu(), child = model.joint_child.on_cpu();
  std::vector<int> body_parent(model.body_count, -1);
  for (int j = 0; j < model.joint_count; ++j) body_parent[child[j]] = parent[j];
  return body_parent;
}

// Bodies that joints without degrees of freedom hold together are one; those that hang from the world stand in it.
// Kinematic bodies have negative numbers of their own: nothing moves them, and two of them do not touch.
std::vector<int> carriers_of(const Model& model) {
  const Array<int> parent = model.joint_parent.on_cpu(), child = model.joint_child.on_cpu(),
                   qd_start = model.joint_qd_start.on_cpu(), flags = model.body_flags.on_cpu();
  std::vector<int> held_by(model.body_count), carrier(model.body_count);
  for (int b = 0; b < model.body_count; ++b) held_by[b] = b;
  for (int j = 0; j < model.joint_count; ++j)
    if (qd_start[j + 1] == qd_start[j]) held_by[child[j]] = parent[j];
  for (int b = 0; b < model.body_count; ++b) {
    int at = b;
    for (int steps = 0; at >= 0 && held_by[at] != at && steps < model.body_count; ++steps) at = held_by[at];
    carrier[b] = at >= 0 && (flags[at] & kBodyKinematic) ? -2 - at : at;
  }
  return carrier;
}

// Pairs (a, b) by the smaller one of both.
void list_pairs(const Array<Index2>& given, int shape_count, Device device, Array<int>& start, Array<int>& shape) {
  const Array<Index2> read = given.on_cpu();
  std::vector<Index2> pairs(read.begin(), read.end());
  for (Index2& pair : pairs) std::sort(pair.begin(), pair.end());
  std::sort(pairs.begin(), pairs.end());
  std::vector<int> starts(shape_count + 1, 0), shapes;
  for (const Index2& pair : pairs) {
    ++starts[pair[0] + 1];
    shapes.push_back(pair[1]);
  }
  for (int s = 0; s < shape_count; ++s) starts[s + 1] += starts[s];
  start = Array<int>(std::span<const int>(starts), device);
  shape = Array<int>(std::span<const int>(shapes), device);
}

}  // namespace

ModelFilter::ModelFilter(const Model& model, Device device) {
  list_pairs(model.shape_collision_filter_pairs, model.shape_count, device, filtered_start_, filtered_shape_);
  list_pairs(model.contact_pair_shapes, model.shape_count, device, chosen_start_, chosen_shape_);
  body_parent_ = Array<int>(std::span<const int>(parents_of(model)), device);
  body_carrier_ = Array<int>(std::span<const int>(carriers_of(model)), device);
  const Array<int>* const read[] = {&model.shape_world, &model.shape_body,    &model.shape_collision_group,
                                    &model.shape_flags, &model.shape_contype, &model.shape_conaffinity};
  for (int i = 0; i < 6; ++i) columns_[i] = read[i]->device() == device ? *read[i] : read[i]->to(device);
  view_ = {columns_[0].const_view(),     columns_[1].const_view(),   columns_[2].const_view(),
           columns_[3].const_view(),     columns_[4].const_view(),   columns_[5].const_view(),
           body_parent_.const_view(),    body_carrier_.const_view(), filtered_start_.const_view(),
           filtered_shape_.const_view(), chosen_start_.const_view(), chosen_shape_.const_view()};
}

}  // namespace carom::inline CAROM_PRECISION
