// Functions of vectors and numbers that take one of each or one per row: Rows<T> is such an argument, for_rows() calls
// a function row by row, and the result is one vector or an array of them.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <string>

#include "bindings.h"
#include "carom/error.h"
#include "carom/math.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {

using Numpy = nb::ndarray<const Real, nb::c_contig, nb::device::cpu>;
using NumpyResult = nb::ndarray<nb::numpy, Real>;

// The argument as numpy sees it, in Reals; copied only if it is not that already.
inline Numpy numpy_reals(nb::handle value, const char* name) {
  try {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(
        value, nb::arg("dtype") = sizeof(Real) == 4 ? "float32" : "float64", nb::arg("order") = "C");
    return nb::cast<Numpy>(array);
  } catch (const nb::python_error&) {
    throw Error(std::string(name) + ": expected numbers, got " + nb::repr(value).c_str());
  }
}

[[noreturn]] inline void fail_shape(const char* name, const std::string& expected, const Numpy& got) {
  std::string shape;
  for (std::size_t i = 0; i < got.ndim(); ++i) shape += (i ? ", " : "") + std::to_string(got.shape(i));
  throw Error(std::string(name) + ": expected " + expected + ", got an array of shape (" + shape + ")");
}

// How many rows the arguments of a call have together: all the same number, or one for all.
class RowCount {
 public:
  void add(const char* name, bool many, std::int64_t rows) {
    many_ = many_ || many;
    if (!many || rows == 1 || rows == rows_) return;
    if (rows_ != 1)
      throw Error(std::string(name) + ": has " + std::to_string(rows) + " rows, others have " + std::to_string(rows_));
    rows_ = rows;
  }
  bool many() const { return many_; }
  std::int64_t rows() const { return rows_; }

 private:
  bool many_ = false;
  std::int64_t rows_ = 1;
};

// A T per row, or one; T is a number or a struct of three.
template <class T>
class Rows {
  static constexpr bool kNumber = sizeof(T) == sizeof(Real);
  static_assert(kNumber || sizeof(T) == 3 * sizeof(Real));

 public:
  Rows(const Given<T>& given, const char* name, RowCount& count) : numbers_(numpy_reals(given.value, name)) {
    constexpr std::size_t dims = kNumber ? 0 : 1;
    many_ = numbers_.ndim() == dims + 1;
    if (numbers_.ndim() > dims + 1 || numbers_.ndim() < dims || (!kNumber && numbers_.shape(numbers_.ndim() - 1) != 3))
      fail_shape(name, kNumber ? "a number or (N,) of them" : "(3,) or (N, 3) numbers", numbers_);
    count.add(name, many_, size());
  }

  std::int64_t size() const { return many_ ? static_cast<std::int64_t>(numbers_.shape(0)) : 1; }
  const T* data() const { return reinterpret_cast<const T*>(numbers_.data()); }
  const T& operator[](std::int64_t i) const { return data()[size() == 1 ? 0 : i]; }

 private:
  Numpy numbers_;
  bool many_;
};

// Room for the results of a call, as numpy gets it.
class VectorResult {
 public:
  explicit VectorResult(const RowCount& count) : many_(count.many()), rows_(count.rows()), data_(new Real[3 * rows_]) {}
  Vec3* data() const { return reinterpret_cast<Vec3*>(data_); }
  std::int64_t rows() const { return rows_; }
  ~VectorResult() { delete[] data_; }
  VectorResult(const VectorResult&) = delete;
  VectorResult& operator=(const VectorResult&) = delete;

  NumpyResult release() {
    const std::size_t shape[] = {std::size_t(rows_), 3};
    const nb::capsule owner(data_, [](void* data) noexcept { delete[] static_cast<Real*>(data); });
    Real* const data = std::exchange(data_, nullptr);
    return NumpyResult(data, many_ ? 2 : 1, many_ ? shape : shape + 1, owner);
  }

 private:
  bool many_;
  std::int64_t rows_;
  Real* data_;
};

// f(i) for every row; an Error of one of several rows says which one.
template <class Function>
NumpyResult for_rows(const RowCount& count, const Function& f) {
  VectorResult result(count);
  for (std::int64_t i = 0; i < result.rows(); ++i) {
    try {
      result.data()[i] = f(i).vec();
    } catch (const Error& error) {
      if (!count.many()) throw;
      throw Error(std::string(error.what()) + " (row " + std::to_string(i) + ")");
    }
  }
  return result.release();
}

}  // namespace carom::inline CAROM_PRECISION::python
