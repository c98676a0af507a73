// Shapes that are fitted to meshes: to the box with the same inertia, or to the one around the vertices; and shells,
// whose mass is on their surface.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Half the lengths of a box of this mass with this inertia.
Vec3d inertia_box(double mass, Vec3d I) {
  const auto half = [&](double a, double b, double c) { return std::sqrt(std::max(0.0, 6 * (b + c - a) / mass)) / 2; };
  return {half(I.x, I.y, I.z), half(I.y, I.x, I.z), half(I.z, I.x, I.y)};
}

// Numbers that a type has no use for stay as they are written.
void fit_in_inertia_box(int type, Vec3d half, Doubles3& size) {
  const double radius = (half.x + half.y) / 2;
  switch (type) {
    case mj::kSphere: size[0] = (half.x + half.y + half.z) / 3; break;
    case mj::kCapsule: size = {radius, half.z - radius / 2, size[2]}; break;
    case mj::kCylinder: size = {radius, half.z, size[2]}; break;
    default: size = {half.x, half.y, half.z};
  }
}

void fit_around_box(int type, Vec3d half, Doubles3& size) {
  const double radius = std::max(half.x, half.y);
  switch (type) {
    case mj::kSphere: size[0] = std::max(radius, half.z); break;
    case mj::kCapsule: size = {radius, half.z - radius, size[2]}; break;
    case mj::kCylinder: size = {radius, half.z, size[2]}; break;
    default: size = {half.x, half.y, half.z};
  }
}

// -- Shells

// K. Thomsen's approximation.
double ellipsoid_area(Vec3d s) {
  constexpr double kPower = 1.6075;
  const auto power = [&](double a, double b) { return std::pow(a * b, kPower); };
  return 4 * std::numbers::pi * std::pow((power(s.x, s.y) + power(s.x, s.z) + power(s.y, s.z)) / 3, 1 / kPower);
}

// What is between two solid ellipsoids, of which one is larger by very little.
Vec3d ellipsoid_shell(Vec3d s, double mass) {
  constexpr double kThickness = 1e-6;
  const auto volume = [](Vec3d a) { return a.x * a.y * a.z; };
  const auto inertia = [&](Vec3d a) {
    return Vec3d{a.y * a.y + a.z * a.z, a.x * a.x + a.z * a.z, a.x * a.x + a.y * a.y} * (volume(a) / 5);
  };
  const Vec3d outer = s + Vec3d{1, 1, 1} * kThickness;
  return (inertia(outer) - inertia(s)) * (mass / (volume(outer) - volume(s)));
}

// Two half spheres, whose centres of mass are half a radius away from the tube between them.
Vec3d capsule_shell(double r, double height, double mass) {
  const double ball = mass * 2 * r / (2 * r + height), tube = mass - ball;
  const double across =
      tube * (6 * r * r + height * height) / 12 + ball * (2 * r * r / 3 + height / 2 * (height / 2 + r));
  return {across, across, tube * r * r + ball * 2 * r * r / 3};
}

// A tube and two discs.
Vec3d cylinder_shell(double r, double height, double mass) {
  const double discs = mass * r / (r + height), tube = mass - discs;
  const double across = tube * (6 * r * r + height * height) / 12 + discs * (r * r + height * height) / 4;
  return {across, across, tube * r * r + discs * r * r / 2};
}

Vec3d box_shell(Vec3d half, double mass) {
  const double share = mass / (half.x * half.y + half.y * half.z + half.x * half.z);
  Vec3d inertia{};
  for (int w = 0; w < 3; ++w) {  // the two faces across w
    const int u = (w + 1) % 3, v = (w + 2) % 3;
    const double both = share * half[u] * half[v];
    inertia[u] += both * (half[v] * half[v] / 3 + half[w] * half[w]);
    inertia[v] += both * (half[u] * half[u] / 3 + half[w] * half[w]);
    inertia[w] += both * (half[u] * half[u] + half[v] * half[v]) / 3;
  }
  return inertia;
}

}  // namespace

void fit_to_mesh(const GeomSpec& geom, const CompiledMesh& mesh, MjcfPose& X, Doubles3& size) {
  const bool fits = geom.type == mj::kSphere || geom.type == mj::kCapsule || geom.type == mj::kCylinder ||
                    geom.type == mj::kEllipsoid || geom.type == mj::kBox;
  if (!fits) fail_compile(geom.place, "geom", "a shape of this type is not fitted to a mesh");
  X = geom.pose * mesh.X;
  if (geom.fit_around) X = X * MjcfPose{(mesh.low + mesh.high) * 0.5, {}};
  if (geom.fit_around) fit_around_box(geom.type, (mesh.high - mesh.low) * 0.5, size);
  else fit_in_inertia_box(geom.type, inertia_box(mesh.volume, mesh.inertia), size);
  for (double& number : size) number *= geom.fitscale;
}

double shell_area(int type, Vec3d s) {
  switch (type) {
    case mj::kSphere: return 4 * std::numbers::pi * s.x * s.x;
    case mj::kCapsule: return 4 * std::numbers::pi * s.x * (s.x + s.y);
    case mj::kCylinder: return 2 * std::numbers::pi * s.x * (s.x + 2 * s.y);
    case mj::kEllipsoid: return ellipsoid_area(s);
    case mj::kBox: return 8 * (s.x * s.y + s.y * s.z + s.x * s.z);
    default: return 0;
  }
}

Vec3d shell_inertia(int type, Vec3d s, double mass) {
  switch (type) {
    case mj::kSphere: return Vec3d{1, 1, 1} * (2 * mass * s.x * s.x / 3);
    case mj::kCapsule: return capsule_shell(s.x, 2 * s.y, mass);
    case mj::kCylinder: return cylinder_shell(s.x, 2 * s.y, mass);
    case mj::kEllipsoid: return ellipsoid_shell(s, mass);
    case mj::kBox: return box_shell(s, mass);
    default: return {};
  }
}

}  // namespace carom::inline CAROM_PRECISION
