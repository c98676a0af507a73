// Model: its arrays as read-only properties, keys, lookup, worlds, editing, files.
#include "model.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "carom/error.h"
#include "carom/mjcf.h"
#include "carom/urdf.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// One world's part of the columns of a Model, which the Python object keeps alive.
struct WorldHandle {
  const ModelHandle* model;
  int world;

  template <class T>
  Array<T> part(const Array<T>& column, Entity entity) const {
    const std::vector<int>& start = model->model.layout->start[static_cast<int>(entity)];
    return column.slice(start[world], start[world + 1]);
  }
};

struct EditHandle {
  nb::object model;
};

std::string write_mjcf(const ModelHandle& self, const std::optional<std::filesystem::path>& path,
                       std::optional<int> world) {
  if (path) save_mjcf(self.model, path->string(), world.value_or(-1));
  return to_mjcf(self.model, world.value_or(-1));
}

std::pair<std::string, std::vector<std::string>> write_urdf(const ModelHandle& self,
                                                            const std::optional<std::filesystem::path>& path,
                                                            std::optional<int> world) {
  if (path) save_urdf(self.model, path->string(), world.value_or(-1));
  const std::string folder = path ? path->stem().string() + "_meshes" : "meshes";
  WrittenUrdf written = to_urdf(self.model, world.value_or(-1), folder);
  return {std::move(written.text), std::move(written.lost)};
}

// Calls def(info, read) for every column that is shown; read(ModelHandle, WorldHandle or nullptr) -> ArrayHandle.
template <class Def>
void visit_shown_columns(Def def) {
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (info.refers == Refers::kKey || info.refers == Refers::kText) return;  // shown as lists of names instead
    def(info, [info, get](const ModelHandle& model, const WorldHandle* world) {
      const auto& column = get(model.columns());
      const ModelAccess access = model.access(info.name, info.rule == Rule::kStructure);
      return ArrayHandle(world ? world->part(column, info.entity) : column, access);
    });
  });
}

void def_columns(nb::class_<ModelHandle>& cls) {
  visit_shown_columns([&](const ColumnInfo& info, auto read) {
    cls.def_prop_ro(
        info.name, [read](const ModelHandle& self) { return read(self, nullptr); }, info.doc);
  });
}

void def_columns(nb::class_<WorldHandle>& cls) {
  visit_shown_columns([&](const ColumnInfo& info, auto read) {
    cls.def_prop_ro(
        info.name, [read](const WorldHandle& self) { return read(*self.model, &self); }, info.doc);
  });
}

// The arrays that finalize() works out, and again the end of an edit. They are never written through Python.
struct DerivedArray {
  const char* name;
  ArrayHandle (*read)(const Model&);
  const char* doc;
};

#define CAROM_DERIVED(name, doc)                                                                                    \
  DerivedArray {                                                                                                    \
#name, [](const Model& m) { return ArrayHandle(m.name, ModelAccess{ModelAccess::Rule::kDerived, #name}); }, doc \
  }
constexpr const char* kStartDoc = "first row of each world, then of the globals at the back, then the total";
const DerivedArray kDerivedArrays[] = {
    CAROM_DERIVED(particle_world_start, kStartDoc),
    CAROM_DERIVED(body_world_start, kStartDoc),
    CAROM_DERIVED(shape_world_start, kStartDoc),
    CAROM_DERIVED(contact_pair_world_start, kStartDoc),
    CAROM_DERIVED(joint_world_start, kStartDoc),
    CAROM_DERIVED(articulation_world_start, kStartDoc),
    CAROM_DERIVED(equality_constraint_world_start, kStartDoc),
    CAROM_DERIVED(spring_world_start, kStartDoc),
    CAROM_DERIVED(tri_world_start, kStartDoc),
    CAROM_DERIVED(edge_world_start, kStartDoc),
    CAROM_DERIVED(tet_world_start, kStartDoc),
    CAROM_DERIVED(tendon_world_start, kStartDoc),
    CAROM_DERIVED(tendon_joint_world_start, kStartDoc),
    CAROM_DERIVED(tendon_point_world_start, kStartDoc),
    CAROM_DERIVED(actuator_world_start, kStartDoc),
    CAROM_DERIVED(controller_world_start, kStartDoc),
    CAROM_DERIVED(ctrl_world_start, kStartDoc),
    CAROM_DERIVED(act_world_start, kStartDoc),
    CAROM_DERIVED(ctrl_history_world_start, kStartDoc),
    CAROM_DERIVED(sensor_world_start, kStartDoc),
    CAROM_DERIVED(sensor_memory_world_start, kStartDoc),
    CAROM_DERIVED(joint_dof_world_start, kStartDoc),
    CAROM_DERIVED(joint_coord_world_start, kStartDoc),
    CAROM_DERIVED(joint_constraint_world_start, kStartDoc),
    CAROM_DERIVED(body_inv_mass, "inverse mass [1/kg], 0 for kinematic and massless bodies"),
    CAROM_DERIVED(body_inv_inertia, "inverse inertia, body axes [1/(kg m^2)]"),
    CAROM_DERIVED(shape_collision_radius, "bounding radius about the shape's origin [m]"),
    CAROM_DERIVED(shape_collision_aabb_lower, "lower corner of the bounds in the shape's frame [m]"),
    CAROM_DERIVED(shape_collision_aabb_upper, "upper corner of the bounds in the shape's frame [m]"),
    CAROM_DERIVED(body_joint, "joint that moves the body, -1 = none"),
    CAROM_DERIVED(joint_q_start, "first coordinate of each joint, then the total"),
    CAROM_DERIVED(joint_qd_start, "first degree of freedom of each joint, then the total"),
    CAROM_DERIVED(actuator_ctrl_start, "first number of each actuator in control.ctrl, then the total"),
    CAROM_DERIVED(actuator_act_start, "first number of each actuator in state.act, then the total"),
    CAROM_DERIVED(actuator_history_start, "first number of each actuator in state.ctrl_history, then the total"),
    CAROM_DERIVED(sensor_memory_start, "first number of each sensor in state.sensor_memory, then the total"),
    CAROM_DERIVED(joint_X_c_inv, "inverse of joint_X_c [m, quaternion xyzw]"),
    CAROM_DERIVED(articulation_start, "first joint of each articulation"),
    CAROM_DERIVED(articulation_end, "one past the last joint of each articulation"),
};
#undef CAROM_DERIVED

// What an edit may change beside the columns.
void def_other_numbers(nb::class_<ModelHandle>& cls) {
  cls.def_prop_ro(
         "gravity",
         [](const ModelHandle& self) {
           return ArrayHandle(self.edit ? self.edit->edit.numbers.gravity : self.model.gravity,
                              self.access("gravity", false));
         },
         "gravity of each world, then of the globals [m/s^2]; see set_gravity()")
      .def_prop_ro(
          "shape_collision_filter_pairs",
          [](const ModelHandle& self) {
            return ArrayHandle(self.edit ? self.edit->edit.numbers.shape_collision_filter_pairs
                                         : self.model.shape_collision_filter_pairs,
                               self.access("shape_collision_filter_pairs", false));
          },
          "pairs of shapes that never touch; an edit may name others, their number stays");
}

void def_counts(nb::class_<ModelHandle>& cls) {
  for (const CountName& count : kCountNames)
    cls.def_prop_ro(
        count.name,
        [entity = count.entity](const ModelHandle& self) { return self.model.layout->start[int(entity)].back(); },
        count.doc);
  cls.def_prop_ro(
      "act_count", [](const ModelHandle& self) { return self.model.act_count; }, "Numbers of State.act.");
  cls.def_prop_ro(
      "ctrl_history_count", [](const ModelHandle& self) { return self.model.ctrl_history_count; },
      "Numbers of State.ctrl_history.");
  cls.def_prop_ro(
      "sensor_memory_count", [](const ModelHandle& self) { return self.model.sensor_memory_count; },
      "Numbers of State.sensor_memory.");
  cls.def_prop_ro(
      "num_bodies", [](const ModelHandle& self) { return self.model.body_count; }, "Same as body_count.");
  cls.def_prop_ro(
      "joint_constraint_count", [](const ModelHandle& self) { return self.model.joint_constraint_count; },
      "Constraints of all joints.");
  cls.def_prop_ro(
      "world_count", [](const ModelHandle& self) { return self.model.world_count; }, "Number of worlds.");
  cls.def_prop_ro(
      "up_axis", [](const ModelHandle& self) { return axis_name(self.model.up_axis); }, "\"X\", \"Y\" or \"Z\".");
  cls.def_prop_ro(
      "options", [](const ModelHandle& self) { return self.model.options; },
      "How it is stepped, as the builder had it: a copy.");
}

void def_keys(nb::class_<ModelHandle>& cls) {
  visit_key_names([&](const std::string& name, Entity entity) {
    cls.def_prop_ro(
        name.c_str(),
        [entity](const ModelHandle& self) {
          const int count = self.model.layout->start[int(entity)].back();
          std::vector<std::string> keys(count);
          for (int i = 0; i < count; ++i) keys[i] = self.model.key(entity, i);
          return keys;
        },
        "Names, one per row. One that was given none is called by its kind and its place in its world: \"body_3\".");
  });
  cls.def_prop_ro(
      "world_key",
      [](const ModelHandle& self) {
        std::vector<std::string> keys(self.model.world_count);
        for (int i = 0; i < self.model.world_count; ++i) keys[i] = self.model.world_key(i);
        return keys;
      },
      "Names of the worlds.");
}

void def_lookup(nb::class_<ModelHandle>& cls) {
  using Find = int (Model::*)(const std::string&, int) const;
  const auto def = [&](const char* name, Find find) {
    cls.def(
        name,
        [find](const ModelHandle& self, const std::string& key, std::optional<int> world) {
          return (self.model.*find)(key, world.value_or(kAnyWorld));
        },
        nb::arg("key"), nb::arg("world") = nb::none(),
        "Row of the entity with this key. Error for an unknown key, with those that are near, and when several worlds "
        "have it and none is named.");
  };
  def("find_particle", &Model::find_particle);
  def("find_body", &Model::find_body);
  def("find_shape", &Model::find_shape);
  def("find_joint", &Model::find_joint);
  def("find_articulation", &Model::find_articulation);
  def("find_equality_constraint", &Model::find_equality_constraint);
  def("find_tendon", &Model::find_tendon);
  def("find_actuator", &Model::find_actuator);
  def("find_sensor", &Model::find_sensor);
  cls.def(
      "find_world", [](const ModelHandle& self, const std::string& key) { return self.model.find_world(key); },
      nb::arg("key"), "Number of the world with this key.");
}

void reset(const ModelHandle& self, State& state, nb::handle mask) {
  const std::vector<std::uint8_t> worlds = read_mask(mask);
  self.model.reset(state, worlds);
}

void set_gravity(const ModelHandle& self, const Given<Vec3>& gravity, std::optional<int> world) {
  self.model.set_gravity(read(gravity, "gravity"), world.value_or(kAnyWorld));
}

WorldHandle world_of(const ModelHandle& self, int world) {
  self.model.world_key(world);  // throws for one that does not exist
  return {&self, world};
}

void def_methods(nb::class_<ModelHandle>& cls) {
  cls.def(
         "state", [](const ModelHandle& self) { return self.model.state(); }, "A new State with the initial values.")
      .def(
          "control", [](const ModelHandle& self) { return self.model.control(); }, "A new Control.")
      .def("reset", &reset, nb::arg("state"), nb::arg("mask") = nb::none(),
           nb::sig("def reset(self, state: State, mask: numpy.typing.ArrayLike | None = None) -> None"),
           "The chosen worlds of a state back to the initial values. mask: a bool per world, None = all.")
      .def("world", &world_of, nb::keep_alive<0, 1>(), nb::arg("world"),
           "One world's part of every column; the same memory. Indices in it are those of the whole model.")
      .def("set_gravity", &set_gravity, nb::arg("gravity"), nb::arg("world") = nb::none(),
           "Gravity [m/s^2] of a world, of the globals (-1), or of all (None).")
      .def(
          "edit", [](nb::handle self) { return EditHandle{nb::borrow(self)}; }, nb::sig("def edit(self) -> ModelEdit"),
          "`with model.edit():` lets numbers of the model be written: its columns, but no structure, and gravity. On "
          "leaving, they are checked by the rules of ModelBuilder; an Error names column, row and key of what does not "
          "fit, and then, as after any other exception, nothing is changed. Whoever uses the model notices. Arrays are "
          "to be taken from the model inside of the edit.")
      .def(
          "save", [](const ModelHandle& self, const std::filesystem::path& path) { self.model.save(path.string()); },
          nb::arg("path"), "Writes the model to a file for load().")
      .def(
          "custom_attributes",
          [](const ModelHandle& self, const std::string& entity) {
            const Model& m = self.model;
            return custom_attributes(
                entity, [&](Entity kind) { return m.layout->start[int(kind)].back(); },
                [&](Entity kind, int row) { return m.custom(kind, row); });
          },
          nb::arg("entity"), nb::sig("def custom_attributes(self, entity: str) -> dict[str, list[typing.Any]]"),
          kCustomAttributesDoc)
      .def("to_mjcf", &write_mjcf, nb::arg("path") = nb::none(), nb::arg("world") = nb::none(),
           "One world as MJCF, which MuJoCo reads back to the same dynamics: its text, also written to the path. What "
           "MJCF cannot say is an Error that names it.")
      .def("to_urdf", &write_urdf, nb::arg("path") = nb::none(), nb::arg("world") = nb::none(),
           "One world as URDF: its text, and what is lost, a line for each kind with names. With a path it is also "
           "written to that file, and the meshes that it names to the folder beside it, its name + '_meshes'.")
      .def_prop_ro(
          "device", [](const ModelHandle& self) { return self.model.device.name(); }, "Where the arrays are.")
      .def_prop_ro(
          "shape_sources", [](const ModelHandle& self) { return self.model.shape_sources; },
          "Geometries that shape_source points to.");
}

void bind_edit(nb::module_& m) {
  nb::class_<EditHandle>(m, "ModelEdit", "See Model.edit().")
      .def(
          "__enter__",
          [](EditHandle& self) {
            ModelHandle& handle = nb::cast<ModelHandle&>(self.model);
            handle.edit = std::make_unique<OpenEdit>(handle.model);
            return self.model;
          },
          nb::sig("def __enter__(self) -> Model"))
      .def(
          "__exit__",
          [](EditHandle& self, nb::handle exception, nb::handle, nb::handle) {
            const std::unique_ptr<OpenEdit> ended = std::move(nb::cast<ModelHandle&>(self.model).edit);
            if (ended && exception.is_none()) ended->edit.finish();
          },
          nb::arg("exception").none(), nb::arg("value").none(), nb::arg("traceback").none(),
          nb::sig("def __exit__(self, exception: object, value: object, traceback: object) -> None"));
}

}  // namespace

void bind_model(nb::module_& m) {
  nb::class_<WorldHandle> columns(m, "ModelColumns", "The columns of one world; see Model.world().");
  def_columns(columns);

  nb::class_<ModelHandle> model(
      m, "Model",
      "The frozen description of all worlds, as flat arrays grouped by world: globals (world -1) at the front and at "
      "the back, worlds 0, 1, 2, ... between them. An array x_world_start has world_count + 2 entries.");
  model.def("__repr__", [](const ModelHandle& self) {
    const Model& m = self.model;
    return "Model(world_count=" + std::to_string(m.world_count) + ", body_count=" + std::to_string(m.body_count) +
           ", shape_count=" + std::to_string(m.shape_count) + ", joint_count=" + std::to_string(m.joint_count) +
           ", device='" + m.device.name() + "')";
  });
  def_columns(model);
  for (const DerivedArray& array : kDerivedArrays)
    model.def_prop_ro(
        array.name, [read = array.read](const ModelHandle& self) { return read(self.model); }, array.doc);
  def_other_numbers(model);
  def_counts(model);
  def_keys(model);
  def_lookup(model);
  def_methods(model);
  bind_model_usd(model);
  bind_edit(m);

  m.def(
      "load",
      [](const std::filesystem::path& path, const std::string& device) {
        const Device target = Device::parse(device);
        nb::gil_scoped_release unlocked;
        return ModelHandle{load(path.string(), target)};
      },
      nb::arg("path"), nb::arg("device") = Device{}.name(), "Reads what Model.save() wrote.");
}

}  // namespace carom::inline CAROM_PRECISION::python
