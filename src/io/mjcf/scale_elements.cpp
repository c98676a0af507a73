// Joints, geoms, bodies and assets in scaled frames. A shape is stretched along its own axes, which it must have in
// common with the frame if that has three different factors; a mesh takes any stretch.
#include <algorithm>
#include <array>
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/scale.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The sine of two degrees: what is bent or uneven by less is taken as it was meant.
constexpr double kBend = 0.034899496702500969;

// How much a stretch turns a direction; its length becomes length(stretch * direction).
bool keeps_direction(const Mat33d& stretch, Vec3d direction) {
  const Vec3d image = stretch * direction;
  return length(cross(image, direction)) <= kBend * length(image) * length(direction);
}

Vec3d axis_of(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }

Vec3d lengths_of(const Mat33d& stretch) {
  return {length(stretch * axis_of(0)), length(stretch * axis_of(1)), length(stretch * axis_of(2))};
}

bool nearly_equal(double a, double b) { return std::abs(a - b) <= kBend * std::max(a, b); }

// -- Joints

void scale_joint(JointSpec& joint) {
  if (joint.scale.frame < 0 || joint.type == mj::kFree) return;
  const bool has_axis = joint.type != mj::kBall && length(joint.axis) > 0;
  if (has_axis && !keeps_direction(joint.scale.stretch, joint.axis))
    fail(at_place(joint.place, "joint", "axis"), "must be along an axis of the scaled frame around it, whose three ",
         "factors differ");
  const ScaledCoordinate coordinate = coordinate_of(joint);
  scale_passive(joint.stiffness, joint.damping, joint.armature, joint.frictionloss, joint.actuator_force_range,
                coordinate);
  if (coordinate.angle) return;
  multiply(joint.range, coordinate.length);
  for (double* number : {&joint.ref, &joint.springref, &joint.springyield, &joint.margin, &joint.solimp_limit[2],
                         &joint.solimp_friction[2]})
    *number *= coordinate.length;
}

// -- Geoms

void check_stretch(const GeomSpec& geom) {
  if (!geom.mesh.empty()) return;
  const Mat33d& stretch = geom.scale.stretch;
  const auto refuse = [&](const char* why) {
    fail(at_place(geom.place, "geom"), why, ", since the three factors of the scaled frame around it differ");
  };
  const Vec3d s = lengths_of(stretch);
  const bool along = keeps_direction(stretch, axis_of(2));
  const bool across = keeps_direction(stretch, axis_of(0)) && keeps_direction(stretch, axis_of(1));
  if (geom.type == mj::kSphere) {
    if (!along || !across || !nearly_equal(s.x, s.y) || !nearly_equal(s.y, s.z))
      refuse("a sphere must be an ellipsoid here");
  } else if (geom.type == mj::kCapsule || geom.type == mj::kCylinder) {
    if (!along) refuse("its axis must be along one of the frame");
    if (!across || !nearly_equal(s.x, s.y)) refuse("it must be scaled alike across its axis");
  } else if (!along || !across) {
    refuse("its axes must be those of the frame");
  }
}

void scale_size(int type, const MjcfScale& scale, Doubles3& size) {
  const Vec3d s = lengths_of(scale.stretch);
  switch (type) {
    case mj::kSphere: size[0] *= std::cbrt(s.x * s.y * s.z); break;
    case mj::kCapsule:
    case mj::kCylinder:
      size[0] *= std::sqrt(s.x * s.y);
      size[1] *= s.z;
      break;
    case mj::kPlane:
      size[0] *= s.x;
      size[1] *= s.y;
      size[2] *= scale.units.length;
      break;
    case mj::kEllipsoid:
    case mj::kBox:
      for (int k = 0; k < 3; ++k) size[static_cast<std::size_t>(k)] *= s[k];
      break;
    default: break;  // as its mesh or heightfield
  }
}

void scale_geom(GeomSpec& geom) {
  if (geom.scale.frame < 0) return;
  check_stretch(geom);
  scale_size(geom.type, geom.scale, geom.size);
  const MjcfScale& scale = geom.scale;
  const double L = scale.units.length;
  for (double* number : {&geom.margin, &geom.gap, &geom.friction[1], &geom.friction[2], &geom.solimp[2]}) *number *= L;
  const Vec3d velocity = scale.stretch * vec3(geom.surface_velocity.data());
  for (int k = 0; k < 3; ++k) geom.surface_velocity[static_cast<std::size_t>(k)] = velocity[k];
  geom.adhesion *= scale.units.force();
  geom.mass *= scale.mass;
}

// A sphere may be turned against the frame, and keeps the volume that the stretch gives it.
void scale_site(SiteSpec& site) {
  if (site.scale.frame < 0) return;
  if (site.type == mj::kSphere) site.size[0] *= site.scale.units.length;
  else scale_size(site.type, site.scale, site.size);
}

// -- Bodies

// Second moments of mass follow the stretch; the inertia is what their trace is more than they are.
void scale_inertial(InertialSpec& inertial, const MjcfScale& scale) {
  const Mat33d& A = scale.stretch;
  const Mat33d R = mat33_from_quat(normalize(inertial.pose.q)), one = mat33_identity<double>();
  Mat33d I = R * mat33_diagonal(vec3(inertial.diagonal.data())) * transpose(R);
  if (inertial.full) {
    const auto& [xx, yy, zz, xy, xz, yz] = *inertial.full;
    I = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  }
  const Mat33d moments = A * (one * (trace(I) / 2) - I) * transpose(A) * scale.mass;
  I = one * trace(moments) - moments;
  inertial.pose = {A * inertial.pose.p, {}};
  inertial.mass *= scale.mass;
  inertial.full = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
}

void scale_inertial_evenly(InertialSpec& inertial, const MjcfScale& scale) {
  const double L = scale.units.length, turning = scale.mass * L * L;
  inertial.pose.p = inertial.pose.p * L;
  inertial.mass *= scale.mass;
  multiply(inertial.diagonal, turning);
  if (inertial.full) multiply(*inertial.full, turning);
}

bool is_even(const Mat33d& A) {
  return A[0][0] == A[1][1] && A[1][1] == A[2][2] && A[0][1] == 0 && A[0][2] == 0 && A[1][0] == 0 && A[1][2] == 0 &&
         A[2][0] == 0 && A[2][1] == 0;
}

// -- Assets

struct AssetUse {
  std::string* name;
  Mat33d stretch;
};

using StretchKey = std::array<double, 9>;

StretchKey stretch_key(const Mat33d& A) {
  return {A[0][0], A[0][1], A[0][2], A[1][0], A[1][1], A[1][2], A[2][0], A[2][1], A[2][2]};
}

// The first size of an asset keeps its name, further ones are copies: "name@1", ...
template <class Asset, class Resize>
void make_sizes(std::vector<Asset>& assets, const std::vector<AssetUse>& uses, const Resize& resize) {
  const std::vector<Asset> originals = assets;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < originals.size(); ++i) places.emplace(originals[i].name, i);
  std::map<std::string, std::map<StretchKey, std::string>> sizes;
  for (const AssetUse& use : uses) {
    const auto place = places.find(*use.name);
    if (place == places.end()) continue;  // said later
    std::map<StretchKey, std::string>& known = sizes[*use.name];
    const bool is_first = known.empty();
    const auto [found, is_new] =
        known.emplace(stretch_key(use.stretch), is_first ? *use.name : text(*use.name, "@", known.size()));
    *use.name = found->second;
    if (!is_new) continue;
    if (!is_first) assets.push_back(originals[place->second]);
    Asset& asset = is_first ? assets[place->second] : assets.back();
    asset.name = found->second;
    resize(asset, use.stretch);
  }
}

void stretch_heightfield(HeightfieldSpec& field, const Mat33d& stretch) {
  const Vec3d s = lengths_of(stretch);
  field.size[0] *= s.x;
  field.size[1] *= s.y;
  field.size[2] *= s.z;
  field.size[3] *= s.z;
}

void make_asset_sizes(MjcfSpec& spec) {
  std::vector<AssetUse> meshes, fields;
  for (BodySpec& body : spec.bodies)
    for (GeomSpec& geom : body.geoms) {
      meshes.push_back({&geom.mesh, geom.scale.stretch});
      fields.push_back({&geom.hfield, geom.scale.stretch});
    }
  for (BodySpec& body : spec.bodies)
    for (SiteSpec& site : body.sites) meshes.push_back({&site.mesh, site.scale.stretch});
  make_sizes(spec.meshes, meshes, [](MeshSpec& mesh, const Mat33d& stretch) { mesh.stretch = stretch; });
  make_sizes(spec.heightfields, fields, stretch_heightfield);
}

}  // namespace

ScaledCoordinate coordinate_of(const JointSpec& joint) {
  ScaledCoordinate coordinate{joint.scale.units};
  coordinate.angle = joint.type == mj::kHinge || joint.type == mj::kBall;
  if (joint.type == mj::kFree) coordinate.length = joint.scale.units.length;
  if (joint.type == mj::kSlide && length(joint.axis) > 0)
    coordinate.length = length(joint.scale.stretch * joint.axis) / length(joint.axis);
  return coordinate;
}

void multiply_polynomial(Doubles3& numbers, const ScaledCoordinate& coordinate) {
  double factor = coordinate.force();
  for (double& number : numbers) number *= factor /= coordinate.force_length();
}

void scale_passive(Doubles3& stiffness, Doubles3& damping, double& armature, double& friction, Doubles2& forces,
                   const ScaledCoordinate& coordinate) {
  multiply_polynomial(stiffness, coordinate);
  multiply_polynomial(damping, coordinate);
  armature *= coordinate.force() / coordinate.force_length();
  friction *= coordinate.force();
  multiply(forces, coordinate.force());
}

void scale_elements(MjcfSpec& spec) {
  for (BodySpec& body : spec.bodies) {
    for (JointSpec& joint : body.joints) scale_joint(joint);
    for (GeomSpec& geom : body.geoms) scale_geom(geom);
    for (SiteSpec& site : body.sites) scale_site(site);
    if (body.scale.frame < 0) continue;
    const Mat33d R = mat33_from_quat(normalize(body.own.q));
    body.own.p = R * body.scale.stretch * transpose(R) * body.own.p;
    if (!body.inertial) continue;
    if (is_even(body.scale.stretch)) scale_inertial_evenly(*body.inertial, body.scale);
    else scale_inertial(*body.inertial, body.scale);
  }
  make_asset_sizes(spec);
}

}  // namespace carom::inline CAROM_PRECISION
