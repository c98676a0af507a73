// CollisionPipeline: the stages of collide(), one after the other, and the arrays between them.
#include <algorithm>
#include <limits>

#include "backend/launch.h"
#include "backend/scratch.h"
#include "backend/send_copy.h"
#include "backend/sort.h"
#include "base/fail.h"
#include "collide/asleep.kernel.h"
#include "collide/broad_phase.h"
#include "collide/collision_config.h"
#include "collide/contact_room.h"
#include "collide/geometry_table.h"
#include "collide/kernels.h"
#include "collide/placed_shapes.h"
#include "collide/rooms.h"
#include "collide/shape_edits.h"
#include "collide/shape_views.h"
#include "collide/soft/soft_phase.h"
#include "model/active_worlds.h"
#include "model/chosen_queue.h"
#include "model/copy_state.h"
#include "model/graph_keys.h"
#include "model/host_model.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// What users hold. That it is ours is told by what deletes it.
struct RememberedContacts {
  ContactMemory memory;
  Array<int> are_forgotten;
  bool forgets;
  CollisionConfig config;
  std::shared_ptr<const WorldLayout> layout;  // of the model
  std::int64_t generation;                    // of the model that its points were found in
};
struct ForgetContacts {
  void operator()(const RememberedContacts* remembered) const { delete remembered; }
};

template <class Keep>
std::vector<int> shapes_where(const Model& model, Keep keep) {
  std::vector<int> shapes;
  for (int s = 0; s < model.shape_count; ++s)
    if (keep(s)) shapes.push_back(s);
  return shapes;
}

std::vector<int> shapes_at_rest(const Model& model) {
  const Array<int> body = model.shape_body.on_cpu();
  return shapes_where(model, [&](int s) { return body[s] < 0; });
}

// Of the shapes with a body those that the broad phase does not place itself; unless all are asked for, those that can
// meet something. Particles can meet all.
std::vector<int> shapes_to_place(const Model& model, const BroadPhase& broad, bool all) {
  const Array<int> body = model.shape_body.on_cpu();
  std::vector<bool> meets(model.shape_count, all || model.particle_count > 0);
  for (const int s : broad.segments().shape) meets[s] = true;
  return shapes_where(model, [&](int s) { return body[s] >= 0 && meets[s] && !broad.places(s); });
}

// Whether pairs differ much in what they take.
bool any_edged(const Model& model, const std::vector<int>& shapes) {
  const Array<int> type = model.shape_type.on_cpu();
  return std::any_of(shapes.begin(), shapes.end(), [&](int s) {
    const auto of_shape = static_cast<ShapeType>(type[s]);
    return of_shape != ShapeType::kPlane && !pair_table::is_round(of_shape);
  });
}

// Body that each shape moves with, -1 = it never moves; of models that sleep.
Array<int> movers_of(const Model& model) {
  if (!model.layout->sleeps) return {};
  const HostModel host(model);
  const Array<int> joint = model.body_joint.on_cpu(), dof_start = model.joint_qd_start.on_cpu();
  Array<int> mover(model.shape_count);
  for (int s = 0; s < model.shape_count; ++s) {
    const int body = host.column.shape_body[s];
    mover[s] = body >= 0 && root_of_moving(host, joint, dof_start, body) >= 0 ? body : -1;
  }
  return mover.to(model.device);
}

// The flags of shapes or particles, none of those in worlds that are left out.
Array<int> flags_of_active(const Array<int>& flags, const Array<int>& world, const ActiveWorlds& active) {
  if (active.all()) return flags;
  const Array<int> world_of = world.on_cpu(), all = flags.on_cpu();
  std::vector<int> kept(all.begin(), all.end());
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (!active.has(world_of[i])) kept[i] = 0;
  return Array<int>(std::span<const int>(kept), flags.device());
}

bool any_moving(const Model& model, const std::vector<int>& shapes) {
  const Array<int> body = model.shape_body.on_cpu();
  return std::any_of(shapes.begin(), shapes.end(), [&](int s) { return body[s] >= 0; });
}

}  // namespace

// What is worked out from the numbers of a model, and made anew after each edit of shapes or particles, and when other
// worlds take part.
struct CollisionStages {
  std::int64_t generation;  // of the model
  Rooms rooms;
  BroadPhase broad;
  GeometryTable geometry;
  Room point_total, contact_total;
  SoftPhase soft;
  bool reads_poses, orders_pairs;
  Array<int> mover;                      // see movers_of()
  PlacedShapes meeting;                  // see shapes_to_place()
  std::unique_ptr<PlacedShapes> moving;  // all, made when asked for

  CollisionStages(const Model& m, const ActiveWorlds& active, const CollisionConfig& c, const Queue& queue)
      : generation(m.generation()),
        rooms(queue),
        broad(m, active, c.broad_phase_mode, c.speculative_time == 0, rooms),
        geometry(m),
        point_total(rooms, std::numeric_limits<int>::max(), "points of contact to make room for"),
        contact_total(rooms, std::numeric_limits<int>::max(), "contacts"),
        soft(m, active, c.particle_contacts, rooms),
        reads_poses(m.particle_count > 0 || any_moving(m, broad.segments().shape)),
        orders_pairs(!m.device.is_cpu() && any_edged(m, broad.segments().shape)),
        mover(movers_of(m)),
        meeting(m, shapes_to_place(m, broad, false), broad.segments_placed()) {}
};

struct CollisionPipeline::Data {
  Model model;
  CollisionConfig config;
  Queue queue;
  ActiveWorlds active;
  std::int64_t version = 0;                // another one after edits, and when other worlds take part
  Array<int> shape_flags, particle_flags;  // of what takes part
  std::unique_ptr<CollisionStages> stages;
  Array<Transform> X_WS;
  Array<Box> box;
  Array<int> point_room, point_start, point_count, contact_start, needed;
  Array<int> wanted, woken;  // of pairs, of bodies; see Sleepers
  Array<int> kept_from;      // of pairs; see KeepPairs
  Array<ContactPoint> point;
  Array<std::uint64_t> pair_key;  // see order_pairs()
  Array<int> pair_order;
  SortScratch pair_sort;
  Array<Impact> impact;  // of pairs, when the pipeline looks ahead
  Array<int> touches;
  Array<std::int32_t> status, pose_status;  // of all; of poses written from outside
  bool places_all = false;                  // of the call: also shapes that can meet nothing
  Real soft_margin = 0;                     // of the call
  // Contacts are written to the two sets of arrays in turn: ages and kept points are read from the set before. What the
  // last call left is copied until the next one, which may be of several steps, is known to have had room.
  ContactRoom room[2];
  ContactMemory former_copy;
  int last = 1;                              // set of the last step of the last call
  Array<int> are_forgotten, none_forgotten;  // of segments, until the next call; see FormerContacts
  bool forgets = false;                      // some are
  Graphs graphs;
  Contacts contacts, sent;  // of the last call; of the step that was sent last, with room for more

  Data(const Model& m, const CollisionConfig& c, const Queue& q)
      : model(m),
        config(c),
        queue(q),
        shape_flags(m.shape_flags),
        particle_flags(m.particle_flags),
        stages(std::make_unique<CollisionStages>(m, active, c, queue)),
        X_WS(m.shape_count, m.device),
        box(m.shape_count, m.device),
        needed(segment_count(), m.device),
        status(segment_count(), m.device),
        pose_status(segment_count(), m.device),
        are_forgotten(segment_count(), m.device),
        none_forgotten(segment_count(), m.device) {
    for (ContactRoom& set : room) set.reserve(0, segment_count(), looks_ahead(), keeps(), m.device);
    place_still_shapes();
  }

  int segment_count() const { return model.world_count + 1; }
  bool looks_ahead() const { return config.speculative_time > 0; }
  bool keeps() const { return config.keep_distance > 0; }
  int set_of(StepOfCall step) const { return (last + 1 + step.index) % 2; }
  void prepare(const State& state, GraphKey& key, Real margin, bool all_shapes);
  void notice_edits();
  void choose_flags();
  void make_stages();
  void send_former(StepOfCall step);
  FormerContacts former(StepOfCall step) const;
  PlacedShapes& placed() { return places_all ? *stages->moving : stages->meeting; }
  void place_still_shapes();
  Count find_pairs(const State& state);
  MovingShapes moving_shapes(const State& state) const;
  const int* order_pairs(Count pairs);
  void find_points(const State& state, Count pairs, StepOfCall step, bool of_awake);
  void keep_contacts(const PointsOfPairs& kernel, Count pairs, StepOfCall step, bool chosen);
  void send_points(const State& state, Count pairs, const PointsOfPairs& kernel);
  void send_points_ahead(const State& state, Count pairs, const PointsOfPairs& kernel);
  Count count_contacts(Count pairs);
  void write_contacts(const State& state, Count pairs, Count contacts, StepOfCall step);
  void remember_points(Count pairs, Count contacts, StepOfCall step);
  void find_soft_contacts(const State& state, int set);
  void put_together(Contacts& to, int set, std::int64_t contacts, bool settled) const;
};

CollisionPipeline::CollisionPipeline(const Model& model, const CollisionConfig& config, const Queue* queue) {
  check_config(config);
  data_ = std::make_shared<Data>(model, config, chosen_queue("collision pipeline", model, queue));
}

CollisionPipeline CollisionPipelineUnified::from_model(const Model& model, const CollisionConfig& config) {
  return CollisionPipeline(model, config);
}

// Who calls this may look at the boxes of all shapes.
const Contacts& CollisionPipeline::collide(const State& state, Real soft_contact_margin) {
  StepOfCall step;
  do {
    GraphKey key;
    data_->prepare(state, key, soft_contact_margin, true);
    data_->graphs.run(data_->queue, key, [&] { send(state, step); });
    step.again = true;
  } while (!settle());
  return data_->contacts;
}

void CollisionPipeline::prepare(const State& state, GraphKey& key, Real soft_contact_margin) {
  data_->prepare(state, key, soft_contact_margin, false);
}

void CollisionPipeline::Data::prepare(const State& state, GraphKey& key, Real margin, bool all_shapes) {
  const bool margin_is_set = margin == margin;
  if (margin_is_set) check_soft_margin("collide", margin);
  check_state("collide", "state", state, model);
  soft_margin = margin_is_set ? margin : config.soft_contact_margin;
  notice_edits();
  places_all = all_shapes;
  if (places_all && !stages->moving)
    stages->moving = std::make_unique<PlacedShapes>(model, shapes_to_place(model, stages->broad, true),
                                                    stages->broad.segments_placed());
  stages->rooms.begin();
  add_state(key, state);
  key.add(double(soft_margin));
  key.add(std::int64_t{last});
  key.add(version);
  key.add(stages->rooms.generation());
  key.add(std::int64_t{forgets});
  ContactMemory::each_column([&](auto column) { key.add(former_copy.*column); });
}

const Contacts& CollisionPipeline::send(const State& state, StepOfCall step, const std::function<void()>& wake) {
  Data& d = *data_;
  const int set = d.set_of(step);
  if (step.first() && !step.again) send_align(d.queue, d.model, state, d.pose_status);
  if (wake && step.first()) wake();
  if (keeps_room()) d.send_former(step);
  const Count pairs = d.find_pairs(state);
  d.find_points(state, pairs, step, wake && !d.stages->mover.empty());
  const Count contacts = d.count_contacts(pairs);
  d.write_contacts(state, pairs, contacts, step);
  if (d.keeps()) d.remember_points(pairs, contacts, step);
  d.find_soft_contacts(state, set);
  if (step.first()) send_add_status(d.queue, d.pose_status, d.status);
  d.stages->rooms.send_totals(step.first(), step.last());
  d.put_together(d.sent, set, contacts.room, false);
  return d.sent;
}

bool CollisionPipeline::settle(int steps) {
  Data& d = *data_;
  if (!d.stages->rooms.settle()) return false;
  d.last = d.set_of({.index = steps - 1});
  if (d.forgets) d.are_forgotten.assign(d.none_forgotten);
  d.forgets = false;
  d.put_together(d.contacts, d.last, d.stages->contact_total.size(), true);
  return true;
}

void CollisionPipeline::Data::notice_edits() {
  if (stages->generation == model.generation()) return;
  ++version;
  choose_flags();
  if (shapes_were_edited(model, stages->generation)) {
    room[last].memory.forget_points();
    return make_stages();
  }
  stages->generation = model.generation();
}

void CollisionPipeline::Data::choose_flags() {
  shape_flags = flags_of_active(model.shape_flags, model.shape_world, active);
  particle_flags = flags_of_active(model.particle_flags, model.particle_world, active);
}

void CollisionPipeline::Data::make_stages() {
  stages = std::make_unique<CollisionStages>(model, active, config, queue);
  place_still_shapes();
}

void CollisionPipeline::set_active(std::span<const std::uint8_t> mask) {
  Data& d = *data_;
  ActiveWorlds active("collision pipeline", d.model.layout, mask);
  if (active == d.active) return;
  d.active = std::move(active);
  ++d.version;
  d.choose_flags();
  d.make_stages();
}

// The second step writes over what ages were read from, and the same steps may have to be sent again.
void CollisionPipeline::Data::send_former(StepOfCall step) {
  const ContactMemory& former = room[last].memory;
  if (step.first() && step.again && step.count > 1) former_copy.send_copy_to(queue, former);
  if (step.index != 1 || step.again) return;
  former_copy.reserve_like(former);
  former.send_copy_to(queue, former_copy);
}

FormerContacts CollisionPipeline::Data::former(StepOfCall step) const {
  return room[1 - set_of(step)].memory.view(step.first() && forgets ? are_forgotten.data() : nullptr);
}

void CollisionPipeline::Data::place_still_shapes() {
  const PlacedShapes still(model, shapes_at_rest(model), std::vector<bool>(segment_count(), false));
  launch(queue, still.count(), PlaceShapes{still.view(), shape_placing(model, model.body_q, X_WS, box)});
  queue.finish();
}

Count CollisionPipeline::Data::find_pairs(const State& state) {
  PlacedShapes& first = placed();
  const ShapePlacing shapes = shape_placing(model, state.body_q, X_WS, box);
  launch(queue, first.count(), PlaceShapes{first.view(), shapes});
  if (looks_ahead())
    launch(queue, first.count(),
           SweepBoxes{first.view().shape, moving_shapes(state), model.shape_thickness.const_view(),
                      model.shape_contact_margin.const_view(), box.data()});
  const bool keep_all = places_all || model.particle_count > 0;
  return stages->broad.find_pairs(
      queue,
      {model.shape_type.const_view(), model.shape_scale.const_view(), model.shape_thickness.const_view(),
       model.shape_contact_margin.const_view(), X_WS.data(), box.data()},
      {shapes, keep_all, first.runs().marks(), first.runs().first_run(), model.body_world_start.const_view()});
}

// On a GPU pairs of hulls and boxes among others take their time one after the other.
const int* CollisionPipeline::Data::order_pairs(Count pairs) {
  if (!stages->orders_pairs) return nullptr;
  grow(pair_key, pairs.room, model.device);
  grow(pair_order, pairs.room, model.device);
  launch(queue, pairs.room,
         KeysOfPairs{stages->broad.pairs(), posed_shapes(model, stages->geometry, X_WS), pairs,
                     keeps() ? wanted.data() : nullptr, pair_key.data(), pair_order.data()});
  sort_by_key(queue, {pair_key.data(), pairs.room}, {pair_order.data(), pairs.room}, pair_sort, KeysOfPairs::kBits);
  return pair_order.data();
}

MovingShapes CollisionPipeline::Data::moving_shapes(const State& state) const {
  return {model.shape_body.const_view(),
          model.shape_type.const_view(),
          model.shape_collision_radius.const_view(),
          state.body_q.const_view(),
          model.body_com.const_view(),
          state.body_qd.const_view(),
          X_WS.data(),
          config.speculative_time};
}

void CollisionPipeline::Data::send_points(const State& state, Count pairs, const PointsOfPairs& kernel) {
  if (config.contacts == ContactRule::kMujoco) launch(queue, pairs, PointsAsMujoco{kernel});
  else launch(queue, pairs, kernel);
  if (looks_ahead()) send_points_ahead(state, pairs, kernel);
}

void CollisionPipeline::Data::send_points_ahead(const State& state, Count pairs, const PointsOfPairs& kernel) {
  grow(impact, pairs.room, model.device);
  grow(touches, pairs.room, model.device);
  const ActiveMargins margins{model.shape_contact_margin.const_view(), model.shape_gap.const_view()};
  launch(queue, pairs, MarkTouching{kernel, margins, touches.data()});
  launch(
      queue, pairs,
      PointsAhead{kernel, margins, touches.data(), moving_shapes(state), model.shape_collision_aabb_lower.const_view(),
                  model.shape_collision_aabb_upper.const_view(), model.shape_world.const_view(), model.world_count,
                  stages->broad.segment_pair_start().data, config.contacts == ContactRule::kMujoco, impact.data()});
}

// chosen: some pairs are not wanted already.
void CollisionPipeline::Data::keep_contacts(const PointsOfPairs& kernel, Count pairs, StepOfCall step, bool chosen) {
  grow(kept_from, pairs.room, model.device);
  launch(
      queue, pairs,
      KeepPairs{kernel.pair, kernel.shapes, model.shape_collision_radius.const_view(), model.shape_world.const_view(),
                model.world_count, former(step), contact_start.data(), config.rigid_contact_max, config.keep_distance,
                chosen, kernel.start, kernel.point_room, kernel.point, kernel.count, wanted.data(), kept_from.data()});
}

// of_awake: those among what sleeps are left out.
void CollisionPipeline::Data::find_points(const State& state, Count pairs, StepOfCall step, bool of_awake) {
  for (Array<int>* column : {&point_room, &point_count}) grow(*column, pairs.room, model.device);
  for (Array<int>* column : {&point_start, &contact_start}) grow(*column, pairs.room + 1, model.device);
  if (of_awake || keeps()) grow(wanted, pairs.room, model.device);
  const PosedShapes shapes = posed_shapes(model, stages->geometry, X_WS);
  const int most = config.rigid_contact_max_per_pair;
  const int on_heightfield = config.contacts == ContactRule::kMujoco ? kMostOnHeightfield : most;
  launch(queue, pairs, RoomOfPairs{stages->broad.pairs(), shapes, most, on_heightfield, point_room.data()});
  const Count points = stages->point_total.sum(pairs, point_room.data(), point_start.data());
  grow(point, points.room, model.device);
  PointsOfPairs kernel{stages->broad.pairs(), shapes,       point_start.data(),
                       points.room,           point.data(), point_count.data()};
  if (of_awake || keeps()) kernel.wanted = wanted.data();
  const auto send = [&] {
    if (keeps()) keep_contacts(kernel, pairs, step, of_awake);
    if (!kernel.order) kernel.order = order_pairs(pairs);
    send_points(state, pairs, kernel);
  };
  if (!of_awake) return send();
  grow(woken, model.body_count, model.device);
  const Sleepers sleepers{stages->mover.data(),
                          state.body_asleep.data(),
                          model.body_world.const_view(),
                          model.body_world_start.const_view(),
                          model.body_count,
                          woken.data()};
  launch(queue, pairs, ChoosePairs{kernel.pair, sleepers, false, wanted.data(), point_count.data()});
  send();
  launch(queue, segment_count(),
         WakeCircles{kernel.pair, stages->broad.segment_pair_start(), pairs, point_count.data(), sleepers,
                     model.world_count});
  launch(queue, pairs, ChoosePairs{kernel.pair, sleepers, true, wanted.data(), point_count.data()});
  send();
}

// With a limit per world the contacts are counted twice: all that there are, then those that are kept.
Count CollisionPipeline::Data::count_contacts(Count pairs) {
  const int segments = segment_count(), most = config.rigid_contact_max;
  const int* const starts = stages->broad.segment_pair_start().data;
  SegmentRuns& runs = placed().runs();
  launch(queue, runs.count(), MarkShapes{runs.runs().data(), box.data(), runs.marks()});
  const SegmentMarks not_finite = runs.sum_marks(queue);
  const Count contacts = stages->contact_total.sum(pairs, point_count.data(), contact_start.data());
  launch(queue, segments, ReportSegments{starts, contact_start.data(), most, not_finite, needed.data(), status.data()});
  if (most == 0) return contacts;
  launch(queue, pairs,
         LimitPairs{stages->broad.pairs(), model.shape_world.const_view(), model.world_count, starts,
                    contact_start.data(), most, point_count.data()});
  return stages->contact_total.sum(pairs, point_count.data(), contact_start.data());
}

void CollisionPipeline::Data::write_contacts(const State& state, Count pairs, Count contacts, StepOfCall step) {
  const int segments = segment_count();
  ContactRoom& out = room[set_of(step)];
  out.reserve(contacts.room, segments, looks_ahead(), keeps(), model.device);
  launch(queue, pairs,
         FillContacts{stages->broad.pairs(), posed_shapes(model, stages->geometry, X_WS), point_start.data(),
                      contact_start.data(), stages->broad.segment_pair_start().data, point.data(),
                      looks_ahead() ? impact.data() : nullptr, model.shape_world.const_view(),
                      model.shape_body.const_view(), state.body_q.const_view(), model.world_count, former(step),
                      out.columns(), contacts.room, step.last()});
  launch(queue, segments + 1,
         StartOfContacts{stages->broad.segment_pair_start(), contact_start.data(), contacts,
                         out.memory.segment_start.data(), out.count.data()});
}

void CollisionPipeline::Data::remember_points(Count pairs, Count contacts, StepOfCall step) {
  launch(queue, pairs,
         RememberPoints{stages->broad.pairs(), posed_shapes(model, stages->geometry, X_WS), point_start.data(),
                        contact_start.data(), point.data(), looks_ahead() ? impact.data() : nullptr, kept_from.data(),
                        former(step).found, room[set_of(step)].memory.found.data(), contacts.room});
}

void CollisionPipeline::Data::find_soft_contacts(const State& state, int set) {
  const SoftShapes shapes{posed_shapes(model, stages->geometry, X_WS),
                          shape_flags.const_view(),
                          model.shape_collision_group.const_view(),
                          model.shape_world.const_view(),
                          model.shape_world_start.const_view(),
                          model.shape_transform.const_view(),
                          box.data(),
                          model.shape_count,
                          model.world_count};
  stages->soft.find(queue, particles_of(model, state, particle_flags.const_view()), shapes, soft_margin, status.data(),
                    set);
}

void CollisionPipeline::Data::put_together(Contacts& to, int set, std::int64_t contacts, bool settled) const {
  to = room[set].as_contacts(static_cast<int>(contacts), segment_count());
  stages->soft.put_into(to, set, settled);
  to.layout = model.layout;
}

// -- What is remembered

std::shared_ptr<const void> CollisionPipeline::remember() const {
  const Data& d = *data_;
  return std::shared_ptr<const RememberedContacts>(
      new RememberedContacts{d.room[d.last].memory.to(d.model.device), d.are_forgotten.clone(), d.forgets, d.config,
                             d.model.layout, d.stages->generation},
      ForgetContacts{});
}

void CollisionPipeline::check_memory(const std::shared_ptr<const void>& memory) const {
  if (!std::get_deleter<ForgetContacts>(memory))
    fail("collision pipeline: recall: the memory is not that of a collision pipeline");
  const auto& remembered = *static_cast<const RememberedContacts*>(memory.get());
  if (remembered.layout != data_->model.layout) fail("collision pipeline: recall: the memory belongs to another model");
  check_same_points(remembered.config, data_->config);
}

// The arrays of contacts that users hold stay as they are.
void CollisionPipeline::recall(const std::shared_ptr<const void>& memory) {
  check_memory(memory);
  const auto& remembered = *static_cast<const RememberedContacts*>(memory.get());
  Data& d = *data_;
  ++d.version;
  ContactMemory& own = d.room[d.last].memory;
  own = remembered.memory.to(d.model.device);
  if (shapes_were_edited(d.model, remembered.generation)) own.forget_points();
  d.are_forgotten.assign(remembered.are_forgotten);
  d.forgets = remembered.forgets;
}

void CollisionPipeline::forget(std::span<const std::uint8_t> mask) {
  Data& d = *data_;
  const std::vector<std::uint8_t> all(d.model.world_count + 1, 1);
  const Array<int> worlds = chosen_worlds("forget", d.model.layout, mask.empty() ? std::span(all) : mask);
  launch(d.queue, static_cast<int>(worlds.size()),
         ForgetWorlds{worlds.data(), d.model.world_count, d.are_forgotten.data()});
  d.queue.finish();
  d.forgets = true;
}

const Contacts& CollisionPipeline::contacts() const { return data_->contacts; }
bool CollisionPipeline::reads_poses() const { return data_->stages->reads_poses; }
bool CollisionPipeline::reads_velocities() const { return reads_poses() && data_->looks_ahead(); }
bool CollisionPipeline::keeps_room() const { return data_->stages->rooms.are_kept(); }
const Array<std::int32_t>& CollisionPipeline::status() const { return data_->status; }
const Array<int>& CollisionPipeline::contacts_needed() const { return data_->needed; }
Array<Box> CollisionPipeline::shape_boxes() const { return data_->box; }
Array<Index2> CollisionPipeline::shape_pairs() const { return data_->stages->broad.pair_array(); }
BroadPhaseMode CollisionPipeline::broad_phase_mode() const { return data_->stages->broad.mode(); }
std::int64_t CollisionPipeline::explicit_pair_count() const { return data_->stages->broad.explicit_pair_count(); }
const CollisionConfig& CollisionPipeline::config() const { return data_->config; }
const Model& CollisionPipeline::model() const { return data_->model; }

}  // namespace carom::inline CAROM_PRECISION
