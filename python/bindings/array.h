// The Python class Array: one class over every carom::Array<T>. It is a handle to the same memory; numpy and DLPack
// consumers see that memory without a copy.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "bindings.h"
#include "carom/array.h"
#include "carom/columns.h"

namespace carom::inline CAROM_PRECISION::python {

// The shape of one element as numpy shows it: a Transform is 7 numbers, a Mat33 is 3 x 3.
template <class T>
inline const std::vector<std::size_t> kElementShape = {};
template <>
inline const std::vector<std::size_t> kElementShape<Vec3> = {3};
template <>
inline const std::vector<std::size_t> kElementShape<Quat> = {4};
template <>
inline const std::vector<std::size_t> kElementShape<Transform> = {7};
template <>
inline const std::vector<std::size_t> kElementShape<SpatialVector> = {6};
template <>
inline const std::vector<std::size_t> kElementShape<Mat33> = {3, 3};
template <class Scalar, std::size_t N>
inline const std::vector<std::size_t> kElementShape<std::array<Scalar, N>> = {N};

template <class... More>
using ArraysAnd = std::variant<Array<Real>, Array<int>, Array<Vec3>, Array<Transform>, Array<SpatialVector>,
                               Array<Mat33>, Array<Index2>, Array<Index3>, Array<Index4>, Array<RealN<2>>,
                               Array<RealN<3>>, Array<RealN<4>>, Array<RealN<5>>, Array<RealN<10>>, More...>;
// Sensors are read as floats in either precision.
using AnyArray = std::conditional_t<std::is_same_v<Real, float>, ArraysAnd<>, ArraysAnd<Array<float>>>;

// Who may write to an array of a Model or a ModelBuilder.
struct ModelAccess {
  enum class Rule {
    kFrozen,     // of a model that is not being edited
    kEdited,     // a copy that an edit works on
    kStructure,  // frozen for good
    kDerived,    // worked out from other arrays
    kBuilt,      // of a builder: a copy to look at
  };
  Rule rule;
  const char* name;                    // of the array
  std::shared_ptr<const bool> open{};  // kEdited: whether the edit goes on
};

struct ArrayHandle {
  AnyArray array;
  std::vector<std::size_t> shape;     // rows, then the shape of an element
  std::optional<ModelAccess> access;  // none = anybody may write

  template <class T>
  explicit ArrayHandle(const Array<T>& values, std::optional<ModelAccess> access = {})
      : array(values), shape{std::size_t(values.size())}, access(std::move(access)) {
    shape.insert(shape.end(), kElementShape<T>.begin(), kElementShape<T>.end());
  }

  bool is_writeable() const { return !access || (access->rule == ModelAccess::Rule::kEdited && *access->open); }
  // Throws Error that says why, and what to do, for an array of a Model that cannot be written.
  void check_writeable() const;

  Device device() const {
    return std::visit([](const auto& a) { return a.device(); }, array);
  }
  void* data() const {
    return std::visit([](const auto& a) -> void* { return a.data(); }, array);
  }
};

// The memory as a numpy array: a view for the CPU, a read-only copy for a GPU. `self` is a Python Array.
nb::object numpy_of(nb::handle self);

}  // namespace carom::inline CAROM_PRECISION::python
