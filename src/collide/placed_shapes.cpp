#include "collide/placed_shapes.h"

#include <algorithm>
#include <utility>

#include "backend/launch.h"
#include "collide/like_shapes.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Shapes in runs for lanes: the same shape of several worlds of an archetype, then its next shape; where worlds are
// few, the shapes of a world by type. shapes: ascending.
std::vector<int> order_for_lanes(const Model& model, const std::vector<int>& shapes) {
  constexpr std::size_t kWorldsTogether = items_together<PlaceShapes>();
  const Array<int> world_of = model.shape_world.on_cpu(), type = model.shape_type.on_cpu();
  std::vector<std::vector<int>::const_iterator> first(model.world_count + 1, shapes.end());  // shape of each world
  std::vector<int> count(model.world_count, 0), others, ordered;
  std::vector<bool> is_many(model.world_count, false);
  for (const Archetype& archetype : model.archetypes)
    if (archetype.world_list.size() >= kWorldsTogether)
      for (const int world : archetype.world_list) is_many[world] = true;
  for (auto at = shapes.begin(); at != shapes.end(); ++at) {
    const int world = world_of[*at];
    if (world < 0 || !is_many[world]) others.push_back(*at);
    else if (count[world]++ == 0) first[world] = at;
  }
  for (const Archetype& archetype : model.archetypes) {
    const std::vector<int>& worlds = archetype.world_list;
    if (worlds.size() < kWorldsTogether) continue;
    for (std::size_t group = 0; group < worlds.size(); group += kWorldsTogether)
      for (int k = 0; k < count[worlds.front()]; ++k)
        for (std::size_t w = group; w < std::min(group + kWorldsTogether, worlds.size()); ++w)
          ordered.push_back(first[worlds[w]][k]);
  }
  const auto key = [&](int shape) { return std::pair{world_of[shape], type[shape]}; };
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return key(a) < key(b); });
  ordered.insert(ordered.end(), others.begin(), others.end());
  return ordered;
}

// Ranges of consecutive shapes of each segment, the globals' last.
std::vector<SegmentRuns::Pieces> pieces_of(const Model& model, const std::vector<int>& shapes,
                                           const std::vector<bool>& marked_elsewhere) {
  const Array<int> world = model.shape_world.on_cpu();
  std::vector<SegmentRuns::Pieces> pieces(model.world_count + 1);
  for (std::size_t segment = 0; segment < pieces.size(); ++segment)
    if (marked_elsewhere[segment]) pieces[segment].push_back({SegmentRuns::kNothing, SegmentRuns::kNothing});
  for (const int shape : shapes) {
    SegmentRuns::Pieces& own = pieces[world[shape] < 0 ? model.world_count : world[shape]];
    if (!own.empty() && own.back().second == shape) ++own.back().second;
    else own.push_back({shape, shape + 1});
  }
  return pieces;
}

}  // namespace

PlacedShapes::PlacedShapes(const Model& model, std::vector<int> shapes, const std::vector<bool>& marked_elsewhere)
    : runs_(pieces_of(model, shapes, marked_elsewhere), model.device) {
  if (model.device.is_cpu()) shapes = order_for_lanes(model, shapes);
  const LikeShapes like(model);
  const Array<int> body_of = model.shape_body.on_cpu();
  std::vector<int> body, like_shape, type_run;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    body.push_back(body_of[shapes[i]]);
    like_shape.push_back(like.first_of_kind(shapes[i]));
    const bool begins = i > 0 && !like.one_formula(shapes[i - 1], shapes[i]);
    type_run.push_back(i == 0 ? 0 : type_run.back() + begins);
  }
  const auto on_device = [&](const std::vector<int>& values) {
    return Array<int>(std::span<const int>(values), model.device);
  };
  shape_ = on_device(shapes);
  body_ = on_device(body);
  like_ = on_device(like_shape);
  type_run_ = on_device(type_run);
}

}  // namespace carom::inline CAROM_PRECISION
