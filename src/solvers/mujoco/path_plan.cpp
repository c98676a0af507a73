#include "solvers/mujoco/path_plan.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

PathPlan::PathPlan(const HostModel& host, const PartRows& part, const Array<int>& bodies, const TreePlan& tree) {
  const Source source{host, part, bodies, tree};
  add_tendons(source);
  add_distances(source);
  add_actuators(source);
}

int PathPlan::Source::body(int row) const {
  if (row < 0) return -1;
  for (int b = 0; b < part.count(Entity::kBody); ++b)
    if (part.body(b, bodies.data()) == row) return b;
  fail("SolverMuJoCo: a tendon or an actuator holds on to body '", host.name(Entity::kBody, row),
       "', which is of no world");
}

// -- One path.

void PathPlan::begin(PathSort sort) {
  slots.push_back({.sort = sort,
                   .first_entry = static_cast<int>(entries.size()),
                   .entry_count = 0,
                   .first_link = static_cast<int>(links.size()),
                   .link_count = 0,
                   .first_point = static_cast<int>(points.size()),
                   .point_count = 0,
                   .joint = -1,
                   .axis = 0});
}

// Its number among the links of the path.
int PathPlan::add_link(int link) {
  if (link < 0) return -1;
  PathSlot& slot = slots.back();
  const auto first = links.begin() + slot.first_link, found = std::find(first, links.end(), link);
  if (found != links.end()) return static_cast<int>(found - first);
  if (slot.link_count == kMostPathLinks)
    fail("SolverMuJoCo: a spatial tendon runs over more than ", kMostPathLinks, " bodies; make two tendons of it");
  links.push_back(link);
  return slot.link_count++;
}

void PathPlan::add_point(const Source& source, PathPoint point, PathPointOrigin from) {
  const bool moves = point.type != TendonPointType::kPulley;
  point.link = moves ? add_link(source.link(from.body)) : -1;
  // What says on which side it runs is not pulled at, but its pose is asked for.
  point.side_link = point.has_side ? add_link(source.link(from.side_body)) : -1;
  points.push_back(point);
  point_origin_.push_back(from);
  ++slots.back().point_count;
}

// Everything that moves a link of it. What moves all of it, with nothing that stays where it is, changes no length; nor
// does MuJoCo count what moves both ends of an actuator.
void PathPlan::finish(const Source& source, int actuator) {
  PathSlot& slot = slots.back();
  std::map<int, std::uint32_t> moved;  // degree of freedom: bits of the links
  for (int k = 0; k < slot.link_count; ++k) {
    const TreeLink& link = source.tree.links[links[slot.first_link + k]];
    for (const int dof : source.tree.ancestors[link.dof + link.linear + link.angular - 1])
      moved[dof] |= std::uint32_t{1} << k;
  }
  std::uint32_t pulled = 0;
  bool is_held = false;
  for (int p = slot.first_point; p < slot.first_point + slot.point_count; ++p) {
    if (points[p].type == TendonPointType::kPulley) continue;
    if (points[p].link < 0) is_held = true;
    else pulled |= std::uint32_t{1} << points[p].link;
  }
  const bool alone = slot.sort == PathSort::kSite && slot.point_count == 1;
  for (const auto& [dof, bits] : moved)
    if ((bits & pulled) != 0 && (alone || is_held || (bits & pulled) != pulled))
      entries.push_back({dof, bits & pulled});
  slot.entry_count = static_cast<int>(entries.size()) - slot.first_entry;
  origin_.push_back(actuator);
}

// -- All of them.

void PathPlan::add_tendons(const Source& source) {
  const ModelColumns<Array>& c = source.host.column;
  const int tendons = source.part.begin(Entity::kTendon), first = source.part.begin(Entity::kTendonPoint);
  tendon_path_.assign(source.part.count(Entity::kTendon), -1);
  for (int t = 0; t < source.part.count(Entity::kTendon); ++t) {
    for (int i = 0; i < source.part.count(Entity::kTendonPoint); ++i) {
      const int row = first + i;
      if (c.tendon_point_tendon[row] != tendons + t) continue;
      if (tendon_path_[t] < 0) begin(PathSort::kTendon);
      tendon_path_[t] = static_cast<int>(slots.size()) - 1;
      add_point(source,
                {static_cast<TendonPointType>(c.tendon_point_type[row]), -1, -1, c.tendon_point_has_side[row] != 0},
                {PathPointOrigin::From::kTendonPoint, i, source.body(c.tendon_point_body[row]),
                 source.body(c.tendon_point_side_body[row])});
    }
    if (tendon_path_[t] >= 0) finish(source, -1);
  }
}

// The string between the two frames of a distance joint.
void PathPlan::add_distances(const Source& source) {
  using From = PathPointOrigin::From;
  const ModelColumns<Array>& c = source.host.column;
  link_path_.assign(source.tree.links.size(), -1);
  for (int j = 0; j < source.part.count(Entity::kJoint); ++j) {
    const int row = source.part.begin(Entity::kJoint) + j;
    if (static_cast<JointType>(c.joint_type[row]) != JointType::kDistance) continue;
    const int child = source.body(c.joint_child[row]);
    begin(PathSort::kTendon);
    add_point(source, {}, {From::kJointParent, j, source.body(c.joint_parent[row]), -1});
    add_point(source, {}, {From::kJointChild, j, child, -1});
    finish(source, -1);
    link_path_[source.link(child)] = static_cast<int>(slots.size()) - 1;
  }
}

void PathPlan::add_actuators(const Source& source) {
  const ModelColumns<Array>& c = source.host.column;
  actuator_path_.assign(source.part.count(Entity::kActuator), -1);
  for (int a = 0; a < source.part.count(Entity::kActuator); ++a) {
    const int row = source.part.begin(Entity::kActuator) + a;
    const auto target = static_cast<ActuatorTarget>(c.actuator_target[row]);
    if (target == ActuatorTarget::kTendon) continue;
    if (static_cast<ActuatorLaw>(c.actuator_law[row]) == ActuatorLaw::kOrientation) {
      actuator_path_[a] = static_cast<int>(slots.size());
      add_orientation(source, row);
      continue;
    }
    if (target == ActuatorTarget::kBody) {
      add_contacts(source, row);
    } else if (target == ActuatorTarget::kJoint) {
      if (!turns_at_once(static_cast<JointType>(c.joint_type[c.actuator_joint[row]]))) continue;
      add_turning_joint(source, row);
    } else {
      const bool has_reference = target == ActuatorTarget::kSliderCrank || c.actuator_has_reference[row];
      add_site(source, row, target == ActuatorTarget::kSite ? PathSort::kSite : PathSort::kSliderCrank, has_reference);
    }
    actuator_path_[a] = static_cast<int>(slots.size()) - 1;
  }
}

void PathPlan::add_site(const Source& source, int row, PathSort sort, bool has_reference) {
  const ModelColumns<Array>& c = source.host.column;
  const int a = row - source.part.begin(Entity::kActuator);
  begin(sort);
  add_point(source, {}, {PathPointOrigin::From::kSite, a, source.body(c.actuator_body[row]), -1});
  if (has_reference)
    add_point(source, {}, {PathPointOrigin::From::kReference, a, source.body(c.actuator_reference_body[row]), -1});
  finish(source, a);
}

// Three paths, one for each axis.
void PathPlan::add_orientation(const Source& source, int row) {
  const bool is_site = static_cast<ActuatorTarget>(source.host.column.actuator_target[row]) == ActuatorTarget::kSite;
  for (int axis = 0; axis < 3; ++axis) {
    if (is_site) add_site(source, row, PathSort::kOrientation, true);
    else add_turning_joint(source, row);
    slots.back().sort = PathSort::kOrientation;
    slots.back().axis = axis;
  }
}

void PathPlan::add_turning_joint(const Source& source, int row) {
  const int a = row - source.part.begin(Entity::kActuator);
  const int child = source.body(source.host.column.joint_child[source.host.column.actuator_joint[row]]);
  begin(PathSort::kTurningJoint);
  PathSlot& slot = slots.back();
  slot.joint = source.link(child);
  const TreeLink& link = source.tree.links[slot.joint];
  for (int i = 0; i < link.linear + link.angular; ++i) entries.push_back({link.dof + i, 0});
  slot.entry_count = link.linear + link.angular;
  origin_.push_back(a);
}

// Whatever moves may touch the body.
void PathPlan::add_contacts(const Source& source, int row) {
  begin(PathSort::kContacts);
  PathSlot& slot = slots.back();
  slot.joint = source.body(source.host.column.actuator_body[row]);
  for (int i = 0; i < source.tree.view.dofs(); ++i)
    if (source.tree.dof_link[i] >= 0) entries.push_back({i, 0});
  slot.entry_count = static_cast<int>(entries.size()) - slot.first_entry;
  origin_.push_back(row - source.part.begin(Entity::kActuator));
  touches = true;
}

PathView PathPlan::to(Device device) {
  slots_device_ = Array<PathSlot>(std::span<const PathSlot>(slots), device);
  entries_device_ = Array<PathEntry>(std::span<const PathEntry>(entries), device);
  links_device_ = Array<int>(std::span<const int>(links), device);
  points_device_ = Array<PathPoint>(std::span<const PathPoint>(points), device);
  origin_device_ = Array<int>(std::span<const int>(origin_), device);
  point_origin_device_ = Array<PathPointOrigin>(std::span<const PathPointOrigin>(point_origin_), device);
  return {slots_device_.const_view(), entries_device_.const_view(), links_device_.const_view(),
          points_device_.const_view()};
}

}  // namespace carom::inline CAROM_PRECISION
