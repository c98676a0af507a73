// ModelBuilder: defaults, worlds, finalize, and reading back what was added.
#include "builder.h"

#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

void def_number(BuilderClass& cls, const char* name, Real ModelBuilder::*number, const char* doc) {
  cls.def_prop_rw(
      name, [number](const ModelBuilder& self) { return shortest(self.*number); },
      [number](ModelBuilder& self, Real value) { self.*number = value; }, nb::for_setter(nb::arg("value")), doc);
}

void def_defaults(BuilderClass& cls) {
  def_number(cls, "default_particle_radius", &ModelBuilder::default_particle_radius, "[m]");
  def_number(cls, "rigid_contact_margin", &ModelBuilder::rigid_contact_margin,
             "contact_margin of shapes that set none; read by finalize() [m].");
  cls.def_rw("default_shape_cfg", &ModelBuilder::default_shape_cfg, "Of shapes added without cfg.")
      .def_rw("default_joint_cfg", &ModelBuilder::default_joint_cfg, "Of the joint numbers that are not given.")
      .def_rw("default_tri", &ModelBuilder::default_tri, "Of the triangle numbers that are not given.")
      .def_rw("default_edge", &ModelBuilder::default_edge, "Of the edge numbers that are not given.")
      .def_rw("default_spring", &ModelBuilder::default_spring, "Of the spring numbers that are not given.")
      .def_rw("default_tet", &ModelBuilder::default_tet, "Of the tetrahedron numbers that are not given.")
      .def_prop_rw(
          "gravity", [](const ModelBuilder& self) { return self.gravity; },
          [](ModelBuilder& self, const Given<Vec3>& gravity) { self.gravity = read(gravity, "gravity"); },
          nb::for_setter(nb::arg("value")),
          "Of worlds begun from here on, and of global entities [m/s^2]. Where it is not 9.81 downwards it travels "
          "with "
          "this builder into the worlds that are made of it.")
      .def_rw("options", &ModelBuilder::options,
              "How the model is stepped. A builder with options other than the defaults gives them to the one that it "
              "is added to; two that differ cannot be put together.");
}

int begin_world(ModelBuilder& self, const Key& key, const MaybeGiven<Vec3>& gravity) {
  std::optional<Vec3> own_gravity;
  if (gravity) own_gravity = read(*gravity, "gravity");
  return self.begin_world(key.text, own_gravity);
}

int add_world(ModelBuilder& self, const ModelBuilder& builder, const MaybeGiven<Transform>& xform,
              const Key& key_prefix, const Key& key) {
  return self.add_world(builder, {read(xform, "xform"), key_prefix.text}, key.text);
}

void add_builder(ModelBuilder& self, const ModelBuilder& builder, const MaybeGiven<Transform>& xform,
                 const Key& key_prefix) {
  self.add_builder(builder, {read(xform, "xform"), key_prefix.text});
}

void replicate(ModelBuilder& self, const ModelBuilder& builder, int count, const Given<Vec3>& spacing) {
  const Vec3 step = read(spacing, "spacing");
  nb::gil_scoped_release unlocked;
  self.replicate(builder, count, step);
}

ModelHandle finalize(const ModelBuilder& self, const std::string& device) {
  const Device target = Device::parse(device);
  nb::gil_scoped_release unlocked;
  return ModelHandle{self.finalize(target)};
}

void def_worlds(BuilderClass& cls) {
  cls.def("begin_world", &begin_world, nb::arg("key") = nb::none(), nb::arg("gravity") = nb::none(),
          "Opens a world: what is added until end_world() belongs to it. gravity [m/s^2]; None: the builder's. "
          "Returns the world's number.")
      .def("end_world", &ModelBuilder::end_world, "Closes the world.")
      .def("add_world", &add_world, nb::arg("builder"), nb::arg("xform") = nb::none(),
           nb::arg("key_prefix") = nb::none(), nb::arg("key") = nb::none(),
           "A new world with a copy of everything in another builder, placed at xform. Returns the world's number.")
      .def("add_builder", &add_builder, nb::arg("builder"), nb::arg("xform") = nb::none(),
           nb::arg("key_prefix") = nb::none(),
           "A copy of everything in another builder into the current world, or global outside of one.")
      .def("replicate", &replicate, nb::arg("builder"), nb::arg("count"), nb::arg("spacing") = Vec3{},
           "`count` worlds, each a copy of another builder, placed in a grid with this spacing [m].")
      .def_prop_ro("current_world", &ModelBuilder::current_world, "The open world, -1 outside of one.")
      .def_prop_ro("world_count", &ModelBuilder::world_count, "Number of worlds.")
      .def_prop_ro(
          "up_axis", [](const ModelBuilder& self) { return axis_name(self.up_axis()); },
          "\"X\", \"Y\" or \"Z\"; only builders with the same one can be put together.")
      .def("finalize", &finalize, nb::arg("device") = Device{}.name(), "Freezes everything into a Model.");
}

void def_columns(BuilderClass& cls) {
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (info.refers == Refers::kKey || info.refers == Refers::kText) return;
    cls.def_prop_ro(
        info.name,
        [name = info.name, get](const ModelBuilder& self) {
          return ArrayHandle(Array(std::span(get(self.columns()))), ModelAccess{ModelAccess::Rule::kBuilt, name});
        },
        info.doc);
  });
}

void def_custom(BuilderClass& cls) {
  cls.def(
         "custom_attributes",
         [](const ModelBuilder& self, const std::string& entity) {
           return custom_attributes(
               entity, [&](Entity kind) { return self.count(kind); },
               [&](Entity kind, int row) { return self.custom(kind, row); });
         },
         nb::arg("entity"), nb::sig("def custom_attributes(self, entity: str) -> dict[str, list[typing.Any]]"),
         kCustomAttributesDoc)
      .def(
          "set_custom_attributes",
          [](ModelBuilder& self, const std::string& entity, int index, const nb::dict& values) {
            std::string json;
            if (!values.empty())
              json = nb::cast<std::string>(
                  nb::module_::import_("json").attr("dumps")(values, nb::arg("sort_keys") = true));
            self.set_custom(custom_entity(entity), index, json);
          },
          nb::arg("entity"), nb::arg("index"), nb::arg("values"),
          nb::sig("def set_custom_attributes(self, entity: str, index: int, values: dict[str, typing.Any]) -> None"),
          "Gives a body, shape, joint or articulation properties that no solver reads: names with numbers, texts or "
          "lists of them. They travel with it into copies, models and model files.");
}

void def_counts_and_keys(BuilderClass& cls) {
  for (const CountName& count : kCountNames)
    cls.def_prop_ro(
        count.name, [entity = count.entity](const ModelBuilder& self) { return self.count(entity); }, count.doc);
  visit_key_names([&](const std::string& name, Entity entity) {
    cls.def_prop_ro(
        name.c_str(),
        [entity](const ModelBuilder& self) {
          std::vector<std::string> keys(self.count(entity));
          for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = self.key(entity, int(i));
          return keys;
        },
        "Names, one per row.");
  });
}

}  // namespace

void bind_builder(nb::module_& m) {
  BuilderClass cls(m, "ModelBuilder",
                   "Describes worlds entity by entity; finalize() freezes them into a Model. Entities added between "
                   "begin_world() and end_world() belong to that world, others are global (world -1). Its arrays are "
                   "read-only copies of what was added so far.");
  cls.def(
      "__init__",
      [](ModelBuilder* self, const std::string& up_axis, const MaybeGiven<Vec3>& gravity) {
        std::optional<Vec3> own_gravity;
        if (gravity) own_gravity = read(*gravity, "gravity");
        new (self) ModelBuilder(parse_axis(up_axis), own_gravity);
      },
      nb::arg("up_axis") = axis_name(Axis::kZ), nb::arg("gravity") = nb::none(),
      "up_axis: \"X\", \"Y\" or \"Z\". gravity: a vector [m/s^2], None = 9.81 downwards.");
  cls.attr("ShapeConfig") = m.attr("ShapeConfig");
  cls.attr("JointDofConfig") = m.attr("JointDofConfig");
  def_defaults(cls);
  def_worlds(cls);
  def_custom(cls);
  bind_builder_bodies(cls);
  bind_builder_shapes(cls);
  bind_builder_actuation(m, cls);
  bind_builder_sensors(cls);
  bind_builder_particles(cls);
  bind_builder_mjcf(m, cls);
  bind_builder_usd(m, cls);
  bind_builder_urdf(m, cls);
  def_counts_and_keys(cls);
  def_columns(cls);
}

}  // namespace carom::inline CAROM_PRECISION::python
