// ModelBuilder: tendons and actuators. Every number of their configs is an argument with the default of the struct.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "builder.h"
#include "config_fields.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

constexpr auto kTendonFields = [] {
  using C = TendonConfig;
  using F = Field<C, Real>;
  return std::tuple{F{"limit_lower", &C::limit_lower, "Lower limit of the length."},
                    F{"limit_upper", &C::limit_upper, "Upper limit of the length."},
                    F{"limit_margin", &C::limit_margin, "A limit acts from this distance on."},
                    RealsField<C, 2>{"limit_solref", &C::limit_solref, kSolrefDoc},
                    RealsField<C, 5>{"limit_solimp", &C::limit_solimp, kSolimpDoc},
                    F{"friction", &C::friction, "Dry friction."},
                    RealsField<C, 2>{"friction_solref", &C::friction_solref, kSolrefDoc},
                    RealsField<C, 5>{"friction_solimp", &C::friction_solimp, kSolimpDoc},
                    F{"stiffness", &C::stiffness, "Stiffness of its spring."},
                    F{"damping", &C::damping, "Damping."},
                    F{"spring_lower", &C::spring_lower, "The spring is relaxed from this length to spring_upper."},
                    F{"spring_upper", &C::spring_upper, "See spring_lower."}};
}();

constexpr auto kActuatorFields = [] {
  using C = ActuatorConfig;
  using F = Field<C, Real>;
  return std::tuple{F{"gear", &C::gear, "Length per coordinate, joint force per force."},
                    F{"gain", &C::gain, "Force per ctrl."},
                    RealsField<C, 3>{"bias", &C::bias, "Force: constant, per length, per velocity."},
                    F{"ctrl_lower", &C::ctrl_lower, "Least ctrl."},
                    F{"ctrl_upper", &C::ctrl_upper, "Largest ctrl."},
                    F{"force_lower", &C::force_lower, "Least force, before the gear."},
                    F{"force_upper", &C::force_upper, "Largest force, before the gear."}};
}();

// One line per argument after the text.
template <class... Fields>
std::string with_arguments(std::string text, const Fields&... fields) {
  text += "\n";
  ((text += std::string("\n    ") + fields.name + ": " + fields.doc), ...);
  return text;
}

// (joint, coef) or (joint, coef, axis).
using GivenTendonJoint = std::variant<std::tuple<int, Real>, std::tuple<int, Real, int>>;

TendonJoint tendon_joint(const GivenTendonJoint& given) {
  const auto from_numbers = [](const auto&... numbers) { return TendonJoint{numbers...}; };
  return std::visit([&](const auto& tuple) { return std::apply(from_numbers, tuple); }, given);
}

template <class... Fields>
void def_tendon(BuilderClass& cls, const Fields&... fields) {
  const TendonConfig defaults;
  cls.def(
      "add_tendon_fixed",
      [fields...](ModelBuilder& self, const std::vector<GivenTendonJoint>& given,
                  const typename Fields::Argument&... numbers, const Key& key) {
        TendonConfig cfg;
        (fields.set(cfg, numbers), ...);
        std::vector<TendonJoint> joints;
        for (const GivenTendonJoint& joint : given) joints.push_back(tendon_joint(joint));
        return self.add_tendon_fixed(joints, cfg, key.text);
      },
      nb::arg("joints"), (nb::arg(fields.name) = fields.get(defaults))..., nb::arg("key") = nb::none(),
      with_arguments("A tendon whose length is the sum of coef * coordinate over its joints, each given as (joint, "
                     "coef) or (joint, coef, axis).",
                     fields...)
          .c_str());
}

template <class... Fields>
void def_actuators(BuilderClass& cls, const Fields&... fields) {
  const ActuatorConfig defaults;
  const Field<ActuatorConfig, int> axis{"axis", &ActuatorConfig::axis, "Degree of freedom inside the joint."};
  cls.def(
      "add_actuator",
      [fields...](ModelBuilder& self, int joint, int axis, const typename Fields::Argument&... numbers,
                  const Key& key) {
        ActuatorConfig cfg{.axis = axis};
        (fields.set(cfg, numbers), ...);
        return self.add_actuator(joint, cfg, key.text);
      },
      nb::arg("joint"), nb::arg("axis") = defaults.axis, (nb::arg(fields.name) = fields.get(defaults))...,
      nb::arg("key") = nb::none(),
      with_arguments("Drives a joint with gear * force, where force = gain * ctrl + bias[0] + bias[1] * length + "
                     "bias[2] * velocity, length = gear * q and velocity = gear * qd. The defaults make a motor.",
                     axis, fields...)
          .c_str());
  cls.def(
      "add_actuator_tendon",
      [fields...](ModelBuilder& self, int tendon, const typename Fields::Argument&... numbers, const Key& key) {
        ActuatorConfig cfg;
        (fields.set(cfg, numbers), ...);
        return self.add_actuator_tendon(tendon, cfg, key.text);
      },
      nb::arg("tendon"), (nb::arg(fields.name) = fields.get(defaults))..., nb::arg("key") = nb::none(),
      with_arguments("Pulls a tendon as add_actuator() drives a joint: its length and velocity are gear times those of "
                     "the tendon.",
                     fields...)
          .c_str());
}

}  // namespace

void bind_builder_actuation(BuilderClass& cls) {
  std::apply([&](const auto&... fields) { def_tendon(cls, fields...); }, kTendonFields);
  std::apply([&](const auto&... fields) { def_actuators(cls, fields...); }, kActuatorFields);
}

}  // namespace carom::inline CAROM_PRECISION::python
