#include "cli/camera.h"

#include "carom/math/contact_frame.h"

#include <algorithm>
#include <cmath>

#include "cli/shape_points.h"

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

// Capsules, and spheres as capsules without length.
bool is_line(ShapeType type) { return type == ShapeType::kCapsule || type == ShapeType::kSphere; }

// Which shapes of a world are seen.
std::vector<int> seen_shapes(const Model& model, int world) {
  const int first = model.shape_world_start[world], last = model.shape_world_start[world + 1];
  std::vector<char> collides(static_cast<std::size_t>(model.body_count), 0);
  const auto is_collider = [&](int s) { return (model.shape_flags[s] & kShapeCollidesShapes) != 0; };
  for (int s = first; s < last; ++s)
    if (model.shape_body[s] >= 0 && is_collider(s)) collides[static_cast<std::size_t>(model.shape_body[s])] = 1;
  std::vector<int> seen;
  for (int s = first; s < last; ++s) {
    const bool on_body = model.shape_body[s] >= 0 && !(model.shape_flags[s] & kShapeIsSite);
    if (on_body && (is_collider(s) || !collides[static_cast<std::size_t>(model.shape_body[s])])) seen.push_back(s);
  }
  return seen;
}

Stroke outline_stroke(std::vector<PicturePoint> points, double depth, int tone) {
  Stroke stroke{1e30, 1e30, -1e30, -1e30, 0, depth, tone, convex_outline(std::move(points))};
  for (const PicturePoint& p : stroke.outline) {
    stroke.x0 = std::min(stroke.x0, p.x);
    stroke.y0 = std::min(stroke.y0, p.y);
    stroke.x1 = std::max(stroke.x1, p.x);
    stroke.y1 = std::max(stroke.y1, p.y);
  }
  return stroke;
}

}  // namespace

Camera::Camera(double azimuth, double elevation) {
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
  right_ = vec3(-sa, ca, 0);
  up_ = vec3(-ca * se, -sa * se, ce);
  near_ = vec3(ca * ce, sa * ce, se);
}

double Camera::ground_slope() const { return std::hypot(up_.x, up_.y); }

void Camera::add_line(const Model& model, int shape, const Transform& X_CS, int tone, Pose& pose) const {
  const Vec3 away = normalize(Vec3{up_.x, up_.y, 0});
  const bool capsule = static_cast<ShapeType>(model.shape_type[shape]) == ShapeType::kCapsule;
  const Vec3 half{0, 0, capsule ? model.shape_scale[shape].y : Real(0)};
  const Vec3 a = transform_point(X_CS, -half), b = transform_point(X_CS, half);
  const double radius = model.shape_scale[shape].x;
  pose.body.push_back({dot(right_, a), dot(up_, a), dot(right_, b), dot(up_, b), radius, dot(near_, a + b) / 2, tone});
  pose.shadow.push_back({dot(right_, a), dot(away, a), dot(right_, b), dot(away, b), radius, 0, tone});
}

void Camera::add_outline(const Model& model, int shape, const Transform& X_CS, int tone, Pose& pose) const {
  const Vec3 away = normalize(Vec3{up_.x, up_.y, 0});
  std::vector<PicturePoint> seen, below;
  for (const Vec3& p : shape_points(model, shape)) {
    const Vec3 at = transform_point(X_CS, p);
    seen.push_back({dot(right_, at), dot(up_, at)});
    below.push_back({dot(right_, at), dot(away, at)});
  }
  if (seen.empty()) return;
  pose.body.push_back(outline_stroke(std::move(seen), dot(near_, X_CS.p), tone));
  pose.shadow.push_back(outline_stroke(std::move(below), 0, tone));
}

Pose Camera::take(const Model& model, const State& state, const Contacts* contacts, int world, double time,
                  int (*tone)(const std::string& shape_key)) const {
  const Vec3 centre = below_the_mass(model, state, world);
  Pose pose{.time = time, .body = {}, .shadow = {}, .forces = {}};
  for (const int s : seen_shapes(model, world)) {
    Transform X = state.body_q[model.shape_body[s]] * model.shape_transform[s];
    X.p = X.p - centre;
    const int colour = tone(model.key(Entity::kShape, s));
    is_line(static_cast<ShapeType>(model.shape_type[s])) ? add_line(model, s, X, colour, pose)
                                                         : add_outline(model, s, X, colour, pose);
  }
  if (!contacts) return pose;
  const int first = contacts->rigid_contact_world_start[world], last = contacts->rigid_contact_world_start[world + 1];
  for (int c = first; c < last; ++c) {
    const Vec3 p = contacts->rigid_contact_point[c] - centre;
    // What the world does to the body, or of two bodies the first one to the second.
    const bool on_first = model.shape_body[contacts->rigid_contact_shape1[c]] < 0;
    const Vec3 f = contacts->rigid_contact_force[c] * Real(on_first ? -1 : 1);
    const Mat33 axes = contact_frame(contacts->rigid_contact_normal[c], contacts->rigid_contact_tangent[c]);
    ContactArrows arrows{dot(right_, p), dot(up_, p), {}, {}};
    for (int i = 0; i < 3; ++i) {
      const Vec3 part = axes[i] * dot(axes[i], f);
      arrows.fx[i] = dot(right_, part), arrows.fy[i] = dot(up_, part);
    }
    pose.forces.push_back(arrows);
  }
  return pose;
}

}  // namespace carom::cli
