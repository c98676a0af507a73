// Rigid transforms. X_AB maps a point from frame B to frame A: p_A = X_AB.p + R(X_AB.q) p_B.
#pragma once

#include "carom/math/quat.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct TransformT {
  Vec3T<F> p;  // [m]
  QuatT<F> q;
};

using Transform = TransformT<Real>;

template <class F>
CAROM_HD TransformT<F> operator*(TransformT<F> X_AB, TransformT<F> X_BC) {
  return {X_AB.p + rotate(X_AB.q, X_BC.p), X_AB.q * X_BC.q};
}
template <class F>
CAROM_HD TransformT<F> inverse(TransformT<F> X_AB) {
  const QuatT<F> q_BA = conjugate(X_AB.q);
  return {-rotate(q_BA, X_AB.p), q_BA};
}
template <class F>
CAROM_HD Vec3T<F> transform_point(TransformT<F> X_AB, Vec3T<F> p_B) {
  return X_AB.p + rotate(X_AB.q, p_B);
}
template <class F>
CAROM_HD Vec3T<F> transform_vector(TransformT<F> X_AB, Vec3T<F> v_B) {
  return rotate(X_AB.q, v_B);
}
template <class F>
CAROM_HD auto is_finite(TransformT<F> X) {
  return is_finite(X.p) && is_finite(X.q);
}

}  // namespace carom::inline CAROM_PRECISION
