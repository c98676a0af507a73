// MJCF files: load_mjcf(), ModelBuilder.add_mjcf(), and the compiled numbers by name for the tests.
#include "carom/mjcf.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "builder.h"
#include "config_fields.h"
#include "model.h"
#include "model_source.h"
#include "rows.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// What add_mjcf() and load_mjcf() are told about a file, beside where it is.
struct FileArgs {
  bool enable_self_collisions;
  int collision_group;
  std::vector<std::string> ignore;
  std::optional<bool> floating;
  double density;
  std::filesystem::path root;
  MjcfLimits limits;
};

MjcfSource source_of(const PathOrText& given, const std::filesystem::path& root = {}, const MjcfLimits& limits = {}) {
  auto source = source_of_file<MjcfSource>(given, "an MJCF file");
  source.root = root.string();
  source.limits = limits;
  return source;
}

void add_file(ModelBuilder& into, const PathOrText& given, const FileArgs& with, const char* who,
              const AddArgs& place = {}) {
  MjcfSource source = source_of(given, with.root, with.limits);
  source.floating = with.floating;
  source.density = with.density;
  MjcfArgs args;
  args.enable_self_collisions = with.enable_self_collisions;
  args.collision_group = with.collision_group;
  args.ignore = with.ignore;
  args.who = who;
  std::vector<std::string> warnings;
  {
    nb::gil_scoped_release unlocked;
    warnings = carom::add_mjcf(into, source, args, place);
  }
  warn_python(warnings);
}

void add_mjcf(ModelBuilder& self, const PathOrText& source, const MaybeGiven<Transform>& xform, const Key& key_prefix,
              bool enable_self_collisions, const std::vector<std::string>& ignore, int collision_group,
              std::optional<bool> floating, double density, const std::filesystem::path& root,
              const MjcfLimits& limits) {
  add_file(self, source, {enable_self_collisions, collision_group, ignore, floating, density, root, limits}, "add_mjcf",
           {read(xform, "xform"), key_prefix.text});
}

ModelHandle load_file(const PathOrText& source, bool enable_self_collisions, const std::vector<std::string>& ignore,
                      const std::string& device, int collision_group, std::optional<bool> floating, double density,
                      const std::filesystem::path& root, const MjcfLimits& limits) {
  const Device target = Device::parse(device);
  ModelBuilder file, scene;
  add_file(file, source, {enable_self_collisions, collision_group, ignore, floating, density, root, limits},
           "load_mjcf");
  nb::gil_scoped_release unlocked;
  scene.add_world(file);
  return ModelHandle{scene.finalize(target)};
}

void bind_limits(nb::module_& m) {
  using L = MjcfLimits;
  bind_config_class<L>(
      m, "MjcfLimits", "What an MJCF file may ask for, so that hostile ones end soon and with an Error.",
      Field<L, std::size_t>{"bytes", &L::bytes, "Of all files together."},
      Field<L, int>{"depth", &L::depth, "Of elements inside elements."},
      Field<L, int>{"elements", &L::elements, "After includes, replicates and attachments."},
      Field<L, int>{"files", &L::files, "That are included or attached."},
      Field<L, std::int64_t>{"numbers", &L::numbers, "That few words ask for: heights, samples of delays."},
      Field<L, std::int64_t>{"steps", &L::steps, "Of bodies and degrees of freedom, to find lengths of muscles."});
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
  ReadMjcf read = read_mjcf(source_of(given));
  find_length_ranges(read);
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

std::vector<Keyframe> keyframes_of(const PathOrText& given, const std::filesystem::path& root,
                                   const MjcfLimits& limits) {
  const MjcfSource source = source_of(given, root, limits);
  nb::gil_scoped_release unlocked;
  return load_keyframes(source);
}

nb::dict custom_of(const PathOrText& given, const std::filesystem::path& root, const MjcfLimits& limits) {
  const MjcfCustom custom = read_mjcf(source_of(given, root, limits)).custom;
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
      "load_keyframes", &keyframes_of, nb::arg("source"), nb::arg("root") = "", nb::arg("limits") = MjcfLimits{},
      "The keyframes of an MJCF file (or its text): `state.joint_q.numpy()[:] = key.joint_q` puts one into a state of "
      "load_mjcf(), and likewise joint_qd, act, and ctrl of a Control. Poses of mocap bodies are among joint_q.");
}

}  // namespace

void bind_builder_mjcf(nb::module_& m, BuilderClass& cls) {
  bind_limits(m);
  cls.def(
      "add_mjcf", &add_mjcf, nb::arg("source"), nb::arg("xform") = nb::none(), nb::arg("key_prefix") = nb::none(),
      nb::arg("enable_self_collisions") = true, nb::arg("ignore") = std::vector<std::string>(),
      nb::arg("collision_group") = 1, nb::arg("floating") = nb::none(), nb::arg("density") = MjcfSource{}.density,
      nb::arg("root") = "", nb::arg("limits") = MjcfLimits{},
      "Everything in an MJCF file (or its text, which begins with '<') into the current world, or global outside of "
      "one, placed at xform: what from_mujoco() makes of it, without MuJoCo. What would change the motion and is "
      "not understood is an Error with file, line, element and attribute; other things are a warning. "
      "enable_self_collisions=False: geoms of moving bodies touch only what stands still. ignore: names out of "
      "carom.mujoco.IGNORABLE. collision_group: of all shapes. floating: children of the world without joints are free "
      "(True), or free ones stand still (False). density: of geoms for which the file gives neither density nor mass. "
      "root: a folder outside of which no file is read.");
}

void bind_mjcf(nb::module_& m) {
  m.def("load_mjcf", &load_file, nb::arg("path"), nb::arg("enable_self_collisions") = true,
        nb::arg("ignore") = std::vector<std::string>(), nb::arg("device") = Device{}.name(),
        nb::arg("collision_group") = 1, nb::arg("floating") = nb::none(), nb::arg("density") = MjcfSource{}.density,
        nb::arg("root") = "", nb::arg("limits") = MjcfLimits{},
        "A model with one world, from an MJCF file; see ModelBuilder.add_mjcf().");
  bind_keyframe(m);
  m.def("load_custom", &custom_of, nb::arg("source"), nb::arg("root") = "", nb::arg("limits") = MjcfLimits{},
        "What an MJCF file (or its text) has in <custom>, by name: {'numeric': {name: numbers}, 'text': {name: text}, "
        "'tuple': {name: [(objtype, objname, prm)]}}.");
  m.def("_mjcf_fields", &fields_of);
}

}  // namespace carom::inline CAROM_PRECISION::python
