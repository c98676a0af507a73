// What the user of a file says about it, over what the file says: the density of geoms that state none, whether its
// roots float, and how long lengths may be looked for.
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void set_density(MjcfSpec& spec, double density) {
  if (!(density >= 0) || !std::isfinite(density)) fail("density must be 0 or more, is ", density);
  for (BodySpec& body : spec.bodies)
    for (GeomSpec& geom : body.geoms)
      if (std::isnan(geom.density)) geom.density = density;
}

JointSpec free_joint_of(const BodySpec& body) {
  JointSpec joint;
  joint.place = body.place;
  joint.type = mj::kFree;
  return joint;
}

// Roots that have other joints than a free one keep them.
void set_floating(MjcfSpec& spec, bool floating) {
  for (std::size_t i = 1; i < spec.bodies.size(); ++i) {
    BodySpec& body = spec.bodies[i];
    if (body.parent != 0 || body.mocap) continue;
    const bool floats = body.joints.size() == 1 && body.joints[0].type == mj::kFree;
    if (floating && body.joints.empty()) body.joints.push_back(free_joint_of(body));
    if (!floating && floats) body.joints.clear();
  }
}

}  // namespace

void apply_user_rules(MjcfSpec& spec, const MjcfSource& source) {
  set_density(spec, source.density);
  spec.compiler.most_steps = source.limits.steps;
  if (source.floating) set_floating(spec, *source.floating);
}

}  // namespace carom::inline CAROM_PRECISION
