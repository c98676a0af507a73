// Copies of runs. Bodies stand depth first, so all that is read inside an element is one run of rows in each list.
#include "io/mjcf/subtree.h"

#include <algorithm>

namespace carom::inline CAROM_PRECISION {

namespace {

using Rows = MjcfRun::Rows;

template <class T>
std::vector<T> copied(const std::vector<T>& list, const Rows& rows) {
  return {list.begin() + static_cast<std::ptrdiff_t>(rows.first), list.begin() + static_cast<std::ptrdiff_t>(rows.end)};
}

template <class T>
void append_moved(std::vector<T>& to, std::vector<T>& from) {
  for (T& entry : from) to.push_back(std::move(entry));
}

void shift(Rows& rows, std::ptrdiff_t by) {
  rows.first = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(rows.first) + by);
  rows.end = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(rows.end) + by);
}

std::ptrdiff_t offset(std::size_t row) { return static_cast<std::ptrdiff_t>(row); }

bool is_within(const MjcfRun& inner, const MjcfRun& outer) {
  if (inner.body == outer.body)
    return inner.joints.first >= outer.joints.first && inner.joints.end <= outer.joints.end &&
           inner.geoms.first >= outer.geoms.first && inner.geoms.end <= outer.geoms.end &&
           inner.sites.first >= outer.sites.first && inner.sites.end <= outer.sites.end &&
           inner.cameras.first >= outer.cameras.first && inner.cameras.end <= outer.cameras.end &&
           inner.lights.first >= outer.lights.first && inner.lights.end <= outer.lights.end &&
           inner.bodies.first >= outer.bodies.first && inner.bodies.end <= outer.bodies.end;
  const auto body = static_cast<std::size_t>(inner.body);
  return body >= outer.bodies.first && body < outer.bodies.end;
}

// The rows of a frame, counted from those of the run around it.
FrameSpec frame_within(FrameSpec frame, const MjcfRun& run) {
  shift(frame.run.bodies, -offset(run.bodies.first));
  if (frame.run.body != run.body) {
    frame.run.body -= static_cast<int>(run.bodies.first);
    return frame;
  }
  frame.run.body = -1;
  shift(frame.run.joints, -offset(run.joints.first));
  shift(frame.run.geoms, -offset(run.geoms.first));
  shift(frame.run.sites, -offset(run.sites.first));
  shift(frame.run.cameras, -offset(run.cameras.first));
  shift(frame.run.lights, -offset(run.lights.first));
  return frame;
}

void rename(BodySpec& body, const Renaming& names) {
  names.apply(body.name);
  for (JointSpec& joint : body.joints) names.apply(joint.name);
  for (GeomSpec& geom : body.geoms) names.apply(geom.name);
  for (SiteSpec& site : body.sites) names.apply(site.name);
  for (CameraSpec& camera : body.cameras) names.apply(camera.name);
  for (LightSpec& light : body.lights) names.apply(light.name);
}

// What stood in the body around, moved with its frame.
void place(BodySpec& own, const MjcfPose& at) {
  for (JointSpec& joint : own.joints) {
    joint.pos = at.p + rotate(at.q, joint.pos);
    joint.axis = rotate(at.q, joint.axis);
  }
  for (GeomSpec& geom : own.geoms) geom.pose = at * geom.pose;
  for (SiteSpec& site : own.sites) site.pose = at * site.pose;
  for (CameraSpec& camera : own.cameras) camera.pose = at * camera.pose;
}

void add_frame(MjcfSpec& into, FrameSpec frame, const MjcfRun& where, const MjcfPose& at) {
  shift(frame.run.bodies, offset(where.bodies.first));
  if (frame.run.body >= 0) {
    frame.run.body += static_cast<int>(where.bodies.first);
  } else {
    frame.run.body = where.body;
    frame.around = at * frame.around;
    frame.pose = at * frame.pose;
    shift(frame.run.joints, offset(where.joints.first));
    shift(frame.run.geoms, offset(where.geoms.first));
    shift(frame.run.sites, offset(where.sites.first));
    shift(frame.run.cameras, offset(where.cameras.first));
    shift(frame.run.lights, offset(where.lights.first));
  }
  into.frames.push_back(std::move(frame));
}

}  // namespace

std::size_t Subtree::elements() const {
  const auto count = [](const BodySpec& body) {
    return 1 + body.joints.size() + body.geoms.size() + body.sites.size() + body.cameras.size() + body.lights.size();
  };
  std::size_t total = count(own);
  for (const BodySpec& body : bodies) total += count(body);
  return total;
}

std::size_t Subtree::name_bytes() const {
  const auto count = [](const BodySpec& body) {
    std::size_t bytes = body.name.size();
    for (const JointSpec& joint : body.joints) bytes += joint.name.size();
    for (const GeomSpec& geom : body.geoms) bytes += geom.name.size();
    for (const SiteSpec& site : body.sites) bytes += site.name.size();
    for (const CameraSpec& camera : body.cameras) bytes += camera.name.size();
    for (const LightSpec& light : body.lights) bytes += light.name.size();
    return bytes;
  };
  std::size_t total = count(own);
  for (const BodySpec& body : bodies) total += count(body);
  return total;
}

void count_copy(XmlBudget& budget, const XmlNode& node, const CopySize& size, const Renaming& names) {
  for (std::size_t i = 0; i < size.elements; ++i) budget.count_element(node);
  constexpr std::size_t kNames = 3;  // of an element: its own, and those it refers to
  budget.bytes += size.bytes + size.elements * kNames * (names.prefix.size() + names.suffix.size());
  if (budget.bytes > budget.limits.bytes)
    fail_at(node, "copies take more than ", budget.limits.bytes, " bytes (limits.bytes)");
}

MjcfRun begin_run(const MjcfSpec& spec, int body) {
  const BodySpec& around = spec.bodies[static_cast<std::size_t>(body)];
  MjcfRun run;
  run.body = body;
  run.joints.first = around.joints.size();
  run.geoms.first = around.geoms.size();
  run.sites.first = around.sites.size();
  run.cameras.first = around.cameras.size();
  run.lights.first = around.lights.size();
  run.bodies.first = spec.bodies.size();
  return run;
}

void end_run(const MjcfSpec& spec, MjcfRun& run) {
  const MjcfRun now = begin_run(spec, run.body);
  run.joints.end = now.joints.first;
  run.geoms.end = now.geoms.first;
  run.sites.end = now.sites.first;
  run.cameras.end = now.cameras.first;
  run.lights.end = now.lights.first;
  run.bodies.end = now.bodies.first;
}

std::size_t subtree_end(const MjcfSpec& spec, std::size_t body) {
  std::size_t end = body + 1;
  while (end < spec.bodies.size() && spec.bodies[end].parent >= static_cast<int>(body)) ++end;
  return end;
}

Subtree copy_bodies(const MjcfSpec& spec, const Rows& bodies) {
  MjcfRun run;
  run.body = -1;
  run.bodies = bodies;
  return copy_run(spec, run);
}

Subtree copy_run(const MjcfSpec& spec, const MjcfRun& run, std::size_t frames) {
  Subtree subtree;
  if (run.body >= 0) {
    const BodySpec& around = spec.bodies[static_cast<std::size_t>(run.body)];
    subtree.own.joints = copied(around.joints, run.joints);
    subtree.own.geoms = copied(around.geoms, run.geoms);
    subtree.own.sites = copied(around.sites, run.sites);
    subtree.own.cameras = copied(around.cameras, run.cameras);
    subtree.own.lights = copied(around.lights, run.lights);
  }
  subtree.bodies = copied(spec.bodies, run.bodies);
  const int first = static_cast<int>(run.bodies.first);
  for (BodySpec& body : subtree.bodies) body.parent = body.parent < first ? -1 : body.parent - first;
  for (std::size_t i = 0; i < std::min(frames, spec.frames.size()); ++i)
    if (is_within(spec.frames[i].run, run)) subtree.frames.push_back(frame_within(spec.frames[i], run));
  return subtree;
}

Subtree cut_run(MjcfSpec& spec, const MjcfRun& run) {
  Subtree subtree = copy_run(spec, run);
  std::erase_if(spec.frames, [&](const FrameSpec& frame) { return is_within(frame.run, run); });
  spec.bodies.resize(run.bodies.first);
  BodySpec& around = spec.bodies[static_cast<std::size_t>(run.body)];
  around.joints.resize(run.joints.first);
  around.geoms.resize(run.geoms.first);
  around.sites.resize(run.sites.first);
  around.cameras.resize(run.cameras.first);
  around.lights.resize(run.lights.first);
  return subtree;
}

void add_subtree(MjcfSpec& into, Subtree subtree, int body, const MjcfPose& at, const Renaming& names) {
  const MjcfRun where = begin_run(into, body);
  place(subtree.own, at);
  rename(subtree.own, names);
  BodySpec& around = into.bodies[static_cast<std::size_t>(body)];
  append_moved(around.joints, subtree.own.joints);
  append_moved(around.geoms, subtree.own.geoms);
  append_moved(around.sites, subtree.own.sites);
  append_moved(around.cameras, subtree.own.cameras);
  append_moved(around.lights, subtree.own.lights);
  for (BodySpec& each : subtree.bodies) {
    if (each.parent < 0) each.pose = at * each.pose;
    each.parent = each.parent < 0 ? body : each.parent + static_cast<int>(where.bodies.first);
    rename(each, names);
  }
  append_moved(into.bodies, subtree.bodies);
  for (FrameSpec& frame : subtree.frames) {
    names.apply(frame.name);
    add_frame(into, std::move(frame), where, at);
  }
}

}  // namespace carom::inline CAROM_PRECISION
