// USD: methods that the package carom.usd does in Python, as methods of the classes, which import it when they are
// used.
#include "builder.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

#define CAROM_USD_SOURCE "str | os.PathLike[str] | typing.Any"
#define CAROM_USD_OPTIONS                                                               \
  "enable_self_collisions: bool = True, only_load_enabled_rigid_bodies: bool = False, " \
  "only_load_enabled_joints: bool = True, joint_drive_gains_scaling: float = 1.0, "     \
  "ignore_paths: collections.abc.Sequence[str] | None = None, root_path: str = '/', "   \
  "skip_mesh_approximation: bool = False, load_visual_shapes: bool = True, limits: typing.Any = None"

// Calls a function of carom.usd with what it was given, self in front.
nb::object call(const char* name, nb::handle self, const nb::args& args, const nb::kwargs& options) {
  return nb::module_::import_("carom.usd").attr(name)(self, *args, **options);
}

}  // namespace

void bind_builder_usd(nb::module_& m, BuilderClass& cls) {
  cls.def(
      "add_usd",
      [](nb::handle self, const nb::args& args, const nb::kwargs& options) {
        return call("add_usd", self, args, options);
      },
      nb::sig("def add_usd(self, source: " CAROM_USD_SOURCE ", *, xform: numpy.typing.ArrayLike | None = None, "
              "key_prefix: str | None = None, " CAROM_USD_OPTIONS ") -> dict[str, typing.Any]"),
      "Everything that a USD stage says with UsdPhysics, into the current world, or global outside of one, placed at "
      "xform: bodies, joints, colliders, materials, collision groups. source: a file, an open Usd.Stage, or text that "
      "begins with '#usda'. What newton:world puts into worlds makes worlds of its own. enable_self_collisions=False: "
      "shapes of one articulation do not touch each other. ignore_paths: regular expressions of prims to leave out, "
      "with what is below them. Returns the rows by prim path (path_body_map, path_shape_map, path_joint_map, ...), "
      "units and what was not understood (warnings). Needs the extra carom[usd]; see docs/usd.md.");
  m.def(
      "load_usd",
      [](const nb::args& args, const nb::kwargs& options) {
        return call("load_usd", nb::type<ModelBuilder>(), args, options);
      },
      nb::sig("def load_usd(source: " CAROM_USD_SOURCE ", *, device: str = 'cpu', " CAROM_USD_OPTIONS ") -> Model"),
      "A model from a USD stage: with the worlds that newton:world names, or with one; see ModelBuilder.add_usd().");
}

void bind_model_usd(nb::class_<ModelHandle>& cls) {
  cls.def(
      "to_usd",
      [](nb::handle self, const nb::args& args, const nb::kwargs& options) {
        return call("to_usd", self, args, options);
      },
      nb::sig(
          "def to_usd(self, path: str | os.PathLike[str], states: collections.abc.Iterable[State] | None = None, *, "
          "times: numpy.typing.ArrayLike | None = None, fps: float = 60.0) -> list[str]"),
      "Writes the model as a USD stage, which add_usd() reads back. states: of a run, as time samples of the bodies; "
      "times: when each of them was [s], without it one frame after the other. Returns what USD cannot say, one line "
      "each. Needs the extra carom[usd]; see docs/usd.md.");
}

}  // namespace carom::inline CAROM_PRECISION::python
