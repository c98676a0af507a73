// The words that all types of joints share: how many axes a joint has, how it moves, what one degree of freedom moves.
#pragma once

#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

// Degrees of freedom of a joint, the linear ones first.
struct JointDofs {
  int linear, angular;

  CAROM_HD int count() const { return linear + angular; }
};

// Pose of the child's joint frame in the parent's, and its velocity there (of types with kVelocityAtCom: that of the
// child's centre of mass), in parent axes.
template <class F>
struct JointMotion {
  TransformT<F> X;
  SpatialVectorT<F> V;
};

// What a degree of freedom moves, per unit of its velocity: a column of the Jacobian at a point that is `arm` away from
// the joint. Axis and arm are in the same axes as the result.
template <class F>
CAROM_HD SpatialVectorT<F> slide_motion(Vec3T<F> axis) {
  return {axis, {}};
}
template <class F>
CAROM_HD SpatialVectorT<F> turn_motion(Vec3T<F> axis, Vec3T<F> arm) {
  return {cross(axis, arm), axis};
}

}  // namespace carom::inline CAROM_PRECISION
