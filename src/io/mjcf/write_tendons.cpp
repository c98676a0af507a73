// Tendons: over joints, or through sites and around spheres and cylinders; and how long they are at first.
#include "io/mjcf/write.h"
#include "model/wrap.kernel.h"

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
  set_pose(geom, X);
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

// -- Lengths

Vec3d in_world(const Model& m, int body, Vec3d p) {
  return body < 0 ? p : transform_point(to_double(m.body_q[body]), p);
}

// From a point of the tendon to another one, around what is between them.
double length_around(const Model& m, int between, Vec3d from, Vec3d to) {
  const int body = m.tendon_point_body[between];
  const Transformd X_B = to_double(m.tendon_point_xform[between]);
  const Transformd X = body < 0 ? X_B : to_double(m.body_q[body]) * X_B;
  const auto inside = [&](Vec3d p) { return transform_point(inverse(X), p); };
  const bool sphere = static_cast<TendonPointType>(m.tendon_point_type[between]) == TendonPointType::kSphere;
  WrappedT<double> round{sphere, m.tendon_point_has_side[between] != 0, double(m.tendon_point_radius[between])};
  if (round.has_side)
    round.side = inside(in_world(m, m.tendon_point_side_body[between], to_double(m.tendon_point_side[between])));
  const Vec3d a = inside(from), b = inside(to);
  const TouchT<double> touch = wrap_around(round, a, b);
  return touch.wraps ? length(touch.first - a) + touch.arc + length(b - touch.last) : length(b - a);
}

double spatial_length(const Model& m, const std::vector<int>& points) {
  double total = 0, share = 1;
  int before = -1, between = -1;  // the last point since a pulley, and what it is passed after it
  for (const int point : points) {
    const auto type = static_cast<TendonPointType>(m.tendon_point_type[point]);
    if (type == TendonPointType::kPulley) {
      share = 1 / double(m.tendon_point_divisor[point]);
      before = -1;
    } else if (type != TendonPointType::kPoint) {
      between = point;
    } else {
      const auto place = [&](int at) {
        return in_world(m, m.tendon_point_body[at], to_double(m.tendon_point_xform[at].p));
      };
      if (before >= 0 && between >= 0) total += share * length_around(m, between, place(before), place(point));
      else if (before >= 0) total += share * length(place(point) - place(before));
      before = point;
      between = -1;
    }
  }
  return total;
}

}  // namespace

double initial_coordinate(const MjcfWriting& w, int joint, int axis) {
  return joint < 0 ? 0 : double(w.m.joint_q[w.m.joint_q_start[joint] + axis]);
}

double initial_length(const MjcfWriting& w, int tendon) {
  if (tendon < 0) return 0;
  const Model& m = w.m;
  const std::vector<int> joints = rows_of_tendon(m.tendon_joint_tendon, tendon);
  if (joints.empty()) return spatial_length(m, rows_of_tendon(m.tendon_point_tendon, tendon));
  double total = 0;
  for (const int i : joints)
    total += double(m.tendon_joint_coef[i]) * initial_coordinate(w, m.tendon_joint_joint[i], m.tendon_joint_axis[i]);
  return total;
}

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
