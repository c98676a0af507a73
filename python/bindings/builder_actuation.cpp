// ModelBuilder: tendons and actuators. Every number of their configs is an argument with the default of the struct.
#include <nanobind/stl/optional.h>
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
  return std::tuple{
      F{"limit_lower", &C::limit_lower, "Lower limit of the length."},
      F{"limit_upper", &C::limit_upper, "Upper limit of the length."},
      F{"limit_margin", &C::limit_margin, "A limit acts from this distance on."},
      RealsField<C, 2>{"limit_solref", &C::limit_solref, kSolrefDoc},
      RealsField<C, 5>{"limit_solimp", &C::limit_solimp, kSolimpDoc},
      F{"friction", &C::friction, "Dry friction."},
      RealsField<C, 2>{"friction_solref", &C::friction_solref, kSolrefDoc},
      RealsField<C, 5>{"friction_solimp", &C::friction_solimp, kSolimpDoc},
      F{"stiffness", &C::stiffness, "Stiffness of its spring."},
      RealsField<C, 2>{"stiffness_poly", &C::stiffness_poly, "Of the spring, per length and per its square."},
      F{"damping", &C::damping, "Damping."},
      RealsField<C, 2>{"damping_poly", &C::damping_poly, "Of the damping, per speed and per its square."},
      F{"spring_lower", &C::spring_lower, "The spring is relaxed from this length to spring_upper."},
      F{"spring_upper", &C::spring_upper, "See spring_lower."},
      F{"spring_yield", &C::spring_yield, "Stretched by more the spring is relaxed elsewhere then; 0: it never is."},
      F{"armature", &C::armature, "Inertia that moves with the tendon."},
      F{"effort_lower", &C::effort_lower, "The least that its actuators do together."},
      F{"effort_upper", &C::effort_upper, "The most that they do together."}};
}();

struct LawField {
  using Argument = std::string;
  static std::string to_python(ActuatorLaw value) { return actuator_law_name(value); }
  static ActuatorLaw from_python(const std::string& value, const char*) { return parse_actuator_law(value); }
};
struct DynamicsField {
  using Argument = std::string;
  static std::string to_python(ActuatorDynamics value) { return actuator_dynamics_name(value); }
  static ActuatorDynamics from_python(const std::string& value, const char*) { return parse_actuator_dynamics(value); }
};
struct InterpolationField {
  using Argument = std::string;
  static std::string to_python(Interpolation value) { return interpolation_name(value); }
  static Interpolation from_python(const std::string& value, const char*) { return parse_interpolation(value); }
};
struct InputsField {
  using Argument = std::string;
  static std::string to_python(int value) { return actuator_inputs_name(value); }
  static int from_python(const std::string& value, const char*) { return parse_actuator_inputs(value); }
};

void bind_controllers(nb::module_& m) {
  {
    using C = ControllerConfig;
    using F = Field<C, Real>;
    bind_config_class<C>(
        m, "ControllerConfig",
        "A pid controller, or the one in front of a DC motor: kp * (position - length) + kv * (velocity - its rate) + "
        "ki * integral + force.",
        F{"kp", &C::kp, "Per how far the length is from its setpoint."}, F{"kv", &C::kv, "Likewise of the velocity."},
        F{"ki", &C::ki, "Per the integral of the first."},
        F{"integral_max", &C::integral_max, "Where the integral stops growing; 0: it does not stop."},
        F{"slew_max", &C::slew_max, "Largest rate at which the first input is followed [1/s]; 0: at once."},
        RealsField<C, 4>{"input_lower", &C::input_lower, "Least position, velocity, force and voltage."},
        RealsField<C, 4>{"input_upper", &C::input_upper, "Largest ones."});
  }
  using C = DcMotorConfig;
  using F = Field<C, Real>;
  bind_config_class<C>(
      m, "DcMotorConfig",
      "A DC motor: constant * current within the bounds of the actuator, and on top of it cogging and friction.",
      F{"resistance", &C::resistance, "[Ohm]."},
      F{"constant", &C::constant, "Force per current, voltage per velocity."},
      F{"voltage_max", &C::voltage_max, "Of the controller [V]; 0: unlimited."},
      F{"current_time", &C::current_time, "Inductance / resistance [s]; 0: the current follows at once."},
      F{"current_rate_max", &C::current_rate_max, "[A/s]; 0: unlimited."},
      F{"heat_resistance", &C::heat_resistance, "To the air [K/W]; 0: it does not get warm."},
      F{"heat_capacity", &C::heat_capacity, "[J/K]."},
      F{"heat_coefficient", &C::heat_coefficient, "Of the resistance, per temperature [1/K]."},
      F{"heat_reference", &C::heat_reference, "Temperature at which the resistance is as given [C]."},
      F{"heat_ambient", &C::heat_ambient, "Temperature of the air [C]."},
      F{"cogging", &C::cogging, "cogging * sin(poles * length + phase)."},
      F{"cogging_poles", &C::cogging_poles, "See cogging."},
      F{"cogging_phase", &C::cogging_phase, "See cogging [rad]."},
      F{"bristle_stiffness", &C::bristle_stiffness, "Friction by bristles (LuGre); 0: none."},
      F{"bristle_damping", &C::bristle_damping, "Of the bristles."},
      F{"bristle_coulomb", &C::bristle_coulomb, "Friction while it moves."},
      F{"bristle_static", &C::bristle_static, "Friction while it holds."},
      F{"bristle_speed", &C::bristle_speed, "Speed between these (Stribeck)."});
}

constexpr auto kActuatorFields = [] {
  using C = ActuatorConfig;
  using F = Field<C, Real>;
  return std::tuple{
      F{"gear", &C::gear, "Length per coordinate, joint force per force."},
      F{"gain", &C::gain, "Force per ctrl, or per activation."},
      RealsField<C, 2>{"gain_slope", &C::gain_slope, "Gain per length, per velocity."},
      RealsField<C, 3>{"bias", &C::bias, "Force: constant, per length, per velocity."},
      Field<C, ActuatorLaw, LawField>{"law", &C::law,
                                      "\"affine\", \"muscle\", \"pid\", \"dcmotor\" or \"orientation\"."},
      RealsField<C, 10>{"muscle", &C::muscle,
                        "Of a muscle: operating range (2), length range (2), peak force, lmin, lmax, "
                        "vmax, fpmax, fvmax."},
      Field<C, ActuatorDynamics, DynamicsField>{
          "dynamics", &C::dynamics,
          "How ctrl becomes activation: \"none\", \"integrator\", \"filter\", \"filterexact\", "
          "\"muscle\"."},
      RealsField<C, 3>{"time", &C::time,
                       "Time constant [s]; of a muscle: of activation, of deactivation, and how smoothly "
                       "one becomes the other."},
      Field<C, bool>{"act_early", &C::act_early, "The force is that of the activation to come."},
      F{"act_lower", &C::act_lower, "Least activation."},
      F{"act_upper", &C::act_upper, "Largest activation."},
      F{"ctrl_lower", &C::ctrl_lower, "Least ctrl."},
      F{"ctrl_upper", &C::ctrl_upper, "Largest ctrl."},
      F{"force_lower", &C::force_lower, "Least force, before the gear."},
      F{"force_upper", &C::force_upper, "Largest force, before the gear."},
      Field<C, int, InputsField>{
          "inputs", &C::inputs,
          "Of \"pid\" and \"dcmotor\": some of \"position velocity force voltage\"; ctrl has a number for "
          "each, in this order. Of \"orientation\": \"position\", a rotation vector, or \"quaternion\"."},
      Field<C, ControllerConfig, InnerField<ControllerConfig>>{"controller", &C::controller,
                                                               "Likewise: gains and bounds."},
      Field<C, DcMotorConfig, InnerField<DcMotorConfig>>{"motor", &C::motor, "Of \"dcmotor\"."},
      F{"delay", &C::delay, "ctrl counts so much later [s], at least one step."},
      Field<C, int>{"delay_samples", &C::delay_samples, "Steps whose ctrl is kept for that."},
      Field<C, Interpolation, InterpolationField>{"interpolation", &C::interpolation,
                                                  "Between steps: \"hold\", \"linear\" or \"cubic\"."}};
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

// A frame of a body: (body, xform).
using GivenPose = std::tuple<int, Given<Transform>>;
BodyPose body_pose(const GivenPose& given, const char* name) {
  return {std::get<0>(given), read(std::get<1>(given), name)};
}

template <class... Fields>
void def_spatial_tendon(BuilderClass& cls, const Fields&... fields) {
  const TendonConfig defaults;
  cls.def(
      "add_tendon_spatial",
      [fields...](ModelBuilder& self, const std::vector<TendonPoint>& points,
                  const typename Fields::Argument&... numbers, const Key& key) {
        TendonConfig cfg;
        (fields.set(cfg, numbers), ...);
        return self.add_tendon_spatial(points, cfg, key.text);
      },
      nb::arg("points"), (nb::arg(fields.name) = fields.get(defaults))..., nb::arg("key") = nb::none(),
      with_arguments(
          "A tendon that runs straight from point to point (TendonPoint), or round the spheres and cylinders "
          "between them.",
          fields...)
          .c_str());
}

void bind_tendon_point(nb::module_& m) {
  nb::class_<TendonPoint>(m, "TendonPoint", "What a spatial tendon passes.")
      .def(
          "__init__",
          [](TendonPoint* self, int body, const MaybeGiven<Transform>& xform, const std::string& type, Real radius,
             Real divisor, const std::optional<std::tuple<int, Given<Vec3>>>& side) {
            new (self) TendonPoint{parse_tendon_point_type(type), body, read(xform, "xform"), radius, divisor};
            if (!side) return;
            self->has_side = true;
            self->side_body = std::get<0>(*side);
            self->side = read(std::get<1>(*side), "side");
          },
          nb::arg("body") = -1, nb::arg("xform") = nb::none(), nb::arg("type") = "point", nb::arg("radius") = 0.0,
          nb::arg("divisor") = 1.0, nb::arg("side") = nb::none(),
          "body: that carries it, -1 = the world. xform: in the body; z is the axis of a cylinder [m]. type: "
          "\"point\", "
          "\"sphere\" or \"cylinder\" of this radius [m], which the tendon wraps around, or \"pulley\", behind which "
          "another piece begins and counts 1 / divisor. side: (body, position) of a point on the side where a sphere "
          "or a cylinder is passed; inside of it: the tendon runs through its inside.")
      .def("__repr__", [](const TendonPoint& self) {
        return std::string("TendonPoint(type=\"") + tendon_point_type_name(self.type) +
               "\", body=" + std::to_string(self.body) + ")";
      });
}

const Field<ActuatorConfig, SpatialVector, NumbersField<SpatialVector>> kWrenchField{
    "wrench", &ActuatorConfig::wrench, "Force and moment per force; of a ball joint the moment counts."};

template <class... Fields>
void def_body_actuators(BuilderClass& cls, const Fields&... fields) {
  const ActuatorConfig defaults;
  cls.def(
      "add_actuator_site",
      [fields...](ModelBuilder& self, const GivenPose& site, const Given<SpatialVector>& wrench,
                  const std::optional<GivenPose>& reference, const typename Fields::Argument&... numbers,
                  const Key& key) {
        ActuatorConfig cfg{.wrench = read(wrench, "wrench")};
        (fields.set(cfg, numbers), ...);
        std::optional<BodyPose> against;
        if (reference) against = body_pose(*reference, "reference");
        return self.add_actuator_site(body_pose(site, "site"), against, cfg, key.text);
      },
      nb::arg("site"), nb::arg("wrench"), nb::arg("reference") = nb::none(),
      (nb::arg(fields.name) = fields.get(defaults))..., nb::arg("key") = nb::none(),
      with_arguments("Pushes a body with gear * force * wrench at a site, given as (body, xform), in the axes of the "
                     "site; with a reference against that, in its axes, and its length is where the site is seen from "
                     "there, projected on the wrench.",
                     kWrenchField, fields...)
          .c_str());
  cls.def(
      "add_actuator_body",
      [fields...](ModelBuilder& self, int body, const typename Fields::Argument&... numbers, const Key& key) {
        ActuatorConfig cfg;
        (fields.set(cfg, numbers), ...);
        return self.add_actuator_body(body, cfg, key.text);
      },
      nb::arg("body"), (nb::arg(fields.name) = fields.get(defaults))..., nb::arg("key") = nb::none(),
      with_arguments("Pulls a body and what touches it together with gear * force, all contacts with an equal share.",
                     fields...)
          .c_str());
  cls.def(
      "add_actuator_slider_crank",
      [fields...](ModelBuilder& self, const GivenPose& crank, const GivenPose& slider, Real rod,
                  const typename Fields::Argument&... numbers, const Key& key) {
        ActuatorConfig cfg;
        (fields.set(cfg, numbers), ...);
        return self.add_actuator_slider_crank(body_pose(crank, "crank"), body_pose(slider, "slider"), rod, cfg,
                                              key.text);
      },
      nb::arg("crank"), nb::arg("slider"), nb::arg("rod"), (nb::arg(fields.name) = fields.get(defaults))...,
      nb::arg("key") = nb::none(),
      with_arguments("Pushes a slider, which runs along the z axis of its frame, given as (body, xform); a rod of this "
                     "length [m] joins it to the frame called crank.",
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
                  const MaybeGiven<SpatialVector>& wrench, bool in_parent, const Key& key) {
        ActuatorConfig cfg{.axis = axis, .wrench = read(wrench, "wrench"), .in_parent = in_parent};
        (fields.set(cfg, numbers), ...);
        return self.add_actuator(joint, cfg, key.text);
      },
      nb::arg("joint"), nb::arg("axis") = defaults.axis, (nb::arg(fields.name) = fields.get(defaults))...,
      nb::arg("wrench") = nb::none(), nb::arg("in_parent") = defaults.in_parent, nb::arg("key") = nb::none(),
      with_arguments("Drives a joint with gear * force, where force = (gain + gain_slope[0] * length + gain_slope[1] * "
                     "velocity) * ctrl + bias[0] + bias[1] * length + bias[2] * velocity, length = gear * q and "
                     "velocity = gear * qd. The defaults make a motor. A ball or free joint feels gear * force * "
                     "wrench, in the axes of its child, or with in_parent those of its parent.",
                     axis, fields..., kWrenchField)
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

void bind_builder_actuation(nb::module_& m, BuilderClass& cls) {
  bind_tendon_point(m);
  bind_controllers(m);
  std::apply([&](const auto&... fields) { def_tendon(cls, fields...); }, kTendonFields);
  std::apply([&](const auto&... fields) { def_spatial_tendon(cls, fields...); }, kTendonFields);
  std::apply([&](const auto&... fields) { def_actuators(cls, fields...); }, kActuatorFields);
  std::apply([&](const auto&... fields) { def_body_actuators(cls, fields...); }, kActuatorFields);
}

}  // namespace carom::inline CAROM_PRECISION::python
