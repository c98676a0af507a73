// Numbers of joints that functions read and fill: an Array or a numpy array.
#pragma once

#include <nanobind/ndarray.h>

#include <string>

#include "carom/error.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {

// numpy arrays of the right type, one dimension and no gaps; nothing is converted.
template <class Scalar>
using NumpyRow = nb::ndarray<Scalar, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Scalar>
NumpyRow<Scalar> numpy_row(nb::handle value, const char* name) {
  NumpyRow<Scalar> row;
  if (!nb::try_cast(value, row, false))
    throw Error(std::string(name) + ": expected an Array, or a contiguous numpy array of one dimension and type " +
                (sizeof(Real) == 4 ? "float32" : "float64") + (std::is_const_v<Scalar> ? "" : " that can be written"));
  return row;
}

inline Array<Real> array_of_numbers(const ArrayHandle& handle, const char* name) {
  if (const auto* array = std::get_if<Array<Real>>(&handle.array)) return *array;
  throw Error(std::string(name) + ": expected an array with one number per row");
}

// The numbers of a numpy array where they are; the caller's argument keeps them alive for the length of the call.
template <class Scalar>
Array<Real> view_of(const NumpyRow<Scalar>& row) {
  return Array<Real>(nullptr, const_cast<Real*>(row.data()), static_cast<std::int64_t>(row.size()));
}

// Numbers of joints that a function reads: no copy, except to a GPU.
inline Array<Real> joint_input(nb::handle value, const Model& model, const char* name) {
  if (nb::isinstance<ArrayHandle>(value)) return array_of_numbers(nb::cast<const ArrayHandle&>(value), name);
  const Array<Real> view = view_of(numpy_row<const Real>(value, name));
  return model.device.is_cpu() ? view : view.to(model.device);
}

// Numbers of joints that a function fills; worlds that it leaves out keep their values.
class JointOutput {
 public:
  JointOutput(nb::handle value, const Model& model, const char* name) : array_(joint_input(value, model, name)) {
    if (nb::isinstance<ArrayHandle>(value)) nb::cast<const ArrayHandle&>(value).check_writeable();
    else row_ = numpy_row<Real>(value, name);
  }
  const Array<Real>& array() const { return array_; }
  void store() const {
    if (row_.is_valid() && !array_.device().is_cpu()) view_of(row_).assign(array_);
  }

 private:
  Array<Real> array_;
  NumpyRow<Real> row_;
};

}  // namespace carom::inline CAROM_PRECISION::python
