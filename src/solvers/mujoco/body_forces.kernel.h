// Forces on bodies: what users apply, what carries weights, what a fluid does. They act about the centres of mass, in
// world axes; the links pass them on as wrenches about the centre of mass of their tree.
#pragma once

#include "solvers/mujoco/fluid.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct BodyForces {
  const TreeView& tree;
  const TreeWork<F>& t;
  Span<const int> body_link;
  const LinkDofs& link_dofs;
  const Vec3T<F>* com;  // of the bodies, in their links

  // force(b): of a body.
  template <class Team, class Force>
  CAROM_HD_FREE void push(Team team, Force force) const {
    each_body(team, [&](int b, int link) CAROM_HD_LAMBDA {
      const SpatialVectorT<F> f = force(b);
      const Vec3T<F> arm = arm_of(b, link);
      SpatialVectorT<F>& wrench = t.wrench[link];
      wrench = {wrench.linear - f.linear, wrench.angular - f.angular - cross(arm, f.linear)};
    });
  }

  // carried: mass of each body whose weight is carried.
  template <class Team>
  CAROM_HD_FREE void carry(Team team, const F* carried) const {
    push(team, [&](int b) CAROM_HD_LAMBDA { return SpatialVectorT<F>{t.gravity * -carried[b], {}}; });
  }
  // The same as forces of degrees of freedom.
  template <class Team>
  CAROM_HD_FREE void find_carried(Team team, const F* carried, Vec3T<F>* out) const {
    team.each(tree.dofs(), [&](int i) {
      F sum{};
      CAROM_ROLL
      for (int b = 0; tree.dof_link[i] >= 0 && b < static_cast<int>(body_link.size); ++b) {
        const int link = body_link[b];
        if (link < 0 || !(link_dofs(link, i / kDofsPerWord) >> i % kDofsPerWord & 1)) continue;
        const SpatialVectorT<F>& S = t.motion[i];
        sum = fma(dot(S.linear + cross(S.angular, arm_of(b, link)), t.gravity), -carried[b], sum);
      }
      entry(out, i) = sum;
    });
  }

  // damping: of each body; nullptr where nobody asks.
  template <class Team>
  CAROM_HD_FREE void push_through_fluid(Team team, const FluidParams<F>* params, const ModelOptions& options,
                                        FluidDamping<F>* damping) const {
    each_body(team, [&](int b, int link) CAROM_HD_LAMBDA {
      SpatialVectorT<F>& wrench = t.wrench[link];
      wrench = wrench - wrench_of_fluid(tree, t, link, com[b], params[b], options, damping ? damping + b : nullptr);
    });
  }

 private:
  // f(body, link) for those that move; one after the other, since several bodies may be of one link.
  template <class Team, class Function>
  CAROM_HD void each_body(Team team, Function f) const {
    team.each(1, [&](int) {
      CAROM_ROLL
      for (int b = 0; b < static_cast<int>(body_link.size); ++b)
        if (body_link[b] >= 0) f(b, body_link[b]);
    });
  }
  CAROM_HD Vec3T<F> arm_of(int b, int link) const {
    return transform_point(t.X_WL[link], com[b]) - t.tree_com[tree.link[link].tree];
  }
};

}  // namespace carom::inline CAROM_PRECISION
