// Array: indexing, numpy views, DLPack.
#include "array.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "carom/error.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

bool holds_integers(const ArrayHandle& handle) {
  return std::holds_alternative<Array<int>>(handle.array) || std::holds_alternative<Array<Index2>>(handle.array) ||
         std::holds_alternative<Array<Index3>>(handle.array) || std::holds_alternative<Array<Index4>>(handle.array);
}

nb::dlpack::dtype number_type(const ArrayHandle& handle) {
  if (holds_integers(handle)) return nb::dtype<std::int32_t>();
  return std::holds_alternative<Array<float>>(handle.array) ? nb::dtype<float>() : nb::dtype<Real>();
}

ArrayHandle copy_to(const ArrayHandle& handle, Device device) {
  ArrayHandle copy = handle;
  copy.array = std::visit([&](const auto& a) -> AnyArray { return a.to(device); }, handle.array);
  copy.access.reset();
  return copy;
}

// The memory of `owner`, a Python Array, for the consumer that Format stands for.
template <class... Format>
nb::object export_memory(const ArrayHandle& handle, nb::handle owner) {
  const Device device = handle.device();
  return nb::cast(nb::ndarray<Format...>(
      handle.data(), handle.shape.size(), handle.shape.data(), owner, nullptr, number_type(handle),
      device.is_cpu() ? nb::device::cpu::value : nb::device::cuda::value, device.index));
}

nb::object numpy_module() { return nb::module_::import_("numpy"); }

nb::tuple shape_tuple(const ArrayHandle& handle) {
  nb::list extents;
  for (const std::size_t extent : handle.shape) extents.append(extent);
  return nb::tuple(extents);
}

nb::object dtype_of(const ArrayHandle& handle) {
  const nb::dlpack::dtype type = number_type(handle);
  return numpy_module().attr("dtype")(holds_integers(handle) ? "int32" : type.bits == 32 ? "float32" : "float64");
}

nb::object as_array(nb::handle self, nb::handle dtype, nb::handle copy) {
  nb::object view = numpy_of(self);
  if (!dtype.is_none()) view = view.attr("astype")(dtype, nb::arg("copy") = false);
  if (!copy.is_none() && nb::cast<bool>(copy)) view = view.attr("copy")();
  return view;
}

// Of arrays of one type and size, wherever they are.
void copy_numbers(const ArrayHandle& from, const ArrayHandle& to) {
  std::visit([&](const auto& a) { a.assign(std::get<std::decay_t<decltype(a)>>(from.array)); }, to.array);
}

// Rewrites the whole array on a GPU, where there is no view to write through.
void set_item(nb::handle self, nb::handle index, nb::handle value) {
  ArrayHandle& handle = nb::cast<ArrayHandle&>(self);
  handle.check_writeable();
  if (handle.device().is_cpu()) {
    numpy_of(self)[index] = nb::borrow(value);
    return;
  }
  ArrayHandle host = copy_to(handle, Device{});
  nb::object host_object = nb::cast(host);
  numpy_of(host_object)[index] = nb::borrow(value);
  copy_numbers(host, handle);
}

// Memory of an array's type and shape on the CPU.
ArrayHandle host_like(const ArrayHandle& handle) {
  ArrayHandle host = handle;
  host.array =
      std::visit([](const auto& a) -> AnyArray { return std::decay_t<decltype(a)>(a.size(), Device{}); }, handle.array);
  host.access.reset();
  return host;
}

// From another Array straight into this one: between arrays of one GPU nothing passes through the host.
void assign(nb::handle self, nb::handle values) {
  ArrayHandle& handle = nb::cast<ArrayHandle&>(self);
  handle.check_writeable();
  const ArrayHandle* const other = nb::isinstance<ArrayHandle>(values) ? &nb::cast<ArrayHandle&>(values) : nullptr;
  if (other && other->shape == handle.shape && other->array.index() == handle.array.index())
    return copy_numbers(*other, handle);
  nb::object source = numpy_module().attr("asarray")(values);
  const nb::object shape = shape_tuple(handle), given = source.attr("shape");
  if (!shape.equal(given))
    throw Error("assign: the array has shape " + std::string(nb::str(shape).c_str()) + " and the values have shape " +
                nb::str(given).c_str() + "; they must be the same");
  if (handle.device().is_cpu()) return set_item(self, nb::ellipsis(), source);
  nb::object host = nb::cast(host_like(handle));
  numpy_of(host)[nb::ellipsis()] = source;
  copy_numbers(nb::cast<ArrayHandle&>(host), handle);
}

// A frozen array leaves as a copy, since there are consumers that write whatever the flags say. copy=False is a wish
// for the memory itself: it goes, read-only, to consumers that know the flag (DLPack 1).
nb::object dlpack(nb::handle self, nb::handle stream, nb::handle max_version, nb::handle dl_device, nb::handle copy) {
  nb::object owner = nb::borrow(self);
  const ArrayHandle& original = nb::cast<const ArrayHandle&>(self);
  const bool as_it_is = !copy.is_none() && !nb::cast<bool>(copy);
  const bool knows_flags = !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1;
  if (as_it_is && !original.is_writeable() && !knows_flags)
    throw nb::buffer_error("this array of a Model is read-only, which DLPack before version 1 cannot say; take a copy");
  if (!as_it_is && (!copy.is_none() || !original.is_writeable()))
    owner = nb::cast(copy_to(original, original.device()));
  const ArrayHandle& handle = nb::cast<const ArrayHandle&>(owner);
  // The consumer's stream knows nothing of carom's: wait for what was sent so far.
  if (!handle.device().is_cpu()) default_queue(handle.device()).finish();
  nb::object memory = handle.is_writeable() ? export_memory<nb::array_api>(handle, owner)
                                            : export_memory<nb::array_api, nb::ro>(handle, owner);
  return memory.attr("__dlpack__")(nb::arg("stream") = stream, nb::arg("max_version") = max_version,
                                   nb::arg("dl_device") = dl_device);
}

nb::tuple dlpack_device(const ArrayHandle& handle) {
  const Device device = handle.device();
  return nb::make_tuple(device.is_cpu() ? nb::device::cpu::value : nb::device::cuda::value, device.index);
}

std::string repr(const ArrayHandle& handle) {
  return std::string("Array(shape=") + nb::str(shape_tuple(handle)).c_str() +
         ", dtype=" + nb::str(dtype_of(handle)).c_str() + ", device='" + handle.device().name() + "')";
}

}  // namespace

void ArrayHandle::check_writeable() const {
  if (is_writeable()) return;
  const std::string name = access->name;
  switch (access->rule) {
    case ModelAccess::Rule::kFrozen:
      throw Error(name + " belongs to a Model, which is frozen; inside `with model.edit():` write to model." + name);
    case ModelAccess::Rule::kEdited:
      throw Error("this " + name + " belongs to an edit that has ended; write to model." + name + " in a new one");
    case ModelAccess::Rule::kStructure:
      throw Error(name + " is structure, which finalize() froze; build another model with a ModelBuilder");
    case ModelAccess::Rule::kDerived:
      throw Error(name + " is worked out from other arrays; inside `with model.edit():` write to those");
    case ModelAccess::Rule::kBuilt:
      throw Error(name + " shows what the builder holds; call its methods, or edit the model that it makes");
  }
}

nb::object numpy_of(nb::handle self) {
  const ArrayHandle& handle = nb::cast<const ArrayHandle&>(self);
  if (!handle.device().is_cpu()) {
    nb::object host = nb::cast(copy_to(handle, Device{}));
    return export_memory<nb::numpy, nb::ro>(nb::cast<const ArrayHandle&>(host), host);
  }
  return handle.is_writeable() ? export_memory<nb::numpy>(handle, self)
                               : export_memory<nb::numpy, nb::ro>(handle, self);
}

void bind_array(nb::module_& m) {
  m.def("cuda_device_count", &cuda_device_count, "Number of usable CUDA devices: 0 without CUDA.");

  nb::class_<ArrayHandle>(
      m, "Array",
      "Typed memory on a device, one row per entity. Indexing and slicing work as in numpy and write "
      "through; numpy() and DLPack show the same memory without a copy. The arrays of a Model are "
      "read-only outside of `with model.edit():`, and DLPack gives copies of them.")
      .def("numpy", &numpy_of, nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
           "The memory as a numpy array: a view on the CPU, a read-only copy of an array on a GPU.")
      .def("assign", &assign, nb::arg("values"), nb::sig("def assign(self, values: numpy.typing.ArrayLike) -> None"),
           "Copies values of the same shape.")
      .def(
          "clone", [](const ArrayHandle& self) { return copy_to(self, self.device()); },
          "An own copy on the same device.")
      .def(
          "to", [](const ArrayHandle& self, const std::string& device) { return copy_to(self, Device::parse(device)); },
          nb::arg("device"), "An own copy on another device: \"cpu\", \"cuda\", \"cuda:1\".")
      .def_prop_ro("shape", &shape_tuple, nb::sig("def shape(self) -> tuple[int, ...]"),
                   "Rows, then the shape of one element.")
      .def_prop_ro("dtype", &dtype_of, nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "Type of the numbers.")
      .def_prop_ro(
          "device", [](const ArrayHandle& self) { return self.device().name(); }, "Where the memory is.")
      .def_prop_ro("writeable", &ArrayHandle::is_writeable, "False for the arrays of a Model that is not being edited.")
      .def("__len__", [](const ArrayHandle& self) { return self.shape[0]; })
      .def(
          "__iter__", [](nb::handle self) { return nb::iter(numpy_of(self)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Any]"))
      .def(
          "__getitem__", [](nb::handle self, nb::handle index) { return nb::object(numpy_of(self)[index]); },
          nb::sig("def __getitem__(self, index: typing.Any) -> typing.Any"))
      .def("__setitem__", &set_item, nb::sig("def __setitem__(self, index: typing.Any, value: typing.Any) -> None"))
      .def("__array__", &as_array, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
                   "numpy.typing.NDArray[typing.Any]"))
      .def("__dlpack__", &dlpack, nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
           nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
           nb::sig("def __dlpack__(self, *, stream: typing.Any = None, max_version: tuple[int, int] | None = None, "
                   "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any"))
      .def("__dlpack_device__", &dlpack_device, nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__repr__", &repr)
      .def("__str__", [](nb::handle self) { return nb::str(numpy_of(self)); });
}

}  // namespace carom::inline CAROM_PRECISION::python
