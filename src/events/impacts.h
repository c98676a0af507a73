// What happens to the velocities of a world in the instant at which shapes meet: the law of carom/impulse/impact.h for
// all points at once, among bodies that joints tie together.
//
// Velocities at the points are all that counts: u' = u + W p with W = J M^-1 J^T, whose columns are found by pushing at
// each point in each direction.
#pragma once

#include <vector>

#include "carom/event_stepper.h"
#include "dynamics/smooth_motion.h"

namespace carom::inline CAROM_PRECISION {

struct TouchingPoint {
  Index2 bodies;  // -1: the world
  Vec3 point;     // [m]
  Vec3 normal;    // from body 0 to body 1
  Real restitution, mu;
};

class Impacts {
 public:
  Impacts(const Model& model, const Queue& queue);

  // state: of which the bodies of this world are placed. Adds to `joint_qd` what the impulses change, and returns
  // these, on body 1 [N s]. What approaches more slowly than stick_speed does not bounce.
  std::vector<Vec3> resolve(int world, const State& state, const std::vector<TouchingPoint>& points, HitOrder order,
                            Real stick_speed, const Array<Real>& joint_qd);

 private:
  void find_responses(int world, const State& state, const std::vector<TouchingPoint>& points);
  Vec3 velocity(const State& state, const TouchingPoint& at) const;

  Model model_;
  SmoothMotion motion_;
  State push_;                 // from rest, with one push
  Array<Real> fall_;           // accelerations of gravity alone
  Array<Real> response_;       // to one push
  std::vector<Real> columns_;  // of M^-1 J^T: three of each point, by degrees of freedom of the world
  std::vector<Mat33> W_;       // of each pair of points, row by row
};

}  // namespace carom::inline CAROM_PRECISION
