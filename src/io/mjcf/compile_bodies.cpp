// Bodies: their places in the tree, frames, and mass.
#include <algorithm>
#include <cmath>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_mocap(const BodySpec& body) {
  if (body.mocap && (body.parent != 0 || !body.joints.empty()))
    fail_compile(body.place, "body", "a mocap body is a child of the world and has no joints");
}

Mat33d turned(const Quatd& q, Vec3d diagonal) {
  const Mat33d R = mat33_from_quat(q);
  return R * mat33_diagonal(diagonal) * transpose(R);
}

// Of a point mass at p, about the origin.
Mat33d of_point(double mass, Vec3d p) { return (mat33_identity<double>() * dot(p, p) - outer(p, p)) * mass; }

BodyMass explicit_mass(const InertialSpec& inertial) {
  BodyMass result{inertial.mass, inertial.pose, vec3(inertial.diagonal.data())};
  if (inertial.full) {
    const std::array<double, 6>& f = *inertial.full;
    const PrincipalFrame principal = principal_frame({{f[0], f[3], f[4]}, {f[3], f[1], f[5]}, {f[4], f[5], f[2]}});
    result.frame.q = principal.q;
    result.inertia = principal.values;
  }
  return result;
}

std::vector<MassPart> mass_parts(const Compiling& c, const BodySpec& body, int first_geom) {
  std::vector<MassPart> parts;
  int geom = first_geom;
  for (const GeomSpec& spec : body.geoms) {
    const int id = geom++;
    if (spec.group < body.rules.least_group || spec.group > body.rules.most_group) continue;
    const GeomMass mass = geom_mass(c, spec, doubles<3>(c.out.geom_size, id));
    if (mass.mass > 1e-15)  // MuJoCo's smallest number
      parts.push_back({mass.mass, pose_of(c.out.geom_pos, c.out.geom_quat, id), mass.inertia});
  }
  return parts;
}

// Returns whether it changed anything. `by_geoms`: what geoms give may miss the rule by rounding, since a flat shell
// has A + B = C.
bool bound_mass(const BodySpec& body, bool by_geoms, BodyMass& mass) {
  const InertiaRules& rules = body.rules;
  const BodyMass before = mass;
  if (rules.bound_mass > 0) mass.mass = std::max(mass.mass, rules.bound_mass);
  if (rules.bound_inertia > 0)
    for (int k = 0; k < 3; ++k) mass.inertia[k] = std::max(mass.inertia[k], rules.bound_inertia);
  for (int k = 0; k < 3; ++k)
    if (mass.mass < 0 || mass.inertia[k] < 0) fail_compile(body.place, "body", "mass or inertia is negative");
  const Vec3d I = mass.inertia;
  const double slack = by_geoms ? 1e-12 * std::max({I.x, I.y, I.z}) : 0;
  if (I.x + I.y + slack >= I.z && I.x + I.z + slack >= I.y && I.y + I.z + slack >= I.x)
    return mass.mass != before.mass || length(mass.inertia - before.inertia) > 0;
  if (!rules.balance)
    fail_compile(body.place, "body", "inertia must satisfy A + B >= C; compiler balanceinertia mends it");
  const double mean = (I.x + I.y + I.z) / 3;
  mass.inertia = {mean, mean, mean};
  return true;
}

// A free body without children may be moved so that its frame is that of its inertia.
bool is_aligned(const Compiling& c, std::size_t id) {
  const BodySpec& body = c.spec.bodies[id];
  if (id + 1 < c.spec.bodies.size() && c.spec.bodies[id + 1].parent == static_cast<int>(id)) return false;
  if (body.joints.size() != 1 || body.joints[0].type != mj::kFree) return false;
  const int align = body.joints[0].align;
  return align == kMjcfAuto ? body.rules.align_free : align != 0;
}

void align_body(Compiling& c, int body, int first_geom, BodyMass& mass) {
  const MjcfPose X_BI = mass.frame, X_IB = inverse(X_BI);
  const MjcfPose X = pose_of(c.out.body_pos, c.out.body_quat, body) * X_BI;
  put_row(c.out.body_pos, body, X.p);
  put_row(c.out.body_quat, body, X.q);
  mass.frame = {};
  c.alignment[static_cast<std::size_t>(body)] = X_IB;
  const int geoms = static_cast<int>(c.spec.bodies[static_cast<std::size_t>(body)].geoms.size());
  for (int geom = first_geom; geom < first_geom + geoms; ++geom) {
    const MjcfPose moved = X_IB * pose_of(c.out.geom_pos, c.out.geom_quat, geom);
    put_row(c.out.geom_pos, geom, moved.p);
    put_row(c.out.geom_quat, geom, moved.q);
  }
}

void scale_total_mass(Compiling& c) {
  double total = 0;
  for (const double mass : c.out.body_mass) total += mass;
  if (c.spec.compiler.total_mass <= 0 || total <= 0) return;
  const double scale = c.spec.compiler.total_mass / total;
  for (double& mass : c.out.body_mass) mass *= scale;
  for (double& inertia : c.out.body_inertia) inertia *= scale;
}

bool is_same(Vec3d a, Vec3d b) {
  return std::abs(a.x - b.x) < 1e-6 && std::abs(a.y - b.y) < 1e-6 && std::abs(a.z - b.z) < 1e-6;
}
bool is_same(Quatd a, Quatd b) {
  bool same = true;
  for (int k = 0; k < 4; ++k) same = same && std::abs(a[k] - b[k]) < 1e-6;
  return same;
}

int same_frame(const MjcfPose& X, const MjcfPose& inertia) {
  // What is not turned counts as the body's frame, even if the inertia is in the same place.
  const bool unturned = is_same(X.q, Quatd{}), as_inertia = is_same(X.q, inertia.q);
  if (unturned) return is_same(X.p, Vec3d{}) ? mj::SameFrame::kBody : mj::SameFrame::kBodyTurn;
  if (as_inertia && is_same(X.p, inertia.p)) return mj::SameFrame::kInertia;
  return as_inertia ? mj::SameFrame::kInertiaTurn : mj::SameFrame::kNone;
}

}  // namespace

BodyMass mass_of_parts(const std::vector<MassPart>& parts) {
  BodyMass result;
  if (parts.size() == 1) return {parts[0].mass, parts[0].X, parts[0].inertia};
  Vec3d moment{};
  for (const MassPart& part : parts) {
    result.mass += part.mass;
    moment = moment + part.X.p * part.mass;
  }
  result.frame.p = moment * (1 / result.mass);
  Mat33d total{};
  for (const MassPart& part : parts) {
    total = total + turned(part.X.q, part.inertia) + of_point(part.mass, part.X.p - result.frame.p);
  }
  const PrincipalFrame principal = principal_frame(total);
  result.frame.q = principal.q;
  result.inertia = principal.values;
  return result;
}

void compile_bodies(Compiling& c) {
  CompiledMjcf& m = c.out;
  int mocaps = 0;
  for (std::size_t i = 0; i < c.spec.bodies.size(); ++i) {
    const BodySpec& body = c.spec.bodies[i];
    const int id = static_cast<int>(i), parent = body.parent;
    add_name(c.bodies, body.name, id, body.place, "body");
    check_mocap(body);
    const bool moves = id > 0 && (!body.joints.empty() || body.mocap);
    note_place(c, MjcfRows::kBody, body.place, "body");
    m.name_body.push_back(body.name);
    m.body_parentid.push_back(parent);
    m.body_rootid.push_back(parent == 0 ? id : m.body_rootid[static_cast<std::size_t>(parent)]);
    m.body_weldid.push_back(moves ? id : m.body_weldid.empty() ? 0 : m.body_weldid[static_cast<std::size_t>(parent)]);
    m.body_mocapid.push_back(body.mocap ? mocaps++ : -1);
    m.body_jntnum.push_back(static_cast<int>(body.joints.size()));
    append(m.body_pos, body.pose.p);
    append(m.body_quat, body.pose.q);
    m.body_gravcomp.push_back(body.gravcomp);
  }
}

void compile_inertias(Compiling& c) {
  CompiledMjcf& m = c.out;
  c.alignment.resize(c.spec.bodies.size());
  int first_geom = 0;
  for (std::size_t i = 0; i < c.spec.bodies.size(); ++i) {
    const BodySpec& body = c.spec.bodies[i];
    const int from_geom = body.rules.from_geom;
    const bool by_geoms = from_geom == 1 || (from_geom == kMjcfAuto && !body.inertial);
    // A body that nobody gave mass has the frame of its inertia where it stands in the frame around it: MuJoCo's habit.
    BodyMass mass{0, body.own, {}};
    const std::vector<MassPart> parts = i > 0 && by_geoms ? mass_parts(c, body, first_geom) : std::vector<MassPart>{};
    if (!parts.empty()) mass = mass_of_parts(parts);
    if (i > 0 && !by_geoms && body.inertial) mass = explicit_mass(*body.inertial);
    c.adjusted.push_back(i > 0 && bound_mass(body, by_geoms, mass));
    if (is_aligned(c, i)) align_body(c, static_cast<int>(i), first_geom, mass);
    first_geom += static_cast<int>(body.geoms.size());
    append(m.body_ipos, mass.frame.p);
    append(m.body_iquat, mass.frame.q);
    m.body_mass.push_back(mass.mass);
    append(m.body_inertia, mass.inertia);
  }
  scale_total_mass(c);
}

void compile_same_frames(Compiling& c) {
  CompiledMjcf& m = c.out;
  for (int body = 0; body < static_cast<int>(m.body_mass.size()); ++body)
    m.body_sameframe.push_back(same_frame(pose_of(m.body_ipos, m.body_iquat, body), {}));
  const auto frames = [&](const std::vector<int>& bodies, const std::vector<double>& pos,
                          const std::vector<double>& turn, std::vector<int>& same) {
    for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
      const MjcfPose inertia = pose_of(m.body_ipos, m.body_iquat, bodies[static_cast<std::size_t>(i)]);
      same.push_back(same_frame(pose_of(pos, turn, i), inertia));
    }
  };
  frames(m.geom_bodyid, m.geom_pos, m.geom_quat, m.geom_sameframe);
  frames(m.site_bodyid, m.site_pos, m.site_quat, m.site_sameframe);
}

}  // namespace carom::inline CAROM_PRECISION
