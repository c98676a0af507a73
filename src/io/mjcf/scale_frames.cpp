// <frame scale, massscale, scaling>: what is inside is resized about the origin of the frame. With a factor L of
// lengths and M of masses a quantity of dimension length^a mass^b time^c is multiplied by L^a M^b; with
// scaling="geometry" those of them that are forces, stiffness, damping or armature stay as they are.
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct FrameScale {
  double length = 1, mass = 1;
  bool forces = true;
};

template <class Spec>
void mark_scaled(Spec& spec, const FrameScale& s) {
  spec.scaled = true;
  spec.scale.length *= s.length;
  if (!s.forces) return;
  spec.scale.force_length *= s.length;
  spec.scale.force_mass *= s.mass;
}

// Coefficients of x, x |x|, x^3: each has one more length below.
void multiply_polynomial(Doubles3& numbers, double first, double length) {
  numbers[0] *= first;
  numbers[1] *= first / length;
  numbers[2] *= first / (length * length);
}

void scale_joint(JointSpec& joint, const FrameScale& s) {
  mark_scaled(joint, s);
  joint.pos = joint.pos * s.length;
  if (joint.type == mj::kFree) return;
  if (s.forces)
    scale_passive(joint.stiffness, joint.damping, joint.armature, joint.frictionloss, joint.actuator_force_range,
                  {s.length, s.length, s.mass}, joint.type != mj::kSlide);
  if (joint.type != mj::kSlide) return;
  multiply(joint.range, s.length);
  for (double* number : {&joint.ref, &joint.springref, &joint.springyield, &joint.margin, &joint.solimp_limit[2],
                         &joint.solimp_friction[2]})
    *number *= s.length;
}

void scale_geom(GeomSpec& geom, const FrameScale& s) {
  mark_scaled(geom, s);
  geom.pose.p = geom.pose.p * s.length;
  const bool round = geom.type == mj::kCapsule || geom.type == mj::kCylinder;
  const std::size_t sizes = geom.type == mj::kSphere ? 1 : round ? 2 : 3;
  for (std::size_t k = 0; k < sizes; ++k) geom.size[k] *= s.length;
  for (double* number : {&geom.margin, &geom.gap, &geom.friction[1], &geom.friction[2], &geom.solimp[2]})
    *number *= s.length;
  for (std::size_t k = 0; k < 3; ++k) geom.surface_velocity[k] *= s.length;
  if (s.forces) geom.adhesion *= s.mass * s.length;
  geom.mass *= s.mass;
  geom.density_scale *= s.mass / (s.length * s.length * (geom.shell ? 1 : s.length));
}

void scale_site(SiteSpec& site, const FrameScale& s) {
  mark_scaled(site, s);
  site.pose.p = site.pose.p * s.length;
  multiply(site.size, s.length);
}

void scale_inertial(InertialSpec& inertial, const FrameScale& s) {
  const double turning = s.mass * s.length * s.length;
  inertial.pose.p = inertial.pose.p * s.length;
  inertial.mass *= s.mass;
  multiply(inertial.diagonal, turning);
  if (inertial.full) multiply(*inertial.full, turning);
}

void scale_body(BodySpec& body, const FrameScale& s) {
  mark_scaled(body, s);
  body.pose.p = body.pose.p * s.length;
  body.own.p = body.own.p * s.length;
  if (body.inertial) scale_inertial(*body.inertial, s);
  for (JointSpec& joint : body.joints) scale_joint(joint, s);
  for (GeomSpec& geom : body.geoms) scale_geom(geom, s);
  for (SiteSpec& site : body.sites) scale_site(site, s);
}

// In the frame, all poses of which are in those of the body around.
void scale_subtree(Subtree& subtree, const FrameScale& s) {
  for (JointSpec& joint : subtree.own.joints) scale_joint(joint, s);
  for (GeomSpec& geom : subtree.own.geoms) scale_geom(geom, s);
  for (SiteSpec& site : subtree.own.sites) scale_site(site, s);
  for (BodySpec& body : subtree.bodies) scale_body(body, s);
  for (FrameSpec& frame : subtree.frames) {
    frame.scaled = true;
    frame.around.p = frame.around.p * s.length;
  }
}

FrameScale read_scale(const MjcfAttributes& given, MjcfMessages& messages) {
  FrameScale scale;
  scale.forces = given.word("scaling", 0) == 0;
  if (const MjcfValue* value = given.find("scale")) {
    const std::vector<double>& factors = value->numbers;
    if (factors.size() == 2) given.fail_at("scale", "has 1 or 3 numbers");
    for (const double factor : factors)
      if (!(factor > 0)) given.fail_at("scale", "must be positive, is ", factor);
    scale.length = factors[0];
    if (factors.back() != factors[0] || factors[factors.size() / 2] != factors[0])
      messages.add(MjcfUse::kUnsupported, at_place(given.node->place, given.node->name, "scale") +
                                              "with different numbers along the axes is not supported");
  }
  const double mass = given.number("massscale", 0);
  if (mass < 0) given.fail_at("massscale", "must not be negative, is ", mass);
  scale.mass = mass > 0 ? mass : scale.length * scale.length * scale.length;
  return scale;
}

// -- Assets

struct AssetUse {
  std::string* name;
  double scale;
};

// The first size of an asset keeps its name, further ones are copies: "name@1", ...
template <class Asset, class Resize>
void make_sizes(std::vector<Asset>& assets, const std::vector<AssetUse>& uses, const Resize& resize) {
  const std::vector<Asset> originals = assets;
  std::map<std::string, std::map<double, std::string>> sizes;
  for (const AssetUse& use : uses) {
    std::size_t place = 0;
    while (place < originals.size() && originals[place].name != *use.name) ++place;
    if (place == originals.size()) continue;  // said later
    std::map<double, std::string>& known = sizes[*use.name];
    const bool is_first = known.empty();
    const auto [found, is_new] = known.emplace(use.scale, is_first ? *use.name : text(*use.name, "@", known.size()));
    *use.name = found->second;
    if (!is_new) continue;
    if (!is_first) assets.push_back(originals[place]);
    Asset& asset = is_first ? assets[place] : assets.back();
    asset.name = found->second;
    resize(asset, use.scale);
  }
}

void make_asset_sizes(MjcfSpec& spec) {
  std::vector<AssetUse> meshes, fields;
  for (BodySpec& body : spec.bodies)
    for (GeomSpec& geom : body.geoms) {
      meshes.push_back({&geom.mesh, geom.scale.length});
      fields.push_back({&geom.hfield, geom.scale.length});
    }
  for (BodySpec& body : spec.bodies)
    for (SiteSpec& site : body.sites) meshes.push_back({&site.mesh, site.scale.length});
  make_sizes(spec.meshes, meshes, [](MeshSpec& mesh, double by) { mesh.scale = mesh.scale * by; });
  make_sizes(spec.heightfields, fields, [](HeightfieldSpec& field, double by) { multiply(field.size, by); });
}

NamesInside scaled_names(const MjcfSpec& spec) {
  Subtree scaled;
  for (const BodySpec& body : spec.bodies) {
    const auto take = [](auto& to, const auto& from) {
      for (const auto& entry : from)
        if (!entry.scale.is_one()) to.push_back(entry);
    };
    if (!body.scale.is_one()) {
      scaled.bodies.emplace_back();
      scaled.bodies.back().name = body.name;
    }
    take(scaled.own.joints, body.joints);
    take(scaled.own.geoms, body.geoms);
    take(scaled.own.sites, body.sites);
  }
  NamesInside names(scaled);
  for (const TendonSpec& tendon : spec.tendons) names.add_if_touched(tendon);
  return names;
}

}  // namespace

void scale_passive(Doubles3& stiffness, Doubles3& damping, double& armature, double& friction, Doubles2& forces,
                   const MjcfScale& s, bool angle) {
  const double force = s.force_mass * s.force_length, torque = force * s.force_length;
  const double length = angle ? 1 : s.force_length;  // of the coordinate
  multiply_polynomial(stiffness, angle ? torque : s.force_mass, length);
  multiply_polynomial(damping, angle ? torque : s.force_mass, length);
  armature *= angle ? torque : s.force_mass;
  friction *= angle ? torque : force;
  multiply(forces, angle ? torque : force);
}

void scale_frame(MjcfReading& in, const MjcfAttributes& given, const MjcfRun& run, const MjcfPose& frame) {
  const FrameScale scale = read_scale(given, in.messages);
  if (scale.length == 1 && scale.mass == 1) return;
  in.spec.scaled = true;
  Subtree subtree = cut_run(in.spec, run);
  const Renaming same{};
  // Once in the frame, and back.
  MjcfSpec inside;
  inside.bodies.emplace_back();
  add_subtree(inside, std::move(subtree), 0, inverse(frame), same);
  MjcfRun all;
  end_run(inside, all);
  all.bodies.first = 1;
  subtree = copy_run(inside, all);
  scale_subtree(subtree, scale);
  add_subtree(in.spec, std::move(subtree), run.body, frame, same);
}

void finish_scales(MjcfReading& in) {
  if (!in.spec.scaled) return;
  make_asset_sizes(in.spec);
  scale_references(in.spec);
  const auto refuse = [&](const std::string& place) {
    in.messages.add(MjcfUse::kUnsupported, place + "belongs to something in a scaled frame, which is not supported");
  };
  for (const std::string& place : places_not_scaled(in.spec, scaled_names(in.spec))) refuse(place);
  for (const KeySpec& key : in.spec.keys) refuse(at_place(key.place, "key"));
}

}  // namespace carom::inline CAROM_PRECISION
