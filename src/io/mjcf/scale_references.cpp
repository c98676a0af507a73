// What refers to something in a scaled frame is scaled with it: pairs and welds by the mean of both sides, tendons if
// all that they pass has one scale. A tendon of hinges alone is an angle, others are lengths.
#include <cmath>
#include <map>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

using Scales = std::map<std::string, MjcfScale>;

struct ScalesByName {
  Scales bodies, joints, geoms, sites, tendons;  // of what is an angle, the length is 1

  explicit ScalesByName(const MjcfSpec& spec) {
    for (const BodySpec& body : spec.bodies) {
      bodies.emplace(body.name, body.scale);
      for (const JointSpec& joint : body.joints) joints.emplace(joint.name, joint.scale);
      for (const GeomSpec& geom : body.geoms) geoms.emplace(geom.name, geom.scale);
      for (const SiteSpec& site : body.sites) sites.emplace(site.name, site.scale);
    }
  }
};

MjcfScale scale_of(const Scales& scales, const std::string& name) {
  const auto found = scales.find(name);
  return found == scales.end() ? MjcfScale{} : found->second;
}

MjcfScale mean(const MjcfScale& a, const MjcfScale& b) {
  return {std::sqrt(a.length * b.length), std::sqrt(a.force_length * b.force_length),
          std::sqrt(a.force_mass * b.force_mass)};
}

void scale_pair(PairSpec& pair, const ScalesByName& scales) {
  const MjcfScale s = mean(scale_of(scales.geoms, pair.geom1), scale_of(scales.geoms, pair.geom2));
  for (double* number :
       {&pair.margin, &pair.gap, &pair.friction[2], &pair.friction[3], &pair.friction[4], &pair.solimp[2]})
    *number *= s.length;
  pair.adhesion *= s.force_mass * s.force_length;
}

void scale_holding(EqualitySpec& equality, const ScalesByName& scales) {
  const Scales& sides = equality.sites ? scales.sites : scales.bodies;
  const MjcfScale first = scale_of(sides, equality.object1), second = scale_of(sides, equality.object2);
  const double both = mean(first, second).length;
  const bool weld = equality.type == mj::kWeld;
  for (std::size_t k = 0; k < 3; ++k) {
    equality.data[k] *= weld ? second.length : first.length;
    if (weld) equality.data[3 + k] *= first.length;
  }
  if (weld) equality.data[10] *= both;
  equality.solimp[2] *= weld || equality.sites ? both : first.length;
}

// A polynomial of the second coordinate that gives the first.
void scale_coupling(EqualitySpec& equality, const Scales& coordinates) {
  const double first = scale_of(coordinates, equality.object1).length;
  const double second = equality.object2.empty() ? 1 : scale_of(coordinates, equality.object2).length;
  double factor = first;
  for (std::size_t k = 0; k < 5; ++k, factor /= second) equality.data[k] *= factor;
  equality.solimp[2] *= first;
}

void scale_equality(EqualitySpec& equality, const ScalesByName& scales, const Scales& coordinates) {
  if (equality.type == mj::kConnect || equality.type == mj::kWeld) scale_holding(equality, scales);
  else scale_coupling(equality, equality.type == mj::kEqualTendons ? scales.tendons : coordinates);
}

bool is_same(const MjcfScale& a, const MjcfScale& b) {
  return a.length == b.length && a.force_length == b.force_length && a.force_mass == b.force_mass;
}

// The one scale of all that a tendon passes; false: there are several.
bool common_scale(const TendonSpec& tendon, const ScalesByName& scales, MjcfScale& scale) {
  bool is_first = true, alike = true;
  for (const WrapSpec& wrap : tendon.wraps) {
    if (wrap.type == mj::kWrapPulley) continue;
    const Scales& kind = wrap.type == mj::kWrapJoint  ? scales.joints
                         : wrap.type == mj::kWrapSite ? scales.sites
                                                      : scales.geoms;
    const MjcfScale mine = scale_of(kind, wrap.object);
    alike = alike && (is_first || is_same(mine, scale));
    scale = mine;
    is_first = false;
  }
  return alike;
}

void scale_tendon_numbers(TendonSpec& tendon, const MjcfScale& s, bool angle) {
  if (!angle) {
    multiply(tendon.range, s.length);
    for (double& number : tendon.springlength) number *= number > 0 ? s.length : 1;
    for (double* number : {&tendon.margin, &tendon.springyield, &tendon.solimp_limit[2], &tendon.solimp_friction[2]})
      *number *= s.length;
  }
  scale_passive(tendon.stiffness, tendon.damping, tendon.armature, tendon.frictionloss, tendon.actuator_force_range, s,
                angle);
}

void scale_tendon(TendonSpec& tendon, ScalesByName& scales, const std::map<std::string, bool>& slides) {
  MjcfScale scale;
  const bool alike = common_scale(tendon, scales, scale);
  const auto slides_along = [&](const WrapSpec& wrap) {
    const auto found = slides.find(wrap.object);
    return wrap.type == mj::kWrapJoint && found != slides.end() && found->second;
  };
  const bool angle = !tendon.spatial && std::none_of(tendon.wraps.begin(), tendon.wraps.end(), slides_along);
  for (WrapSpec& wrap : tendon.wraps) {
    if (wrap.type != mj::kWrapJoint) continue;
    if (alike && !angle && !slides_along(wrap)) wrap.number *= scale.length;
    if (!alike && slides_along(wrap)) wrap.number /= scale_of(scales.joints, wrap.object).length;
  }
  if (!alike) return;
  scale_tendon_numbers(tendon, scale, angle);
  if (angle) scale.length = 1;
  scales.tendons.emplace(tendon.name, scale);
}

}  // namespace

void scale_references(MjcfSpec& spec) {
  ScalesByName scales(spec);
  std::map<std::string, bool> slides;
  Scales coordinates;
  for (const BodySpec& body : spec.bodies)
    for (const JointSpec& joint : body.joints) {
      slides.emplace(joint.name, joint.type == mj::kSlide);
      coordinates.emplace(joint.name, joint.type == mj::kSlide ? joint.scale : MjcfScale{});
    }
  for (PairSpec& pair : spec.pairs) scale_pair(pair, scales);
  for (TendonSpec& tendon : spec.tendons) scale_tendon(tendon, scales, slides);
  for (EqualitySpec& equality : spec.equalities) scale_equality(equality, scales, coordinates);
}

}  // namespace carom::inline CAROM_PRECISION
