// The numbers of a mujoco.MjModel, read by the names of its attributes, and the builder that is made of them. The
// Python side is carom/_mujoco.py.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "carom/compiled_mjcf.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

constexpr const char* dtype_of(double) { return "float64"; }
constexpr const char* dtype_of(float) { return "float32"; }
constexpr const char* dtype_of(int) { return "int32"; }

// Reads fields of an MjModel one by one.
class MjModelReader {
 public:
  explicit MjModelReader(nb::handle model)
      : model_(nb::borrow(model)),
        options_(model_.attr("opt")),
        names_(nb::cast<nb::bytes>(model_.attr("names"))),
        to_array_(nb::module_::import_("numpy").attr("ascontiguousarray")) {}

  std::string model_name() const { return names_.c_str(); }

  void read(const MjcfField& field, double& value) const { value = nb::cast<double>(attribute(field)); }
  void read(const MjcfField& field, int& value) const { value = nb::cast<int>(attribute(field)); }

  template <std::size_t N>
  void read(const MjcfField& field, std::array<double, N>& values) const {
    std::vector<double> numbers;
    read(field, numbers);
    if (numbers.size() != N) throw Error(std::string(field.name) + ": expected " + std::to_string(N) + " numbers");
    std::copy(numbers.begin(), numbers.end(), values.begin());
  }

  template <class T>
  void read(const MjcfField& field, std::vector<T>& values) const {
    const auto array = numbers<T>(attribute(field));
    values.assign(array.data(), array.data() + array.size());
  }

  // name_body: where MuJoCo's name_bodyadr says.
  void read(const MjcfField& field, std::vector<std::string>& names) const {
    const auto places = numbers<int>(model_.attr((std::string(field.name) + "adr").c_str()));
    for (std::size_t i = 0; i < places.size(); ++i) names.emplace_back(names_.c_str() + places.data()[i]);
  }

 private:
  template <class T>
  using NumpyOf = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

  template <class T>
  NumpyOf<T> numbers(const nb::object& values) const {
    return nb::cast<NumpyOf<T>>(to_array_(values, nb::arg("dtype") = dtype_of(T())));
  }

  nb::object attribute(const MjcfField& field) const {
    const std::string name = field.name, prefix = "opt.";
    return name.starts_with(prefix) ? options_.attr(name.c_str() + prefix.size()) : model_.attr(field.name);
  }

  nb::object model_, options_;
  nb::bytes names_;
  nb::object to_array_;
};

CompiledMjcf read_mj_model(nb::handle model) {
  const MjModelReader reader(model);
  CompiledMjcf compiled;
  compiled.model_name = reader.model_name();
  visit_mjcf_fields(compiled, [&](const MjcfField& field, auto& values) { reader.read(field, values); });
  return compiled;
}

std::pair<ModelBuilder, std::string> from_mujoco(nb::handle model, bool enable_self_collisions,
                                                 const std::vector<std::string>& ignore,
                                                 const std::vector<std::string>& not_numbers) {
  const CompiledMjcf compiled = read_mj_model(model);
  nb::gil_scoped_release unlocked;
  ImportedMjcf imported = import_mjcf(
      compiled, {.enable_self_collisions = enable_self_collisions, .ignore = ignore, .not_numbers = not_numbers});
  return {std::move(imported.builder), std::move(imported.left_out)};
}

}  // namespace

void bind_from_mujoco(nb::module_& m) {
  m.def("_from_mujoco", &from_mujoco);
  m.def("_mujoco_link_counts", [](nb::handle model) { return mjcf_link_counts(read_mj_model(model)); });
  nb::list fields;
  const CompiledMjcf none;
  visit_mjcf_fields(none, [&](const MjcfField& field, const auto&) { fields.append(field.name); });
  m.attr("_MUJOCO_FIELDS") = fields;
  nb::dict ignorable;
  for (const MjcfIgnorable& entry : mjcf_ignorables()) ignorable[entry.name] = entry.instead;
  m.attr("_MUJOCO_IGNORABLE") = ignorable;
}

}  // namespace carom::inline CAROM_PRECISION::python
