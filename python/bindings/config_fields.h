// Config structs as Python classes. The fields of a struct are listed once; its keyword constructor, attributes, repr
// and copy() are made from the list, with the defaults of the C++ struct.
#pragma once

#include <string>
#include <tuple>

#include "carom/config.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {

// How a field looks in Python: reads and writes a T of the struct as a Python value.
template <class T>
struct Plain {
  using Argument = T;
  static T to_python(const T& value) { return value; }
  static T from_python(const T& value, const char*) { return value; }
};
template <>
struct Plain<Real> {
  using Argument = Real;
  static double to_python(Real value) { return shortest(value); }
  static Real from_python(Real value, const char*) { return value; }
};
template <class T>  // a Vec3 or an array of Reals
struct NumbersField {
  using Argument = Given<T>;
  static T to_python(const T& value) { return value; }
  static T from_python(const Given<T>& value, const char* name) { return read(value, name); }
};
struct SpatialField {
  using Argument = Given<SpatialVector>;
  static RealN<6> to_python(const SpatialVector& v) {
    return {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
  }
  static SpatialVector from_python(const Given<SpatialVector>& value, const char* name) { return read(value, name); }
};
struct MaybeField {
  using Argument = std::optional<Real>;
  static std::optional<double> to_python(Real value) { return optional_of(value); }
  static Real from_python(const std::optional<Real>& value, const char*) { return value.value_or(kNotSet); }
};

template <class T>  // a config inside of another one; None: its defaults
struct InnerField {
  using Argument = std::optional<T>;
  static std::optional<T> to_python(const T&) { return std::nullopt; }
  static T from_python(const std::optional<T>& value, const char*) { return value.value_or(T{}); }
};

template <class Config, class T, class Look = Plain<T>>
struct Field {
  using Argument = typename Look::Argument;
  const char* name;
  T Config::*pointer;
  const char* doc;

  auto get(const Config& config) const { return Look::to_python(config.*pointer); }
  void set(Config& config, const Argument& value) const { config.*pointer = Look::from_python(value, name); }
};

template <class Config, int N>
using RealsField = Field<Config, RealN<N>, NumbersField<RealN<N>>>;

inline constexpr const char* kSolrefDoc = "Time constant [s] and damping ratio; or -stiffness, -damping.";
inline constexpr const char* kSolimpDoc = "Impedance: d0, dmax, width, midpoint, power.";

// The numbers of a joint's degree of freedom, in the order of the arguments of add_joint_revolute.
inline constexpr auto kJointDofFields = [] {
  using C = JointDofConfig;
  using F = Field<C, Real>;
  return std::tuple{
      F{"target_pos", &C::target_pos, "Drive target [m] or [rad]."},
      F{"target_vel", &C::target_vel, "Drive target [m/s] or [rad/s]."},
      F{"target_ke", &C::target_ke, "Drive stiffness [N/m] or [N m/rad]."},
      F{"target_kd", &C::target_kd, "Drive damping [N s/m] or [N m s/rad]."},
      F{"limit_lower", &C::limit_lower, "Lower limit [m] or [rad]."},
      F{"limit_upper", &C::limit_upper, "Upper limit [m] or [rad]."},
      F{"limit_ke", &C::limit_ke, "Limit stiffness [N/m] or [N m/rad]."},
      F{"limit_kd", &C::limit_kd, "Limit damping [N s/m] or [N m s/rad]."},
      F{"damping", &C::damping, "Passive damping [N s/m] or [N m s/rad]."},
      F{"armature", &C::armature, "Inertia of the motor seen at the joint [kg] or [kg m^2]."},
      F{"effort_lower", &C::effort_lower, "The least that its actuators do together [N] or [N m]."},
      F{"effort_upper", &C::effort_upper, "The most that they do together [N] or [N m]."},
      F{"velocity_limit", &C::velocity_limit, "Largest speed [m/s] or [rad/s]."},
      F{"friction", &C::friction, "Dry friction [N] or [N m]."},
      F{"stiffness", &C::stiffness, "Passive spring [N/m] or [N m/rad]."},
      RealsField<C, 2>{"stiffness_poly", &C::stiffness_poly, "Of the spring, per length and per its square."},
      RealsField<C, 2>{"damping_poly", &C::damping_poly, "Of the damping, per speed and per its square."},
      Field<C, bool>{"gravcomp_by_motor", &C::gravcomp_by_motor,
                     "What carries the weight here is of the actuators, and within their efforts."},
      F{"spring_ref", &C::spring_ref, "Where the spring is relaxed [m] or [rad]."},
      F{"spring_yield", &C::spring_yield,
        "Stretched by more the spring yields: it is relaxed elsewhere then [m] or [rad]; 0: it never does."},
      F{"limit_margin", &C::limit_margin, "A limit acts from this distance on [m] or [rad]."},
      RealsField<C, 2>{"limit_solref", &C::limit_solref, kSolrefDoc},
      RealsField<C, 5>{"limit_solimp", &C::limit_solimp, kSolimpDoc},
      RealsField<C, 2>{"friction_solref", &C::friction_solref, kSolrefDoc},
      RealsField<C, 5>{"friction_solimp", &C::friction_solimp, kSolimpDoc}};
}();

template <class Config, class... Fields>
nb::class_<Config> bind_config_class(nb::handle scope, const char* name, const char* doc, const Fields&... fields) {
  nb::class_<Config> cls(scope, name, doc);
  const Config defaults;
  cls.def(
      "__init__",
      [fields...](Config* self, const typename Fields::Argument&... values) {
        new (self) Config();
        (fields.set(*self, values), ...);
      },
      nb::kw_only(), (nb::arg(fields.name) = fields.get(defaults))...);
  (cls.def_prop_rw(
       fields.name, [fields](const Config& self) { return fields.get(self); },
       [fields](Config& self, const typename Fields::Argument& value) { fields.set(self, value); },
       nb::for_setter(nb::arg("value")), fields.doc),
   ...);
  cls.def(
      "copy", [](const Config& self) { return self; }, "An own copy.");
  cls.def("__repr__", [name, fields...](const Config& self) {
    std::string text;
    ((text += std::string(text.empty() ? "" : ", ") + fields.name + "=" + nb::repr(nb::cast(fields.get(self))).c_str()),
     ...);
    return std::string(name) + "(" + text + ")";
  });
  return cls;
}

}  // namespace carom::inline CAROM_PRECISION::python
