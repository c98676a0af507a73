#include "events/impacts.h"

#include <algorithm>

#include "carom/impulse/impact.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The velocities of body 0 against body 1 at all points, as the bodies of a system that solve_impact() solves.
struct CoupledVelocities {
  const std::vector<Mat33>& W;
  std::vector<Vec3> u;
  int at = 0;  // the point that is visited
  const Mat33& response(int i, int j) const { return W[i * u.size() + j]; }
};
Vec3 velocity_at(const CoupledVelocities& c, const CoupledVelocities&, const ImpactPoint&) { return c.u[c.at]; }
void push(CoupledVelocities& c, CoupledVelocities&, const ImpactPoint&, Vec3 impulse) {
  for (int i = 0; i < static_cast<int>(c.u.size()); ++i) c.u[i] += c.response(i, c.at) * impulse;
}
PrincipalFrameT<Real> frame_at(const CoupledVelocities& c, const CoupledVelocities&, const ImpactPoint&, Vec3 d) {
  const Mat33& K = c.response(c.at, c.at);
  return principal_frame([&](Vec3 p) { return K * p; }, Real(0), d, dot(d, K * d));
}
Real fastest_part(const CoupledVelocities& c, const CoupledVelocities&, const ImpactPoint&) {
  return largest_part(c.u[c.at]);
}

struct CoupledPoints {
  std::vector<Vec3> before;
  CoupledVelocities velocities;
  std::vector<ImpactPoint>& points;
  std::vector<int> chosen;  // those that take part

  void start() { velocities.u = before; }
  template <class Visit>
  void each(Keep, bool backward, Visit visit) {
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const int i = chosen[backward ? chosen.size() - 1 - k : k];
      velocities.at = i;
      visit(velocities, velocities, points[i], true);
    }
  }
  Real approach(int i) const { return dot(velocities.u[i], points[i].normal); }  // of body 0 towards body 1
};

// Everything that touches shares the impulse.
void hit_together(CoupledPoints& system, std::vector<Vec3>& impulse) {
  system.before = system.velocities.u;
  for (std::size_t i = 0; i < impulse.size(); ++i) system.chosen.push_back(static_cast<int>(i));
  solve_impact<Real>(system, ImpactConfig{});
  for (const int i : system.chosen) impulse[i] += system.points[i].impulse;
  system.chosen.clear();
}

// One point after the other, the fastest first, until none approaches faster than `slow`.
void hit_in_turn(CoupledPoints& system, Real slow, std::vector<Vec3>& impulse) {
  const int n = static_cast<int>(impulse.size()), most = 1000 * n;
  for (int hit = 0; hit < most; ++hit) {
    int next = 0;
    for (int i = 1; i < n; ++i)
      if (system.approach(i) > system.approach(next)) next = i;
    if (!(system.approach(next) > slow)) return;
    system.before = system.velocities.u;
    system.chosen = {next};
    solve_impact<Real>(system, ImpactConfig{});
    impulse[next] += system.points[next].impulse;
    system.chosen.clear();
  }
}

}  // namespace

Impacts::Impacts(const Model& model, const Queue& queue)
    : model_(model),
      motion_(model, queue),
      push_(model.state()),
      fall_(model.joint_dof_count),
      response_(model.joint_dof_count) {
  push_.aligned = {};
}

Vec3 Impacts::velocity(const State& state, const TouchingPoint& at) const {
  const auto of = [&](int body) {
    if (body < 0) return Vec3{};
    const SpatialVector V = state.body_qd[body];
    return V.linear + cross(V.angular, at.point - transform_point(state.body_q[body], model_.body_com[body]));
  };
  return of(at.bodies[0]) - of(at.bodies[1]);
}

void Impacts::find_responses(int world, const State& state, const std::vector<TouchingPoint>& points) {
  const int slot = std::max(world, 0), n = static_cast<int>(points.size());
  const auto& start = model_.layout->start;
  const int begin = start[static_cast<int>(Entity::kJointDof)][slot];
  const int dofs = start[static_cast<int>(Entity::kJointDof)][slot + 1] - begin;
  const SmoothMotion::Choice here = motion_.choose({&slot, 1});
  push_.joint_q = state.joint_q;
  motion_.eval_push(here, push_, fall_);
  columns_.assign(std::size_t(3) * n * dofs, 0);
  W_.assign(std::size_t(n) * n, Mat33{});
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < 3; ++k) {
      Vec3 unit;
      unit[k] = 1;
      for (int side = 0; side < 2; ++side) {
        const int body = points[j].bodies[side];
        if (body < 0) continue;
        const Vec3 f = side == 0 ? unit : -unit;
        const Vec3 arm = points[j].point - transform_point(state.body_q[body], model_.body_com[body]);
        push_.body_f[body] = push_.body_f[body] + SpatialVector{f, cross(arm, f)};
      }
      motion_.eval_push(here, push_, response_);
      for (const int body : points[j].bodies)
        if (body >= 0) push_.body_f[body] = {};
      Real* const column = columns_.data() + std::size_t(3 * j + k) * dofs;
      for (int i = 0; i < dofs; ++i) {
        response_[begin + i] -= fall_[begin + i];
        column[i] = response_[begin + i];
      }
      motion_.place(here, push_.joint_q, response_, push_);
      for (int i = 0; i < n; ++i) {
        const Vec3 u = velocity(push_, points[i]);
        for (int r = 0; r < 3; ++r) W_[std::size_t(i) * n + j][r][k] = u[r];
      }
    }
}

std::vector<Vec3> Impacts::resolve(int world, const State& state, const std::vector<TouchingPoint>& points,
                                   HitOrder order, Real stick_speed, const Array<Real>& joint_qd) {
  find_responses(world, state, points);
  std::vector<ImpactPoint> law(points.size());
  std::vector<Vec3> before(points.size()), impulse(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    before[i] = velocity(state, points[i]);
    law[i].normal = points[i].normal;
    law[i].restitution = dot(before[i], points[i].normal) > stick_speed ? points[i].restitution : Real(0);
    law[i].friction = points[i].mu;
  }
  CoupledPoints system{before, {W_, before}, law, {}};
  if (order == HitOrder::kInTurn) {
    for (std::size_t i = 0; i < points.size(); ++i) law[i].restitution = points[i].restitution;
    hit_in_turn(system, stick_speed, impulse);
    for (ImpactPoint& point : law) point.restitution = 0;
  }
  hit_together(system, impulse);
  const int slot = std::max(world, 0);
  const std::vector<int>& start = model_.layout->start[static_cast<int>(Entity::kJointDof)];
  const int begin = start[slot], dofs = start[slot + 1] - begin;
  for (std::size_t j = 0; j < points.size(); ++j)
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < dofs; ++i) joint_qd[begin + i] += columns_[(3 * j + k) * dofs + i] * impulse[j][k];
  for (Vec3& p : impulse) p = -p;
  return impulse;
}

}  // namespace carom::inline CAROM_PRECISION
