// Which arguments the functions of impulses accept. The conditions are for Real and Lanes alike, and functions go
// through their arguments once, with a checker that says what becomes of bad ones: ArgumentCheck throws an Error that
// names the function, the argument, its row in an array, and its value; ArgumentMask tells the lanes without bad ones.
// There are no exceptions on a GPU: results are NaN there.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include "carom/error.h"
#include "carom/impulse/inertia.h"
#include "carom/impulse/quantity.h"

namespace carom::inline CAROM_PRECISION {

template <class D, class F>
CAROM_HD MaskOf<F> is_finite(const QuantityT<D, F>& a) {
  return is_finite(a.vec());
}
template <class F>
CAROM_HD MaskOf<F> is_finite(const EulerT<F>& euler) {
  return is_finite(euler.phi) && is_finite(euler.theta) && is_finite(euler.psi);
}
// Infinity is the mass of a body that nothing moves.
template <class F>
CAROM_HD MaskOf<F> is_mass(F mass) {
  return mass > F(0);
}
template <class F>
CAROM_HD MaskOf<F> is_duration(F seconds) {
  return seconds > F(0) && is_finite(seconds);
}
template <class F>
CAROM_HD MaskOf<F> is_direction(Vec3T<F> a) {
  return is_finite(a) && (a.x != F(0) || a.y != F(0) || a.z != F(0));
}
template <class F>
CAROM_HD MaskOf<F> is_within(F a, F low, F high) {
  return a >= low && a <= high;
}
template <class F>
CAROM_HD MaskOf<F> is_magnitude(F a) {
  return a >= F(0) && is_finite(a);
}

template <class F>
class ArgumentMask {
 public:
  CAROM_HD explicit ArgumentMask(const char*) {}

  template <class T>
  CAROM_HD void finite(const char*, const T& a) {
    good_ = good_ && is_finite(a);
  }
  CAROM_HD void mass(const char*, F a) { good_ = good_ && is_mass(a); }
  CAROM_HD void duration(const char*, SecondsT<F> a) { good_ = good_ && is_duration(a.value); }
  CAROM_HD void direction(const char*, Vec3T<F> a) { good_ = good_ && is_direction(a); }
  CAROM_HD void within(const char*, F a, F low, F high) { good_ = good_ && is_within(a, low, high); }
  CAROM_HD void magnitude(const char*, F a) { good_ = good_ && is_magnitude(a); }
  CAROM_HD void inertia(const char*, const RotationalInertiaT<F>& a) { good_ = good_ && is_inertia(a); }

  CAROM_HD MaskOf<F> good() const { return good_; }
  // The result where all arguments are good, NaN elsewhere.
  template <class Vector>
  CAROM_HD Vector accept(const Vector& result) const {
    const F nan = not_a_number<F>();
    return {select(good_, result.x, nan), select(good_, result.y, nan), select(good_, result.z, nan)};
  }

 private:
  MaskOf<F> good_ = F(0) == F(0);
};

#if !defined(__CUDA_ARCH__)

class ArgumentCheck {
 public:
  explicit ArgumentCheck(const char* function, std::int64_t row = -1) : function_(function), row_(row) {}

  void finite(const char* name, Vec3 a) const {
    if (!is_finite(a)) fail(name, "must be finite, is " + text(a));
  }
  template <class D>
  void finite(const char* name, const QuantityT<D, Real>& a) const {
    finite(name, a.vec());
  }
  void finite(const char* name, const Euler& a) const { finite(name, Vec3{a.phi, a.theta, a.psi}); }
  void mass(const char* name, Real a) const {
    if (!is_mass(a)) fail(name, "must be positive, is " + text(a));
  }
  void duration(const char* name, Seconds a) const {
    if (!is_duration(a.value)) fail(name, "must be positive and finite, is " + text(a.value));
  }
  void direction(const char* name, Vec3 a) const {
    if (!is_direction(a)) fail(name, "must be finite and unequal to zero, is " + text(a));
  }
  void within(const char* name, Real a, Real low, Real high) const {
    if (!is_within(a, low, high)) fail(name, "must be in [" + text(low) + ", " + text(high) + "], is " + text(a));
  }
  void magnitude(const char* name, Real a) const {
    if (!is_magnitude(a)) fail(name, "must be finite and not negative, is " + text(a));
  }
  void inertia(const char* name, const RotationalInertia& a) const {
    if (is_inertia(a)) return;
    const Mat33& t = a.tensor;
    if (a.diagonal) fail(name, "must have positive moments, is " + text(a.moments()));
    fail(name, "must be symmetric and positive definite, is (" + text(t.row0) + ", " + text(t.row1) + ", " +
                   text(t.row2) + ")");
  }

  template <class Vector>
  const Vector& accept(const Vector& result) const {
    return result;
  }
  [[noreturn]] void fail(const char* name, const std::string& problem) const {
    const std::string row = row_ < 0 ? "" : " of row " + std::to_string(row_);
    throw Error(std::string(function_) + ": " + name + row + " " + problem);
  }

 private:
  static std::string text(Real a) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, a).ptr};
  }
  static std::string text(Vec3 a) { return "(" + text(a.x) + ", " + text(a.y) + ", " + text(a.z) + ")"; }

  const char* function_;
  std::int64_t row_;
};
using Arguments = ArgumentCheck;

#else

using Arguments = ArgumentMask<Real>;

#endif

}  // namespace carom::inline CAROM_PRECISION
