// <compiler discardvisual, fusestatic>: a model with fewer rows that moves alike. Both need the masses of the bodies as
// they are written, so these are measured first; what is left is then compiled like any other model.
#include <algorithm>

#include "io/mjcf/compile.h"
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Bodies stay where they are, and no total is asked for: that comes at the end.
MjcfSpec as_written(MjcfSpec spec) {
  spec.compiler.total_mass = -1;
  for (BodySpec& body : spec.bodies) {
    body.rules.align_free = false;
    for (JointSpec& joint : body.joints) joint.align = 0;
  }
  return spec;
}

BodyMass measured_mass(const CompiledMjcf& m, std::size_t body) {
  const int id = static_cast<int>(body);
  return {at(m.body_mass, id), pose_of(m.body_ipos, m.body_iquat, id), vec3(m.body_inertia, id)};
}

// From now on the body has this mass, whatever its geoms are.
void set_mass(BodySpec& body, const BodyMass& mass) {
  InertialSpec inertial;
  inertial.pose = mass.frame;
  inertial.mass = mass.mass;
  inertial.diagonal = {mass.inertia.x, mass.inertia.y, mass.inertia.z};
  body.inertial = inertial;
  body.rules.from_geom = kMjcfAuto;
}

// -- Visual geoms

bool is_weighed(const Compiling& c, const BodySpec& body, std::size_t geom, int id) {
  const GeomSpec& spec = body.geoms[geom];
  const bool by_geoms = body.rules.from_geom == 1 || (body.rules.from_geom == kMjcfAuto && !body.inertial);
  return by_geoms && spec.group >= body.rules.least_group && spec.group <= body.rules.most_group &&
         geom_mass(c, spec, doubles<3>(c.out.geom_size, id)).mass > 0;
}

void discard_meshes(MjcfSpec& spec) {
  std::set<std::string> used;
  for (const BodySpec& body : spec.bodies) {
    for (const GeomSpec& geom : body.geoms) used.insert(geom.mesh);
    for (const SiteSpec& site : body.sites) used.insert(site.mesh);
  }
  for (const SensorSpec& sensor : spec.sensors)
    if (sensor.object.type == mj::kObjectMesh) used.insert(sensor.object.name);
  std::erase_if(spec.meshes, [&](const MeshSpec& mesh) { return !used.contains(mesh.name); });
}

void discard_visual(MjcfSpec& spec, const Compiling& measured) {
  const std::set<std::string> named = referenced_names(spec, MjcfKind::kGeom);
  int id = 0;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    BodySpec& body = spec.bodies[i];
    std::vector<GeomSpec> kept;
    bool weighed = false;
    for (std::size_t k = 0; k < body.geoms.size(); ++k, ++id) {
      const GeomSpec& geom = body.geoms[k];
      const bool visual = !geom.contype && !geom.conaffinity && !geom.fluid_ellipsoid && !named.contains(geom.name);
      if (!visual) kept.push_back(geom);
      else weighed = weighed || (i > 0 && is_weighed(measured, body, k, id));
    }
    if (weighed && body.rules.from_geom == 1)
      fail_compile(body.place, "body",
                   "discardvisual takes away geoms that give it mass, which inertiafromgeom=\"true\" ",
                   "does not allow: say \"auto\"");
    if (weighed) set_mass(body, measured_mass(measured.out, i));
    body.geoms = std::move(kept);
  }
  discard_meshes(spec);
}

// -- Static bodies

struct Fusing {
  const MjcfSpec& spec;
  const Compiling& measured;
  std::set<std::string> named{}, felt{};  // bodies that something refers to, sites of sensors of forces
  MjcfSpec fused{};
  struct Home {
    int body = 0;      // of the fused model
    MjcfPose frame{};  // of the body that was, in it
  };
  std::vector<Home> homes{};
  std::vector<std::vector<MassPart>> parts{};  // of the fused bodies, where bodies were fused into them
  std::vector<bool> adjusted{};

  // Masses that would feel something else in the body around.
  bool feels_itself(const BodySpec& body, const BodyMass& mass, int home) const {
    if (home == 0) return false;
    const bool fluid = spec.option.density != 0 || spec.option.viscosity != 0;
    const bool ellipsoid =
        std::any_of(body.geoms.begin(), body.geoms.end(), [](const GeomSpec& geom) { return geom.fluid_ellipsoid; });
    if (fluid && ellipsoid) return true;
    return mass.mass > 0 && (fluid || body.gravcomp != fused.bodies[static_cast<std::size_t>(home)].gravcomp);
  }

  bool can_fuse(std::size_t i, int home) const {
    const BodySpec& body = spec.bodies[i];
    if (i == 0 || !body.joints.empty() || body.mocap || !body.fuse || body.sleep != 0) return false;
    for (const SiteSpec& site : body.sites)
      if (felt.contains(site.name)) return false;
    if (named.contains(body.name) || feels_itself(body, measured_mass(measured.out, i), home)) return false;
    // Geoms of both in one body would not have the sum of what bounds made of them.
    const bool either = measured.adjusted[i] || adjusted[static_cast<std::size_t>(home)];
    return home == 0 || !(body.rules.from_geom == 1 && either);
  }

  void fuse(const BodySpec& body, const Home& home, const BodyMass& mass) {
    BodySpec& into = fused.bodies[static_cast<std::size_t>(home.body)];
    for (GeomSpec geom : body.geoms) {
      geom.pose = home.frame * geom.pose;
      into.geoms.push_back(std::move(geom));
    }
    for (SiteSpec site : body.sites) {
      site.pose = home.frame * site.pose;
      into.sites.push_back(std::move(site));
    }
    for (CameraSpec camera : body.cameras) {
      camera.pose = home.frame * camera.pose;
      into.cameras.push_back(std::move(camera));
    }
    into.lights.insert(into.lights.end(), body.lights.begin(), body.lights.end());
    if (mass.mass > 0)
      parts[static_cast<std::size_t>(home.body)].push_back({mass.mass, home.frame * mass.frame, mass.inertia});
  }

  void keep(BodySpec body, const Home& parent, bool is_adjusted) {
    body.parent = parent.body;
    body.pose = parent.frame * body.pose;
    fused.bodies.push_back(std::move(body));
    parts.emplace_back();
    adjusted.push_back(is_adjusted);
  }

  void add_masses(const std::vector<BodyMass>& own) {
    for (std::size_t i = 1; i < fused.bodies.size(); ++i) {
      if (parts[i].empty()) continue;
      if (own[i].mass > 0) parts[i].insert(parts[i].begin(), {own[i].mass, own[i].frame, own[i].inertia});
      set_mass(fused.bodies[i], mass_of_parts(parts[i]));
    }
  }

  MjcfSpec run() {
    named = referenced_names(spec, MjcfKind::kBody);
    for (const SensorSpec& sensor : spec.sensors)
      if (sensor.element == "force" || sensor.element == "torque") felt.insert(sensor.object.name);
    fused = spec;
    fused.bodies.clear();
    std::vector<BodyMass> own;
    std::vector<int> kept_before;
    for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
      const BodySpec& body = spec.bodies[i];
      const Home parent = i == 0 ? Home{} : homes[static_cast<std::size_t>(body.parent)];
      const BodyMass mass = measured_mass(measured.out, i);
      kept_before.push_back(static_cast<int>(fused.bodies.size()));
      if (can_fuse(i, parent.body)) {
        homes.push_back({parent.body, parent.frame * body.pose});
        fuse(body, homes.back(), mass);
      } else {
        homes.push_back({static_cast<int>(fused.bodies.size()), {}});
        keep(body, parent, measured.adjusted[i]);
        own.push_back(mass);
      }
    }
    add_masses(own);
    kept_before.push_back(static_cast<int>(fused.bodies.size()));
    for (KeySpec& key : fused.keys) key.first_body = kept_before[static_cast<std::size_t>(key.first_body)];
    return std::move(fused);
  }
};

}  // namespace

MjcfSpec simplified(const MjcfSpec& spec, XmlBudget& budget) {
  MjcfSpec result = spec;
  const auto measure = [&](const auto& change) {
    const XmlBudget before = budget;  // files count once
    const MjcfSpec written = as_written(result);
    Compiling measured{written, budget};
    compile_masses(measured);
    change(measured);
    budget = before;
  };
  if (spec.compiler.discard_visual) measure([&](const Compiling& measured) { discard_visual(result, measured); });
  if (spec.compiler.fuse_static) measure([&](const Compiling& measured) { result = Fusing{result, measured}.run(); });
  return result;
}

}  // namespace carom::inline CAROM_PRECISION
