#include "solvers/mujoco/plan.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/fail.h"
#include "dynamics/initial_mass.h"

namespace carom::inline CAROM_PRECISION {

// -- What is not supported yet.

void check_supported(const HostModel& host) {
  const Model& model = host.model;
  const ModelColumns<Array>& c = host.column;
  const auto refuse = [](const auto&... parts) { fail("SolverMuJoCo: ", parts..., " not supported yet"); };
  if (model.particle_count > 0) refuse("particles are");
  for (int i = 0; i < model.equality_constraint_count; ++i)
    if (c.equality_constraint_enabled[i])
      refuse("equality constraint '", host.name(Entity::kEqualityConstraint, i), "': equality constraints are");
  for (int b = 0; b < model.body_count; ++b) {
    const auto who = [&] { return text("body '", host.name(Entity::kBody, b), "'"); };
    if (c.body_flags[b] & kBodyKinematic) refuse(who(), ": kinematic bodies are");
    if (model.world_count > 0 && c.body_world[b] < 0) refuse(who(), ": global bodies beside worlds are");
  }
  for (int i = 0; i < model.shape_count; ++i) {
    const bool collides = (c.shape_flags[i] & kShapeCollidesShapes) && !(c.shape_flags[i] & kShapeIsSite) &&
                          (c.shape_contype[i] != 0 || c.shape_conaffinity[i] != 0);
    if (collides && c.shape_condim[i] != 1 && c.shape_condim[i] != 3)
      refuse("shape '", host.name(Entity::kShape, i), "': condim ", c.shape_condim[i],
             " (torsional or rolling friction; use 1 or 3) is");
  }
  const Array<int> qd_start = model.joint_qd_start.on_cpu();
  const JointDofConfig defaults;
  for (int j = 0; j < model.joint_count; ++j) {
    const JointType type = static_cast<JointType>(c.joint_type[j]);
    for (int d = qd_start[j]; d < qd_start[j + 1]; ++d) {
      const auto who = [&] { return text("joint '", host.name(Entity::kJoint, j), "'"); };
      if (c.joint_friction[d] != 0) refuse(who(), ": dry friction of joints is");
      if (c.joint_target_ke[d] != 0 || c.joint_target_kd[d] != 0)
        refuse(who(), ": drives (target_ke, target_kd; use add_actuator()) are");
      if (c.joint_effort_limit[d] < defaults.effort_limit)
        refuse(who(), ": effort limits (use those of actuators) are");
      if (c.joint_velocity_limit[d] < defaults.velocity_limit) refuse(who(), ": velocity limits are");
      const bool turns_at_once = type == JointType::kFree || type == JointType::kBall;
      if (turns_at_once && c.joint_stiffness[d] != 0) refuse(who(), ": springs in free and ball joints are");
      if (turns_at_once && (c.joint_limit_lower[d] > -kUnlimited || c.joint_limit_upper[d] < kUnlimited))
        refuse(who(), ": limits of free and ball joints are");
      if (type == JointType::kFree && (c.joint_armature[d] != 0 || c.joint_damping[d] != 0))
        refuse(who(), ": armature and damping of free joints are");
    }
  }
}

// -- Structure.

namespace {

std::vector<LinkDofs> dofs_of_links(const TreePlan& tree) {
  std::vector<LinkDofs> result(tree.links.size(), LinkDofs{});
  for (std::size_t l = 0; l < tree.links.size(); ++l) {
    const TreeLink& link = tree.links[l];
    for (const int dof : tree.ancestors[link.dof + link.linear + link.angular - 1])
      result[l].word[dof / 64] |= std::uint64_t{1} << (dof % 64);
  }
  return result;
}

int most_blocks(const std::vector<LinkDofs>& links) {
  int most = 0;
  for (const LinkDofs& dofs : links) {
    int count = 0;
    for (int block = 0; block < kMaxBlocks; ++block) {
      bool touched = false;
      for (int i = 3 * block; i < 3 * block + 3; ++i) touched = touched || (dofs.word[i / 64] >> (i % 64) & 1);
      count += touched;
    }
    most = std::max(most, count);
  }
  return most;
}

template <class T>
constexpr int numbers() {
  static_assert(sizeof(T) % sizeof(Real) == 0);
  return static_cast<int>(sizeof(T) / sizeof(Real));
}

ParamLayout layout_of(const TreePlan& tree, const RowPlan& rows) {
  ParamLayout at;
  int next = 0;
  const auto take = [&](std::size_t count, int size) {
    const int first = next;
    next += static_cast<int>(count) * size;
    return first;
  };
  at.gravity = take(1, 3);
  at.links = take(tree.links.size(), numbers<LinkParams<Real>>());
  at.dofs = take(tree.dof_link.size(), numbers<DofParams<Real>>());
  at.limits = take(rows.limits.size(), numbers<LimitParams<Real>>());
  at.limit_coefs = take(rows.limit_entries.size(), 1);
  at.actuators = take(rows.actuators.size(), numbers<ActuatorParams<Real>>());
  at.springs = take(rows.springs.size(), numbers<SpringParams<Real>>());
  at.spring_coefs = take(rows.spring_entries.size(), 1);
  at.bodies = take(tree.body_link.size(), 3);
  at.total = next;
  return at;
}

}  // namespace

MuJoCoPlan::MuJoCoPlan(const HostModel& host, PartArchetype archetype_of_parts)
    : tree(host, archetype_of_parts),
      rows(host, archetype_of_parts, tree),
      layout(layout_of(tree, rows)),
      body_link(std::span<const int>(tree.body_link), host.model.device),
      archetype(std::move(archetype_of_parts)) {
  const std::vector<LinkDofs> dofs = dofs_of_links(tree);
  link_dofs = Array<LinkDofs>(std::span<const LinkDofs>(dofs), host.model.device);
  chain_blocks = most_blocks(dofs);
  std::vector<int> rows_of_bodies;
  for (const PartRows& part : archetype.parts)
    rows_of_bodies.insert(rows_of_bodies.end(), part.bodies.begin(), part.bodies.end());
  body_row = Array<int>(std::span<const int>(rows_of_bodies), host.model.device);
}

BodyNumbers::BodyNumbers(int bodies) : part(bodies), link(bodies), inverse_mass(bodies) {
  std::fill(part.begin(), part.end(), -1);
  std::fill(link.begin(), link.end(), -1);
}
BodyNumbers BodyNumbers::to(Device device) const {
  if (device.is_cpu()) return *this;
  BodyNumbers there(0);
  there.part = part.to(device);
  there.link = link.to(device);
  there.inverse_mass = inverse_mass.to(device);
  return there;
}

PartArrays::PartArrays(const std::vector<MuJoCoPlan>& plans, int parts, Device device) {
  std::array<std::vector<int>, 5> column;
  for (std::vector<int>& c : column) c.resize(parts);
  for (const MuJoCoPlan& plan : plans)
    for (std::size_t row = 0; row < plan.archetype.parts.size(); ++row) {
      const PartRows& part = plan.archetype.parts[row];
      column[0][part.id] = part.begin(Entity::kJointCoord);
      column[1][part.id] = part.begin(Entity::kJointDof);
      column[2][part.id] = part.bodies.empty() ? part.begin(Entity::kBody) : static_cast<int>(row * part.bodies.size());
      column[3][part.id] = part.begin(Entity::kActuator);
      column[4][part.id] = static_cast<int>(row);
    }
  Array<int>* const out[]{&coord, &dof, &body, &actuator, &params_row};
  for (int i = 0; i < 5; ++i) *out[i] = Array<int>(std::span<const int>(column[i]), device);
}
PartStarts PartArrays::view() const {
  return {coord.const_view(), dof.const_view(), body.const_view(), actuator.const_view(), params_row.const_view()};
}

// -- Numbers.

namespace {

// Columns that a step reads, itself or through contacts.
bool is_read(const ColumnInfo& info) {
  switch (info.entity) {
    case Entity::kBody:
    case Entity::kShape:
    case Entity::kJoint:
    case Entity::kJointDof:
    case Entity::kTendon:
    case Entity::kTendonJoint:
    case Entity::kActuator: break;
    default: return false;
  }
  const std::string_view name = info.name;
  return info.refers == Refers::kNothing && name != "body_q" && name != "body_qd" && name != "joint_qd" &&
         name != "joint_target_pos" && name != "joint_target_vel";
}
// And those that the packed numbers are made from.
bool is_packed(const ColumnInfo& info) { return is_read(info) && info.entity != Entity::kShape; }

// Initial coordinates of a part, with free joints at the origin: the masses that are taken there do not depend on
// where a tree stands, and parts that were only placed apart share their numbers.
std::vector<Real> initial_pose(const HostModel& host, const PartArchetype& archetype, const PartRows& part) {
  const Real* const first = host.column.joint_q.data() + part.begin(Entity::kJointCoord);
  std::vector<Real> q(first, first + part.count(Entity::kJointCoord));
  for (const TreeJoint& joint : archetype.joints) {
    if (joint.type != JointType::kFree) continue;
    std::fill_n(q.begin() + joint.q, 6, Real(0));
    q[joint.q + 6] = 1;
  }
  return q;
}

// Whether all the parts have the same numbers.
bool same_numbers(const HostModel& host, const PartArchetype& archetype) {
  const PartRows& model = archetype.parts.front();
  const std::vector<Real> pose = initial_pose(host, archetype, model);
  bool same = true;
  for (const PartRows& part : archetype.parts) {
    const Vec3 g = host.gravity_of(part.world), first = host.gravity_of(model.world);
    same = same && g.x == first.x && g.y == first.y && g.z == first.z;
    same = same && initial_pose(host, archetype, part) == pose;
  }
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (!same || !is_packed(info)) return;
    const auto& column = get(host.column);
    const std::size_t bytes = sizeof(*column.data());
    const auto row = [&](const PartRows& part, int i) {
      return column.data() + (info.entity == Entity::kBody ? part.body(i) : part.begin(info.entity) + i);
    };
    for (const PartRows& part : archetype.parts)
      for (int i = 0; same && i < model.count(info.entity); ++i)
        same = std::memcmp(row(part, i), row(model, i), bytes) == 0;
  });
  return same;
}

// Whether some number of the rows [first, end) of a column is not one.
template <class T>
bool has_nan(const Array<T>& column, int first, int end) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, Index2> || std::is_same_v<T, Index3> ||
                std::is_same_v<T, Index4>) {
    return false;
  } else {
    const auto* const numbers = reinterpret_cast<const Real*>(column.data());
    constexpr std::int64_t kPerRow = sizeof(T) / sizeof(Real);
    return std::any_of(numbers + first * kPerRow, numbers + end * kPerRow, [](Real x) { return x != x; });
  }
}

bool world_has_nan(const HostModel& host, int world) {
  bool found = false;
  visit_columns([&](const ColumnInfo& info, auto get) {
    const int begin = host.begin(info.entity, world);
    found = found || (is_read(info) && has_nan(get(host.column), begin, begin + host.count(info.entity, world)));
  });
  return found;
}

// Of the shapes that all worlds share.
bool globals_have_nan(const HostModel& host) {
  const auto rows = host.global_rows(Entity::kShape);
  const int front_end = rows.front_end, back_begin = rows.back_begin;
  bool found = false;
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (found || info.entity != Entity::kShape || !is_read(info)) return;
    found = has_nan(get(host.column), 0, front_end) || has_nan(get(host.column), back_begin, host.model.shape_count);
  });
  return found;
}

}  // namespace

void MuJoCoPlan::pack(const HostModel& host, BodyNumbers& bodies) {
  const bool shared = archetype.parts.size() == 1 || same_numbers(host, archetype);
  params_stride = shared ? 0 : layout.total;
  Array<Real> packed((shared ? 1 : static_cast<std::int64_t>(archetype.parts.size())) * layout.total);
  const bool all_nan = globals_have_nan(host);
  std::vector<Real> inverse_mass;
  int looked_at = kAnyWorld;
  bool is_nan = false;
  for (std::size_t row = 0; row < archetype.parts.size(); ++row) {
    const PartRows& part = archetype.parts[row];
    if (!shared || row == 0) {
      if (part.world != looked_at) is_nan = all_nan || world_has_nan(host, part.world);
      looked_at = part.world;
      pack_part(host, part, is_nan, packed.data() + (shared ? 0 : static_cast<std::int64_t>(row) * layout.total),
                inverse_mass);
    }
    for (std::size_t b = 0; b < tree.body_link.size(); ++b) {
      const int body = part.body(static_cast<int>(b));
      bodies.link[body] = tree.body_link[b];
      bodies.part[body] = tree.body_link[b] < 0 ? -1 : part.id;
      bodies.inverse_mass[body] = inverse_mass[b];
    }
  }
  lane_width = 0;
  params = host.model.device.is_cpu() ? packed : packed.to(host.model.device);
}

void MuJoCoPlan::pack_part(const HostModel& host, const PartRows& part, bool is_nan, Real* row,
                           std::vector<Real>& inverse_mass) const {
  const auto at = [&]<class T>(int offset, T*) { return reinterpret_cast<T*>(row + offset); };
  Vec3 g = host.gravity_of(part.world);
  // Comparisons and maxima drop what is not a number, and the world would move on without it. Gravity reaches every
  // acceleration, so the step notices.
  if (is_nan) g.x = kNotSet;
  *at(layout.gravity, static_cast<Vec3*>(nullptr)) = g;
  auto* const links = at(layout.links, static_cast<LinkParams<Real>*>(nullptr));
  auto* const dofs = at(layout.dofs, static_cast<DofParams<Real>*>(nullptr));
  auto* const body_com = at(layout.bodies, static_cast<Vec3*>(nullptr));
  tree.write_params(host, part, links, dofs, body_com);
  rows.write_coefs(host, part, row + layout.limit_coefs, row + layout.spring_coefs);
  rows.write_actuators(host, part, at(layout.actuators, static_cast<ActuatorParams<Real>*>(nullptr)));
  rows.write_springs(host, part, at(layout.springs, static_cast<SpringParams<Real>*>(nullptr)));

  const std::vector<Real> pose = initial_pose(host, archetype, part);
  const InitialMass mass(tree, links, dofs, pose.data());
  std::vector<Real> limit_mass;
  for (const LimitSlot& slot : rows.limits) {
    std::vector<Real> J(tree.dof_link.size(), 0);
    for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e)
      J[rows.limit_entries[e].dof] = row[layout.limit_coefs + e];
    limit_mass.push_back(mass.inverse_mass(J));
  }
  rows.write_limits(host, part, limit_mass, at(layout.limits, static_cast<LimitParams<Real>*>(nullptr)));
  inverse_mass.clear();
  for (std::size_t b = 0; b < tree.body_link.size(); ++b)
    inverse_mass.push_back(mass.inverse_mass_of_point(tree.body_link[b], body_com[b]));
}

void MuJoCoPlan::share_params(MuJoCoStep& kernel, int width) {
  if (width == 1 || params_stride != 0) return;
  if (lane_width != width) {
    lane_params = Array<Real>(std::int64_t{layout.total} * width);
    for (int k = 0; k < layout.total; ++k) std::fill_n(lane_params.data() + k * width, width, params[k]);
    lane_width = width;
  }
  kernel.lane_params = lane_params.data();
}

// -- Contacts.

MaterialColumns material_columns(const Model& model, const BodyNumbers& bodies) {
  return {model.shape_body.const_view(),
          model.shape_priority.const_view(),
          model.shape_condim.const_view(),
          model.shape_solmix.const_view(),
          model.shape_material_mu.const_view(),
          model.shape_contact_margin.const_view(),
          model.shape_gap.const_view(),
          model.shape_solref.const_view(),
          model.shape_solimp.const_view(),
          bodies.part.data(),
          bodies.link.data(),
          bodies.inverse_mass.data()};
}

ContactView contact_view(const Contacts& contacts, const Array<ContactMaterial>& material) {
  return {contacts.rigid_contact_world_start.data(),
          nullptr,
          contacts.rigid_contact_point.data(),
          contacts.rigid_contact_normal.data(),
          contacts.rigid_contact_tangent.data(),
          contacts.rigid_contact_depth.data(),
          material.data(),
          contacts.rigid_contact_force.data()};
}

// -- The step.

MuJoCoStep MuJoCoPlan::kernel(const PartArrays& arrays, const State& in, const Control& control, Real dt) const {
  MuJoCoStep k{};
  k.tree = tree.view;
  k.rows = rows.rows;
  k.forces = rows.forces;
  k.body_link = body_link.const_view();
  k.body_row = body_row.empty() ? nullptr : body_row.data();
  k.link_dofs = link_dofs.const_view();
  k.layout = layout;
  k.dt = dt;
  k.moves = true;
  k.params = params.data();
  k.params_stride = params_stride;
  k.starts = arrays.view();
  k.joint_q = in.joint_q.data();
  k.joint_qd = in.joint_qd.data();
  k.joint_qdd = in.joint_qdd.data();
  k.joint_f = control.joint_f.data();
  k.ctrl = control.ctrl.data();
  k.body_f = reinterpret_cast<const Real*>(in.body_f.data());
  return k;
}

}  // namespace carom::inline CAROM_PRECISION
