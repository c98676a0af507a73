#include "collide/like_shapes.h"

#include <cstring>
#include <numeric>

namespace carom::inline CAROM_PRECISION {

namespace {

// Keeps same[k] where row a + k of the column holds the bits of row b + k.
template <class T>
void note_same(const Array<T>& column, int a, int b, std::vector<bool>& same) {
  const char *const x = reinterpret_cast<const char*>(column.data() + a), *const y = reinterpret_cast<const char*>(
                                                                              column.data() + b);
  for (std::size_t k = 0; k < same.size(); ++k)
    same[k] = same[k] && std::memcmp(x + k * sizeof(T), y + k * sizeof(T), sizeof(T)) == 0;
}

}  // namespace

LikeShapes::LikeShapes(const Model& model)
    : body_(model.shape_body.on_cpu()), type_(model.shape_type.on_cpu()), first_of_kind_(model.shape_count) {
  std::iota(first_of_kind_.begin(), first_of_kind_.end(), 0);
  const Array<Transform> X_BS = model.shape_transform.on_cpu();
  const Array<Vec3> scale = model.shape_scale.on_cpu(), lower = model.shape_collision_aabb_lower.on_cpu(),
                    upper = model.shape_collision_aabb_upper.on_cpu();
  const Array<Real> thickness = model.shape_thickness.on_cpu(), margin = model.shape_contact_margin.on_cpu();
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kShape)];
  for (const Archetype& archetype : model.archetypes) {
    const int first_world = archetype.world_list.front();
    if (first_world < 0) continue;
    const int first = start[first_world], count = start[first_world + 1] - first;
    for (const int world : archetype.world_list) {
      std::vector<bool> same(count, true);
      note_same(X_BS, start[world], first, same);
      for (const Array<Vec3>* column : {&scale, &lower, &upper}) note_same(*column, start[world], first, same);
      for (const Array<Real>* column : {&thickness, &margin}) note_same(*column, start[world], first, same);
      for (int k = 0; k < count; ++k)
        if (same[k]) first_of_kind_[start[world] + k] = first + k;
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
