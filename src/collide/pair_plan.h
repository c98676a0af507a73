// PairPlan: which shapes of an archetype may touch, and the numbers of the shapes in its worlds.
#pragma once

#include <vector>

#include "collide/filter/pair_filter.h"
#include "collide/world_contacts.kernel.h"
#include "model/host_model.h"

namespace carom::inline CAROM_PRECISION {

// What moves the shapes: given by the dynamics, which this folder does not know.
struct ShapeCarriers {
  std::vector<int> body_link;           // link of each body of a world, -1 = does not move
  std::vector<std::uint64_t> moved_by;  // per link: kDofWords words of degrees of freedom
};

struct PairPlan {
  std::vector<int> shapes;      // that collide: row in the world, global ones as -2 - row
  std::vector<int> shape_link;  // -1 = does not move
  std::vector<ShapePair> pairs;
  CollideView view;

  // filter: of the model, on the CPU. Throws Error for pairs that nobody can test yet.
  PairPlan(const HostModel& host, const PairFilter& filter, int world, const ShapeCarriers& carriers);

  int row(const HostModel& host, int shape, int world) const;  // in the model
  // Throws Error for numbers of a world that nobody can work with yet: finite planes.
  void check_numbers(const HostModel& host, int world) const;
  // X_LB: pose of every body of the world in its link.
  void write_params(const HostModel& host, int world, const std::vector<Transform>& X_LB, ShapeParams<Real>* shapes,
                    PairReach<Real>* reaches) const;

 private:
  void add_shapes(const HostModel& host, int world, const ShapeCarriers& carriers);
  void add_pairs(const HostModel& host, const PairFilter& filter, int world, const ShapeCarriers& carriers);

  Array<int> shape_link_;
  Array<ShapePair> pairs_;
};

}  // namespace carom::inline CAROM_PRECISION
