// How links hang on each other, the bodies that they are, and what these weigh.
#include <cmath>

#include "io/urdf/import.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Coordinates at first: 0, and where joints follow others what they follow to.
std::vector<double> starts_of(const UrdfSpec& spec) {
  std::vector<double> start(spec.joints.size(), 0);
  std::vector<char> known(spec.joints.size());
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    std::vector<std::size_t> path;
    for (std::size_t at = j; !known[at];) {
      known[at] = 1;
      path.push_back(at);
      if (spec.joints[at].mimic) at = static_cast<std::size_t>(spec.joints[at].mimic->leader);
    }
    for (auto at = path.rbegin(); at != path.rend(); ++at)
      if (const auto& mimic = spec.joints[*at].mimic)
        start[*at] = mimic->offset + mimic->multiplier * start[static_cast<std::size_t>(mimic->leader)];
  }
  return start;
}

UrdfMotion motion_of(const UrdfImport& in, int link) {
  const int j = in.spec.joint_of[static_cast<std::size_t>(link)];
  const std::optional<bool> floating = in.args.floating;
  if (j < 0) return {floating.value_or(false) ? UrdfJointType::kFloating : UrdfJointType::kFixed};
  const UrdfJoint& joint = in.spec.joints[static_cast<std::size_t>(j)];
  UrdfMotion motion{joint.type, j, joint.parent, joint.X_PJ};
  if (joint.parent != in.world) return motion;
  motion.parent = -1;
  if (floating == true && joint.type == UrdfJointType::kFixed) motion.type = UrdfJointType::kFloating;
  if (floating == false && joint.type == UrdfJointType::kFloating) motion.type = UrdfJointType::kFixed;
  return motion;
}

struct UrdfMass {
  double mass = 0;
  Vec3d com{};
  Mat33d inertia{};  // about the centre of mass, in body axes
};

// Of a point against the point `r` beside it.
Mat33d point_inertia(double mass, Vec3d r) { return (mat33_identity<double>() * dot(r, r) - outer(r, r)) * mass; }

void add_inertial(UrdfMass& sum, const UrdfInertial& inertial, const Transformd& X_BL) {
  const Transformd X = X_BL * inertial.X_LI;
  const Mat33d R = mat33_from_quat(X.q), turned = R * inertial.inertia * transpose(R);
  const double mass = sum.mass + inertial.mass;
  const Vec3d com = mass > 0 ? (sum.com * sum.mass + X.p * inertial.mass) * (1 / mass) : X.p;
  sum.inertia = sum.inertia + point_inertia(sum.mass, sum.com - com) + turned + point_inertia(inertial.mass, X.p - com);
  sum.mass = mass;
  sum.com = com;
}

Mat33 symmetric(const Mat33d& I) {
  Mat33 result;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) result[i][k] = Real((I[i][k] + I[k][i]) / 2);
  return result;
}

}  // namespace

Transformd displacement(const UrdfJoint& joint, double coordinate) {
  if (coordinate == 0) return {};
  if (joint.type == UrdfJointType::kPrismatic) return {joint.axis * coordinate, {}};
  return {{}, quat_from_axis_angle(joint.axis, coordinate)};
}

void plan_urdf_motion(UrdfImport& in) {
  const int root = in.spec.order.front();
  if (in.link(root).name == kUrdfWorld) in.world = root;
  in.start = starts_of(in.spec);
  for (int link = 0; link < static_cast<int>(in.spec.links.size()); ++link) in.motion.push_back(motion_of(in, link));
}

void add_urdf_bodies(UrdfImport& in) {
  const std::size_t count = in.spec.links.size();
  in.placement.resize(count);
  std::vector<Transformd> X_WL(count);
  std::vector<UrdfMass> masses;
  std::vector<char> locked;
  for (const int link : in.spec.order) {
    if (link == in.world) continue;
    const auto l = static_cast<std::size_t>(link);
    const UrdfMotion& motion = in.moved(link);
    const bool hangs = motion.parent >= 0;
    const UrdfPlacement parent = hangs ? in.placed(motion.parent) : UrdfPlacement{};
    const auto j = static_cast<std::size_t>(motion.joint);
    const Transformd moved = motion.joint < 0 ? Transformd{} : displacement(in.spec.joints[j], in.start[j]);
    X_WL[l] = (hangs ? X_WL[static_cast<std::size_t>(motion.parent)] : Transformd{}) * motion.X_PJ * moved;
    if (motion.type == UrdfJointType::kFixed && in.args.collapse_fixed_joints) {
      in.placement[l] = {parent.body, parent.X_BL * motion.X_PJ};
    } else {
      in.placement[l] = {static_cast<int>(in.body_link.size()), {}};
      in.body_link.push_back(link);
      masses.emplace_back();
      locked.push_back(1);
    }
    const int body = in.placement[l].body;
    if (body < 0) continue;
    if (in.weighs_shapes(link)) locked[static_cast<std::size_t>(body)] = 0;
    else add_inertial(masses[static_cast<std::size_t>(body)], *in.link(link).inertial, in.placement[l].X_BL);
  }
  for (std::size_t body = 0; body < masses.size(); ++body) {
    const UrdfLink& link = in.link(in.body_link[body]);
    in.now(link.inertial ? link.inertial->place : link.place, link.inertial ? "inertial" : "link");
    in.builder.add_link({.xform = to_real(X_WL[static_cast<std::size_t>(in.body_link[body])]),
                         .com = to_real(masses[body].com),
                         .inertia = symmetric(masses[body].inertia),
                         .mass = Real(masses[body].mass),
                         .key = link.name,
                         .lock_inertia = locked[body] != 0});
  }
}

// A free body must weigh something itself, with what is fixed to it; behind other joints it is enough that something
// follows that does: links without mass stand between the joints of those that have some.
void check_urdf_masses(UrdfImport& in) {
  const std::vector<Real>& mass = in.builder.columns().body_mass;
  const std::size_t count = in.spec.links.size();
  std::vector<double> behind(count), held(count);
  for (std::size_t body = 0; body < in.body_link.size(); ++body)
    behind[static_cast<std::size_t>(in.body_link[body])] = held[static_cast<std::size_t>(in.body_link[body])] =
        double(mass[body]);
  for (auto link = in.spec.order.rbegin(); link != in.spec.order.rend(); ++link) {
    const UrdfMotion& motion = in.moved(*link);
    if (*link == in.world) continue;
    const auto l = static_cast<std::size_t>(*link);
    const bool fixed = motion.type == UrdfJointType::kFixed;
    if (!fixed && (behind[l] == 0 || (motion.type == UrdfJointType::kFloating && held[l] == 0)))
      fail(at_place(in.link(*link).place, "link"), "'", in.link(*link).name,
           "' moves and has no mass; give it an <inertial>, or fix it to a link that has one");
    if (motion.parent < 0) continue;
    const auto p = static_cast<std::size_t>(motion.parent);
    behind[p] += behind[l];
    if (fixed) held[p] += held[l];
  }
}

}  // namespace carom::inline CAROM_PRECISION
