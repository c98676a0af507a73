// Shapes that overlap at the start, and shapes so thin that they slip through each other between two steps.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cli/findings.h"
#include "cli/table.h"

namespace carom::cli {

namespace {

// The feet of a robot may stand in the ground by some millimetres, and small things by a fifth of their size [m].
constexpr double kDepth = 5e-3, kLeastDepth = 5e-4;
constexpr double kDepthShare = 0.2;
// What something reaches after a fall of 20 cm: a shape that is passed at less than this will be passed [m/s].
constexpr double kCrossingSpeed = 2;

bool is_half_space(const Model& model, int shape) {
  const auto type = static_cast<ShapeType>(model.shape_type[shape]);
  return type == ShapeType::kPlane || type == ShapeType::kHeightfield;
}

// The smallest of the sides of its box [m].
double thickness(const Model& model, int shape) {
  const Vec3 sides = model.shape_collision_aabb_upper[shape] - model.shape_collision_aabb_lower[shape];
  const double grown = 2 * double{model.shape_thickness[shape]};
  return is_half_space(model, shape) ? std::numeric_limits<double>::infinity()
                                     : std::min({double{sides.x}, double{sides.y}, double{sides.z}}) + grown;
}

bool moves(const Model& model, int shape) {
  const int body = model.shape_body[shape];
  return body >= 0 && model.body_joint[body] >= 0;
}

std::string pair_name(const Model& model, int a, int b) {
  return model.key(Entity::kShape, a) + ", " + model.key(Entity::kShape, b);
}

// The first body of the tree that carries a shape, -1 = the world.
int root_of(const Model& model, int shape) {
  int body = model.shape_body[shape];
  while (body >= 0 && model.body_joint[body] >= 0 && model.joint_parent[model.body_joint[body]] >= 0)
    body = model.joint_parent[model.body_joint[body]];
  return body;
}

// Of two shapes that are as thin as each other the first.
bool is_thinner(const Model& model, int a, int b) {
  const double of_a = thickness(model, a), of_b = thickness(model, b);
  return of_a != of_b ? of_a < of_b : a < b;
}

class Filter {
 public:
  explicit Filter(const Model& model) : model_(model) {
    for (const Index2& pair : model.shape_collision_filter_pairs) filtered_.insert({pair[0], pair[1]});
  }

  bool may_touch(int a, int b) const {
    const Model& m = model_;
    if (m.shape_body[a] == m.shape_body[b] || !(moves(m, a) || moves(m, b))) return false;
    if (!test_world_and_group_pair(m.shape_world[a], m.shape_world[b], m.shape_collision_group[a],
                                   m.shape_collision_group[b]))
      return false;
    if (!(m.shape_contype[a] & m.shape_conaffinity[b]) && !(m.shape_contype[b] & m.shape_conaffinity[a])) return false;
    return !filtered_.contains({std::min(a, b), std::max(a, b)});
  }

 private:
  const Model& model_;
  std::set<std::pair<int, int>> filtered_;
};

// The colliding shapes of a world and the global ones, without half spaces: nothing passes those.
std::vector<int> passable_shapes(const Model& model, int world) {
  std::vector<int> shapes;
  for (int s = 0; s < model.shape_count; ++s) {
    const bool here = model.shape_world[s] == world || model.shape_world[s] == -1;
    if (here && (model.shape_flags[s] & kShapeCollidesShapes) && !is_half_space(model, s)) shapes.push_back(s);
  }
  return shapes;
}

}  // namespace

void find_overlaps(const Model& model, const Start& start, std::vector<Finding>& findings) {
  CollisionPipeline pipeline(model);
  const Contacts& contacts = pipeline.collide(start.state);
  std::map<std::string, Finding> worst;
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    const int a = contacts.rigid_contact_shape0[c], b = contacts.rigid_contact_shape1[c];
    const double depth = contacts.rigid_contact_depth[c];
    const double thin = std::min(thickness(model, a), thickness(model, b));
    if (!(depth > std::max(kLeastDepth, std::min(kDepth, kDepthShare * thin)))) continue;
    Finding& finding = worst[pair_name(model, a, b)];
    if (finding.value >= depth) continue;
    finding = {Severity::kWarning,
               "overlap",
               pair_name(model, a, b),
               depth,
               "overlap by " + format("%.3g", depth * 1e3) + " mm at " + start.name,
               "move them apart, or exclude the pair: they are pushed apart in the first steps"};
  }
  for (auto& [name, finding] : worst) findings.push_back(std::move(finding));
}

void find_thin_shapes(const Model& model, std::vector<Finding>& findings) {
  if (model.options.speculative) return;
  const double dt = model.options.timestep;
  const Filter filter(model);
  for (int world = 0; world < model.world_count; ++world) {
    if (!is_examined(model, world)) continue;
    const std::vector<int> shapes = passable_shapes(model, world);
    for (const int a : shapes) {
      double least = kCrossingSpeed;
      int other = -1;
      for (const int b : shapes) {
        // Parts of one robot are held apart by its joints, too: what passes is something else.
        if (root_of(model, a) == root_of(model, b)) continue;
        // From the first touch to the middle of the other one, where it would be pushed out on the far side.
        const double way = (thickness(model, a) + thickness(model, b)) / 2 +
                           std::max(model.shape_contact_margin[a], model.shape_contact_margin[b]);
        if (way / dt >= least || !is_thinner(model, a, b) || !filter.may_touch(a, b)) continue;
        least = way / dt;
        other = b;
      }
      if (other < 0) continue;
      findings.push_back({Severity::kWarning, "thin", pair_name(model, a, other), least,
                          "pass through each other at " + format("%.3g", least) +
                              " m/s: " + format("%.3g", thickness(model, a) * 1e3) + " mm thin, steps of " +
                              format("%.3g", dt * 1e3) + " ms",
                          "make them thicker, the timestep smaller, or set the flag speculative"});
    }
  }
}

}  // namespace carom::cli
