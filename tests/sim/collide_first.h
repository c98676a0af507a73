// What a step computes, with the contacts that a pipeline finds.
#pragma once

#include "carom/carom.h"

namespace carom::testing {

struct CollidedForward {
  Contacts contacts;  // with their forces
  Forward forward;

  CollidedForward(SolverMuJoCo& solver, const State& state, const Control& control, Real dt)
      : contacts(CollisionPipeline(solver.model()).collide(state)),
        forward(solver.forward(state, control, &contacts, dt)) {}
};

}  // namespace carom::testing
