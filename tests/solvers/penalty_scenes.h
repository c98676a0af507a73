// What the tests of the solvers share whose contacts are the material of the shapes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "carom/carom.h"

namespace carom {

inline const std::vector<std::string>& penalty_solvers() {
  static const std::vector<std::string> names{"semi_implicit", "featherstone", "xpbd"};
  return names;
}

// How long a body falls before its velocity is taken anew, in a step of dt [s].
inline double falls_for(const std::string& solver, double dt) {
  return solver == "xpbd" ? dt / SolverXPBDConfig{}.substeps : dt;
}

// A test of each of them.
class PenaltySolvers : public ::testing::TestWithParam<std::string> {
 protected:
  // After some steps of dt [s].
  Simulation run(const Model& model, Real dt, int steps) const {
    Simulation sim(model, GetParam(), dt);
    for (int i = 0; i < sim.step(steps).size(); ++i) EXPECT_EQ(sim.step(1)[i] & kStatusNotFinite, 0) << "world " << i;
    return sim;
  }
};

// Stiff, without bouncing, and so slippery that a body of 1 kg creeps by less than 0.1 mm/s.
inline ShapeConfig hard_material(Real mu) {
  ShapeConfig cfg;
  cfg.ke = Real(1e5), cfg.kd = Real(2e3), cfg.kf = Real(1e5), cfg.mu = mu;
  cfg.torsional_friction = cfg.rolling_friction = 0;
  return cfg;
}

// Gravity of a slope whose ground is level: tilted towards +x by an angle.
inline Vec3 slope_gravity(double angle) { return {Real(9.81 * sin(angle)), 0, Real(-9.81 * cos(angle))}; }

}  // namespace carom
