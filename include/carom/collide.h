// Where shapes and particles are near each other: the collision pipeline, from the poses of bodies to sorted Contacts.
//
//   poses -> boxes -> pairs (broad phase and filters) -> points (narrow phase) -> Contacts
//
// Every world is on its own: pairs are formed among the shapes of a world and between them and the global shapes.
// Particles follow the same rule.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "carom/contacts.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// A box with axes along the world's.
struct Box {
  Vec3 lower, upper;  // [m]
};

// How pairs of overlapping boxes are found. All modes find the same pairs.
enum class BroadPhaseMode : std::int32_t {
  kNxn,       // every shape of a world against every other one
  kSap,       // sweep and prune along one axis; on a GPU as kTree
  kExplicit,  // pairs that the filters leave, listed when the pipeline is made and after edits of the model
  kTree,      // a tree of boxes, traversed against itself
  kAuto,      // one of them, by the number of shapes in the worlds
};
const char* broad_phase_mode_name(BroadPhaseMode mode);  // "nxn", "sap", "explicit", "tree", "auto"

// How many points the contact of two shapes has, and where.
enum class ContactRule : std::int32_t {
  kCarom,   // at any tilt the corners of what lies on each other
  kMujoco,  // those that MuJoCo 4.0 makes, for the pairs that docs/collisions.md lists
};
const char* contact_rule_name(ContactRule rule);  // "carom", "mujoco"
ContactRule parse_contact_rule(const std::string& name);

struct CollisionConfig {
  int rigid_contact_max_per_pair = 10;  // points of one pair of shapes; the deepest and those that span most are kept
  BroadPhaseMode broad_phase_mode = BroadPhaseMode::kExplicit;
  int rigid_contact_max = 0;              // per world; more are left out and reported; 0 = as many as there are
  Real soft_contact_margin = Real(0.01);  // contacts of particles exist from this distance on [m]
  bool particle_contacts = false;         // of particles among themselves; neighbours in a cloth are within their radii
  ContactRule contacts = ContactRule::kCarom;
  // How far ahead convex shapes are followed that move further than they are thin [s]: where they meet there is a
  // contact now, with the time and speed of the impact. 0: not at all.
  Real speculative_time = 0;
  // Contacts of two shapes that have nowhere moved further against each other since their points were found are kept
  // [m]: the points go along with the shapes, and depths are those of now. 0: all points are found anew in every call.
  Real keep_distance = 0;
};

// Whether two entities may collide: by their worlds (-1 = global, meets all worlds), then by their groups (0 meets
// nothing, a positive group itself and negative ones, a negative group all but itself).
CAROM_HD bool test_world_and_group_pair(int world_a, int world_b, int group_a, int group_b) {
  if (world_a != -1 && world_b != -1 && world_a != world_b) return false;
  if (group_a == 0 || group_b == 0) return false;
  if (group_a > 0) return group_a == group_b || group_b < 0;
  return group_a != group_b;
}

class CollisionPipeline {
 public:
  // The queue runs what collide() sends; that of the model's device by default.
  explicit CollisionPipeline(const Model& model, const CollisionConfig& config = {}, const Queue* queue = nullptr);

  // Contacts of all worlds, from state.body_q and state.particle_q. The arrays belong to the pipeline: the next call
  // writes over them. Allocates nothing once it has met as many pairs and contacts before; after an edit of the model
  // it works out again what depends on it.
  const Contacts& collide(const State& state, Real soft_contact_margin = kNotSet);  // not set: that of the config
  // Of the last call that was settled.
  const Contacts& contacts() const;

  // Which worlds take part from the next call on, one entry a world; empty: all of them, as at the beginning. The
  // others have no contacts and cost nothing; what is global takes part always. To switch costs as much as an edit of a
  // shape does.
  void set_active(std::span<const std::uint8_t> mask);

  // What the next call depends on beside the state: the contacts of the last one, which ages are counted from and kept
  // ones come from. remember() is a copy, which recall() of this pipeline takes, or of another one of the same model
  // and config; Error for any other. After an edit of shapes ages go on, and all points are found anew.
  std::shared_ptr<const void> remember() const;
  void recall(const std::shared_ptr<const void>& memory);
  void check_memory(const std::shared_ptr<const void>& memory) const;  // the Error of recall(), and nothing else
  // The next call finds contacts in these worlds as the first one does. A mask as that of set_active(), or with one
  // entry more for what is global; empty: everything.
  void forget(std::span<const std::uint8_t> mask = {});

  // collide() in parts, for several steps that a GPU runs as a whole:
  //   do { prepare(); send() for each step, with a solver's in between } while (!settle(steps));
  // prepare() checks, notices edits, and adds to the key what the launches depend on. send() does nothing but launch:
  // what it returns has arrays with room for more contacts than there are; shapes that can meet nothing are not placed,
  // so that their boxes stay as they were, and only the last step's contacts have rigid_contact_point0 and _point1.
  // settle() waits and looks once at all steps; false: some step lacked room and found no contacts, so the steps have
  // to be sent again from where the first one began.
  void prepare(const State& state, GraphKey& key, Real soft_contact_margin = kNotSet);
  // wake: of a model that sleeps, launches what wakes bodies that somebody wrote to; then pairs among those that sleep,
  // and what never moves, have no contacts.
  const Contacts& send(const State& state, StepOfCall step, const std::function<void()>& wake = {});
  bool settle(int steps = 1);
  // Whether send() reads poses of bodies: some of their shapes can meet something.
  bool reads_poses() const;
  // Whether it reads their velocities, too.
  bool reads_velocities() const;
  // Whether room is kept from call to call, as on a GPU; otherwise it is made on the way, and settle() is always true.
  bool keeps_room() const;

  // StatusBit bits per world, then of the globals: contacts left out, poses or particles not finite.
  const Array<std::int32_t>& status() const;
  // Contacts that each world would have had without rigid_contact_max, then those among the globals.
  const Array<int>& contacts_needed() const;

  // What the stages of the last call found.
  Array<Box> shape_boxes() const;            // world frame, grown by thickness and margin
  Array<Index2> shape_pairs() const;         // pairs that are near, sorted by world, then shape
  BroadPhaseMode broad_phase_mode() const;   // never kAuto
  std::int64_t explicit_pair_count() const;  // pairs that the filters leave, of all worlds; kExplicit alone

  const CollisionConfig& config() const;
  const Model& model() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

// A pipeline whose broad phase is chosen: by default all shapes of a world against each other.
struct CollisionPipelineUnified {
  static CollisionPipeline from_model(const Model& model,
                                      const CollisionConfig& config = {.broad_phase_mode = BroadPhaseMode::kNxn});
};

}  // namespace carom::inline CAROM_PRECISION
