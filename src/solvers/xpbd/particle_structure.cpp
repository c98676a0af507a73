#include "solvers/xpbd/particle_structure.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The particles of all elements of a kind in a slot, as rows of the slot.
template <class Column>
std::vector<int> corners_in_slot(const Model& model, Entity entity, int total, int slot, const Column& indices) {
  const SlotRows rows = rows_of_slot(model, entity, total, slot),
                 particles = rows_of_slot(model, Entity::kParticle, model.particle_count, slot);
  std::vector<int> corners;
  for (int k = 0; k < rows.count; ++k)
    for (const int particle : indices[rows.at(k)]) corners.push_back(particles.of(particle));
  return corners;
}

}  // namespace

SlotRows rows_of_slot(const Model& model, Entity entity, int total, int slot) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  return SlotStarts{start.data(), total, model.world_count}.rows(slot);
}

ColouredElements::ColouredElements(const std::vector<int>& corners, int sides, int particles, Device device)
    : count_(static_cast<int>(corners.size()) / sides) {
  std::vector<std::vector<bool>> taken(particles);  // colours of each particle
  std::vector<std::vector<int>> of_colour;
  for (int e = 0; e < count_; ++e) {
    const auto has = [&](std::size_t colour) {
      for (int k = 0; k < sides; ++k) {
        const std::vector<bool>& t = taken[corners[e * sides + k]];
        if (colour < t.size() && t[colour]) return true;
      }
      return false;
    };
    std::size_t colour = 0;
    while (has(colour)) ++colour;
    for (int k = 0; k < sides; ++k) {
      std::vector<bool>& t = taken[corners[e * sides + k]];
      if (t.size() <= colour) t.resize(colour + 1, false);
      t[colour] = true;
    }
    if (of_colour.size() <= colour) of_colour.resize(colour + 1);
    of_colour[colour].push_back(e);
  }
  std::vector<int> element, start{0}, corner(corners.size());
  for (const std::vector<int>& elements : of_colour) {
    element.insert(element.end(), elements.begin(), elements.end());
    start.push_back(static_cast<int>(element.size()));
  }
  for (int e = 0; e < count_; ++e)
    for (int k = 0; k < sides; ++k) corner[k * count_ + e] = corners[element[e] * sides + k];
  colours_ = static_cast<int>(of_colour.size());
  element_ = Array<int>(std::span<const int>(element), device);
  corner_ = Array<int>(std::span<const int>(corner), device);
  colour_start_ = Array<int>(std::span<const int>(start), device);
}

ParticleStructures::ParticleStructures(const Model& model) : host_structure_(model.world_count + 1) {
  const auto springs = model.spring_indices.on_cpu();
  const auto triangles = model.tri_indices.on_cpu();
  const auto edges = model.edge_indices.on_cpu();
  const auto tetrahedra = model.tet_indices.on_cpu();
  const auto add = [&](int slot) {
    const auto colour = [&](Entity entity, int total, const auto& indices, int sides) {
      const int particles = rows_of_slot(model, Entity::kParticle, model.particle_count, slot).count;
      return elements_
          .emplace_back(corners_in_slot(model, entity, total, slot, indices), sides, particles, model.device)
          .plan();
    };
    plans_.push_back({colour(Entity::kSpring, model.spring_count, springs, 2),
                      colour(Entity::kTriangle, model.tri_count, triangles, 3),
                      colour(Entity::kEdge, model.edge_count, edges, 4),
                      colour(Entity::kTetrahedron, model.tet_count, tetrahedra, 4)});
  };
  add(model.world_count);
  for (const Archetype& archetype : model.archetypes) {
    if (archetype.world_list.front() < 0) continue;
    for (const int world : archetype.world_list) host_structure_[world] = static_cast<int>(plans_.size());
    add(archetype.world_list.front());
  }
  host_structure_[model.world_count] = 0;
  on_device_ = Array<ParticleStructure>(std::span<const ParticleStructure>(plans_), model.device);
  structure_ = Array<int>(std::span<const int>(host_structure_), model.device);
}

}  // namespace carom::inline CAROM_PRECISION
