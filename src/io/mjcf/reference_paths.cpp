// Paths of tendons, with the bodies where c.X_WB says: straight pieces between points of bodies, and arcs around
// spheres and cylinders, whose lengths nothing pulls at.
#include <cmath>

#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reference.h"
#include "model/wrap.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct PathPoint {
  int body;
  Vec3d p;  // world
};
struct StraightPiece {
  PathPoint from, to;
  double share;  // of the tension: a pulley divides it
};
struct TendonPath {
  std::vector<StraightPiece> pieces{};
  double arcs = 0;
};

PathPoint site_point(const Compiling& c, int wrap) {
  const int site = at(c.out.wrap_objid, wrap);
  return {at(c.out.site_bodyid, site), placed_site(c, site).p};
}

// Around the geom of a wrap, or straight past it.
void add_around(const Compiling& c, int wrap, const StraightPiece& straight, TendonPath& path) {
  const CompiledMjcf& m = c.out;
  const int geom = at(m.wrap_objid, wrap), body = at(m.geom_bodyid, geom);
  const int side = static_cast<int>(std::lround(at(m.wrap_prm, wrap)));
  const MjcfPose X = c.X_WB[static_cast<std::size_t>(body)] * pose_of(m.geom_pos, m.geom_quat, geom);
  const auto in_geom = [&](Vec3d p) { return rotate_inverse(X.q, p - X.p); };
  WrappedT<double> round{at(m.wrap_type, wrap) == mj::kWrapSphere, side >= 0, *row(m.geom_size, geom, 3)};
  if (side >= 0) round.side = in_geom(placed_site(c, side).p);
  const TouchT<double> touch = wrap_around(round, in_geom(straight.from.p), in_geom(straight.to.p));
  if (!touch.wraps) {
    path.pieces.push_back(straight);
    return;
  }
  const PathPoint first{body, X.p + rotate(X.q, touch.first)}, last{body, X.p + rotate(X.q, touch.last)};
  path.pieces.push_back({straight.from, first, straight.share});
  path.pieces.push_back({last, straight.to, straight.share});
  path.arcs += touch.arc * straight.share;
}

TendonPath tendon_path(const Compiling& c, int tendon) {
  const CompiledMjcf& m = c.out;
  TendonPath path;
  double share = 1;
  const int first = at(m.tendon_adr, tendon), end = first + at(m.tendon_num, tendon);
  for (int k = first; k + 1 < end; ++k) {
    const int type = at(m.wrap_type, k), next = at(m.wrap_type, k + 1);
    if (type == mj::kWrapPulley) share = 1 / at(m.wrap_prm, k);
    if (type != mj::kWrapSite || next == mj::kWrapPulley) continue;
    const bool around = next != mj::kWrapSite;
    const StraightPiece piece{site_point(c, k), site_point(c, around ? k + 2 : k + 1), share};
    if (around) add_around(c, k + 1, piece, path);
    else path.pieces.push_back(piece);
  }
  return path;
}

bool is_fixed(const CompiledMjcf& m, int tendon) { return at(m.wrap_type, at(m.tendon_adr, tendon)) == mj::kWrapJoint; }

}  // namespace

DofRow tendon_row(const ReferencePose& pose, int tendon) {
  const CompiledMjcf& m = pose.c.out;
  DofRow row;
  const int first = at(m.tendon_adr, tendon), end = first + at(m.tendon_num, tendon);
  if (is_fixed(m, tendon)) {
    for (int k = first; k < end; ++k) row[at(m.jnt_dofadr, at(m.wrap_objid, k))] += at(m.wrap_prm, k);
    return row;
  }
  for (const auto& [from, to, share] : tendon_path(pose.c, tendon).pieces) {
    const Vec3d reach = to.p - from.p;
    const double norm = length(reach);
    const Vec3d direction = norm > 1e-15 ? reach * (1 / norm) : Vec3d{1, 0, 0};
    pose.add_point(row, to.body, to.p, direction, share);
    pose.add_point(row, from.body, from.p, direction, -share);
  }
  return row;
}

double tendon_length(const Compiling& c, int tendon, const std::vector<double>& q) {
  const CompiledMjcf& m = c.out;
  double total = 0;
  const int first = at(m.tendon_adr, tendon), end = first + at(m.tendon_num, tendon);
  if (is_fixed(m, tendon)) {
    for (int k = first; k < end; ++k) total += at(m.wrap_prm, k) * at(q, at(m.jnt_qposadr, at(m.wrap_objid, k)));
    return total;
  }
  const TendonPath path = tendon_path(c, tendon);
  for (const StraightPiece& piece : path.pieces) total += length(piece.to.p - piece.from.p) * piece.share;
  return total + path.arcs;
}

}  // namespace carom::inline CAROM_PRECISION
