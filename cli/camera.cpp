#include "cli/camera.h"

#include <cmath>

namespace carom::cli {

namespace {

Vec3 vec3(double x, double y, double z) { return {static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z)}; }

// The point of the ground below the centre of mass of a world.
Vec3 below_the_mass(const Model& model, const State& state, int world) {
  Vec3 sum{};
  Real mass = 0;
  for (int b = model.body_world_start[world]; b < model.body_world_start[world + 1]; ++b) {
    sum += transform_point(state.body_q[b], model.body_com[b]) * model.body_mass[b];
    mass += model.body_mass[b];
  }
  return mass > 0 ? Vec3{sum.x / mass, sum.y / mass, 0} : Vec3{};
}

}  // namespace

Camera::Camera(double azimuth, double elevation) {
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
  right_ = vec3(-sa, ca, 0);
  up_ = vec3(-ca * se, -sa * se, ce);
  near_ = vec3(ca * ce, sa * ce, se);
}

double Camera::ground_slope() const { return std::hypot(up_.x, up_.y); }

Pose Camera::take(const Model& model, const State& state, const Contacts* contacts, int world, double time,
                  int (*tone)(const std::string& shape_key)) const {
  const Vec3 centre = below_the_mass(model, state, world);
  const Vec3 away = normalize(Vec3{up_.x, up_.y, 0});
  Pose pose{.time = time, .body = {}, .shadow = {}, .forces = {}};
  for (int s = model.shape_world_start[world]; s < model.shape_world_start[world + 1]; ++s) {
    const ShapeType type = static_cast<ShapeType>(model.shape_type[s]);
    if (model.shape_body[s] < 0 || (type != ShapeType::kCapsule && type != ShapeType::kSphere)) continue;
    const Transform X = state.body_q[model.shape_body[s]] * model.shape_transform[s];
    const Vec3 half{0, 0, type == ShapeType::kCapsule ? model.shape_scale[s].y : Real(0)};
    const Vec3 a = transform_point(X, -half) - centre, b = transform_point(X, half) - centre;
    const double radius = model.shape_scale[s].x;
    const int colour = tone(model.key(Entity::kShape, s));
    pose.body.push_back(
        {dot(right_, a), dot(up_, a), dot(right_, b), dot(up_, b), radius, dot(near_, a + b) / 2, colour});
    pose.shadow.push_back({dot(right_, a), dot(away, a), dot(right_, b), dot(away, b), radius, 0, colour});
  }
  if (!contacts) return pose;
  const int first = contacts->rigid_contact_world_start[world], last = contacts->rigid_contact_world_start[world + 1];
  for (int c = first; c < last; ++c) {
    const Vec3 p = contacts->rigid_contact_point[c] - centre;
    // What the world does to the body. Between two bodies there are two forces, and none of them is drawn.
    const int body0 = model.shape_body[contacts->rigid_contact_shape0[c]],
              body1 = model.shape_body[contacts->rigid_contact_shape1[c]];
    const Real sign = body0 < 0 ? 1 : body1 < 0 ? -1 : 0;
    const Vec3 f = contacts->rigid_contact_force[c] * sign;
    pose.forces.push_back({dot(right_, p), dot(up_, p), dot(right_, f), dot(up_, f)});
  }
  return pose;
}

}  // namespace carom::cli
