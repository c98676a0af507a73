#include "events/world_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.h"
#include "events/pair_material.h"
#include "events/world_rows.h"
#include "model/kinematics.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Of the radius about the smaller of two shapes: an overlap that is a mistake.
constexpr Real kDeep = Real(0.1);
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

// The radius with which a shape touches, as Modia3D has it; 0: a face.
Real contact_radius(const Model& model, int shape) {
  const Vec3 s = model.shape_scale[shape];
  switch (static_cast<ShapeType>(model.shape_type[shape])) {
    case ShapeType::kSphere:
    case ShapeType::kCapsule: return s.x;
    case ShapeType::kEllipsoid: return std::min({s.x, s.y, s.z});
    case ShapeType::kCylinder: return std::min(s.x, s.y);
    case ShapeType::kCone: return s.x / 2;
    default: return 0;
  }
}

bool fits(const std::string& key, const std::string& name) {
  if (name.empty() || name.back() != '*') return key == name;
  return key.starts_with(name.substr(0, name.size() - 1));
}

}  // namespace

WorldRun::WorldRun(const Model& model, int w, const EventStepperConfig& config, const std::vector<UserEvent>& users)
    : world(w),
      coords(rows_of(model, Entity::kJointCoord, w)),
      dofs(rows_of(model, Entity::kJointDof, w)),
      bodies(rows_of(model, Entity::kBody, w)),
      detection(model, w, config.detection),
      pairs(model, w, config.detection.smoothing_radius),
      model_(model),
      config_(config),
      users_(users) {
  for (int p = 0; p < pairs.count(); ++p)  // names are known before anything touches
    for (const int shape : pairs.pair(p)) material_of(shape);
}

// -- Where the world is.

void WorldRun::initialize(const State& state) {
  check_start(state);
  detection.initialize(state);
  begins_anew = true;
  landing.reset();
  bounces_.clear();
  take_contacts();
  look_around(state);
}

void WorldRun::check_start(const State& state) const {
  const std::string where = world < 0 ? "" : text(" of world ", world);
  const auto check = [&](const char* name, Rows rows, const Array<Real>& column) {
    for (int i = rows.begin; i < rows.end; ++i)
      if (!is_finite(column[i])) fail("EventStepper: ", name, "[", i, "]", where, " is ", column[i]);
  };
  check("joint_q", coords, state.joint_q);
  check("joint_qd", dofs, state.joint_qd);
  for (int p = 0; p < pairs.count(); ++p) {
    const auto [a, b] = pairs.pair(p);
    const Real distance = pairs.quick(pairs.pair(p)).distance;
    const Real radius = min(model_.shape_collision_radius[a], model_.shape_collision_radius[b]);
    if (-distance > kDeep * radius)
      fail("EventStepper: ", names_of(pairs.id(p)), where, " overlap by ", -distance, " m at ", time,
           " s, which no contact of solids leads to; move them apart, or exclude the pair");
  }
}

void WorldRun::go(const Curve& curve, Real to, const State& state) {
  curve(to, state);
  pairs.place(state);
}

PairNow WorldRun::look_closely(const State& state, int p) const {
  const ShapeDistance at = pairs.exact(pairs.pair(p));
  return {at.distance, true, pairs.rate(state, pairs.pair(p), at), at.normal};
}

void WorldRun::look_around(const State& state) {
  pairs.place(state);
  way_.resize(pairs.shapes().size());
  for (std::size_t i = 0; i < way_.size(); ++i) way_[i] = {pairs.fastest(state, static_cast<int>(i)), 0, 0, 0};
  for (auto* const of_pairs : {&now_, &end_}) of_pairs->resize(pairs.count());
  for (auto* const of_pairs : {&clear_, &looked_}) of_pairs->resize(pairs.count());
  for (int p = 0; p < pairs.count(); ++p) {
    now_[p] = {pairs.quick(pairs.pair(p)).distance, false, 0, {}};
    clear_[p] = max(now_[p].distance, Real(0)), looked_[p] = time;
  }
  keep_sides(state);
}

void WorldRun::advance(Real to) {
  for (Way& way : way_) way.travelled += way.in_step, way.now = way.end;
  for (const int p : near_) {
    const Index2 pair = pairs.places(p);
    now_[p] = end_[p];
    clear_[p] = way_[pair[0]].travelled + way_[pair[1]].travelled + max(now_[p].distance, Real(0));
    looked_[p] = to;
  }
}

// At a zero the side from which it came counts.
void WorldRun::keep_sides(const State& state) {
  user_now_.resize(users_.size());
  for (std::size_t u = 0; u < users_.size(); ++u) {
    const Real value = user_value(static_cast<int>(u), time, state);
    if (value != 0) user_now_[u] = value;
  }
}

Real WorldRun::nearest() const {
  Real least = std::numeric_limits<Real>::infinity();
  for (int p = 0; p < pairs.count(); ++p) least = std::min(least, pairs.quick(pairs.pair(p)).distance);
  return least;
}

void WorldRun::cross_user(const Landing& l) { user_now_[l.index] = l.target; }

Real WorldRun::user_value(int user, Real t, const State& state) const {
  return users_[user].zero ? users_[user].zero({t, world, state}) : Real(1);
}

// -- The next event.

template <class Distance>
WorldRun::Violation WorldRun::violation_of(Real t, const State& state, Distance distance) const {
  Violation worst{-std::numeric_limits<Real>::infinity(), false, -1};
  const auto add = [&](Real value, bool user, int index) {
    if (value > worst.value) worst = {value, user, index};
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) add(distance(contacts[c].index, true, c), false, contacts[c].index);
  for (std::size_t k = 0; k < near_.size(); ++k)
    add(-(distance(near_[k], false, k) + 2 * config_.detection.z_eps), false, near_[k]);
  for (std::size_t u = 0; u < users_.size(); ++u) {
    if (!users_[u].zero || user_now_[u] == 0 || users_[u].direction * user_now_[u] > 0) continue;
    const Real value = user_value(static_cast<int>(u), t, state);
    add(user_now_[u] > 0 ? -value : value, true, static_cast<int>(u));
  }
  return worst;
}

WorldRun::Violation WorldRun::violation(Real t, const State& state) const {
  return violation_of(t, state, [&](int p, bool in_contact, std::size_t) {
    return in_contact ? pairs.exact(pairs.pair(p)).distance : pairs.quick(pairs.pair(p)).distance;
  });
}

// How far shapes have come in the step, at most, and which pairs may touch then.
void WorldRun::find_near(const StepEnd& end) {
  // Between its ends a step may be faster than there; what is half as fast again would be noticed by its error.
  const Real span = Real(1.5) * (end.time - time);
  for (std::size_t i = 0; i < way_.size(); ++i) {
    Way& way = way_[i];
    way.end = pairs.fastest(end.moving, static_cast<int>(i));
    way.in_step = span * max(way.now, way.end);
  }
  near_.clear();
  for (int p = 0; p < pairs.count(); ++p) {
    const Index2 pair = pairs.places(p);
    const Way &a = way_[pair[0]], &b = way_[pair[1]];
    if (!(a.travelled + a.in_step + b.travelled + b.in_step < clear_[p]) && !is_contact(p)) near_.push_back(p);
  }
}

void WorldRun::look_at_near(Real end, const Curve& curve, const State& state) {
  const auto is_stale = [&](int p) { return !now_[p].is_close || looked_[p] != time; };
  if (std::any_of(near_.begin(), near_.end(), is_stale)) {
    go(curve, time, state);
    for (const int p : near_)
      if (is_stale(p)) now_[p] = look_closely(state, p);
  }
  go(curve, end, state);
  for (const int p : near_) end_[p] = look_closely(state, p);
}

// True where all are known to last: then nothing needs to be placed.
bool WorldRun::contacts_last(const StepEnd& end) const {
  if (!end.contacts_are_known) return contacts.empty();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (!contacts[c].ball || !(contact_distance[c] <= 0)) return false;
  return true;
}

// Whether two shapes that are apart at both ends of a step may have met between: they came nearer and went away again,
// or are on other sides of each other, and moved far enough.
bool WorldRun::may_meet_within(int p) const {
  const Index2 pair = pairs.places(p);
  const PairNow &begin = now_[p], &end = end_[p];
  const bool turned_back = begin.rate < 0 && end.rate > 0, came_round = dot(begin.normal, end.normal) < Real(0.5);
  return (turned_back || came_round) && begin.distance + end.distance < way_[pair[0]].in_step + way_[pair[1]].in_step;
}

// A time at which one of the pairs overlaps between the ends of a step; `end` where none does.
Real WorldRun::find_touch(Real end, const Curve& curve, const State& state, const std::vector<int>& suspects) {
  constexpr int kSamples = 16;
  const auto least = [&](Real t) {
    go(curve, t, state);
    Real d = std::numeric_limits<Real>::infinity();
    for (const int p : suspects) d = std::min(d, pairs.quick(pairs.pair(p)).distance);
    return d + 2 * config_.detection.z_eps;
  };
  Real best = end, best_distance = std::numeric_limits<Real>::infinity();
  const Real part = (end - time) / kSamples;
  for (int k = 1; k < kSamples; ++k) {
    const Real d = least(time + k * part);
    if (d < 0) return time + k * part;
    if (d < best_distance) best = time + k * part, best_distance = d;
  }
  // The least distance is between the neighbours of the best sample: golden section.
  constexpr Real kGolden = Real(0.6180339887498949);
  Real low = best - part, high = std::min(best + part, end);
  for (int k = 0; k < 40 && high - low > Real(1e-12) * (1 + abs(time)); ++k) {
    const Real a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    const Real at_a = least(a), at_b = least(b);
    if (at_a < 0) return a;
    if (at_b < 0) return b;
    (at_a < at_b ? high : low) = at_a < at_b ? b : a;
  }
  return end;
}

// f(low) <= 0 < f(high); where it is positive just. The Illinois method.
Real WorldRun::root(Real low, Real high, const std::function<Real(Real)>& f) const {
  Real f_low = f(low), f_high = f(high);
  if (!(f_low <= 0)) return low;
  int side = 0;
  for (int k = 0; k < 100; ++k) {
    const Real least = Real(4e-16) * (abs(high) + abs(low));
    if (high - low <= least) break;
    Real middle = high - f_high * (high - low) / (f_high - f_low);
    if (!(middle > low && middle < high) || k % 8 == 7) middle = Real(0.5) * (low + high);
    const Real value = f(middle);
    if (value > 0) {
      high = middle, f_high = value;
      if (side > 0) f_low *= Real(0.5);
      side = 1;
    } else {
      low = middle, f_low = value;
      if (side < 0) f_high *= Real(0.5);
      side = -1;
    }
    if (f_high <= Real(1e-15)) break;  // [m]: nothing is known better
  }
  return high;
}

std::optional<Landing> WorldRun::find_event(const StepEnd& end, const Curve& curve, const State& state) {
  find_near(end);
  if (near_.empty() && users_.empty() && contacts_last(end)) return {};
  look_at_near(end.time, curve, state);
  // Anew, so that what is positive here is positive where the root is looked for, too.
  for (std::size_t c = 0; c < contacts.size(); ++c) contact_distance[c] = pairs.exact(contacts[c].pair).distance;
  const auto at_end = [&](int p, bool in_contact, std::size_t i) {
    return in_contact ? contact_distance[i] : end_[p].distance;
  };
  Real crossed = end.time;
  if (!(violation_of(end.time, state, at_end).value > 0)) {
    std::vector<int> suspects;
    for (const int p : near_)
      if (may_meet_within(p)) suspects.push_back(p);
    if (suspects.empty()) return {};
    crossed = find_touch(end.time, curve, state, suspects);
    if (!(crossed < end.time)) return {};
  }
  const Real at = root(time, crossed, [&](Real t) {
    go(curve, t, state);
    return violation(t, state).value;
  });
  go(curve, at, state);
  return landing_at(at, violation(at, state), curve, state);
}

Landing WorldRun::landing_at(Real crossed, const Violation& what, const Curve& curve, const State& state) {
  if (what.user) {
    const Real behind = user_now_[what.index] > 0 ? -1 : 1;
    return {EventKind::kUser, what.index, crossed, behind, crossed, {}, 0};
  }
  const Index2 pair = pairs.pair(what.index);
  const bool ends = is_contact(what.index);
  const auto distance = [&](Real t) {
    go(curve, t, state);
    return pairs.exact(pair).distance;
  };
  // The instant of the event is where the shapes themselves touch, the last one before.
  Real touched = crossed;
  if (!ends) {
    distance(crossed);
    const Real rate = abs(pairs.rate(state, pair, pairs.exact(pair)));
    Real back = rate > 0 ? 4 * config_.detection.z_eps / rate : crossed - time, apart = crossed;
    while (apart > time && !(distance(apart) > 0)) apart = max(time, apart - back), back *= 4;
    touched = distance(apart) > 0 ? root(apart, crossed, [&](Real t) { return -distance(t); }) : time;
  }
  distance(touched);
  const ShapeDistance at = pairs.exact(pair);
  const Real rate = pairs.rate(state, pair, at);
  const Vec3 velocity = pairs.relative_velocity(state, pair, (at.point_a + at.point_b) * Real(0.5)).linear;
  Landing landing{EventKind::kEnd, what.index, crossed, Real(1e-3) * config_.detection.z_eps, touched, velocity, rate};
  if (ends) return landing;
  landing.target = Real(-1e-3) * config_.detection.z_eps;  // overlapping, so that it is no contact that ends
  landing.time = touched;
  landing.kind = EventKind::kBegin;
  if (config_.response == ContactResponse::kElastic) return landing;
  if (-rate > config_.stick_speed) {
    landing.kind = EventKind::kImpact;
    landing.target = 0;
  } else {
    landing.kind = EventKind::kStick;
  }
  return landing;
}

Real WorldRun::miss(const Landing& l, const State& state, Real& rate) const {
  const Index2 pair = pairs.pair(l.index);
  const ShapeDistance at = pairs.exact(pair);
  rate = pairs.rate(state, pair, at);
  return at.distance - l.target;
}

// -- Contacts.

std::string WorldRun::material_of(int shape) const {
  std::string found;
  for (const auto& [key, name] : config_.materials)
    if (fits(model_.key(Entity::kShape, shape), key)) found = name;
  if (!found.empty()) config_.palette.solid(found);
  return found;
}

WorldRun::Rebound WorldRun::rebound_of(Index2 pair) const {
  const std::string of_a = material_of(pair[0]), of_b = material_of(pair[1]);
  if (!of_a.empty() && !of_b.empty()) {
    const PairMaterial both = config_.palette.pair(of_a, of_b);
    return {both.restitution, both.mu};
  }
  const MaterialContactPair both = pair_material(model_, pair);
  return {both.restitution, both.mu};
}

ElasticContact WorldRun::law_of(const ContactPair& pair) const {
  const std::string of_a = material_of(pair.shape_a), of_b = material_of(pair.shape_b);
  const auto stiffness = [&](const std::string& name) {
    const SolidMaterial& solid = config_.palette.solid(name.empty() ? config_.default_material : name);
    return solid.youngs_modulus / (1 - solid.poissons_ratio * solid.poissons_ratio);
  };
  const Real c_a = stiffness(of_a), c_b = stiffness(of_b);
  const Real r_a = contact_radius(model_, pair.shape_a), r_b = contact_radius(model_, pair.shape_b);
  const auto half_size = [&](int shape) {  // of two faces
    const Vec3 s = model_.shape_scale[shape];
    const Real least = std::min({s.x, s.y, s.z});
    return least > 0 ? least : std::max({s.x, s.y, s.z, Real(0)});
  };
  Real radius = r_a > 0 && r_b > 0 ? r_a * r_b / (r_a + r_b) : max(r_a, r_b);
  if (radius == 0) radius = max(half_size(pair.shape_a), half_size(pair.shape_b));
  if (radius == 0) radius = 1;
  ElasticContact law{};
  law.stiffness = config_.stiffness_scale * (c_a * c_b / (c_a + c_b)) * Real(4.0 / 3) * std::sqrt(radius);
  Real restitution = pair.material.restitution;
  law.mu = pair.material.mu, law.rolling = pair.material.rolling_friction;
  law.spinning = pair.material.torsional_friction;
  if (!of_a.empty() && !of_b.empty()) {
    const PairMaterial both = config_.palette.pair(of_a, of_b);
    restitution = both.restitution, law.mu = both.mu;
    law.rolling = law.spinning = both.rolling_friction * radius;
  }
  const Real speed = abs(pair.material.distance_rate);
  const bool bounces = config_.response == ContactResponse::kElastic && speed > config_.stick_speed;
  law.damping = speed > 0 ? damping_number(bounces ? restitution : Real(0)) / speed : config_.max_damping;
  law.damping = min(law.damping, config_.max_damping);
  return law;
}

void WorldRun::take_contacts() {
  std::vector<ActiveContact> next;
  contact_shapes.clear();
  in_contact_.assign(pairs.count(), 0);
  int p = 0;  // pairs are in the order of their ids
  for (const auto& [key, pair] : detection.contact_dict()) {
    const PairID id = key;
    while (pairs.id(p) != id) ++p;
    in_contact_[p] = 1;
    const Index2 shapes{pair.shape_a, pair.shape_b};
    const auto before = std::find_if(contacts.begin(), contacts.end(), [&](const auto& c) { return c.id == id; });
    const ElasticContact law = before != contacts.end() ? before->law : law_of(pair);
    next.push_back({id, shapes, p, law, pairs.ball_pair(shapes, law)});
    if (!next.back().ball) contact_shapes.insert(contact_shapes.end(), {pair.shape_a, pair.shape_b});
  }
  contacts = std::move(next);
  contact_distance.assign(contacts.size(), 0);
  ++contact_changes;
}

std::vector<WorldRun::Touching> WorldRun::touching(const State& state) {
  pairs.place(state);
  std::vector<Touching> found;
  for (int p = 0; p < pairs.count(); ++p) {
    if (!is_contact(p) && pairs.quick(pairs.pair(p)).distance > config_.detection.z_eps) continue;
    const ShapeDistance at = pairs.exact(pairs.pair(p));
    if (is_contact(p) || at.distance <= config_.detection.z_eps) found.push_back({p, is_contact(p), at});
  }
  return found;
}

std::vector<int> WorldRun::roots_of_numbers() const {
  std::vector<int> root(model_.body_count);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int body) {
    while (root[body] != body) body = root[body] = root[root[body]];
    return body;
  };
  const auto join = [&](int a, int b) {
    if (a >= 0 && b >= 0) root[find(a)] = find(b);
  };
  const Rows joints = rows_of(model_, Entity::kJoint, world);
  for (int j = joints.begin; j < joints.end; ++j) join(model_.joint_parent[j], model_.joint_child[j]);
  for (const ActiveContact& c : contacts) join(model_.shape_body[c.pair[0]], model_.shape_body[c.pair[1]]);
  std::vector<int> first(model_.body_count, -1), numbers(coords.count() + dofs.count(), 0);
  for (int j = joints.begin; j < joints.end; ++j) {
    int& to = first[find(model_.joint_child[j])];
    const auto add = [&](int i) {
      if (to < 0) to = i;
      numbers[i] = to;
    };
    for (int q = model_.joint_q_start[j]; q < model_.joint_q_start[j + 1]; ++q) add(q - coords.begin);
    for (int d = model_.joint_qd_start[j]; d < model_.joint_qd_start[j + 1]; ++d) add(d - dofs.begin + coords.count());
  }
  return numbers;
}

// -- The list of events.

std::string WorldRun::names_of(PairID id) const {
  const Index2 pair = shapes_of_pair(id);
  return "'" + model_.key(Entity::kShape, pair[0]) + "' and '" + model_.key(Entity::kShape, pair[1]) + "'";
}

Event& WorldRun::log_pair(EventKind kind, Real t, PairID id, Vec3 velocity, Real normal_velocity) {
  Event event{t, world, kind, id, velocity, normal_velocity, Restart::kRestart, {}, kNaN};
  if (kind == EventKind::kImpact || kind == EventKind::kStick) {
    Bounces& b = bounces_[id];
    const Real now = t - b.last, once = b.last - b.before, ratio = now / once;
    // Flights that grow shorter by the same ratio are a geometric series.
    if (b.count >= 3) {
      const Real before = once / (b.before - b.before_that);
      if (ratio < 1 && abs(ratio - before) < Real(1e-3)) event.accumulates_at = t + now * ratio / (1 - ratio);
    }
    b.before_that = b.before, b.before = b.last, b.last = t;
    ++b.count;
  }
  ++counts.events;
  events.push_back(event);
  return events.back();
}

Event& WorldRun::log(const Landing& l, Restart restart) {
  if (l.kind != EventKind::kUser) return log_pair(l.kind, l.event_time, pairs.id(l.index), l.velocity, l.rate);
  ++counts.events;
  events.push_back({l.event_time, world, l.kind, 0, {}, 0, restart, users_[l.index].name, kNaN});
  return events.back();
}

}  // namespace carom::inline CAROM_PRECISION
