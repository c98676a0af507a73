// Impulses of collisions and what they do to bodies, for one contact or arrays of them.
#include "carom/impulse.h"

#include <nanobind/stl/pair.h>

#include <vector>

#include "carom/impulse_bulk.h"
#include "rows.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// Inertia as three moments, a tensor, or rows of either. Three by three numbers are one tensor.
class InertiaRows {
 public:
  InertiaRows(const Given<RotationalInertia>& given, const char* name, RowCount& count)
      : numbers_(numpy_reals(given.value, name)) {
    const std::size_t dims = numbers_.ndim();
    tensor_ = dims == 3 || (dims == 2 && numbers_.shape(0) == 3);
    many_ = dims == 3 || (dims == 2 && !tensor_);
    if (dims < 1 || dims > 3 || numbers_.shape(dims - 1) != 3 || (dims == 3 && numbers_.shape(1) != 3))
      fail_shape(name, "(3,) moments, a (3, 3) tensor, or (N, 3) or (N, 3, 3) numbers", numbers_);
    count.add(name, many_, size());
  }

  std::int64_t size() const { return many_ ? static_cast<std::int64_t>(numbers_.shape(0)) : 1; }
  RotationalInertia operator[](std::int64_t i) const {
    const std::int64_t row = size() == 1 ? 0 : i;
    return tensor_ ? RotationalInertia(tensors()[row]) : RotationalInertia(moments()[row]);
  }
  InertiaColumn column() const {
    if (size() == 1) return (*this)[0];
    return tensor_ ? InertiaColumn(Span<const Mat33>{tensors(), size()})
                   : InertiaColumn(Span<const Vec3>{moments(), size()});
  }

 private:
  const Vec3* moments() const { return reinterpret_cast<const Vec3*>(numbers_.data()); }
  const Mat33* tensors() const { return reinterpret_cast<const Mat33*>(numbers_.data()); }

  Numpy numbers_;
  bool tensor_, many_;
};

template <class T>
ContactColumn<T> column_of(const Rows<T>& rows) {
  if (rows.size() == 1) return rows[0];
  return Span<const T>{rows.data(), rows.size()};
}

// -- impulse_by_collision

// What both forms have in common: the arguments of self, and of the contact.
struct SelfAndContact {
  SelfAndContact(const Given<Vec3>& v1, const Given<Vec3>& w1, const Given<Euler>& self_euler, const Given<Vec3>& v2,
                 const Given<Vec3>& r1, const Given<Real>& m1, const Given<RotationalInertia>& I1,
                 const Given<Vec3>& normal, const Given<Real>& e, const Given<Real>& friction,
                 const Given<Real>& tangential_restitution, const Given<Real>& restitution_threshold)
      : v1(v1, "v1", count),
        w1(w1, "w1", count),
        v2(v2, "v2", count),
        r1(r1, "r1", count),
        normal(normal, "normal", count),
        self_euler(self_euler, "self_euler", count),
        m1(m1, "m1", count),
        e(e, "e", count),
        friction(friction, "friction", count),
        tangential_restitution(tangential_restitution, "tangential_restitution", count),
        restitution_threshold(restitution_threshold, "restitution_threshold", count),
        I1(I1, "I1", count) {}

  ImpulseBatch batch(bool oriented) const {
    ImpulseBatch b;
    b.v1 = column_of(v1);
    b.w1 = column_of(w1);
    b.self_euler = column_of(self_euler);
    b.v2 = column_of(v2);
    b.r1 = column_of(r1);
    b.m1 = column_of(m1);
    b.I1 = I1.column();
    b.normal = column_of(normal);
    b.e = column_of(e);
    b.friction = column_of(friction);
    b.tangential_restitution = column_of(tangential_restitution);
    b.restitution_threshold = column_of(restitution_threshold);
    b.oriented = oriented;
    return b;
  }

  RowCount count;
  Rows<Vec3> v1, w1, v2, r1, normal;
  Rows<Euler> self_euler;
  Rows<Real> m1, e, friction, tangential_restitution, restitution_threshold;
  InertiaRows I1;
};

NumpyResult impulses(const RowCount& count, const ImpulseBatch& batch, const Queue* queue) {
  if (queue && !queue->device().is_cpu()) throw Error("queue: these functions work on the CPU");
  VectorResult result(count);
  if (count.many()) {
    nb::gil_scoped_release unlocked;
    impulses_by_collision(batch, {result.data(), result.rows()}, queue);
  } else {  // errors have no row
    const ImpulseOptions options{batch.oriented, batch.friction.one, batch.tangential_restitution.one,
                                 batch.restitution_threshold.one};
    *result.data() =
        impulse_by_collision(Velocity(batch.v1.one), AngularVelocity(batch.w1.one), batch.self_euler.one,
                             Velocity(batch.v2.one), AngularVelocity(batch.w2.one), batch.target_euler.one,
                             ContactVector(batch.r1.one), ContactVector(batch.r2.one), batch.m1.one, batch.m2.one,
                             batch.I1.one, batch.I2.one, batch.normal.one, batch.e.one, options)
            .vec();
  }
  return result.release();
}

NumpyResult collide_two(const Given<Vec3>& v1, const Given<Vec3>& w1, const Given<Euler>& self_euler,
                        const Given<Vec3>& v2, const Given<Vec3>& w2, const Given<Euler>& target_euler,
                        const Given<Vec3>& r1, const Given<Vec3>& r2, const Given<Real>& m1, const Given<Real>& m2,
                        const Given<RotationalInertia>& I1, const Given<RotationalInertia>& I2,
                        const Given<Vec3>& normal, const Given<Real>& e, bool oriented, const Given<Real>& friction,
                        const Given<Real>& tangential_restitution, const Given<Real>& restitution_threshold,
                        const Queue* queue) {
  SelfAndContact all(v1, w1, self_euler, v2, r1, m1, I1, normal, e, friction, tangential_restitution,
                     restitution_threshold);
  const Rows<Vec3> w2_rows(w2, "w2", all.count), r2_rows(r2, "r2", all.count);
  const Rows<Euler> euler_rows(target_euler, "target_euler", all.count);
  const Rows<Real> m2_rows(m2, "m2", all.count);
  const InertiaRows I2_rows(I2, "I2", all.count);
  ImpulseBatch batch = all.batch(oriented);
  batch.w2 = column_of(w2_rows);
  batch.target_euler = column_of(euler_rows);
  batch.r2 = column_of(r2_rows);
  batch.m2 = column_of(m2_rows);
  batch.I2 = I2_rows.column();
  return impulses(all.count, batch, queue);
}

NumpyResult collide_with_fixed(const Given<Vec3>& v1, const Given<Vec3>& w1, const Given<Euler>& self_euler,
                               const Given<Vec3>& v2, const Given<Vec3>& r1, const Given<Real>& m1,
                               const Given<RotationalInertia>& I1, const Given<Vec3>& normal, const Given<Real>& e,
                               bool oriented, const Given<Real>& friction, const Given<Real>& tangential_restitution,
                               const Given<Real>& restitution_threshold, const Queue* queue) {
  const SelfAndContact all(v1, w1, self_euler, v2, r1, m1, I1, normal, e, friction, tangential_restitution,
                           restitution_threshold);
  return impulses(all.count, all.batch(oriented), queue);
}

Given<Real> number(double value) { return {nb::float_(value)}; }

void bind_collision(nb::module_& m) {
  const char* const options =
      "\n\noriented: the normal points from self to other, and bodies that separate get exactly zero. friction: "
      "Coulomb's coefficient. tangential_restitution: -1 to 1, of the slip where the contact sticks. "
      "restitution_threshold: approach speed [m/s] below which e fades to zero.";
  static const std::string two =
      std::string(
          "The impulse [N s] on self by a collision with another body; its opposite acts on that one. All vectors are "
          "in one frame, in which the bodies are turned by Euler angles (roll, pitch, yaw) [rad]; inertias [kg m^2] "
          "are "
          "moments or tensors in the bodies' own axes. v, w: velocities of the centres of mass [m/s] and angular "
          "velocities [rad/s]; r: from each centre of mass to the contact [m]. The normal may have any length and, "
          "unless oriented, either sign. Every argument may have a row per contact; (3, 3) numbers are one tensor.") +
      options;
  static const std::string fixed =
      std::string("The same with something that nothing moves; v2 is the velocity of its contact point [m/s].") +
      options;
  m.def("impulse_by_collision", &collide_two, nb::arg("v1"), nb::arg("w1"), nb::arg("self_euler"), nb::arg("v2"),
        nb::arg("w2"), nb::arg("target_euler"), nb::arg("r1"), nb::arg("r2"), nb::arg("m1"), nb::arg("m2"),
        nb::arg("I1"), nb::arg("I2"), nb::arg("normal"), nb::arg("e"), nb::kw_only(), nb::arg("oriented") = false,
        nb::arg("friction") = number(0), nb::arg("tangential_restitution") = number(0),
        nb::arg("restitution_threshold") = number(0), nb::arg("queue") = nb::none(), two.c_str());
  m.def("impulse_by_collision", &collide_with_fixed, nb::arg("v1"), nb::arg("w1"), nb::arg("self_euler"), nb::arg("v2"),
        nb::arg("r1"), nb::arg("m1"), nb::arg("I1"), nb::arg("normal"), nb::arg("e"), nb::kw_only(),
        nb::arg("oriented") = false, nb::arg("friction") = number(0), nb::arg("tangential_restitution") = number(0),
        nb::arg("restitution_threshold") = number(0), nb::arg("queue") = nb::none(), fixed.c_str());
}

// -- solve_pair

// Two bodies and a row per contact point.
std::pair<NumpyResult, bool> pair_impulses(const Given<Vec3>& v1, const Given<Vec3>& w1, const Given<Euler>& self_euler,
                                           const Given<Vec3>& v2, const Given<Vec3>& w2,
                                           const Given<Euler>& target_euler, const Given<Vec3>& r1,
                                           const Given<Vec3>& r2, const Given<Real>& m1, const Given<Real>& m2,
                                           const Given<RotationalInertia>& I1, const Given<RotationalInertia>& I2,
                                           const Given<Vec3>& normal, const Given<Real>& e, const Given<Real>& friction,
                                           const Given<Real>& tangential_restitution, Real restitution_threshold,
                                           int max_iterations, Real tolerance) {
  RowCount one, points;
  const Rows<Vec3> v1_row(v1, "v1", one), w1_row(w1, "w1", one), v2_row(v2, "v2", one), w2_row(w2, "w2", one);
  const Rows<Euler> self_row(self_euler, "self_euler", one), target_row(target_euler, "target_euler", one);
  const Rows<Real> m1_row(m1, "m1", one), m2_row(m2, "m2", one);
  const InertiaRows I1_row(I1, "I1", one), I2_row(I2, "I2", one);
  if (one.many()) throw Error("solve_pair: two bodies have one velocity, mass and inertia each, not rows of them");
  const Rows<Vec3> r1_rows(r1, "r1", points), r2_rows(r2, "r2", points), normals(normal, "normal", points);
  const Rows<Real> restitution(e, "e", points), mu(friction, "friction", points),
      tangential(tangential_restitution, "tangential_restitution", points);
  if (max_iterations < 1) throw Error("solve_pair: max_iterations is " + std::to_string(max_iterations));

  std::vector<PairPoint> point(points.rows());
  for (std::int64_t i = 0; i < points.rows(); ++i) {
    const CollisionT<Real> c{v1_row[0],
                             w1_row[0],
                             self_row[0],
                             v2_row[0],
                             w2_row[0],
                             target_row[0],
                             r1_rows[i],
                             r2_rows[i],
                             m1_row[0],
                             m2_row[0],
                             I1_row[0],
                             I2_row[0],
                             normals[i],
                             restitution[i],
                             mu[i],
                             tangential[i],
                             restitution_threshold,
                             true};
    ArgumentCheck check("solve_pair", i);
    check_collision(c, check);
    point[i].normal = unit_direction(c.normal);
    point[i].r1 = c.r1;
    point[i].r2 = c.r2;
    point[i].restitution = c.e;
    point[i].friction = c.friction;
    point[i].tangential_restitution = c.tangential_restitution;
  }
  ImpactBody a{v1_row[0], w1_row[0], 1 / m1_row[0], inverse_inertia(I1_row[0], self_row[0], Real(1))};
  ImpactBody b{v2_row[0], w2_row[0], 1 / m2_row[0], inverse_inertia(I2_row[0], target_row[0], Real(1))};
  const bool converged = solve_pair(a, b, point.data(), static_cast<int>(point.size()),
                                    {max_iterations, tolerance, restitution_threshold});
  VectorResult result(points);
  for (std::int64_t i = 0; i < points.rows(); ++i) result.data()[i] = point[i].impulse;
  return {result.release(), converged};
}

void bind_pair(nb::module_& m) {
  const ImpactConfig defaults;
  m.def("solve_pair", &pair_impulses, nb::arg("v1"), nb::arg("w1"), nb::arg("self_euler"), nb::arg("v2"), nb::arg("w2"),
        nb::arg("target_euler"), nb::arg("r1"), nb::arg("r2"), nb::arg("m1"), nb::arg("m2"), nb::arg("I1"),
        nb::arg("I2"), nb::arg("normal"), nb::arg("e"), nb::kw_only(), nb::arg("friction") = number(0),
        nb::arg("tangential_restitution") = number(0), nb::arg("restitution_threshold") = 0,
        nb::arg("max_iterations") = defaults.max_iterations, nb::arg("tolerance") = shortest(defaults.tolerance),
        "The impulses [N s] on self at several contact points of two bodies, solved together, and whether the sweeps "
        "converged. Arguments as in impulse_by_collision, with the normals from self to other; r1, r2, normal, e, "
        "friction and tangential_restitution may have a row per point.");
}

// -- What an impulse does

void bind_linear(nb::module_& m) {
  m.def(
      "delta_velocity_from_impulse",
      [](const Given<Impulse>& impulse, const Given<Real>& mass) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<Real> kg(mass, "mass", n);
        return for_rows(n, [&](std::int64_t i) { return delta_velocity_from_impulse(J[i], kg[i]); });
      },
      nb::arg("impulse"), nb::arg("mass"), "Change of velocity J/m [m/s].");
  m.def(
      "acceleration_from_impulse",
      [](const Given<Impulse>& impulse, const Given<Real>& mass, const Given<Real>& delta_time) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<Real> kg(mass, "mass", n), dt(delta_time, "delta_time", n);
        return for_rows(n, [&](std::int64_t i) { return acceleration_from_impulse(J[i], kg[i], dt[i]); });
      },
      nb::arg("impulse"), nb::arg("mass"), nb::arg("delta_time"), "Mean acceleration J/(m dt) [m/s^2].");
  m.def(
      "acceleration_by_force",
      [](const Given<Force>& force, const Given<Real>& mass) {
        RowCount n;
        const Rows<Force> F(force, "force", n);
        const Rows<Real> kg(mass, "mass", n);
        return for_rows(n, [&](std::int64_t i) { return acceleration_by_force(F[i], kg[i]); });
      },
      nb::arg("force"), nb::arg("mass"), "Acceleration F/m [m/s^2].");
  m.def(
      "force_from_impulse",
      [](const Given<Impulse>& impulse, const Given<Real>& delta_time) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<Real> dt(delta_time, "delta_time", n);
        return for_rows(n, [&](std::int64_t i) { return force_from_impulse(J[i], dt[i]); });
      },
      nb::arg("impulse"), nb::arg("delta_time"), "Mean force J/dt [N].");
}

void bind_angular(nb::module_& m) {
  m.def(
      "torque_from_impulse",
      [](const Given<Impulse>& impulse, const Given<ContactVector>& r1, const Given<Real>& delta_time) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<ContactVector> r(r1, "r1", n);
        const Rows<Real> dt(delta_time, "delta_time", n);
        return for_rows(n, [&](std::int64_t i) { return torque_from_impulse(J[i], r[i], dt[i]); });
      },
      nb::arg("impulse"), nb::arg("r1"), nb::arg("delta_time"), "Mean torque (r x J)/dt [N m].");
  m.def(
      "delta_angular_velocity_from_impulse",
      [](const Given<Impulse>& impulse, const Given<ContactVector>& r1, const Given<RotationalInertia>& I1,
         const Given<Euler>& euler) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<ContactVector> r(r1, "r1", n);
        const InertiaRows I(I1, "I1", n);
        const Rows<Euler> turned(euler, "euler", n);
        return for_rows(
            n, [&](std::int64_t i) { return delta_angular_velocity_from_impulse(J[i], r[i], I[i], turned[i]); });
      },
      nb::arg("impulse"), nb::arg("r1"), nb::arg("I1"), nb::arg("euler") = Vec3{},
      "Change of angular velocity I^-1 (r x J) [rad/s]. euler: how the body is turned in the frame of J and r.");
  m.def(
      "angular_acceleration_from_impulse",
      [](const Given<Impulse>& impulse, const Given<ContactVector>& r1, const Given<RotationalInertia>& I1,
         const Given<Real>& delta_time, const Given<Euler>& euler) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<ContactVector> r(r1, "r1", n);
        const InertiaRows I(I1, "I1", n);
        const Rows<Real> dt(delta_time, "delta_time", n);
        const Rows<Euler> turned(euler, "euler", n);
        return for_rows(
            n, [&](std::int64_t i) { return angular_acceleration_from_impulse(J[i], r[i], I[i], dt[i], turned[i]); });
      },
      nb::arg("impulse"), nb::arg("r1"), nb::arg("I1"), nb::arg("delta_time"), nb::arg("euler") = Vec3{},
      "Mean angular acceleration I^-1 (r x J)/dt [rad/s^2].");
  m.def(
      "angular_acceleration_by_torque",
      [](const Given<Torque>& torque, const Given<RotationalInertia>& I1,
         const Given<AngularVelocity>& angular_velocity, const Given<Euler>& euler) {
        RowCount n;
        const Rows<Torque> tau(torque, "torque", n);
        const InertiaRows I(I1, "I1", n);
        const Rows<AngularVelocity> w(angular_velocity, "angular_velocity", n);
        const Rows<Euler> turned(euler, "euler", n);
        return for_rows(n,
                        [&](std::int64_t i) { return angular_acceleration_by_torque(tau[i], I[i], w[i], turned[i]); });
      },
      nb::arg("torque"), nb::arg("I1"), nb::arg("angular_velocity") = Vec3{}, nb::arg("euler") = Vec3{},
      "Angular acceleration I^-1 (tau - w x I w) [rad/s^2].");
}

void bind_wall(nb::module_& m) {
  m.def(
      "velocity_after_contact_with_wall",
      [](const Given<Velocity>& v_before, const Given<Vec3>& normal, const Given<Real>& e) {
        RowCount n;
        const Rows<Velocity> v(v_before, "v_before", n);
        const Rows<Vec3> direction(normal, "normal", n);
        const Rows<Real> rest(e, "e", n);
        return for_rows(n,
                        [&](std::int64_t i) { return velocity_after_contact_with_wall(v[i], direction[i], rest[i]); });
      },
      nb::arg("v_before"), nb::arg("normal"), nb::arg("e"),
      "The mirrored velocity times e [m/s]: unlike an impulse it scales the tangential velocity, too.");
  m.def(
      "velocity_after_contact_with_wall",
      [](const Given<Velocity>& v_before, const Given<Vec3>& center_position, const Given<Vec3>& contact_position,
         const Given<Real>& e) {
        RowCount n;
        const Rows<Velocity> v(v_before, "v_before", n);
        const Rows<Vec3> center(center_position, "center_position", n),
            contact(contact_position, "contact_position", n);
        const Rows<Real> rest(e, "e", n);
        return for_rows(
            n, [&](std::int64_t i) { return velocity_after_contact_with_wall(v[i], center[i], contact[i], rest[i]); });
      },
      nb::arg("v_before"), nb::arg("center_position"), nb::arg("contact_position"), nb::arg("e"),
      "The same with the line from the centre to the contact for the normal.");
}

// -- Forces over time

template <class T>
T read_one(const Given<T>& given, const char* name) {
  RowCount n;
  const Rows<T> rows(given, name, n);
  if (n.many()) throw Error(std::string(name) + ": expected one, got rows of them");
  return rows[0];
}

NumpyResult one_vector(Vec3 v) {
  VectorResult result(RowCount{});
  *result.data() = v;
  return result.release();
}

void bind_profile(nb::module_& m) {
  nb::enum_<ImpulseProfile>(m, "ImpulseProfile", "How the force of an impulse goes over the time of the contact.")
      .value("RECTANGLE", ImpulseProfile::kRectangle, "constant")
      .value("HALF_SINE", ImpulseProfile::kHalfSine, "a linear spring")
      .value("HERTZ", ImpulseProfile::kHertz, "an elastic contact of round bodies, nearly");
  m.def(
      "force_at",
      [](const Given<Impulse>& impulse, const Given<Real>& duration, ImpulseProfile profile, const Given<Real>& time) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<Real> T(duration, "duration", n), t(time, "time", n);
        return for_rows(n, [&](std::int64_t i) { return force_at(J[i], T[i], profile, t[i]); });
      },
      nb::arg("impulse"), nb::arg("duration"), nb::arg("profile"), nb::arg("time"),
      "The force [N] of an impulse at a time [s] of a contact of this duration [s]; zero outside.");
  m.def(
      "impulse_until",
      [](const Given<Impulse>& impulse, const Given<Real>& duration, ImpulseProfile profile, const Given<Real>& time) {
        RowCount n;
        const Rows<Impulse> J(impulse, "impulse", n);
        const Rows<Real> T(duration, "duration", n), t(time, "time", n);
        return for_rows(n, [&](std::int64_t i) { return impulse_until(J[i], T[i], profile, t[i]); });
      },
      nb::arg("impulse"), nb::arg("duration"), nb::arg("profile"), nb::arg("time"),
      "The part of the impulse that is given until a time [s].");
  nb::class_<ImpulseSpread>(m, "ImpulseSpread",
                            "Hands an impulse out over steps of any lengths: the forces times the steps add up to it, "
                            "the torques times the steps to its moment.")
      .def(
          "__init__",
          [](ImpulseSpread* self, const Given<Impulse>& impulse, const Given<ContactVector>& contact, Real duration,
             ImpulseProfile profile) {
            new (self) ImpulseSpread(read_one(impulse, "impulse"), read_one(contact, "contact"), duration, profile);
          },
          nb::arg("impulse"), nb::arg("contact"), nb::arg("duration"), nb::arg("profile") = ImpulseProfile::kHalfSine)
      .def(
          "step",
          [](ImpulseSpread& self, Real delta_time) {
            const ForceAndTorque f = self.step(delta_time);
            return std::pair(one_vector(f.force.vec()), one_vector(f.torque.vec()));
          },
          nb::arg("delta_time"),
          "Mean force [N] and torque [N m] of the next step [s]; the one that reaches the end takes the rest.")
      .def_prop_ro("finished", &ImpulseSpread::finished, "Whether all of it was handed out.")
      .def_prop_ro(
          "time", [](const ImpulseSpread& self) { return self.time().value; }, "Since the contact began [s].")
      .def_prop_ro(
          "given", [](const ImpulseSpread& self) { return one_vector(self.given().vec()); }, nb::rv_policy::move,
          "What was handed out so far [N s].");
}

}  // namespace

void bind_impulse(nb::module_& m) {
  bind_collision(m);
  bind_pair(m);
  bind_linear(m);
  bind_angular(m);
  bind_wall(m);
  bind_profile(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
