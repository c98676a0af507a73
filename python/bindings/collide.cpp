// CollisionPipeline, Model.collide() and Contacts. The GIL is released while contacts are found.
#include "carom/collide.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "carom/error.h"
#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

template <class T>
auto array_of(Array<T> Contacts::*member) {
  return [member](const Contacts& self) { return ArrayHandle(self.*member); };
}

using ContactsClass = nb::class_<Contacts>;

void def_soft_contacts(ContactsClass& cls) {
  cls.def_prop_ro("soft_contact_count", array_of(&Contacts::soft_contact_count), "of all worlds; one number")
      .def_prop_ro("soft_contact_world_start", array_of(&Contacts::soft_contact_world_start),
                   "first contact of each world, the first of global particles, and the total")
      .def_prop_ro("soft_contact_particle", array_of(&Contacts::soft_contact_particle), "particle of each contact")
      .def_prop_ro("soft_contact_shape", array_of(&Contacts::soft_contact_shape), "shape of each contact")
      .def_prop_ro("soft_contact_body_pos", array_of(&Contacts::soft_contact_body_pos),
                   "on the shape's surface, without its thickness, in its body's frame [m]")
      .def_prop_ro("soft_contact_normal", array_of(&Contacts::soft_contact_normal),
                   "from the shape to the particle, world frame")
      .def_prop_ro("soft_contact_depth", array_of(&Contacts::soft_contact_depth),
                   "radius + thickness - distance, positive when they overlap [m]")
      .def_prop_ro("soft_contact_force", array_of(&Contacts::soft_contact_force),
                   "on the particle, world frame [N]; the shape's body gets its negative; zero until a solver ran")
      .def_prop_ro("particle_contact_count", array_of(&Contacts::particle_contact_count), "of all worlds; one number")
      .def_prop_ro("particle_contact_world_start", array_of(&Contacts::particle_contact_world_start),
                   "first contact of each world, the first among global particles, and the total")
      .def_prop_ro("particle_contact_particle0", array_of(&Contacts::particle_contact_particle0),
                   "smaller particle of each pair")
      .def_prop_ro("particle_contact_particle1", array_of(&Contacts::particle_contact_particle1),
                   "larger particle of each pair")
      .def_prop_ro("particle_contact_normal", array_of(&Contacts::particle_contact_normal),
                   "from particle 0 to particle 1, world frame")
      .def_prop_ro("particle_contact_depth", array_of(&Contacts::particle_contact_depth),
                   "sum of the radii - distance, positive when they overlap [m]")
      .def_prop_ro("particle_contact_force", array_of(&Contacts::particle_contact_force),
                   "on particle 1, world frame [N]; particle 0 gets its negative; zero until a solver ran");
}

void bind_contacts(nb::module_& m) {
  ContactsClass cls(m, "Contacts",
                    "Where shapes touch, sorted by world, shape 0, shape 1 and feature; soft_contact_*: particles and "
                    "shapes, by world, particle and shape; particle_contact_*: particles among themselves.");
  cls.def_prop_ro("rigid_contact_count", array_of(&Contacts::rigid_contact_count), "of all worlds; one number")
      .def_prop_ro("rigid_contact_world_start", array_of(&Contacts::rigid_contact_world_start),
                   "first contact of each world, the first among global shapes, and the total")
      .def_prop_ro("rigid_contact_shape0", array_of(&Contacts::rigid_contact_shape0), "smaller shape of each pair")
      .def_prop_ro("rigid_contact_shape1", array_of(&Contacts::rigid_contact_shape1), "larger shape of each pair")
      .def_prop_ro("rigid_contact_feature", array_of(&Contacts::rigid_contact_feature),
                   "which parts of the shapes touch")
      .def_prop_ro("rigid_contact_age", array_of(&Contacts::rigid_contact_age),
                   "for how many calls before this one the same features touched; collide() alone")
      .def_prop_ro("rigid_contact_point", array_of(&Contacts::rigid_contact_point),
                   "midway between the surfaces, world frame [m]")
      .def_prop_ro("rigid_contact_point0", array_of(&Contacts::rigid_contact_point0),
                   "on the surface of shape 0, in its body's frame [m]; collide() alone")
      .def_prop_ro("rigid_contact_point1", array_of(&Contacts::rigid_contact_point1),
                   "on the surface of shape 1, in its body's frame [m]; collide() alone")
      .def_prop_ro("rigid_contact_normal", array_of(&Contacts::rigid_contact_normal),
                   "from shape 0 to shape 1, world frame")
      .def_prop_ro("rigid_contact_tangent", array_of(&Contacts::rigid_contact_tangent),
                   "first direction of friction where the shapes suggest one, otherwise zero, world frame")
      .def_prop_ro("rigid_contact_depth", array_of(&Contacts::rigid_contact_depth),
                   "positive when the shapes overlap, negative when they are apart [m]")
      .def_prop_ro("rigid_contact_impact_time", array_of(&Contacts::rigid_contact_impact_time),
                   "when shapes meet that are still apart, 0 for those that are near now [s]; empty without a "
                   "speculative_time")
      .def_prop_ro("rigid_contact_impact_speed", array_of(&Contacts::rigid_contact_impact_speed),
                   "how fast these come nearer until then [m/s]")
      .def_prop_ro("rigid_contact_force", array_of(&Contacts::rigid_contact_force),
                   "on shape 1, world frame [N]; shape 0 gets its negative; zero until a solver ran")
      .def_prop_ro("rigid_contact_torque", array_of(&Contacts::rigid_contact_torque),
                   "likewise, about the point: of friction that resists spinning and rolling [N m]");
  def_soft_contacts(cls);
}

// What a pipeline remembers of its last call; nobody looks inside.
struct ContactMemory {
  std::shared_ptr<const void> held;
};

CollisionPipeline make_pipeline(const ModelHandle& handle, int max_per_pair, BroadPhaseMode mode, int max_per_world,
                                Real soft_contact_margin, bool particle_contacts, const Queue* queue,
                                const std::string& contacts, Real speculative_time, Real keep_distance) {
  const CollisionConfig config{.rigid_contact_max_per_pair = max_per_pair,
                               .broad_phase_mode = mode,
                               .rigid_contact_max = max_per_world,
                               .soft_contact_margin = soft_contact_margin,
                               .particle_contacts = particle_contacts,
                               .contacts = parse_contact_rule(contacts),
                               .speculative_time = speculative_time,
                               .keep_distance = keep_distance};
  nb::gil_scoped_release unlocked;
  return CollisionPipeline(handle.model, config, queue);
}

// Without a pipeline: that of the model, made while the interpreter is locked, so that threads do not make two.
Contacts collide(ModelHandle& handle, const State& state, CollisionPipeline* pipeline,
                 std::optional<Real> soft_contact_margin) {
  const Real margin = soft_contact_margin.value_or(kNotSet);
  if (pipeline) {
    if (pipeline->model().layout != handle.model.layout)
      throw Error("collide: collision_pipeline belongs to another model; make one for this model");
    nb::gil_scoped_release unlocked;
    return pipeline->collide(state, margin);
  }
  if (!handle.default_pipeline) handle.default_pipeline.reset(new DefaultPipeline{CollisionPipeline(handle.model)});
  const std::shared_ptr<DefaultPipeline> own = handle.default_pipeline;
  nb::gil_scoped_release unlocked;
  const std::lock_guard lock(own->mutex);
  return own->pipeline.collide(state, margin);
}

// Lower and upper corners as one array of n rows with six numbers.
ArrayHandle boxes_of(const CollisionPipeline& self) {
  const Array<Box> box = self.shape_boxes();
  using Row = SpatialVector;
  static_assert(sizeof(Row) == sizeof(Box));
  return ArrayHandle(Array<Row>(box.memory(), reinterpret_cast<Row*>(box.data()), box.size(), box.device()));
}

void bind_pipeline(nb::module_& m) {
  const CollisionConfig defaults;
  nb::class_<ContactMemory>(m, "ContactMemory", "What a CollisionPipeline remembers of its last call.")
      .def("__repr__", [](const ContactMemory&) { return "<carom.ContactMemory>"; });
  nb::class_<CollisionPipeline>(m, "CollisionPipeline",
                                "Finds the contacts of all worlds: boxes, pairs, points. By default the pairs that the "
                                "filters leave are listed when the pipeline is made, and again after an edit.")
      .def(nb::new_(&make_pipeline), nb::arg("model"), nb::kw_only(),
           nb::arg("rigid_contact_max_per_pair") = defaults.rigid_contact_max_per_pair,
           nb::arg("broad_phase_mode") = defaults.broad_phase_mode,
           nb::arg("rigid_contact_max") = defaults.rigid_contact_max,
           nb::arg("soft_contact_margin") = shortest(defaults.soft_contact_margin),
           nb::arg("particle_contacts") = defaults.particle_contacts, nb::arg("queue") = nb::none(),
           nb::arg("contacts") = contact_rule_name(defaults.contacts),
           nb::arg("speculative_time") = defaults.speculative_time, nb::arg("keep_distance") = defaults.keep_distance,
           "rigid_contact_max_per_pair: points of one pair of shapes; the deepest and those that span most are kept. "
           "rigid_contact_max: contacts per world, more are left out and reported; 0 = no limit. "
           "soft_contact_margin: contacts of particles exist from this distance on [m]; particle_contacts: whether "
           "particles touch each other. contacts: whose points pairs of shapes have, \"carom\" or \"mujoco\". "
           "speculative_time: how far ahead fast convex shapes are followed, for contacts of those that meet [s]. "
           "keep_distance: contacts of shapes that have moved no further against each other since their points were "
           "found are kept [m]; 0 = none.")
      .def_static("from_model", &make_pipeline, nb::arg("model"), nb::kw_only(),
                  nb::arg("rigid_contact_max_per_pair") = defaults.rigid_contact_max_per_pair,
                  nb::arg("broad_phase_mode") = defaults.broad_phase_mode,
                  nb::arg("rigid_contact_max") = defaults.rigid_contact_max,
                  nb::arg("soft_contact_margin") = shortest(defaults.soft_contact_margin),
                  nb::arg("particle_contacts") = defaults.particle_contacts, nb::arg("queue") = nb::none(),
                  nb::arg("contacts") = contact_rule_name(defaults.contacts),
                  nb::arg("speculative_time") = defaults.speculative_time,
                  nb::arg("keep_distance") = defaults.keep_distance, "The same as the constructor.")
      .def(
          "collide",
          [](CollisionPipeline& self, const State& state, std::optional<Real> soft_contact_margin) {
            return Contacts(self.collide(state, soft_contact_margin.value_or(kNotSet)));
          },
          nb::arg("state"), nb::kw_only(), nb::arg("soft_contact_margin") = nb::none(),
          nb::call_guard<nb::gil_scoped_release>(),
          "The contacts at state.body_q and state.particle_q. soft_contact_margin: that of this call [m], None = the "
          "pipeline's. The arrays are written again by the call after the next.")
      .def(
          "remember",
          [](const CollisionPipeline& self) {
            nb::gil_scoped_release unlocked;
            return ContactMemory{self.remember()};
          },
          "What the next call depends on beside the state: the contacts that ages are counted from and kept ones come "
          "from.")
      .def(
          "recall", [](CollisionPipeline& self, const ContactMemory& memory) { self.recall(memory.held); },
          nb::arg("memory"), nb::call_guard<nb::gil_scoped_release>(),
          "Goes back to what a pipeline of the same model and config remembered.")
      .def(
          "forget", [](CollisionPipeline& self, nb::handle mask) { self.forget(read_mask(mask)); },
          nb::arg("mask") = nb::none(), nb::sig("def forget(self, mask: numpy.typing.ArrayLike | None = None) -> None"),
          "The next call finds contacts in the worlds whose mask is set, or in all, as the first one does.")
      .def_prop_ro(
          "status", [](const CollisionPipeline& self) { return ArrayHandle(self.status()); },
          "per world, then of the globals: 0, or bits: 1 contacts were left out, 2 a pose or a particle is not finite, "
          "8 a "
          "body was written to where its joint cannot bring it")
      .def_prop_ro(
          "contacts_needed", [](const CollisionPipeline& self) { return ArrayHandle(self.contacts_needed()); },
          "contacts of each world and of the globals, with those that were left out")
      .def_prop_ro("shape_boxes", &boxes_of,
                   "lower and upper corner of every shape's box, grown by thickness and margin, world frame [m]")
      .def_prop_ro(
          "shape_pairs", [](const CollisionPipeline& self) { return ArrayHandle(self.shape_pairs()); },
          "pairs of shapes that were near each other, sorted by world and shape")
      .def_prop_ro("broad_phase_mode", &CollisionPipeline::broad_phase_mode, "never AUTO")
      .def_prop_ro("explicit_pair_count", &CollisionPipeline::explicit_pair_count,
                   "pairs that the filters leave, of all worlds; in mode EXPLICIT");
}

}  // namespace

void bind_collide(nb::module_& m) {
  nb::enum_<BroadPhaseMode>(m, "BroadPhaseMode", "How pairs of shapes are found. All modes find the same.")
      .value("NXN", BroadPhaseMode::kNxn, "every shape of a world against every other one")
      .value("SAP", BroadPhaseMode::kSap, "sweep and prune along one axis")
      .value("EXPLICIT", BroadPhaseMode::kExplicit, "pairs that the filters leave, listed once")
      .value("TREE", BroadPhaseMode::kTree, "a tree of boxes")
      .value("AUTO", BroadPhaseMode::kAuto, "one of them, by the number of shapes");
  bind_contacts(m);
  bind_pipeline(m);

  const CollisionConfig defaults;
  struct Unified {};
  nb::class_<Unified>(m, "CollisionPipelineUnified", "Makes pipelines whose broad phase is chosen.")
      .def_static(
          "from_model", &make_pipeline, nb::arg("model"), nb::kw_only(),
          nb::arg("rigid_contact_max_per_pair") = defaults.rigid_contact_max_per_pair,
          nb::arg("broad_phase_mode") = BroadPhaseMode::kNxn, nb::arg("rigid_contact_max") = defaults.rigid_contact_max,
          nb::arg("soft_contact_margin") = shortest(defaults.soft_contact_margin),
          nb::arg("particle_contacts") = defaults.particle_contacts, nb::arg("queue") = nb::none(),
          nb::arg("contacts") = contact_rule_name(defaults.contacts),
          nb::arg("speculative_time") = defaults.speculative_time, nb::arg("keep_distance") = defaults.keep_distance,
          "A CollisionPipeline; by default all shapes of a world against each other.");

  nb::class_<ModelHandle> model = nb::borrow<nb::class_<ModelHandle>>(nb::type<ModelHandle>());
  model.def("collide", &collide, nb::arg("state"), nb::kw_only(), nb::arg("collision_pipeline") = nb::none(),
            nb::arg("soft_contact_margin") = nb::none(),
            "The contacts at state.body_q and state.particle_q. soft_contact_margin: from this distance on particles "
            "have contacts [m], None = the pipeline's (0.01). Without a pipeline, a default CollisionPipeline is made "
            "and kept.");
  m.def("test_world_and_group_pair", &test_world_and_group_pair, nb::arg("world_a"), nb::arg("world_b"),
        nb::arg("group_a"), nb::arg("group_b"),
        "Whether two entities may collide, by their worlds (-1 = global) and collision groups (0 = never).");
}

}  // namespace carom::inline CAROM_PRECISION::python
