// to_mjcf(): which rows of a model are written, the options, and the sections in their order.
#include "io/mjcf/write.h"

#include "carom/mjcf_files.h"
#include "io/one_world.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_entities(const Model& m, int world) {
  const std::pair<Entity, const char*> others[] = {{Entity::kParticle, "particles"},
                                                   {Entity::kSpring, "springs of particles"},
                                                   {Entity::kTriangle, "triangles of cloth"},
                                                   {Entity::kTetrahedron, "tetrahedra"}};
  for (const auto& [entity, name] : others)
    if (!rows_of_world(m, entity, world).empty()) fail("to_mjcf: MJCF has no ", name);
}

void set_flag(XmlElement& flags, const char* name, bool on, bool usual) {
  if (on != usual) flags.set(name, on ? "enable" : "disable");
}

// Shapes have masks, but none collides.
bool has_contacts(const MjcfWriting& w) {
  bool collides = false, masks = false;
  for (const int shape : w.shapes) {
    if (w.m.shape_flags[shape] & kShapeIsSite) continue;
    collides = collides || (w.m.shape_flags[shape] & kShapeCollidesShapes);
    masks = masks || w.m.shape_contype[shape] || w.m.shape_conaffinity[shape];
  }
  return collides || !masks;
}

void add_section(XmlElement& root, XmlElement section) {
  if (!section.children.empty()) root.children.push_back(std::move(section));
}

}  // namespace

void set_pose(XmlElement& element, const Transformd& X) {
  element.set_unless("pos", X.p, Vec3d{});
  const std::array<double, 4> wxyz{X.q.w, X.q.x, X.q.y, X.q.z};
  element.set_unless("quat", wxyz, std::array<double, 4>{1, 0, 0, 0});
}

XmlElement written_options(const MjcfWriting& w, int world, bool filters_parents) {
  constexpr const char* kIntegrators[] = {"Euler", "implicitfast", "RK4", "implicit", "discrete"};
  const ModelOptions& o = w.m.options;
  XmlElement option{"option"};
  option.set("timestep", o.timestep);
  option.set("gravity", w.m.gravity[world]);
  option.set("integrator", kIntegrators[static_cast<int>(o.integrator)]);
  option.set("cone", o.cone == Cone::kElliptic ? "elliptic" : "pyramidal");
  option.set_unless("impratio", o.impratio, Real(1));
  option.set_unless("noslip_iterations", o.noslip_iterations, 0);
  option.set_unless("noslip_tolerance", o.noslip_tolerance, Real(1e-6));
  option.set_unless("density", o.density, Real(0));
  option.set_unless("viscosity", o.viscosity, Real(0));
  option.set_unless("wind", o.wind, Vec3{});
  option.set_unless("magnetic", o.magnetic, ModelOptions{}.magnetic);
  option.set_unless("sleep_tolerance", o.sleep_tolerance, Real(1e-3));
  XmlElement flags{"flag"};
  set_flag(flags, "eulerdamp", o.euler_damping, true);
  set_flag(flags, "refsafe", o.refsafe, true);
  set_flag(flags, "diagexact", o.diagexact, false);
  set_flag(flags, "speculative", o.speculative, false);
  set_flag(flags, "sleep", o.sleep, false);
  set_flag(flags, "filterparent", filters_parents, true);
  set_flag(flags, "contact", w.contacts, true);
  if (!flags.attributes.empty()) option.children.push_back(std::move(flags));
  return option;
}

std::string to_mjcf(const Model& model, int world) {
  const int chosen = chosen_world(model, world, "to_mjcf", "MJCF");
  check_entities(model, chosen);
  MjcfWriting w{on_the_cpu(model)};
  const std::pair<std::vector<int>*, Entity> lists[] = {
      {&w.bodies, Entity::kBody},       {&w.shapes, Entity::kShape},       {&w.joints, Entity::kJoint},
      {&w.tendons, Entity::kTendon},    {&w.actuators, Entity::kActuator}, {&w.equalities, Entity::kEqualityConstraint},
      {&w.pairs, Entity::kContactPair}, {&w.sensors, Entity::kSensor}};
  for (const auto& [rows, entity] : lists) *rows = rows_of_world(w.m, entity, chosen);
  w.contacts = has_contacts(w);
  plan_bodies(w);
  plan_names(w);
  bool filters_parents = true;
  XmlElement contacts = written_contacts(w, filters_parents);
  XmlElement sensors = written_sensors(w), actuators = written_actuators(w), equalities = written_equalities(w);
  XmlElement tendons = written_tendons(w), bodies = written_bodies(w);
  XmlElement root{"mujoco"};
  root.set("model", w.m.world_count > 0 ? w.m.world_key(chosen) : "carom");
  XmlElement& compiler = root.add("compiler");
  compiler.set("angle", "radian");
  compiler.set("inertiafromgeom", "false");  // every body says its own
  root.children.push_back(written_options(w, chosen, filters_parents));
  add_section(root, std::move(w.asset));
  root.children.push_back(std::move(bodies));
  for (XmlElement* section : {&contacts, &equalities, &tendons, &actuators, &sensors})
    add_section(root, std::move(*section));
  return xml_text(root);
}

void save_mjcf(const Model& model, const std::string& path, int world) { save_text_file(path, to_mjcf(model, world)); }

}  // namespace carom::inline CAROM_PRECISION
