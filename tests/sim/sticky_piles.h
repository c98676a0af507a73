// Piles of balls that stick to each other and to the ground, with arms that lie on them and actuators that hold what
// they touch: a world that is taken apart, with all that acts beside the solve.
#pragma once

#include "tests/sim/step_scenes.h"

namespace carom::step_scenes {

inline ModelBuilder sticky_piles(Cone cone) {
  constexpr int kPiles = 9, kBalls = 5;
  Numbers n(7);
  ModelBuilder builder;
  builder.options.cone = cone;
  builder.options.diagexact = true;
  builder.options.noslip_iterations = 3;
  builder.add_ground_plane();
  for (int pile = 0; pile < kPiles; ++pile) {
    for (int i = 0; i < kBalls; ++i) {
      const Real x = Real(pile) + Real(0.195) * Real(i % 3) + Real(0.1) * Real(i / 3);
      const int body = builder.add_body({.xform = at(x, n.any(0.01), Real(0.1) + Real(0.17) * Real(i / 3))});
      ShapeConfig cfg = shape_numbers(n);
      const std::array condims{3, 6, 1, 4};
      cfg.condim = condims[i % 4], cfg.adhesion = n.one_in(2) ? n.near(2) : Real(0);
      builder.add_shape_sphere(body, Real(0.1), {.cfg = cfg});
      if (i == 1) builder.add_actuator_body(body, {.bias = {n.near(5), 0, 0}});
    }
    JointDofConfig dof;
    dof.axis = {0, 1, 0}, dof.friction = n.near(0.2);
    const int arm = builder.add_link();
    builder.add_shape_capsule(arm, Real(0.04), Real(0.2), {.xform = {{Real(0.2), 0, 0}, along_x()}});
    builder.add_articulation(
        {builder.add_joint_revolute(-1, arm, dof, {.parent_xform = at(Real(pile), 0, Real(0.4))})});
    builder.add_actuator_body(arm, {.bias = {n.near(3), 0, 0}});
  }
  return builder;
}

}  // namespace carom::step_scenes
