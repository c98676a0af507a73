// Equality constraints. MuJoCo's polynomials count from qpos0 and from the lengths of tendons there, carom's from 0.
#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The coefficients of y = y0 + p(x - x0), by powers of x.
RealN<5> shifted(const double* coefficients, double y0, double x0) {
  std::array<double, 5> result{};  // Horner's scheme: result * (x - x0) + the next coefficient
  for (int k = 4; k >= 0; --k) {
    for (int power = 4; power > 0; --power) result[power] = result[power - 1] - x0 * result[power];
    result[0] = coefficients[k] - x0 * result[0];
  }
  result[0] += y0;
  return to_real(result);
}

void add_equal_joints(Mapping& map, int i, const EqualityArgs& args) {
  const CompiledMjcf& m = map.m;
  const int first = m.eq_obj1id[i], second = m.eq_obj2id[i];
  const auto at_start = [&](int joint) { return joint < 0 ? 0.0 : at(m.qpos0, at(m.jnt_qposadr, joint)); };
  const DofPlace one = place_of(map, first), other = second < 0 ? DofPlace{} : place_of(map, second);
  const RealN<5> polynomial = shifted(row(m.eq_data, i, 12), at_start(first), at_start(second));
  map.builder.add_equality_constraint_joint(one.joint, other.joint, polynomial, args, one.axis, other.axis);
}

void add_equal_tendons(Mapping& map, int i, const EqualityArgs& args) {
  const CompiledMjcf& m = map.m;
  const int first = m.eq_obj1id[i], second = m.eq_obj2id[i];
  const auto at_start = [&](int tendon) { return tendon < 0 ? 0.0 : at(m.tendon_length0, tendon); };
  const RealN<5> polynomial = shifted(row(m.eq_data, i, 12), at_start(first), at_start(second));
  map.builder.add_equality_constraint_tendon(first, second, polynomial, args);
}

// What a connect or weld ties together: points of two bodies, and the frames there.
struct TiedEnds {
  int body1, body2;
  Transformd frame1, frame2;
};

TiedEnds tied_ends(const CompiledMjcf& m, int i) {
  const int first = m.eq_obj1id[i], second = m.eq_obj2id[i];
  if (m.eq_objtype[i] == mj::kObjectSite)
    return {at(m.site_bodyid, first), at(m.site_bodyid, second), site_frame(m, first), site_frame(m, second)};
  const double* data = row(m.eq_data, i, 12);
  if (m.eq_type[i] == mj::kConnect) return {first, second, {vec3(data), {}}, {vec3(data + 3), {}}};
  return {first, second, {vec3(data + 3), quat(data + 6)}, {vec3(data), {}}};
}

void add_tie(Mapping& map, int i, const EqualityArgs& args) {
  const TiedEnds ends = tied_ends(map.m, i);
  const Vec3 anchor2 = to_real(ends.frame2.p);
  if (map.m.eq_type[i] == mj::kConnect) {
    const Vec3 anchor1 = to_real(ends.frame1.p);
    map.builder.add_equality_constraint_connect(ends.body1 - 1, ends.body2 - 1, anchor1, args, anchor2);
    return;
  }
  const Quatd turn = ends.frame1.q * conjugate(ends.frame2.q);
  const Transformd relpose{ends.frame1.p - rotate(turn, ends.frame2.p), turn};
  const Real torquescale = Real(row(map.m.eq_data, i, 12)[10]);
  map.builder.add_equality_constraint_weld(ends.body1 - 1, ends.body2 - 1, anchor2, torquescale, to_real(relpose), args,
                                           to_real(ends.frame2.q));
}

}  // namespace

void add_equalities(Mapping& map) {
  const CompiledMjcf& m = map.m;
  if (ignores(map.args, "equality")) return;
  for (int i = 0; i < static_cast<int>(m.eq_type.size()); ++i) {
    map.now = {MjcfRows::kEquality, i};
    const EqualityArgs args{.key = name_at(m.name_eq, i),
                            .enabled = m.eq_active0[i] != 0 && map.has.equality,
                            .solref = reals<2>(m.eq_solref, i),
                            .solimp = reals<5>(m.eq_solimp, i)};
    switch (m.eq_type[i]) {
      case mj::kEqualJoints: add_equal_joints(map, i, args); break;
      case mj::kEqualTendons: add_equal_tendons(map, i, args); break;
      default: add_tie(map, i, args);  // others are unsupported
    }
  }
}

}  // namespace carom::inline CAROM_PRECISION
