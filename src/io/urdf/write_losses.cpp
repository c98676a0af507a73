// What a model has and URDF has no word for: contacts and their numbers, and all that is neither link nor joint.
#include <algorithm>
#include <unordered_set>

#include "io/one_world.h"
#include "io/urdf/write.h"
#include "model/up_axis.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool has_usual_contacts(const Model& m, int s) {
  const ShapeConfig usual;
  const std::pair<Real, Real> numbers[] = {{m.shape_material_mu[s], usual.mu},
                                           {m.shape_material_ke[s], usual.ke},
                                           {m.shape_material_kd[s], usual.kd},
                                           {m.shape_material_kf[s], usual.kf},
                                           {m.shape_material_ka[s], usual.ka},
                                           {m.shape_material_restitution[s], usual.restitution},
                                           {m.shape_material_torsional_friction[s], usual.torsional_friction},
                                           {m.shape_material_rolling_friction[s], usual.rolling_friction},
                                           {m.shape_thickness[s], usual.thickness},
                                           {m.shape_contact_margin[s], ModelBuilder().rigid_contact_margin},
                                           {m.shape_solmix[s], usual.solmix},
                                           {m.shape_adhesion[s], usual.adhesion}};
  const SpatialVector v = m.shape_surface_velocity[s];
  return std::all_of(std::begin(numbers), std::end(numbers), [](const auto& n) { return n.first == n.second; }) &&
         m.shape_condim[s] == usual.condim && m.shape_priority[s] == usual.priority &&
         m.shape_solref[s] == usual.solref && m.shape_solimp[s] == usual.solimp && v.linear == Vec3{} &&
         v.angular == Vec3{} && !m.shape_fluid_ellipsoid[s];
}

// Which colliding shapes touch in the model, and which do when the file is read.
class UrdfTouch {
 public:
  explicit UrdfTouch(const UrdfWriting& w) : w_(w), group_(static_cast<std::size_t>(w.m.body_count), -1) {
    for (std::int64_t i = 0; i < w.m.shape_collision_filter_pairs.size(); ++i) {
      const Index2 pair = w.m.shape_collision_filter_pairs[i];
      filtered_.insert(key(pair[0], pair[1]));
    }
    for (const int body : w.bodies) group_[static_cast<std::size_t>(body)] = first_held(body);
  }

  bool moves(int body) const {
    if (body < 0) return false;
    const int joint = joint_of(group_[static_cast<std::size_t>(body)]);
    return joint >= 0 && static_cast<JointType>(w_.m.joint_type[joint]) != JointType::kFixed;
  }

  bool in_model(int a, int b) const {
    const Model& m = w_.m;
    const int A = m.shape_collision_group[a], B = m.shape_collision_group[b];
    const bool groups = A > 0 ? A == B || B < 0 : A != B;
    const bool masks = (m.shape_contype[a] & m.shape_conaffinity[b]) || (m.shape_contype[b] & m.shape_conaffinity[a]);
    return groups && masks && !filtered_.contains(key(a, b)) && !spares_parent(a, b) && !spares_parent(b, a);
  }

  bool when_read(int body_a, int body_b) const {
    if (body_a < 0 || body_b < 0) return true;
    const int A = group_[static_cast<std::size_t>(body_a)], B = group_[static_cast<std::size_t>(body_b)];
    return A != B && parent_group(A) != B && parent_group(B) != A;
  }

 private:
  static std::int64_t key(int a, int b) { return (std::int64_t{std::min(a, b)} << 32) | std::max(a, b); }
  int joint_of(int body) const { return w_.m.body_joint[body]; }
  int parent_of(int body) const { return joint_of(body) < 0 ? -1 : w_.m.joint_parent[joint_of(body)]; }
  int parent_group(int group) const {
    const int parent = parent_of(group);
    return parent < 0 ? -2 : group_[static_cast<std::size_t>(parent)];
  }
  int first_held(int body) const {
    while (parent_of(body) >= 0 && static_cast<JointType>(w_.m.joint_type[joint_of(body)]) == JointType::kFixed)
      body = parent_of(body);
    return body;
  }
  bool spares_parent(int shape, int other) const {
    const int body = w_.m.shape_body[shape], parent = w_.m.shape_body[other];
    return body >= 0 && parent >= 0 && (w_.m.shape_flags[shape] & kShapeFilterParent) && parent_of(body) == parent;
  }

  const UrdfWriting& w_;
  std::vector<int> group_;  // of bodies: the first of those that fixed joints hold together
  std::unordered_set<std::int64_t> filtered_{};
};

void list_contact_losses(UrdfWriting& w) {
  const Model& m = w.m;
  const UrdfTouch touch(w);
  std::vector<int> colliding;
  for (const int shape : w.shapes)
    if (is_written_collision(w, shape)) colliding.push_back(shape);
  for (const int shape : colliding)
    if (!has_usual_contacts(m, shape)) w.lost.add("contact numbers of shapes", w.called(Entity::kShape, shape));
  for (std::size_t i = 0; i < colliding.size(); ++i)
    for (std::size_t k = i + 1; k < colliding.size(); ++k) {
      const int a = colliding[i], b = colliding[k], body_a = m.shape_body[a], body_b = m.shape_body[b];
      if (body_a == body_b || (!touch.moves(body_a) && !touch.moves(body_b))) continue;
      const bool now = touch.in_model(a, b), then = touch.when_read(body_a, body_b);
      if (now == then) continue;
      w.lost.add(now ? "that neighbours touch" : "that shapes do not touch",
                 w.called(Entity::kShape, a) + " and " + w.called(Entity::kShape, b));
    }
}

void list_body_losses(UrdfWriting& w) {
  std::vector<double> behind(static_cast<std::size_t>(w.m.body_count));
  for (auto body = w.bodies.rbegin(); body != w.bodies.rend(); ++body) {
    const auto b = static_cast<std::size_t>(*body);
    behind[b] += double(w.m.body_mass[*body]);
    const int joint = w.m.body_joint[*body], parent = joint < 0 ? -1 : w.m.joint_parent[joint];
    if (parent >= 0 && parent < *body) behind[static_cast<std::size_t>(parent)] += behind[b];
    const auto type = joint < 0 ? JointType::kFixed : static_cast<JointType>(w.m.joint_type[joint]);
    if (behind[b] == 0 && type != JointType::kFixed && type != JointType::kBall &&
        !(w.m.body_flags[*body] & kBodyKinematic))
      w.lost.add("moving bodies without mass, which readers refuse", w.called(Entity::kBody, *body));
    if (w.m.body_gravcomp[*body] != 0) w.lost.add("weight of bodies that is carried", w.called(Entity::kBody, *body));
  }
}

}  // namespace

void list_urdf_losses(UrdfWriting& w) {
  const Model& m = w.m;
  list_body_losses(w);
  list_contact_losses(w);
  const std::pair<Entity, const char*> others[] = {{Entity::kContactPair, "contact pairs"},
                                                   {Entity::kTendon, "tendons"},
                                                   {Entity::kSensor, "sensors"},
                                                   {Entity::kParticle, "particles"},
                                                   {Entity::kSpring, "springs of particles"},
                                                   {Entity::kTriangle, "triangles of cloth"},
                                                   {Entity::kTetrahedron, "tetrahedra"}};
  constexpr std::size_t kMostNamed = 1000;
  for (const auto& [entity, name] : others) {
    const std::vector<int> rows = rows_of_world(m, entity, w.world);
    const bool named = entity == Entity::kContactPair || entity == Entity::kTendon || entity == Entity::kSensor;
    if (named && rows.size() <= kMostNamed)
      for (const int row : rows) w.lost.add(name, w.called(entity, row));
    else if (!rows.empty()) w.lost.add(text(rows.size(), " ", name));
  }
  if (!(m.gravity[w.world] == default_gravity(m.up_axis))) w.lost.add("gravity");
  if (!(m.options == ModelOptions{})) w.lost.add("options: timestep, integrator, what is about contacts");
  if (m.world_count > 1) w.lost.add(text("the other ", m.world_count - 1, " worlds"));
}

}  // namespace carom::inline CAROM_PRECISION
