// Lanes<T, W>: W numbers side by side in vector registers, one per world, with the operations of math/scalar.h under
// the same names, so that math templates over F take a plain number or lanes alike. Written on the vector extensions
// of GCC and Clang; W is any power of two, also wider than the machine's registers. Each lane gets exactly the bits
// that the same operation on a plain number gives. Operations are hidden friends: they hide no function for plain
// numbers.
#pragma once

#include "carom/math/scalar.h"

#if !defined(__CUDACC__)

#include <utility>

#include "math/lanes_native.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

template <class T, int W>
struct Lanes;

// One truth value per lane: all bits of the lane set, or none.
template <class T, int W>
struct Mask {
  using Vector = std::conditional_t<W == 1, bool, LaneVector<BitsOf<T>, W>>;
  Vector v;

  static CAROM_HD Mask of(Vector v) { return Mask{v}; }
  CAROM_HD bool operator[](int i) const {
    if constexpr (W == 1) return v;
    else return v[i] != 0;
  }
  CAROM_HD void set(int i, bool value) {
    if constexpr (W == 1) v = value;
    else v[i] = -BitsOf<T>(value);
  }
  // Bit l is lane l.
  CAROM_HD std::uint64_t bits() const {
    if constexpr (W == 1) return v;
    else return sign_bits<T, W>(std::bit_cast<LaneVector<T, W>>(v));
  }

  friend CAROM_HD Mask operator&&(Mask a, Mask b) { return of(a.v & b.v); }
  friend CAROM_HD Mask operator||(Mask a, Mask b) { return of(a.v | b.v); }
  friend CAROM_HD Mask operator==(Mask a, Mask b) { return of(a.v == b.v); }
  friend CAROM_HD Mask operator!=(Mask a, Mask b) { return of(a.v != b.v); }
  friend CAROM_HD Mask operator!(Mask a) {
    if constexpr (W == 1) return of(!a.v);
    else return of(~a.v);
  }
  friend CAROM_HD Mask select(Mask mask, Mask a, Mask b) { return (mask && a) || (!mask && b); }
  friend CAROM_HD bool any(Mask a) { return a.bits() != 0; }
  friend CAROM_HD bool all(Mask a) { return a.bits() == ~std::uint64_t{0} >> (64 - W); }
};

// Bit k W + l is lane l of mask k.
template <class T, int W, int N>
CAROM_HD std::uint64_t bits_of(const Mask<T, W> (&mask)[N]) {
  typename Mask<T, W>::Vector v[N];
  for (int k = 0; k < N; ++k) v[k] = mask[k].v;
  if constexpr (requires { native_mask_bits(v); }) {
    return native_mask_bits(v);
  } else {
    std::uint64_t bits = 0;
    for (int k = 0; k < N; ++k) bits |= mask[k].bits() << k * W;
    return bits;
  }
}

// The bit patterns of Lanes<T, W>: signed integers as wide as T. Sums must not overflow.
template <class T, int W>
struct LaneBits {
  using Element = BitsOf<T>;
  using Vector = LaneVector<Element, W>;
  Vector v;

  LaneBits() = default;
  CAROM_HD explicit LaneBits(Element a) : LaneBits(a, std::make_integer_sequence<int, W>{}) {}
  static CAROM_HD LaneBits of(Vector v) {
    LaneBits r;
    r.v = v;
    return r;
  }
  CAROM_HD Element operator[](int i) const {
    if constexpr (W == 1) return v;
    else return v[i];
  }

  friend CAROM_HD LaneBits operator+(LaneBits a, LaneBits b) { return of(a.v + b.v); }
  friend CAROM_HD LaneBits operator-(LaneBits a, LaneBits b) { return of(a.v - b.v); }
  friend CAROM_HD LaneBits operator&(LaneBits a, LaneBits b) { return of(a.v & b.v); }
  friend CAROM_HD LaneBits operator|(LaneBits a, LaneBits b) { return of(a.v | b.v); }
  friend CAROM_HD LaneBits operator^(LaneBits a, LaneBits b) { return of(a.v ^ b.v); }
  friend CAROM_HD LaneBits operator~(LaneBits a) { return of(~a.v); }
  friend CAROM_HD LaneBits operator<<(LaneBits a, int n) { return of(a.v << n); }
  friend CAROM_HD LaneBits operator>>(LaneBits a, int n) { return of(a.v >> n); }
  friend CAROM_HD Mask<T, W> operator==(LaneBits a, LaneBits b) { return Mask<T, W>::of(a.v == b.v); }
  friend CAROM_HD Mask<T, W> operator!=(LaneBits a, LaneBits b) { return Mask<T, W>::of(a.v != b.v); }
  friend CAROM_HD Mask<T, W> operator<(LaneBits a, LaneBits b) { return Mask<T, W>::of(a.v < b.v); }
  friend CAROM_HD Mask<T, W> operator>(LaneBits a, LaneBits b) { return Mask<T, W>::of(a.v > b.v); }
  friend CAROM_HD LaneBits select(Mask<T, W> mask, LaneBits a, LaneBits b) { return of(mask.v ? a.v : b.v); }
  friend CAROM_HD Lanes<T, W> from_bits(LaneBits a) { return Lanes<T, W>::of(std::bit_cast<LaneVector<T, W>>(a.v)); }

 private:
  template <int... I>
  CAROM_HD LaneBits(Element a, std::integer_sequence<int, I...>) : v{(static_cast<void>(I), a)...} {}
};

template <class T, int W>
struct Lanes {
  static_assert(PlainNumber<T> && W >= 1 && W <= 64 && (W & (W - 1)) == 0);
  using Vector = LaneVector<T, W>;
  using M = Mask<T, W>;
  Vector v;

  Lanes() = default;  // as a plain number: Lanes x; holds nothing yet, Lanes{} is zero
  CAROM_HD explicit Lanes(T a) : Lanes(a, std::make_integer_sequence<int, W>{}) {}
  static CAROM_HD Lanes of(Vector v) {
    Lanes r;
    r.v = v;
    return r;
  }

  CAROM_HD T operator[](int i) const {
    if constexpr (W == 1) return v;
    else return v[i];
  }
  CAROM_HD void set(int i, T value) {
    if constexpr (W == 1) v = value;
    else v[i] = value;
  }

  // W consecutive numbers, of any alignment.
  static CAROM_HD Lanes load(const T* from) { return of(load_vector<T, W>(from)); }
  CAROM_HD void store(T* to) const { store_vector<T, W>(to, v); }

  friend CAROM_HD Lanes operator+(Lanes a, Lanes b) { return of(a.v + b.v); }
  friend CAROM_HD Lanes operator-(Lanes a, Lanes b) { return of(a.v - b.v); }
  friend CAROM_HD Lanes operator*(Lanes a, Lanes b) { return of(a.v * b.v); }
  friend CAROM_HD Lanes operator/(Lanes a, Lanes b) { return of(a.v / b.v); }
  friend CAROM_HD Lanes operator-(Lanes a) { return of(-a.v); }
  friend CAROM_HD Lanes& operator+=(Lanes& a, Lanes b) { return a = a + b; }
  friend CAROM_HD Lanes& operator-=(Lanes& a, Lanes b) { return a = a - b; }
  friend CAROM_HD Lanes& operator*=(Lanes& a, Lanes b) { return a = a * b; }
  friend CAROM_HD Lanes& operator/=(Lanes& a, Lanes b) { return a = a / b; }

  friend CAROM_HD M operator==(Lanes a, Lanes b) { return M::of(a.v == b.v); }
  friend CAROM_HD M operator!=(Lanes a, Lanes b) { return M::of(a.v != b.v); }
  friend CAROM_HD M operator<(Lanes a, Lanes b) { return M::of(a.v < b.v); }
  friend CAROM_HD M operator<=(Lanes a, Lanes b) { return M::of(a.v <= b.v); }
  friend CAROM_HD M operator>(Lanes a, Lanes b) { return M::of(a.v > b.v); }
  friend CAROM_HD M operator>=(Lanes a, Lanes b) { return M::of(a.v >= b.v); }

  friend CAROM_HD Lanes select(M mask, Lanes a, Lanes b) { return of(mask.v ? a.v : b.v); }
  friend CAROM_HD M is_finite(Lanes a) { return a - a == Lanes(T(0)); }

  friend CAROM_HD Lanes fma(Lanes a, Lanes b, Lanes c) { return of(fma_vector<T, W>(a.v, b.v, c.v)); }
  friend CAROM_HD Lanes sqrt(Lanes a) { return of(sqrt_vector<T, W>(a.v)); }
  friend CAROM_HD Lanes min(Lanes a, Lanes b) {
    if constexpr (requires { native_min(a.v, b.v); }) return of(native_min(a.v, b.v));
    else return select(a < b, a, b);
  }
  friend CAROM_HD Lanes max(Lanes a, Lanes b) {
    if constexpr (requires { native_max(a.v, b.v); }) return of(native_max(a.v, b.v));
    else return select(a > b, a, b);
  }

  friend CAROM_HD LaneBits<T, W> to_bits(Lanes a) {
    return LaneBits<T, W>::of(std::bit_cast<typename LaneBits<T, W>::Vector>(a.v));
  }
  friend CAROM_HD Lanes abs(Lanes a) { return from_bits(to_bits(a) & ~sign_bit()); }
  friend CAROM_HD Lanes copysign(Lanes a, Lanes b) {
    return from_bits((to_bits(a) & ~sign_bit()) | (to_bits(b) & sign_bit()));
  }

  // max for lanes that hold numbers; of zeros either.
  friend CAROM_HD Lanes greater(Lanes a, Lanes b) {
    if constexpr (requires { native_greater(a.v, b.v); }) return of(native_greater(a.v, b.v));
    else return max(a, b);
  }
  // The greatest of lanes that hold numbers; of zeros the positive one, whatever the machine takes.
  friend CAROM_HD T greatest(Lanes a) { return greatest_lane<T, W>(a.v) + T(0); }

  template <class Function, class... Args>
  friend CAROM_HD Lanes replace_where(M mask, Lanes value, Function f, Args... a) {
    if (any(mask)) {
      for (int i = 0; i < W; ++i)
        if (mask[i]) value.set(i, f(a[i]...));
    }
    return value;
  }

 private:
  template <int... I>
  CAROM_HD Lanes(T a, std::integer_sequence<int, I...>) : v{(static_cast<void>(I), a)...} {}
  static CAROM_HD LaneBits<T, W> sign_bit() { return to_bits(Lanes(T(-0.0))); }
};

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER

namespace carom::inline CAROM_PRECISION {

template <class T, int W>
struct ScalarTraits<Lanes<T, W>> {
  using Element = T;
  using Mask = carom::Mask<T, W>;
  using Bits = LaneBits<T, W>;
  static constexpr int kWidth = W;
};

}  // namespace carom::inline CAROM_PRECISION

#endif  // !defined(__CUDACC__)
