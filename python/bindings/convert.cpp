// Reading of array-like arguments, through numpy.
#include "convert.h"

#include <nanobind/ndarray.h>

#include <limits>

#include "carom/error.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

nb::object numpy_function(const char* name) { return nb::module_::import_("numpy").attr(name); }

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text;
  for (const std::size_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "one number" : text + " numbers";
}

template <class Scalar>
using Contiguous = nb::ndarray<const Scalar, nb::c_contig, nb::device::cpu>;

template <class Scalar>
Contiguous<Scalar> contiguous(nb::handle value, const char* dtype, const char* name, const std::string& expected) {
  try {
    return nb::cast<Contiguous<Scalar>>(numpy_function("ascontiguousarray")(value, nb::arg("dtype") = dtype));
  } catch (const nb::python_error&) {
    throw Error(std::string(name) + ": expected " + expected + ", got " + nb::repr(value).c_str());
  }
}

template <class Array>
std::vector<std::size_t> shape_of(const Array& array) {
  std::vector<std::size_t> shape(array.ndim());
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = array.shape(i);
  return shape;
}

}  // namespace

void read_numbers(nb::handle value, std::span<const std::size_t> shape, const char* name, Real* out) {
  const auto array = contiguous<double>(value, "float64", name, shape_text(shape));
  const std::vector<std::size_t> given = shape_of(array);
  if (!std::equal(given.begin(), given.end(), shape.begin(), shape.end()))
    throw Error(std::string(name) + ": expected " + shape_text(shape) + ", got " + shape_text(given));
  for (std::size_t i = 0; i < array.size(); ++i) out[i] = Real(array.data()[i]);
}

Numbers read_numbers(nb::handle value, const char* name) {
  const auto array = contiguous<double>(value, "float64", name, "an array of numbers");
  Numbers numbers{std::vector<Real>(array.size()), shape_of(array)};
  for (std::size_t i = 0; i < array.size(); ++i) numbers.values[i] = Real(array.data()[i]);
  return numbers;
}

std::vector<int> read_integers(nb::handle value, const char* name) {
  nb::object array = numpy_function("asarray")(value);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool empty = nb::cast<std::size_t>(array.attr("size")) == 0;
  if (!empty && kind != "i" && kind != "u") throw Error(std::string(name) + ": expected an array of integers");
  const auto wide = contiguous<std::int64_t>(array, "int64", name, "an array of integers");
  std::vector<int> integers(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::int64_t number = wide.data()[i];
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
      throw Error(std::string(name) + ": " + std::to_string(number) + " does not fit 32 bits");
    integers[i] = int(number);
  }
  return integers;
}

std::vector<std::uint8_t> read_mask(nb::handle mask) {
  if (mask.is_none()) return {};
  nb::object array = numpy_function("asarray")(mask);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  // A list of world numbers would be read as a mask silently if integers were let through.
  if (kind != "b" || nb::cast<int>(array.attr("ndim")) != 1)
    throw Error("mask: expected a bool per world (and one more for the global entities, if wanted), or None for all");
  if (nb::cast<std::size_t>(array.attr("size")) == 0) throw Error("mask: is empty; pass None for all worlds");
  const auto bytes = contiguous<std::uint8_t>(array, "uint8", "mask", "a bool per world");
  return {bytes.data(), bytes.data() + bytes.size()};
}

}  // namespace carom::inline CAROM_PRECISION::python
