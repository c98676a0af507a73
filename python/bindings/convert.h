// Arguments as Python users write them: a position is (1, 2, 3) or a numpy row, a pose is seven numbers or a
// Transform, None stands for "not given". They arrive as objects and are read where their name is known, so that an
// Error can say which argument is wrong.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION::python {

// What Python passed for a T, which is a Vec3, Quat, Transform, Mat33 or an array of Reals.
template <class T>
struct Given {
  nb::object value;
};
template <class T>
using MaybeGiven = std::optional<Given<T>>;

// Reads numbers of exactly this shape into out. Throws Error with the argument's name.
void read_numbers(nb::handle value, std::span<const std::size_t> shape, const char* name, Real* out);

template <class T>
T read(const Given<T>& given, const char* name) {
  static_assert(sizeof(T) % sizeof(Real) == 0);
  T result;
  read_numbers(given.value, kElementShape<T>, name, reinterpret_cast<Real*>(&result));
  return result;
}
template <class T>
T read(const MaybeGiven<T>& given, const char* name, const T& fallback = {}) {
  return given ? read(*given, name) : fallback;
}

// Any number of numbers, in C order, with their shape. Throw Error with the argument's name.
struct Numbers {
  std::vector<Real> values;
  std::vector<std::size_t> shape;
};
Numbers read_numbers(nb::handle value, const char* name);
std::vector<int> read_integers(nb::handle value, const char* name);

// The worlds that a mask chooses, one byte per world; None gives an empty one, which means all.
std::vector<std::uint8_t> read_mask(nb::handle mask);

// The name of an entity; None gives an empty one, which means "no name".
struct Key {
  std::string text;
};

// The number as a person would write it: 0.005 rather than the digits of the nearest float.
inline double shortest(Real value) {
  char text[32];
  double number = value;
  std::from_chars(text, std::to_chars(text, text + sizeof text, value).ptr, number);
  return number;
}

// In Python "not set" is None, in C++ it is NaN.
inline std::optional<double> optional_of(Real value) {
  return value == value ? std::optional(shortest(value)) : std::nullopt;
}

}  // namespace carom::inline CAROM_PRECISION::python

namespace nanobind::detail {

template <class T>
struct type_caster<carom::python::Given<T>> {
  NB_TYPE_CASTER(carom::python::Given<T>, const_name("numpy.typing.ArrayLike"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    value.value = borrow(source);
    return true;
  }
  static handle from_cpp(const carom::python::Given<T>& given, rv_policy, cleanup_list*) noexcept {
    return given.value.inc_ref();
  }
};

template <>
struct type_caster<carom::python::Key> {
  NB_TYPE_CASTER(carom::python::Key, const_name("str | None"))

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (source.is_none()) return true;
    make_caster<std::string> text;
    if (!text.from_python(source, flags, cleanup)) return false;
    value.text = std::move(text.value);
    return true;
  }
};

// Vectors and quaternions go out as tuples: immutable, because a change could not reach the struct they come from.
template <class Tuple, int N>
struct TupleCaster {
  NB_TYPE_CASTER(Tuple, const_name("tuple[float, ...]"))

  bool from_python(handle, std::uint32_t, cleanup_list*) noexcept { return false; }
  static handle from_cpp(const Tuple& value, rv_policy, cleanup_list*) noexcept {
    PyObject* result = PyTuple_New(N);
    for (int i = 0; result && i < N; ++i)
      PyTuple_SET_ITEM(result, i, PyFloat_FromDouble(carom::python::shortest(value[i])));
    return result;
  }
};
template <>
struct type_caster<carom::Vec3> : TupleCaster<carom::Vec3, 3> {};
template <>
struct type_caster<carom::Quat> : TupleCaster<carom::Quat, 4> {};
template <std::size_t N>
struct type_caster<std::array<carom::Real, N>> : TupleCaster<std::array<carom::Real, N>, N> {};

}  // namespace nanobind::detail
