// Where MuJoCo has the frames of geoms, sites and inertias in their bodies: one that nearly is that of its body, or of
// the body's inertia, is taken for it (geom_sameframe, ...), and differs by up to 1e-6 from the numbers of the model.
#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

Transformd nearly_of_body(int same, const Transformd& own) {
  if (same == mj::kBody) return {};
  return same == mj::kBodyTurn ? Transformd{own.p, {}} : own;
}

Transformd carried_frame(const CompiledMjcf& m, int same, int body, const Transformd& own) {
  if (same == mj::kInertia) return inertial_frame(m, body);
  if (same == mj::kInertiaTurn) return {own.p, inertial_frame(m, body).q};
  return nearly_of_body(same, own);
}

// As MuJoCo does it: what is of length 1 up to rounding stays as it is.
Quatd normalized(Quatd q) {
  const double size = sqrt(dot(q, q));
  return abs(size - 1) > 1e-15 ? Quatd{q.x / size, q.y / size, q.z / size, q.w / size} : q;
}

// A ball joint counts from no rotation at all, so qpos0 may turn it.
Transformd turned_by_ball(const CompiledMjcf& m, const Transformd& X_WB, int joint) {
  const Vec3d p = vec3(m.jnt_pos, joint);
  const Quatd q = normalized(quat(rows_from(m.qpos0, at(m.jnt_qposadr, joint), 4)));
  return X_WB * Transformd{p - rotate(q, p), q};
}

}  // namespace

Transformd body_frame(const CompiledMjcf& m, int body) { return {vec3(m.body_pos, body), quat(m.body_quat, body)}; }

Transformd inertial_frame(const CompiledMjcf& m, int body) {
  return nearly_of_body(at(m.body_sameframe, body), {vec3(m.body_ipos, body), quat(m.body_iquat, body)});
}

Transformd geom_frame(const CompiledMjcf& m, int geom) {
  const Transformd own{vec3(m.geom_pos, geom), quat(m.geom_quat, geom)};
  return carried_frame(m, at(m.geom_sameframe, geom), at(m.geom_bodyid, geom), own);
}

Transformd site_frame(const CompiledMjcf& m, int site) {
  const Transformd own{vec3(m.site_pos, site), quat(m.site_quat, site)};
  return carried_frame(m, at(m.site_sameframe, site), at(m.site_bodyid, site), own);
}

BodyPose site_pose(const CompiledMjcf& m, int site) {
  return {at(m.site_bodyid, site) - 1, to_real(site_frame(m, site))};
}

Transformd camera_frame(const CompiledMjcf& m, int camera) {
  return {vec3(m.cam_pos, camera), quat(m.cam_quat, camera)};
}

// No slide or hinge is displaced at qpos0, so bodies are where their parents have them; free ones are where qpos0 says.
std::vector<Transformd> world_frames(const CompiledMjcf& m) {
  std::vector<Transformd> X_WB(m.body_parentid.size());
  for (int body = 1; body < static_cast<int>(X_WB.size()); ++body) {
    const int parent = m.body_parentid[body];
    if (parent < 0 || parent >= body)
      fail("body ", body, " of a compiled model: parent ", parent, " does not precede it");
    X_WB[body] = X_WB[parent] * body_frame(m, body);
    const int first = m.body_jntadr[body];
    for (int joint = first; joint < first + m.body_jntnum[body]; ++joint) {
      const int type = at(m.jnt_type, joint);
      if (type == mj::kBall) X_WB[body] = turned_by_ball(m, X_WB[body], joint);
      if (type != mj::kFree) continue;
      const double* q = rows_from(m.qpos0, at(m.jnt_qposadr, joint), 7);
      X_WB[body] = {vec3(q), quat(q + 3)};
    }
    X_WB[body].q = normalized(X_WB[body].q);
  }
  return X_WB;
}

}  // namespace carom::inline CAROM_PRECISION
