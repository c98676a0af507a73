// Equality constraints. MuJoCo's polynomials count from the initial coordinates and lengths, carom's from 0.
#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The coefficients of p(x) = q(x - x0) + y0: those of q, by powers of x - x0.
std::array<double, 5> counted_from(const RealN<5>& coefficients, double y0, double x0) {
  std::array<double, 5> result{};
  for (int k = 4; k >= 0; --k) {  // Horner's scheme: result * (x - x0 + x0) + the next coefficient
    for (std::size_t power = 4; power > 0; --power) result[power] = result[power - 1] + x0 * result[power];
    result[0] = double(coefficients[static_cast<std::size_t>(k)]) + x0 * result[0];
  }
  result[0] -= y0;
  return result;
}

void write_coupling(MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  if (static_cast<EqualityType>(m.equality_constraint_type[i]) == EqualityType::kTendon) {
    const int first = m.equality_constraint_tendon1[i], second = m.equality_constraint_tendon2[i];
    element.set("tendon1", named_tendon(w, first));
    if (second >= 0) element.set("tendon2", named_tendon(w, second));
    element.set("polycoef",
                counted_from(m.equality_constraint_polycoef[i], initial_length(w, first), initial_length(w, second)));
    return;
  }
  const int first = m.equality_constraint_joint1[i], second = m.equality_constraint_joint2[i];
  const int axis1 = m.equality_constraint_axis1[i], axis2 = m.equality_constraint_axis2[i];
  element.set("joint1", named_dof(w, first, axis1));
  if (second >= 0) element.set("joint2", named_dof(w, second, axis2));
  element.set("polycoef", counted_from(m.equality_constraint_polycoef[i], initial_coordinate(w, first, axis1),
                                       initial_coordinate(w, second, axis2)));
}

// The point that a weld holds and its axes there, in body2 and in body1.
struct WeldEnds {
  Transformd end1, end2;
};

WeldEnds weld_ends(const Model& m, int i) {
  const RealN<4> axes = m.equality_constraint_axes[i];
  const Transformd end2{to_double(m.equality_constraint_anchor[i]),
                        {double(axes[0]), double(axes[1]), double(axes[2]), double(axes[3])}};
  return {to_double(m.equality_constraint_relpose[i]) * end2, end2};
}

void write_weld(MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  const int body1 = m.equality_constraint_body1[i], body2 = m.equality_constraint_body2[i];
  const auto [end1, end2] = weld_ends(m, i);
  element.set("torquescale", m.equality_constraint_torquescale[i]);
  if (end2.q.x == 0 && end2.q.y == 0 && end2.q.z == 0) {
    element.set("body1", named_body(w, body1));
    element.set("body2", named_body(w, body2));
    element.set("anchor", end2.p);
    element.set("relpose", std::array<double, 7>{end1.p.x, end1.p.y, end1.p.z, end1.q.w, end1.q.x, end1.q.y, end1.q.z});
    return;
  }
  element.set("site1", add_written_site(w, body1, end1, text("equality_", i, "_1")));
  element.set("site2", add_written_site(w, body2, end2, text("equality_", i, "_2")));
}

// By sites, which say both ends whatever the initial poses are.
void write_connect(MjcfWriting& w, int i, XmlElement& element) {
  const Model& m = w.m;
  const Transformd end1{to_double(m.equality_constraint_anchor[i]), {}};
  const Transformd end2{to_double(m.equality_constraint_anchor2[i]), {}};
  element.set("site1", add_written_site(w, m.equality_constraint_body1[i], end1, text("equality_", i, "_1")));
  element.set("site2", add_written_site(w, m.equality_constraint_body2[i], end2, text("equality_", i, "_2")));
}

}  // namespace

XmlElement written_equalities(MjcfWriting& w) {
  constexpr const char* kTags[] = {"connect", "weld", "joint", "tendon"};
  const Model& m = w.m;
  XmlElement all{"equality"};
  for (const int i : w.equalities) {
    XmlElement element{kTags[m.equality_constraint_type[i]]};
    if (m.equality_constraint_key_id[i] >= 0) element.set("name", m.keys->name(m.equality_constraint_key_id[i]));
    const auto type = static_cast<EqualityType>(m.equality_constraint_type[i]);
    if (type == EqualityType::kConnect) write_connect(w, i, element);
    else if (type == EqualityType::kWeld) write_weld(w, i, element);
    else write_coupling(w, i, element);
    if (!m.equality_constraint_enabled[i]) element.set("active", "false");
    element.set_unless("solref", m.equality_constraint_solref[i], kDefaultSolref);
    element.set_unless("solimp", m.equality_constraint_solimp[i], kDefaultSolimp);
    all.children.push_back(std::move(element));
  }
  return all;
}

}  // namespace carom::inline CAROM_PRECISION
