// <compiler>, <option> and its flags.
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Bits of mjtDisableBit and mjtEnableBit, in their order.
constexpr const char* kDisableNames[] = {"constraint",   "equality",  "frictionloss", "limit",     "contact",
                                         "spring",       "damper",    "gravity",      "clampctrl", "warmstart",
                                         "filterparent", "actuation", "refsafe",      "sensor",    "midphase",
                                         "eulerdamp",    "autoreset", "nativeccd",    "island",    "multiccd"};
constexpr const char* kEnableNames[] = {"override", "energy",    "fwdinv", "invdiscrete",
                                        "sleep",    "diagexact", "ipc",    "speculative"};

void set_bit(int& bits, int bit, bool on) { bits = on ? bits | 1 << bit : bits & ~(1 << bit); }

void read_flags(OptionSpec& option, const MjcfAttributes& flags) {
  int bit = 0;
  for (const char* name : kDisableNames) {
    if (flags.has(name)) set_bit(option.disable, bit, !flags.is_true(name, true));
    ++bit;
  }
  bit = 0;
  for (const char* name : kEnableNames) {
    if (flags.has(name)) set_bit(option.enable, bit, flags.is_true(name, false));
    ++bit;
  }
}

std::string euler_sequence(const MjcfAttributes& attributes, const std::string& before) {
  std::string sequence = attributes.text("eulerseq", before);
  if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos)
    attributes.fail_at("eulerseq", "expected three letters out of xyzXYZ, is '", sequence, "'");
  return sequence;
}

}  // namespace

void read_compiler(MjcfReading& in, const XmlNode& node) {
  const MjcfElementRule& rule = mjcf_rule("compiler");
  const MjcfAttributes given = read_attributes(node, rule, in.messages);
  CompilerSpec& c = in.spec.compiler;
  for (const RuledNode& child : ruled_children(in, node, rule)) {
    const MjcfAttributes lengths = read_attributes(*child.node, *child.rule, in.messages);
    c.length_range.mode = lengths.word("mode", c.length_range.mode);
    c.length_range.use_existing = lengths.is_true("useexisting", c.length_range.use_existing);
    c.length_range.use_limit = lengths.is_true("uselimit", c.length_range.use_limit);
    MjcfLengthSearch& search = c.length_range.search;
    lengths.read("accel", search.accel);
    lengths.read("maxforce", search.maxforce);
    lengths.read("timeconst", search.timeconst);
    lengths.read("timestep", search.timestep);
    lengths.read("inttotal", search.inttotal);
    lengths.read("interval", search.interval);
    lengths.read("tolrange", search.tolrange);
  }
  c.angles.degrees = given.is_true("angle", c.angles.degrees);
  c.angles.euler_sequence = euler_sequence(given, c.angles.euler_sequence);
  if (given.is_true("coordinate", false)) given.fail_at("coordinate", "global coordinates are no longer a thing");
  c.autolimits = given.is_true("autolimits", c.autolimits);
  c.inertia.balance = given.is_true("balanceinertia", c.inertia.balance);
  c.inertia.align_free = given.is_true("alignfree", c.inertia.align_free);
  c.fit_around = given.is_true("fitaabb", c.fit_around);
  c.strip_path = given.is_true("strippath", c.strip_path);
  c.fuse_static = given.is_true("fusestatic", c.fuse_static);
  c.discard_visual = given.is_true("discardvisual", c.discard_visual);
  c.inertia.bound_mass = given.number("boundmass", c.inertia.bound_mass);
  c.inertia.bound_inertia = given.number("boundinertia", c.inertia.bound_inertia);
  c.total_mass = given.number("settotalmass", c.total_mass);
  c.inertia.from_geom = given.word("inertiafromgeom", c.inertia.from_geom);
  Doubles2 groups{double(c.inertia.least_group), double(c.inertia.most_group)};
  given.read("inertiagrouprange", groups);
  c.inertia.least_group = static_cast<int>(groups[0]);
  c.inertia.most_group = static_cast<int>(groups[1]);
  c.conflict = static_cast<OptionConflict>(given.word("conflict", static_cast<int>(c.conflict)));
  c.mesh_folder = given.text("assetdir", c.mesh_folder);
  c.mesh_folder = given.text("meshdir", c.mesh_folder);
}

void read_option(MjcfReading& in, const XmlNode& node) {
  const MjcfElementRule& rule = mjcf_rule("option");
  const MjcfAttributes given = read_attributes(node, rule, in.messages);
  OptionSpec& o = in.spec.option;
  o.place = node.place;
  for (const MjcfValue& value : given.values) o.given.insert(value.rule->name);
  given.read("timestep", o.timestep);
  given.read("gravity", o.gravity);
  given.read("wind", o.wind);
  given.read("magnetic", o.magnetic);
  given.read("density", o.density);
  given.read("viscosity", o.viscosity);
  given.read("impratio", o.impratio);
  given.read("noslip_tolerance", o.noslip_tolerance);
  given.read("sleep_tolerance", o.sleep_tolerance);
  given.read("o_margin", o.o_margin);
  given.read("o_solref", o.o_solref);
  given.read("o_solimp", o.o_solimp);
  given.read("o_friction", o.o_friction);
  o.noslip_iterations = given.integer("noslip_iterations", o.noslip_iterations);
  o.integrator = given.word("integrator", o.integrator);
  o.cone = given.word("cone", o.cone);
  if (const MjcfValue* groups = given.find("actuatorgroupdisable")) {
    o.disable_actuator = 0;
    for (const double group : groups->numbers) {
      if (group < 0 || group > 30) given.fail_at("actuatorgroupdisable", "groups are 0 to 30, is ", group);
      set_bit(o.disable_actuator, static_cast<int>(group), true);
    }
  }
  for (const RuledNode& child : ruled_children(in, node, rule))
    read_flags(o, read_attributes(*child.node, *child.rule, in.messages));
}

}  // namespace carom::inline CAROM_PRECISION
