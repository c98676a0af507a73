// <frame scale, massscale, scaling>: what is inside is resized about the origin of the frame, along its axes.
// Orientations stay, so a frame with the factors S stretches a vector of an element that it has turned by R with
// R^T S R, and the frame around it comes on top.
#include <algorithm>
#include <cmath>

#include "io/mjcf/reading.h"
#include "io/mjcf/scale.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct FrameStep {
  const FrameSpec& frame;
  int index;
  ScaledFrames& known;

  // Of vectors in axes that stand turned by q in the frame.
  Mat33d stretch(const Quatd& q) const {
    const FrameScale& scale = frame.scale;
    if (scale.is_even()) return mat33_identity<double>() * scale.factors.x;  // exact, whatever the turn
    const Mat33d R = mat33_from_quat(q);
    return transpose(R) * mat33_diagonal(scale.factors) * R;
  }

  Vec3d place(Vec3d p) const {
    const Vec3d inside = rotate_inverse(frame.pose.q, p - frame.pose.p);
    return frame.pose.p + rotate(frame.pose.q, stretch({}) * inside);
  }

  void mark(MjcfScale& scale, const Quatd& q) const {
    scale.stretch = stretch(q) * scale.stretch;
    scale.mass *= frame.scale.mass;
    if (scale.frame < 0) scale.frame = index;
    else known.around[static_cast<std::size_t>(scale.outermost)] = index;  // they come from the inside
    scale.outermost = index;
  }
};

// What is in a body that stands turned by q in the frame.
void place_in_body(const FrameStep& step, BodySpec& body, const Quatd& q) {
  const Mat33d stretch = step.stretch(q);
  step.mark(body.scale, q);
  for (JointSpec& joint : body.joints) {
    joint.pos = stretch * joint.pos;
    step.mark(joint.scale, q);
  }
  for (GeomSpec& geom : body.geoms) {
    geom.pose.p = stretch * geom.pose.p;
    step.mark(geom.scale, q * geom.pose.q);
  }
  for (SiteSpec& site : body.sites) {
    site.pose.p = stretch * site.pose.p;
    step.mark(site.scale, q * site.pose.q);
  }
  for (CameraSpec& camera : body.cameras) {
    camera.pose.p = stretch * camera.pose.p;
    step.mark(camera.scale, q * camera.pose.q);
  }
}

// What stands in the frame itself, in the coordinates of the body around it.
void place_own(const FrameStep& step, BodySpec& around) {
  const Quatd q = conjugate(step.frame.pose.q);
  const MjcfRun& run = step.frame.run;
  for (std::size_t i = run.joints.first; i < run.joints.end; ++i) {
    around.joints[i].pos = step.place(around.joints[i].pos);
    step.mark(around.joints[i].scale, q);
  }
  for (std::size_t i = run.geoms.first; i < run.geoms.end; ++i) {
    MjcfPose& pose = around.geoms[i].pose;
    pose.p = step.place(pose.p);
    step.mark(around.geoms[i].scale, q * pose.q);
  }
  for (std::size_t i = run.sites.first; i < run.sites.end; ++i) {
    MjcfPose& pose = around.sites[i].pose;
    pose.p = step.place(pose.p);
    step.mark(around.sites[i].scale, q * pose.q);
  }
  for (std::size_t i = run.cameras.first; i < run.cameras.end; ++i) {
    MjcfPose& pose = around.cameras[i].pose;
    pose.p = step.place(pose.p);
    step.mark(around.cameras[i].scale, q * pose.q);
  }
}

void place_frame(const FrameStep& step, MjcfSpec& spec) {
  const MjcfRun& run = step.frame.run;
  place_own(step, spec.bodies[static_cast<std::size_t>(run.body)]);
  std::vector<Quatd> turns;  // of the bodies in the frame
  for (std::size_t i = run.bodies.first; i < run.bodies.end; ++i) {
    BodySpec& body = spec.bodies[i];
    const bool is_child = body.parent == run.body;
    const Quatd parent =
        is_child ? conjugate(step.frame.pose.q) : turns[static_cast<std::size_t>(body.parent) - run.bodies.first];
    body.pose.p = is_child ? step.place(body.pose.p) : step.stretch(parent) * body.pose.p;
    turns.push_back(parent * body.pose.q);
    place_in_body(step, body, turns.back());
  }
}

MjcfUnits operator*(MjcfUnits units, const FrameScale& scale) {
  const Vec3d s = scale.factors;
  units.length *= scale.is_even() ? s.x : std::cbrt(s.x * s.y * s.z);
  if (!scale.forces) return units;
  units.force_length *= s.x;
  units.force_mass *= scale.mass;
  return units;
}

void share_units(MjcfSpec& spec, const ScaledFrames& frames) {
  const auto share = [&](auto& list) {
    for (auto& element : list)
      if (element.scale.frame >= 0) element.scale.units = frames.units[static_cast<std::size_t>(element.scale.frame)];
  };
  share(spec.bodies);
  for (BodySpec& body : spec.bodies) {
    share(body.joints);
    share(body.geoms);
    share(body.sites);
    share(body.cameras);
  }
}

}  // namespace

FrameScale read_frame_scale(const MjcfAttributes& given) {
  FrameScale scale;
  scale.forces = given.word("scaling", 0) == 0;
  if (const MjcfValue* value = given.find("scale")) {
    const std::vector<double>& factors = value->numbers;
    if (factors.size() == 2) given.fail_at("scale", "has 1 or 3 numbers");
    for (const double factor : factors)
      if (!(factor > 0)) given.fail_at("scale", "must be positive, is ", factor);
    scale.factors = {factors[0], factors[factors.size() / 2], factors.back()};
    if (scale.forces && !scale.is_even())
      given.fail_at("scale", "forces follow where the three numbers are the same; others need scaling=\"geometry\"");
  }
  const double mass = given.number("massscale", 0);
  if (mass < 0) given.fail_at("massscale", "must not be negative, is ", mass);
  scale.mass = mass > 0 ? mass : scale.factors.x * scale.factors.y * scale.factors.z;
  return scale;
}

int ScaledFrames::common(int a, int b) const {
  for (; a >= 0; a = around[static_cast<std::size_t>(a)])
    for (int other = b; other >= 0; other = around[static_cast<std::size_t>(other)])
      if (a == other) return a;
  return -1;
}

ScaledFrames place_scaled(MjcfSpec& spec) {
  const std::size_t count = spec.frames.size();
  ScaledFrames frames{std::vector<int>(count, -1), std::vector<MjcfUnits>(count)};
  for (std::size_t i = 0; i < count; ++i)
    if (!spec.frames[i].scale.is_one()) place_frame({spec.frames[i], static_cast<int>(i), frames}, spec);
  for (std::size_t i = count; i-- > 0;) {
    const int outer = frames.around[i];
    frames.units[i] = (outer < 0 ? MjcfUnits{} : frames.units[static_cast<std::size_t>(outer)]) * spec.frames[i].scale;
  }
  share_units(spec, frames);
  return frames;
}

void apply_scales(MjcfSpec& spec) {
  const auto scales_something = [](const FrameSpec& frame) { return !frame.scale.is_one(); };
  if (std::none_of(spec.frames.begin(), spec.frames.end(), scales_something)) return;
  std::vector<Vec3d> from;
  for (const BodySpec& body : spec.bodies) from.push_back(body.pose.p);
  const ScaledFrames frames = place_scaled(spec);
  scale_elements(spec);
  ScalesByName scales(spec);
  scale_pairs(spec, scales);
  scale_tendons(spec, scales, frames);
  scale_equalities(spec, scales);
  const std::vector<ScaledCoordinate> actuators = scale_actuators(spec, scales);
  scale_sensors(spec, scales);
  scale_keyframes(spec, actuators, from);
}

}  // namespace carom::inline CAROM_PRECISION
