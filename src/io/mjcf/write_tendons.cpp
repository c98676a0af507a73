// Tendons: over joints, or through sites and around spheres and cylinders.
#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_same_pose(const Transformd& a, const Transformd& b) {
  bool same = a.p == b.p;
  for (int k = 0; k < 4; ++k) same = same && a.q[k] == b.q[k];
  return same;
}

// The geom that a tendon passes: a shape of the body that is there, or one that nothing touches.
std::string wrapped_geom(MjcfWriting& w, int point, bool sphere) {
  const Model& m = w.m;
  const int body = m.tendon_point_body[point];
  const Transformd X = to_double(m.tendon_point_xform[point]);
  const Real radius = m.tendon_point_radius[point];
  const ShapeType type = sphere ? ShapeType::kSphere : ShapeType::kCylinder;
  for (const int shape : w.shapes) {
    const bool here = m.shape_body[shape] == body && static_cast<ShapeType>(m.shape_type[shape]) == type;
    if (here && m.shape_scale[shape].x == radius && is_same_pose(to_double(m.shape_transform[shape]), X))
      return named_shape(w, shape);
  }
  XmlElement geom{"geom"};
  std::string name = claim_name(w, WrittenKind::kGeom, text("wrap_", point));
  geom.set("name", name);
  geom.set("type", sphere ? "sphere" : "cylinder");
  geom.set("size", RealN<2>{radius, radius});
  geom.set_pose(X);
  geom.set("contype", 0);
  geom.set("conaffinity", 0);
  geom.set("group", 3);
  w.wraps[w.place(body)].push_back(std::move(geom));
  return name;
}

void write_point(MjcfWriting& w, int point, XmlElement& into) {
  const Model& m = w.m;
  const int body = m.tendon_point_body[point];
  const auto type = static_cast<TendonPointType>(m.tendon_point_type[point]);
  if (type == TendonPointType::kPulley) {
    into.add("pulley").set("divisor", m.tendon_point_divisor[point]);
    return;
  }
  if (type == TendonPointType::kPoint) {
    const std::string site = add_written_site(w, body, to_double(m.tendon_point_xform[point]), text("point_", point));
    into.add("site").set("site", site);
    return;
  }
  const std::string geom = wrapped_geom(w, point, type == TendonPointType::kSphere);
  std::string side;
  if (m.tendon_point_has_side[point])
    side = add_written_site(w, m.tendon_point_side_body[point], {to_double(m.tendon_point_side[point]), {}},
                            text("side_", point));
  XmlElement& element = into.add("geom");
  element.set("geom", geom);
  if (!side.empty()) element.set("sidesite", side);
}

void set_tendon_limits(const MjcfWriting& w, int tendon, XmlElement& element) {
  const Model& m = w.m;
  if (is_limit(m.tendon_limit_lower[tendon], m.tendon_limit_upper[tendon])) {
    element.set("limited", "true");
    element.set("range", RealN<2>{m.tendon_limit_lower[tendon], m.tendon_limit_upper[tendon]});
    element.set_unless("margin", m.tendon_limit_margin[tendon], Real(0));
    element.set_unless("solreflimit", m.tendon_limit_solref[tendon], kDefaultSolref);
    element.set_unless("solimplimit", m.tendon_limit_solimp[tendon], kDefaultSolimp);
  }
  if (is_limit(m.tendon_effort_lower[tendon], m.tendon_effort_upper[tendon])) {
    element.set("actuatorfrclimited", "true");
    element.set("actuatorfrcrange", RealN<2>{m.tendon_effort_lower[tendon], m.tendon_effort_upper[tendon]});
  }
}

void set_tendon_numbers(const MjcfWriting& w, int tendon, XmlElement& element) {
  const Model& m = w.m;
  const RealN<2> stiffness = m.tendon_stiffness_poly[tendon], damping = m.tendon_damping_poly[tendon];
  element.set_unless("stiffness", RealN<3>{m.tendon_stiffness[tendon], stiffness[0], stiffness[1]}, RealN<3>{});
  element.set_unless("damping", RealN<3>{m.tendon_damping[tendon], damping[0], damping[1]}, RealN<3>{});
  element.set("springlength", RealN<2>{m.tendon_spring_lower[tendon], m.tendon_spring_upper[tendon]});
  element.set_unless("springyield", m.tendon_spring_yield[tendon], Real(0));
  element.set_unless("armature", m.tendon_armature[tendon], Real(0));
  element.set_unless("frictionloss", m.tendon_friction[tendon], Real(0));
  element.set_unless("solreffriction", m.tendon_friction_solref[tendon], kDefaultSolref);
  element.set_unless("solimpfriction", m.tendon_friction_solimp[tendon], kDefaultSolimp);
}

// The rows of a tendon, which stand together.
std::vector<int> rows_of_tendon(const Array<int>& owner, int tendon) {
  std::vector<int> rows;
  for (int i = 0; i < static_cast<int>(owner.size()); ++i)
    if (owner[i] == tendon) rows.push_back(i);
  return rows;
}

}  // namespace

XmlElement written_tendons(MjcfWriting& w) {
  const Model& m = w.m;
  XmlElement all{"tendon"};
  for (const int tendon : w.tendons) {
    const std::vector<int> joints = rows_of_tendon(m.tendon_joint_tendon, tendon);
    XmlElement element{joints.empty() ? "spatial" : "fixed"};
    const std::string& name = w.tendon_name[static_cast<std::size_t>(tendon)];
    if (!name.empty()) element.set("name", name);
    set_tendon_limits(w, tendon, element);
    set_tendon_numbers(w, tendon, element);
    for (const int row : joints) {
      XmlElement& part = element.add("joint");
      part.set("joint", named_dof(w, m.tendon_joint_joint[row], m.tendon_joint_axis[row]));
      part.set("coef", m.tendon_joint_coef[row]);
    }
    if (joints.empty())
      for (const int point : rows_of_tendon(m.tendon_point_tendon, tendon)) write_point(w, point, element);
    all.children.push_back(std::move(element));
  }
  return all;
}

}  // namespace carom::inline CAROM_PRECISION
