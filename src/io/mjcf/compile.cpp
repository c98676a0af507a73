// compile_mjcf(): the stages in order, and the options.
#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

int find_name(const NameIndex& names, const std::string& name, const XmlPlace& place, const char* element,
              const char* kind) {
  const auto found = names.find(name);
  if (found == names.end()) fail_compile(place, element, "there is no ", kind, " '", name, "'");
  return found->second;
}

void add_name(NameIndex& names, const std::string& name, int index, const XmlPlace& place, const char* element) {
  if (!name.empty() && !names.emplace(name, index).second)
    fail_compile(place, element, "the name '", name, "' is given twice");
}

bool is_limited(const Compiling& c, int limited, const Doubles2& range, const XmlPlace& place, const char* element,
                const char* attribute) {
  const bool has_range = range[0] != 0 || range[1] != 0;
  if (limited == 1 && !(range[0] < range[1])) fail_compile(place, element, attribute, " does not rise");
  if (limited != kMjcfAuto) return limited != 0;
  if (!c.spec.compiler.autolimits && has_range)
    fail_compile(place, element, attribute, " is given, but not whether it limits, and compiler autolimits is false");
  return range[0] < range[1];
}

void compile_options(Compiling& c) {
  const OptionSpec& o = c.spec.option;
  CompiledMjcf& m = c.out;
  note_place(c, MjcfRows::kOption, o.place, "option");
  m.model_name = c.spec.model_name;
  m.nplugin = c.spec.plugins;
  m.opt_timestep = o.timestep;
  m.opt_impratio = o.impratio;
  m.opt_noslip_tolerance = o.noslip_tolerance;
  m.opt_sleep_tolerance = o.sleep_tolerance;
  m.opt_density = o.density;
  m.opt_viscosity = o.viscosity;
  m.opt_o_margin = o.o_margin;
  m.opt_gravity = o.gravity;
  m.opt_wind = o.wind;
  m.opt_magnetic = o.magnetic;
  m.opt_o_solref = o.o_solref;
  m.opt_o_solimp = o.o_solimp;
  m.opt_o_friction = o.o_friction;
  m.opt_integrator = o.integrator;
  m.opt_cone = o.cone;
  m.opt_noslip_iterations = o.noslip_iterations;
  m.opt_disableflags = o.disable;
  m.opt_enableflags = o.enable;
  m.opt_disableactuator = o.disable_actuator;
}

void compile_masses(Compiling& c) {
  compile_bodies(c);
  compile_meshes(c);
  compile_heightfields(c);
  compile_geoms(c);
  compile_inertias(c);
}

ReadMjcf compile_mjcf(const MjcfSpec& given, XmlBudget& budget) {
  const bool simplify = given.compiler.discard_visual || given.compiler.fuse_static;
  const MjcfSpec simpler = simplify ? simplified(given, budget) : MjcfSpec{};
  Compiling c{simplify ? simpler : given, budget};
  compile_options(c);
  compile_masses(c);
  compile_joints(c);
  compile_sites(c);
  compile_cameras(c);
  compile_same_frames(c);
  compile_trees(c);
  compile_pairs(c);
  compile_tendons(c);
  compile_actuators(c);
  compile_equalities(c);
  compile_lengths(c);
  compile_reference_dynamics(c);
  compile_sleep(c);
  compile_sensors(c);
  compile_keyframes(c);
  MjcfLengthSearch search = c.spec.compiler.length_range.search;
  search.actuators = std::move(c.looked_for);
  return {std::move(c.out), std::move(search), std::move(c.places)};
}

}  // namespace carom::inline CAROM_PRECISION
