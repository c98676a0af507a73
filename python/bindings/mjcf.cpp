// MJCF files: load_mjcf(), ModelBuilder.add_mjcf(), and the compiled numbers by name for the tests.
#include "carom/mjcf.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "builder.h"
#include "model.h"
#include "rows.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

using PathOrText = std::variant<std::string, std::filesystem::path>;

// A string that begins with '<' is the text of a file.
MjcfSource source_of(const PathOrText& given) {
  MjcfSource source;
  if (const auto* path = std::get_if<std::filesystem::path>(&given)) {
    source.path = path->string();
    return source;
  }
  const auto& line = std::get<std::string>(given);
  const std::size_t first = line.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  (first != std::string::npos && line[first] == '<' ? source.text : source.path) = line;
  if (source.path.empty() && source.text.empty()) throw Error("an MJCF file or its text is expected, not nothing");
  return source;
}

void warn(const std::vector<std::string>& lines, const std::string& left_out) {
  std::string message;
  for (const std::string& line : lines) message += (message.empty() ? "" : "\n") + line;
  if (!left_out.empty()) message += (message.empty() ? "" : "\n") + left_out;
  if (!message.empty() && PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

ModelBuilder read_builder(const PathOrText& given, bool enable_self_collisions, const std::vector<std::string>& ignore,
                          const char* who) {
  const MjcfSource source = source_of(given);
  ReadMjcf read;
  ImportedMjcf imported;
  {
    nb::gil_scoped_release unlocked;
    read = read_mjcf(source);
    MjcfArgs args;
    args.enable_self_collisions = enable_self_collisions;
    args.ignore = ignore;
    args.who = who;
    imported = import_mjcf(read.model, args);
  }
  warn(read.warnings, imported.left_out);
  return std::move(imported.builder);
}

void add_mjcf(ModelBuilder& self, const PathOrText& source, const MaybeGiven<Transform>& xform, const Key& key_prefix,
              bool enable_self_collisions, const std::vector<std::string>& ignore) {
  self.add_builder(read_builder(source, enable_self_collisions, ignore, "add_mjcf"),
                   {read(xform, "xform"), key_prefix.text});
}

ModelHandle load_file(const PathOrText& source, bool enable_self_collisions, const std::vector<std::string>& ignore,
                      const std::string& device) {
  const Device target = Device::parse(device);
  ModelBuilder scene;
  scene.add_world(read_builder(source, enable_self_collisions, ignore, "load_mjcf"));
  nb::gil_scoped_release unlocked;
  return ModelHandle{scene.finalize(target)};
}

nb::object to_numpy(const auto& values) {
  using Values = std::decay_t<decltype(values)>;
  if constexpr (std::is_arithmetic_v<Values>) {
    return nb::cast(values);
  } else {
    nb::list list;
    for (const auto& value : values) list.append(value);
    return list;
  }
}

nb::dict fields_of(const PathOrText& given) {
  const ReadMjcf read = read_mjcf(source_of(given));
  nb::dict fields;
  fields["model_name"] = read.model.model_name;
  visit_mjcf_fields(read.model,
                    [&](const MjcfField& field, const auto& values) { fields[field.name] = to_numpy(values); });
  return fields;
}

// A row of a keyframe as an array of its own.
NumpyResult row_of(const std::vector<Real>& values) {
  auto* copy = new std::vector<Real>(values);
  const nb::capsule owner(copy, [](void* data) noexcept { delete static_cast<std::vector<Real>*>(data); });
  return NumpyResult(copy->data(), {copy->size()}, owner);
}

std::vector<Keyframe> keyframes_of(const PathOrText& given) {
  const MjcfSource source = source_of(given);
  nb::gil_scoped_release unlocked;
  return load_keyframes(source);
}

nb::dict custom_of(const PathOrText& given) {
  const MjcfCustom custom = read_mjcf(source_of(given)).custom;
  nb::dict numbers, texts, tuples;
  for (const auto& [name, values] : custom.numbers) numbers[name.c_str()] = values;
  for (const auto& [name, text] : custom.texts) texts[name.c_str()] = text;
  for (const auto& [name, elements] : custom.tuples) {
    nb::list list;
    for (const MjcfTupleElement& element : elements)
      list.append(nb::make_tuple(element.type, element.name, element.number));
    tuples[name.c_str()] = list;
  }
  nb::dict all;
  all["numeric"] = numbers;
  all["text"] = texts;
  all["tuple"] = tuples;
  return all;
}

void bind_keyframe(nb::module_& m) {
  nb::class_<Keyframe>(m, "Keyframe", "A state that an MJCF file names, as State and Control of its model have it.")
      .def_ro("name", &Keyframe::name)
      .def_ro("time", &Keyframe::time, "[s]")
      .def_prop_ro(
          "joint_q", [](const Keyframe& key) { return row_of(key.joint_q); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "joint_qd", [](const Keyframe& key) { return row_of(key.joint_qd); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "act", [](const Keyframe& key) { return row_of(key.act); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "ctrl", [](const Keyframe& key) { return row_of(key.ctrl); }, nb::rv_policy::automatic)
      .def("__repr__", [](const Keyframe& key) { return "<Keyframe '" + key.name + "'>"; });
  m.def(
      "load_keyframes", &keyframes_of, nb::arg("source"),
      "The keyframes of an MJCF file (or its text): `state.joint_q.numpy()[:] = key.joint_q` puts one into a state of "
      "load_mjcf(), and likewise joint_qd, act, and ctrl of a Control. Poses of mocap bodies are among joint_q.");
}

}  // namespace

void bind_builder_mjcf(BuilderClass& cls) {
  cls.def(
      "add_mjcf", &add_mjcf, nb::arg("source"), nb::arg("xform") = nb::none(), nb::arg("key_prefix") = nb::none(),
      nb::arg("enable_self_collisions") = true, nb::arg("ignore") = std::vector<std::string>(),
      "Everything in an MJCF file (or its text, which begins with '<') into the current world, or global outside of "
      "one, placed at xform: what from_mujoco() makes of it, without MuJoCo. What would change the motion and is "
      "not understood is an Error with file, line, element and attribute; other things are a warning.");
}

void bind_mjcf(nb::module_& m) {
  m.def("load_mjcf", &load_file, nb::arg("path"), nb::arg("enable_self_collisions") = true,
        nb::arg("ignore") = std::vector<std::string>(), nb::arg("device") = Device{}.name(),
        "A model with one world, from an MJCF file; see ModelBuilder.add_mjcf().");
  bind_keyframe(m);
  m.def("load_custom", &custom_of, nb::arg("source"),
        "What an MJCF file (or its text) has in <custom>, by name: {'numeric': {name: numbers}, 'text': {name: text}, "
        "'tuple': {name: [(objtype, objname, prm)]}}.");
  m.def("_mjcf_fields", &fields_of);
}

}  // namespace carom::inline CAROM_PRECISION::python
