// Kinematics and mass matrix at qpos0. Joints add nothing there, so bodies are where their frames say.
#include "io/mjcf/reference.h"

#include <algorithm>
#include <cmath>

#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void add_joint_dofs(ReferencePose& pose, int joint) {
  const CompiledMjcf& m = pose.c.out;
  const int body = pose.c.joint_body[static_cast<std::size_t>(joint)], type = at(m.jnt_type, joint);
  const MjcfPose& X = pose.c.X_WB[static_cast<std::size_t>(body)];
  const Vec3d anchor = X.p + rotate(X.q, vec3(m.jnt_pos, joint));
  if (type == mj::kSlide || type == mj::kHinge) {
    pose.dofs.push_back({body, type == mj::kSlide, rotate(X.q, vec3(m.jnt_axis, joint)), anchor});
    return;
  }
  for (int k = 0; k < 3 && type == mj::kFree; ++k) {
    Vec3d axis{};
    axis[k] = 1;
    pose.dofs.push_back({body, true, axis, X.p});
  }
  for (int k = 0; k < 3; ++k) {
    Vec3d axis{};
    axis[k] = 1;
    pose.dofs.push_back({body, false, rotate(X.q, axis), anchor});
  }
}

// Velocities that a unit of a degree of freedom gives to a body: of a point, and angular.
struct Twist {
  Vec3d linear, angular;
};
Twist twist_of(const ReferenceDof& dof, Vec3d point) {
  if (dof.slides) return {dof.axis, {}};
  return {cross(dof.axis, point - dof.anchor), dof.axis};
}

// The part of M that one body gives, in a block of `width`.
void add_body_mass(const ReferencePose& pose, int body, const std::vector<int>& place_of, std::size_t width,
                   std::vector<double>& block) {
  const CompiledMjcf& m = pose.c.out;
  const MjcfPose X = pose.c.X_WB[static_cast<std::size_t>(body)] * pose_of(m.body_ipos, m.body_iquat, body);
  const double mass = at(m.body_mass, body);
  const Vec3d inertia = vec3(m.body_inertia, body);
  const std::vector<int>& dofs = pose.dofs_of_body[static_cast<std::size_t>(body)];
  std::vector<Twist> twists;
  for (const int dof : dofs) {
    Twist twist = twist_of(pose.dofs[static_cast<std::size_t>(dof)], X.p);
    twist.angular = rotate_inverse(X.q, twist.angular);
    twists.push_back(twist);
  }
  for (std::size_t i = 0; i < dofs.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Vec3d a = twists[i].angular, b = twists[j].angular;
      const auto row = static_cast<std::size_t>(place_of[static_cast<std::size_t>(dofs[i])]);
      const auto column = static_cast<std::size_t>(place_of[static_cast<std::size_t>(dofs[j])]);
      block[row * width + column] += mass * dot(twists[i].linear, twists[j].linear) + a.x * inertia.x * b.x +
                                     a.y * inertia.y * b.y + a.z * inertia.z * b.z;
    }
}

void factorize(std::vector<double>& L, std::size_t n) {
  constexpr double kLeast = 1e-15;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) L[j * n + j] -= L[j * n + k] * L[j * n + k];
    L[j * n + j] = std::sqrt(std::max(L[j * n + j], kLeast));
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) L[i * n + j] -= L[i * n + k] * L[j * n + k];
      L[i * n + j] /= L[j * n + j];
    }
  }
}

const double* gear_of(const CompiledMjcf& m, int actuator) {
  return row(m.actuator_gear, at(m.actuator_outadr, actuator), 6);
}

// Crank and slider: the length follows the crank's pin along the axis of the slider.
void add_slider_crank(const ReferencePose& pose, int actuator, DofRow& row) {
  const CompiledMjcf& m = pose.c.out;
  const int* ids = carom::row(m.actuator_trnid, actuator, 2);
  const MjcfPose crank = placed_site(pose.c, ids[0]), slider = placed_site(pose.c, ids[1]);
  const Vec3d axis = rotate(slider.q, Vec3d{0, 0, 1}), reach = crank.p - slider.p;
  const double along = dot(reach, axis), rod = at(m.actuator_cranklength, actuator);
  const double det = along * along + rod * rod - dot(reach, reach);
  const double root = std::sqrt(std::max(det, 0.0));
  const double share = det > 0 ? 1 - along / root : 1;
  const Vec3d by_reach = det > 0 ? axis * share + reach * (1 / root) : axis;
  const Vec3d by_axis = reach * share;
  const double gear = gear_of(m, actuator)[0];
  const int crank_body = at(m.site_bodyid, ids[0]), slider_body = at(m.site_bodyid, ids[1]);
  pose.add_point(row, crank_body, crank.p, by_reach, gear);
  pose.add_point(row, slider_body, slider.p, by_reach, -gear);
  pose.add_turn(row, slider_body, cross(axis, by_axis), gear);
}

// A wrench at a site, in its frame or that of a reference, against which it works.
void add_site(const ReferencePose& pose, int actuator, DofRow& row) {
  const CompiledMjcf& m = pose.c.out;
  const int* ids = carom::row(m.actuator_trnid, actuator, 2);
  const double* gear = gear_of(m, actuator);
  const bool has_reference = ids[1] >= 0;
  const MjcfPose X = placed_site(pose.c, ids[0]), frame = has_reference ? placed_site(pose.c, ids[1]) : X;
  const Vec3d force = rotate(frame.q, vec3(gear)), torque = rotate(frame.q, vec3(gear + 3));
  const int body = at(m.site_bodyid, ids[0]);
  pose.add_point(row, body, X.p, force);
  pose.add_turn(row, body, torque);
  if (!has_reference) return;
  const int other = at(m.site_bodyid, ids[1]);
  pose.add_point(row, other, frame.p, force, -1);
  pose.add_turn(row, other, torque, -1);
  // What moves both leaves the one where it is, seen from the other.
  for (const int dof : pose.dofs_of_body[static_cast<std::size_t>(body)]) {
    const std::vector<int>& others = pose.dofs_of_body[static_cast<std::size_t>(other)];
    if (std::find(others.begin(), others.end(), dof) != others.end()) row.erase(dof);
  }
}

// One of the three axes that an orientation is held about, those of the joint's body or of the site.
void add_turn_about(const ReferencePose& pose, int actuator, int output, DofRow& row) {
  const CompiledMjcf& m = pose.c.out;
  const int* ids = carom::row(m.actuator_trnid, actuator, 2);
  if (ids[1] < 0) {
    row[at(m.jnt_dofadr, ids[0]) + output] += 1;
    return;
  }
  Vec3d axis{};
  axis[output] = 1;
  axis = rotate(placed_site(pose.c, ids[0]).q, axis);
  pose.add_turn(row, at(m.site_bodyid, ids[0]), axis);
  pose.add_turn(row, at(m.site_bodyid, ids[1]), axis, -1);
}

void add_joint_row(const ReferencePose& pose, int actuator, DofRow& row) {
  const CompiledMjcf& m = pose.c.out;
  const int joint = m.actuator_trnid[2 * static_cast<std::size_t>(actuator)], dof = at(m.jnt_dofadr, joint);
  const double* gear = gear_of(m, actuator);
  const int type = at(m.jnt_type, joint);
  const int count = type == mj::kFree ? 6 : type == mj::kBall ? 3 : 1;
  std::array<double, 6> moment;
  std::copy_n(gear, 6, moment.begin());
  if (type == mj::kFree && at(m.actuator_trntype, actuator) == mj::kTrnJointInParent) {
    const int body = pose.c.joint_body[static_cast<std::size_t>(joint)];
    const Vec3d turn = rotate_inverse(pose.c.X_WB[static_cast<std::size_t>(body)].q, vec3(gear + 3));
    for (int k = 0; k < 3; ++k) moment[3 + static_cast<std::size_t>(k)] = turn[k];
  }
  for (int k = 0; k < count; ++k) row[dof + k] += moment[static_cast<std::size_t>(k)];
}

}  // namespace

void ReferencePose::add_point(DofRow& row, int body, Vec3d point, Vec3d direction, double scale) const {
  for (const int dof : dofs_of_body[static_cast<std::size_t>(body)])
    row[dof] += scale * dot(direction, twist_of(dofs[static_cast<std::size_t>(dof)], point).linear);
}

void ReferencePose::add_turn(DofRow& row, int body, Vec3d direction, double scale) const {
  for (const int dof : dofs_of_body[static_cast<std::size_t>(body)])
    row[dof] += scale * dot(direction, twist_of(dofs[static_cast<std::size_t>(dof)], {}).angular);
}

MjcfPose placed_site(const Compiling& c, int id) {
  return c.X_WB[static_cast<std::size_t>(at(c.out.site_bodyid, id))] * pose_of(c.out.site_pos, c.out.site_quat, id);
}

ReferencePose reference_pose(const Compiling& c) {
  ReferencePose pose{c};
  for (int joint = 0; joint < static_cast<int>(c.out.jnt_type.size()); ++joint) add_joint_dofs(pose, joint);
  pose.dofs_of_body.resize(c.X_WB.size());
  std::size_t dof = 0;
  std::int64_t listed = 0;
  for (std::size_t body = 1; body < c.X_WB.size(); ++body) {
    std::vector<int>& mine = pose.dofs_of_body[body];
    mine = pose.dofs_of_body[static_cast<std::size_t>(c.out.body_parentid[body])];
    c.budget.check_numbers(listed += static_cast<std::int64_t>(mine.size()),
                           at_place(c.spec.bodies[body].place, "body"));
    for (; dof < pose.dofs.size() && pose.dofs[dof].body == static_cast<int>(body); ++dof)
      mine.push_back(static_cast<int>(dof));
  }
  return pose;
}

DofRow actuator_row(const ReferencePose& pose, int actuator, int output) {
  const CompiledMjcf& m = pose.c.out;
  DofRow row;
  const int target = m.actuator_trnid[2 * static_cast<std::size_t>(actuator)];
  switch (at(m.actuator_trntype, actuator)) {
    case mj::kTrnJoint:
    case mj::kTrnJointInParent: add_joint_row(pose, actuator, row); break;
    case mj::kTrnSliderCrank: add_slider_crank(pose, actuator, row); break;
    case mj::kTrnSite: add_site(pose, actuator, row); break;
    case mj::kTrnSo3: add_turn_about(pose, actuator, output, row); break;
    case mj::kTrnTendon:
      row = tendon_row(pose, target);
      for (auto& [dof, value] : row) value *= gear_of(m, actuator)[0];
      break;
    default: break;  // adhesion has nothing to pull at without contacts
  }
  return row;
}

void ReferenceMass::make_blocks(const ReferencePose& pose) {
  blocks_.resize(pose.c.out.tree_bodyadr.size());
  for (std::size_t dof = 0; dof < pose.dofs.size(); ++dof) {
    const int tree = pose.c.tree_of[static_cast<std::size_t>(pose.dofs[dof].body)];
    Block& block = blocks_[static_cast<std::size_t>(tree)];
    block_of_.push_back(tree);
    place_of_.push_back(static_cast<int>(block.dofs.size()));
    block.dofs.push_back(static_cast<int>(dof));
  }
  std::int64_t elements = 0;
  for (Block& block : blocks_) {
    elements += static_cast<std::int64_t>(block.dofs.size() * block.dofs.size());
    pose.c.budget.check_numbers(elements, "the mass matrix at qpos0: ");
    block.factor.assign(block.dofs.size() * block.dofs.size(), 0);
  }
}

double& ReferenceMass::element(int row, int column) {
  Block& block = blocks_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(row)])];
  const auto i = static_cast<std::size_t>(place_of_[static_cast<std::size_t>(row)]);
  return block.factor[i * block.dofs.size() + static_cast<std::size_t>(place_of_[static_cast<std::size_t>(column)])];
}

// MuJoCo's mass matrix has elements for dofs that move one another, and none between branches or trees.
void ReferenceMass::add_armature(const ReferencePose& pose, const DofRow& row, double armature) {
  if (armature == 0) return;
  for (const auto& [i, a] : row)
    for (const int j : pose.dofs_of_body[static_cast<std::size_t>(pose.dofs[static_cast<std::size_t>(i)].body)]) {
      const auto other = row.find(j);
      if (j <= i && other != row.end()) element(i, j) += armature * a * other->second;
    }
}

// Of what drives a joint: all its degrees of freedom get the same, by the first gear.
void ReferenceMass::add_rotor(const ReferencePose& pose, int actuator) {
  const CompiledMjcf& m = pose.c.out;
  const int type = at(m.actuator_trntype, actuator), target = row(m.actuator_trnid, actuator, 2)[0];
  const double armature = at(m.actuator_armature, actuator);
  if (type == mj::kTrnSo3) return;  // MuJoCo leaves it out
  if (type != mj::kTrnJoint && type != mj::kTrnJointInParent)
    return add_armature(pose, actuator_row(pose, actuator), armature);
  const double gear = *row(m.actuator_gear, at(m.actuator_outadr, actuator), 6);
  const int first = at(m.jnt_dofadr, target), count = mj::dof_count(at(m.jnt_type, target));
  for (int dof = first; dof < first + count; ++dof) element(dof, dof) += armature * gear * gear;
}

ReferenceMass::ReferenceMass(const ReferencePose& pose) {
  const CompiledMjcf& m = pose.c.out;
  make_blocks(pose);
  for (int dof = 0; dof < static_cast<int>(pose.dofs.size()); ++dof) element(dof, dof) += at(m.dof_armature, dof);
  for (int id = 0; id < static_cast<int>(m.tendon_adr.size()); ++id)
    add_armature(pose, tendon_row(pose, id), at(m.tendon_armature, id));
  for (int id = 0; id < static_cast<int>(m.actuator_trntype.size()); ++id) add_rotor(pose, id);
  for (std::size_t body = 1; body < pose.dofs_of_body.size(); ++body) {
    const int tree = pose.c.tree_of[body];
    if (tree < 0) continue;
    Block& block = blocks_[static_cast<std::size_t>(tree)];
    add_body_mass(pose, static_cast<int>(body), place_of_, block.dofs.size(), block.factor);
  }
  for (Block& block : blocks_) factorize(block.factor, block.dofs.size());
}

DofRow ReferenceMass::solve(const DofRow& row) const {
  std::map<int, std::vector<double>> parts;  // by block
  for (const auto& [dof, value] : row) {
    const auto d = static_cast<std::size_t>(dof);
    const Block& block = blocks_[static_cast<std::size_t>(block_of_[d])];
    std::vector<double>& part = parts[block_of_[d]];
    part.resize(block.dofs.size());
    part[static_cast<std::size_t>(place_of_[d])] = value;
  }
  DofRow result;
  for (auto& [id, x] : parts) {
    const Block& block = blocks_[static_cast<std::size_t>(id)];
    const std::size_t n = x.size();
    const std::vector<double>& L = block.factor;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= L[i * n + k] * x[k];
      x[i] /= L[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= L[k * n + i] * x[k];
      x[i] /= L[i * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) result[block.dofs[i]] = x[i];
  }
  return result;
}

}  // namespace carom::inline CAROM_PRECISION
