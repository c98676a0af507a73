// The config structs and the enums of the arrays.
#include "bindings.h"
#include "config_fields.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

void bind_enums(nb::module_& m) {
  nb::enum_<JointType>(m, "JointType", nb::is_arithmetic(), "Values of Model.joint_type.")
      .value("PRISMATIC", JointType::kPrismatic)
      .value("REVOLUTE", JointType::kRevolute)
      .value("BALL", JointType::kBall)
      .value("FIXED", JointType::kFixed)
      .value("FREE", JointType::kFree)
      .value("DISTANCE", JointType::kDistance)
      .value("D6", JointType::kD6);
  nb::enum_<EqualityType>(m, "EqualityType", nb::is_arithmetic(), "Values of Model.equality_constraint_type.")
      .value("CONNECT", EqualityType::kConnect)
      .value("WELD", EqualityType::kWeld)
      .value("JOINT", EqualityType::kJoint)
      .value("TENDON", EqualityType::kTendon);
  nb::enum_<ShapeFlag>(m, "ShapeFlag", nb::is_flag(), nb::is_arithmetic(), "Bits of Model.shape_flags.")
      .value("VISIBLE", kShapeVisible)
      .value("COLLIDES_SHAPES", kShapeCollidesShapes)
      .value("COLLIDES_PARTICLES", kShapeCollidesParticles)
      .value("IS_SITE", kShapeIsSite)
      .value("FILTER_PARENT", kShapeFilterParent);
  nb::enum_<BodyFlag>(m, "BodyFlag", nb::is_flag(), nb::is_arithmetic(), "Bits of Model.body_flags.")
      .value("DYNAMIC", kBodyDynamic)
      .value("KINEMATIC", kBodyKinematic);
  nb::enum_<ParticleFlag>(m, "ParticleFlag", nb::is_flag(), nb::is_arithmetic(), "Bits of Model.particle_flags.")
      .value("ACTIVE", kParticleActive);
}

void bind_shape_config(nb::module_& m) {
  using C = ShapeConfig;
  using F = Field<C, Real>;
  using Switch = Field<C, bool>;
  bind_config_class<C>(
      m, "ShapeConfig", "Material, filters and flags of a shape.",
      F{"density", &C::density, "[kg/m^3]; 0 adds no mass to the body."},
      F{"ke", &C::ke, "Contact elastic stiffness [N/m]."}, F{"kd", &C::kd, "Contact damping [N s/m]."},
      F{"kf", &C::kf, "Contact friction damping [N s/m]."}, F{"ka", &C::ka, "Contact adhesion distance [m]."},
      F{"mu", &C::mu, "Coefficient of friction."},
      F{"restitution", &C::restitution, "Coefficient of restitution, 0 to 1."},
      F{"torsional_friction", &C::torsional_friction, "Resistance to spinning at the contact [m]."},
      F{"rolling_friction", &C::rolling_friction, "Resistance to rolling [m]."},
      F{"thickness", &C::thickness, "Outward growth of the surface; wall thickness of hollow shapes [m]."},
      Field<C, Real, MaybeField>{"contact_margin", &C::contact_margin,
                                 "Contacts exist from this distance on [m]; None: the builder's rigid_contact_margin."},
      Switch{"is_solid", &C::is_solid, "Mass fills the volume; otherwise a shell of `thickness`."},
      Field<C, int>{"collision_group", &C::collision_group,
                    "0 collides with nothing, > 0 with its own and negative groups, < 0 with all but itself."},
      Switch{"collision_filter_parent", &C::collision_filter_parent, "No contact with shapes of the parent body."},
      Switch{"has_shape_collision", &C::has_shape_collision, "Collides with shapes."},
      Switch{"has_particle_collision", &C::has_particle_collision, "Collides with particles."},
      Switch{"is_visible", &C::is_visible, "Drawn by the viewer."},
      Field<C, int>{"contype", &C::contype,
                    "Two shapes make contacts when contype of one and conaffinity of the other share a bit."},
      Field<C, int>{"conaffinity", &C::conaffinity, "See contype."},
      Field<C, int>{"condim", &C::condim, "Of a contact: 1 no friction, 3 sliding, 4 and spinning, 6 and rolling."},
      Field<C, int>{"priority", &C::priority, "In a contact the higher one decides; equal ones are mixed."},
      F{"solmix", &C::solmix, "Weight of this shape in the mix."}, RealsField<C, 2>{"solref", &C::solref, kSolrefDoc},
      RealsField<C, 5>{"solimp", &C::solimp, kSolimpDoc},
      Field<C, Real, MaybeField>{"gap", &C::gap,
                                 "The part of contact_margin where contacts make no force [m]; None: all of it."},
      F{"adhesion", &C::adhesion, "Of a contact: what it takes to pull its sides apart, the sum of both shapes [N]."},
      Field<C, SpatialVector, SpatialField>{"surface_velocity", &C::surface_velocity,
                                            "As of a conveyor belt, in the frame of the shape [m/s], [rad/s]."},
      Switch{"fluid_ellipsoid", &C::fluid_ellipsoid,
             "A fluid pushes it as an ellipsoid of its size, and no longer the box of its body."},
      RealsField<C, 5>{"fluid_coef", &C::fluid_coef,
                       "Of an ellipsoid: of drag where it is blunt, where it is slender and against turning, of the "
                       "lifts of Kutta and Magnus."});
}

void bind_joint_dof_config(nb::module_& m) {
  using C = JointDofConfig;
  std::apply(
      [&](const auto&... numbers) {
        bind_config_class<C>(m, "JointDofConfig", "One degree of freedom of a joint.",
                             Field<C, Vec3, NumbersField<Vec3>>{"axis", &C::axis,
                                                                "In the joint's parent frame; need not be normalised."},
                             numbers...);
      },
      kJointDofFields);
}

void bind_particle_configs(nb::module_& m) {
  {
    using C = TriangleConfig;
    using F = Field<C, Real>;
    bind_config_class<C>(m, "TriangleConfig", "Elastic properties of a triangle of cloth.",
                         F{"ke", &C::ke, "Stretch stiffness."}, F{"ka", &C::ka, "Area stiffness."},
                         F{"kd", &C::kd, "Damping."}, F{"drag", &C::drag, "Aerodynamic drag."},
                         F{"lift", &C::lift, "Aerodynamic lift."});
  }
  {
    using C = EdgeConfig;
    using F = Field<C, Real>;
    bind_config_class<C>(m, "EdgeConfig", "Bending between two triangles of cloth.",
                         F{"ke", &C::ke, "Bending stiffness."}, F{"kd", &C::kd, "Bending damping."});
  }
  {
    using C = SpringConfig;
    using F = Field<C, Real>;
    bind_config_class<C>(m, "SpringConfig", "A spring between two particles.", F{"ke", &C::ke, "Stiffness [N/m]."},
                         F{"kd", &C::kd, "Damping [N s/m]."}, F{"control", &C::control, "Actuation."});
  }
  {
    using C = TetrahedronConfig;
    using F = Field<C, Real>;
    bind_config_class<C>(m, "TetrahedronConfig", "Elastic properties of a tetrahedron of a soft body.",
                         F{"k_mu", &C::k_mu, "First Lame parameter [Pa]."},
                         F{"k_lambda", &C::k_lambda, "Second Lame parameter [Pa]."},
                         F{"k_damp", &C::k_damp, "Damping."});
  }
}

struct IntegratorField {
  using Argument = std::string;
  static std::string to_python(Integrator value) { return integrator_name(value); }
  static Integrator from_python(const std::string& value, const char*) { return parse_integrator(value); }
};

struct ConeField {
  using Argument = std::string;
  static std::string to_python(Cone value) { return cone_name(value); }
  static Cone from_python(const std::string& value, const char*) { return parse_cone(value); }
};

struct CombineField {
  using Argument = std::string;
  static std::string to_python(CombineRule value) { return combine_rule_name(value); }
  static CombineRule from_python(const std::string& value, const char*) { return parse_combine_rule(value); }
};

void bind_model_options(nb::module_& m) {
  using C = ModelOptions;
  using F = Field<C, Real>;
  bind_config_class<C>(
      m, "ModelOptions", "How a model is stepped, in all its worlds.",
      F{"timestep", &C::timestep, "Of a Simulation that is given none [s]."},
      Field<C, Integrator, IntegratorField>{"integrator", &C::integrator,
                                            "\"euler\", \"implicitfast\", \"rk4\", \"implicit\" or \"discrete\"."},
      Field<C, bool>{"euler_damping", &C::euler_damping, "Euler is implicit in the damping of joints."},
      Field<C, Cone, ConeField>{"cone", &C::cone, "Of friction: \"pyramidal\" or \"elliptic\"."},
      F{"impratio", &C::impratio, "How much harder friction is than what keeps bodies apart."},
      Field<C, bool>{"refsafe", &C::refsafe, "Time constants of solref are at least two timesteps."},
      Field<C, bool>{"diagexact", &C::diagexact,
                     "Softness of constraints goes by the mass matrix as it is, not as it was at first."},
      Field<C, bool>{"speculative", &C::speculative,
                     "A Simulation makes contacts of fast shapes that meet within the step."},
      F{"contact_keep_distance", &C::contact_keep_distance,
        "A Simulation keeps contacts of shapes that have moved no further against each other [m]; 0 = none."},
      Field<C, int>{"noslip_iterations", &C::noslip_iterations,
                    "Sweeps that take the slip out of friction, after a solve."},
      F{"noslip_tolerance", &C::noslip_tolerance, "They end when one gains less than this, over trace(M)."},
      F{"density", &C::density, "Of the fluid that bodies move in [kg/m^3]."},
      F{"viscosity", &C::viscosity, "Of the fluid [Pa s]."},
      Field<C, Vec3, NumbersField<Vec3>>{"wind", &C::wind, "Velocity of the fluid [m/s]."},
      Field<C, Vec3, NumbersField<Vec3>>{"magnetic", &C::magnetic, "Flux that magnetometers measure, world frame."},
      Field<C, bool>{"sleep", &C::sleep, "Trees that have come to rest are not stepped until something wakes them."},
      F{"sleep_tolerance", &C::sleep_tolerance, "Of their speeds [m/s]."},
      Field<C, CombineRule, CombineField>{
          "combine", &C::combine,
          "Of the materials at a contact, but in SolverMuJoCo: \"average\", \"max\", \"min\" or \"geometric\"."},
      F{"soft_contact_ke", &C::soft_contact_ke, "Elastic stiffness of particles against shapes [N/m]."},
      F{"soft_contact_kd", &C::soft_contact_kd, "Damping of particles against shapes [N s/m]."},
      F{"soft_contact_kf", &C::soft_contact_kf, "Friction damping of particles against shapes [N s/m]."},
      F{"soft_contact_mu", &C::soft_contact_mu, "Coefficient of friction of particles against shapes."},
      F{"soft_contact_restitution", &C::soft_contact_restitution,
        "Coefficient of restitution of particles against shapes, 0 to 1."},
      F{"particle_ke", &C::particle_ke, "Elastic stiffness of particles among themselves [N/m]."},
      F{"particle_kd", &C::particle_kd, "Damping of particles among themselves [N s/m]."},
      F{"particle_kf", &C::particle_kf, "Friction damping of particles among themselves [N s/m]."},
      F{"particle_mu", &C::particle_mu, "Coefficient of friction of particles among themselves."},
      F{"particle_cohesion", &C::particle_cohesion, "Particles so far apart still pull each other [m]."});
}

}  // namespace

void bind_config(nb::module_& m) {
  bind_model_options(m);
  bind_enums(m);
  bind_shape_config(m);
  bind_joint_dof_config(m);
  bind_particle_configs(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
