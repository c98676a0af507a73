#include "solvers/mujoco/plan.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/fail.h"
#include "carom/solver_mujoco.h"
#include "dynamics/sleep.h"
#include "solvers/mujoco/kernels.h"

namespace carom::inline CAROM_PRECISION {

// Brings to the CPU no more than the columns that it looks at: this is asked after every edit.
void check_supported(const Model& model) {
  const ModelOptions& options = model.options;
  check_sleep("SolverMuJoCo", model);
  if (options.sleep && options.integrator == Integrator::kRK4)
    fail("SolverMuJoCo: sleep with RK4 is not supported yet");
  check_features("SolverMuJoCo", model, SolverMuJoCo::kAbilities.features);
}

// -- Structure.

namespace {

int most_blocks(const TreePlan& tree) {
  int most = 0;
  for (const TreeLink& link : tree.links) {
    int count = 0, last = -1;
    for (const int dof : tree.dofs_of_link(link)) {
      count += dof / 3 != last;
      last = dof / 3;
    }
    most = std::max(most, count);
  }
  return most;
}

template <class T>
constexpr int numbers() {
  static_assert(sizeof(T) % sizeof(Real) == 0);
  return static_cast<int>(sizeof(T) / sizeof(Real));
}

ParamLayout layout_of(const TreePlan& tree, const RowPlan& rows, const EllipsoidPlan& ellipsoids) {
  ParamLayout at;
  int next = 0;
  const auto take = [&](std::size_t count, int size) {
    const int first = next;
    next += static_cast<int>(count) * size;
    return first;
  };
  at.gravity = take(1, 3);
  at.links = take(tree.links.size(), numbers<LinkParams<Real>>());
  at.dofs = take(tree.dof_link.size(), numbers<DofParams<Real>>());
  at.joint_rows = take(rows.joint_rows.size(), numbers<JointRowParams<Real>>());
  at.joint_coefs = take(rows.joint_entries.size(), 1);
  at.equalities = take(rows.equalities, numbers<EqualityParams<Real>>());
  at.ties = take(rows.ties.size(), numbers<TieParams<Real>>());
  at.actuators = take(rows.actuators.size(), numbers<ActuatorParams<Real>>());
  at.actuator_coefs = take(rows.actuator_entries.size(), 1);
  at.springs = take(rows.springs.size(), numbers<SpringParams<Real>>());
  at.spring_coefs = take(rows.spring_entries.size(), 1);
  at.activations = take(rows.activations.size(), numbers<ActivationParams<Real>>());
  at.muscles = take(rows.muscles, numbers<MuscleParams<Real>>());
  at.paths = take(rows.paths.slots.size(), numbers<PathParams<Real>>());
  at.path_points = take(rows.paths.points.size(), numbers<PathPointParams<Real>>());
  at.bodies = take(tree.body_link.size(), 3);
  at.carried = take(rows.forces.compensated ? tree.body_link.size() : 0, 1);
  at.drives = take(rows.forces.driven ? tree.dof_link.size() : 0, numbers<DriveParams<Real>>());
  at.extras = take(rows.forces.has_extras ? tree.dof_link.size() : 0, numbers<DofExtras<Real>>());
  at.efforts = take(rows.efforts.size(), numbers<EffortParams<Real>>());
  at.joint_yields = take(rows.forces.yields ? tree.dof_link.size() : 0, 1);
  at.tendon_yields = take(rows.forces.yields ? rows.springs.size() : 0, 1);
  at.fluid = take(rows.forces.in_fluid ? tree.body_link.size() : 0, numbers<FluidParams<Real>>());
  at.ellipsoids = take(ellipsoids.count(), numbers<EllipsoidParams<Real>>());
  at.controllers = take(rows.controllers.size(), numbers<ControllerParams<Real>>());
  at.delays = take(rows.delays.size(), 1);
  at.total = next;
  at.inverse_masses = take(tree.body_link.size(), 1);
  at.row = next;
  return at;
}

}  // namespace

MuJoCoPlan::MuJoCoPlan(const HostModel& host, const PlanSource& source, const Queue& queue,
                       PartArchetype archetype_of_parts, const BodyNumbers& bodies)
    : archetype(std::move(archetype_of_parts)),
      tree(host, archetype),
      ellipsoids(host, archetype, tree, source.listed_bodies),
      survey(archetype, host.model.device),
      needs((survey.look(source, queue, tree, ellipsoids, all_places()), survey.needs_of_any())),
      rows(host, archetype.parts.front(), source.listed_bodies, tree, needs),
      layout(layout_of(tree, rows, ellipsoids)) {
  rows.forces.ellipsoid_link = ellipsoids.links();
  if (host.model.options.integrator == Integrator::kDiscrete) tree.view.mass_pattern = rows.mass.pattern;
  link_dofs = LinkDofLists(tree, host.model.device);
  chain_blocks = most_blocks(tree);
  listed_bodies = source.listed_bodies;
  shape_body = source.model.shape_body, shape_type = source.model.shape_type;
  if (rows.forces.yields && host.model.options.integrator == Integrator::kRK4)
    strokes = Array<Real>(
        std::int64_t{SpringYields<Real>::kept_strokes(rows.forces)} * static_cast<std::int64_t>(archetype.parts.size()),
        host.model.device);
  const bool shared = survey.all_same();
  make_rooms(shared, host.model.device);
  pack(source, queue, shared ? std::vector<int>{0} : all_places());
  write_bodies(source, queue, all_places(), bodies);
}

BodyNumbers::BodyNumbers(int bodies, Device device) : inverse_mass(bodies, device) {
  const std::vector<int> none(bodies, -1);
  part = Array<int>(std::span<const int>(none), device);
  link = Array<int>(std::span<const int>(none), device);
}

PartArrays::PartArrays(const std::vector<MuJoCoPlan>& plans, int parts, Device device) {
  std::array<std::vector<int>, 9> column;
  for (std::vector<int>& c : column) c.resize(parts);
  for (const MuJoCoPlan& plan : plans)
    for (std::size_t row = 0; row < plan.archetype.parts.size(); ++row) {
      const PartRows& part = plan.archetype.parts[row];
      column[0][part.id] = part.begin(Entity::kJointCoord);
      column[1][part.id] = part.begin(Entity::kJointDof);
      column[2][part.id] = part.listed < 0 ? part.begin(Entity::kBody) : part.listed;
      column[3][part.id] = part.begin(Entity::kCtrl);
      column[4][part.id] = part.begin(Entity::kAct);
      column[5][part.id] = part.begin(Entity::kCtrlHistory);
      column[6][part.id] = part.begin(Entity::kTendon);
      column[7][part.id] = part.begin(Entity::kEqualityConstraint);
      column[8][part.id] = static_cast<int>(row);
    }
  Array<int>* const out[]{&coord, &dof, &body, &ctrl, &act, &history, &tendon, &equality, &params_row};
  for (std::size_t i = 0; i < column.size(); ++i) *out[i] = Array<int>(std::span<const int>(column[i]), device);
}
PartStarts PartArrays::view() const {
  return {coord.const_view(),   dof.const_view(),    body.const_view(),     ctrl.const_view(),      act.const_view(),
          history.const_view(), tendon.const_view(), equality.const_view(), params_row.const_view()};
}

// -- What parts ask for by their numbers.

PartSurvey::PartSurvey(const PartArchetype& archetype, Device device)
    : part(std::span<const PartRows>(archetype.parts), device), differs(part.size(), device) {
  needs = Array<std::uint8_t>(part.size() * PartNeeds::count(archetype.parts.front()), device);
}

void PartSurvey::look(const PlanSource& source, const Queue& queue, const TreePlan& tree,
                      const EllipsoidPlan& ellipsoids, const std::vector<int>& places) {
  const Model& model = source.model;
  const Array<int> list(std::span<const int>(places), model.device);
  launch(queue, static_cast<int>(places.size()),
         LookAtParts{list.const_view(), part.data(), tree.origin, source.tree, source.packed.const_view(),
                     model.gravity.data(), model.world_count, source.nan.data(), source.rows, ellipsoids.sources(),
                     ellipsoids.count(), differs.data(), needs.data()});
  queue.finish();
}

bool PartSurvey::all_same() const {
  const Array<std::uint8_t> flags = differs.on_cpu();
  return std::find(flags.begin(), flags.end(), 1) == flags.end();
}

std::vector<std::uint8_t> PartSurvey::needs_of_any() const {
  const Array<std::uint8_t> all = needs.on_cpu();
  std::vector<std::uint8_t> any(all.size() / part.size(), 0);
  for (std::int64_t i = 0; i < all.size(); i += static_cast<std::int64_t>(any.size()))
    for (std::size_t k = 0; k < any.size(); ++k) any[k] |= all[i + static_cast<std::int64_t>(k)];
  return any;
}

// -- Numbers.

std::vector<int> MuJoCoPlan::all_places() const {
  std::vector<int> places(archetype.parts.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Room for one row, or for one of each part. What one row for all held becomes the row of each.
void MuJoCoPlan::make_rooms(bool shared, Device device) {
  std::vector<Real> values(layout.row * (shared ? 1 : archetype.parts.size()));
  if (!shared && !params.empty()) {
    const Array<Real> row = params.on_cpu();
    for (std::size_t i = 0; i < values.size(); i += layout.row) std::copy(row.begin(), row.end(), values.begin() + i);
  }
  params = Array<Real>(std::span<const Real>(values), device);
  params_stride = shared ? 0 : layout.row;
}

void MuJoCoPlan::pack(const PlanSource& source, const Queue& queue, const std::vector<int>& places) {
  // That parts work in at once; some parts are larger.
  constexpr std::int64_t kMemory = 32 << 20;  // [bytes]
  const Model& model = source.model;
  const Array<int> list(std::span<const int>(places), model.device);
  PackParts kernel{.list = list.const_view(),
                   .part = survey.part.data(),
                   .tree = tree.view,
                   .rows = rows.rows,
                   .forces = rows.forces,
                   .tree_origin = tree.origin,
                   .row_origin = rows.origin,
                   .tree_columns = source.tree,
                   .row_columns = source.rows,
                   .gravity = model.gravity.data(),
                   .globals = model.world_count,
                   .nan = source.nan.data(),
                   .shared_nan = source.world_slots(),
                   .layout = layout,
                   .params = params.data(),
                   .params_stride = params_stride,
                   .ellipsoid = ellipsoids.sources(),
                   .ellipsoid_body = ellipsoids.bodies(),
                   .fluid = {model.options.density, model.options.viscosity},
                   .memory = nullptr,
                   .bytes_per_item = 0};
  kernel.bytes_per_item = std::max<std::int64_t>(kernel.scratch_bytes(), 1);  // a world without joints needs none
  const std::int64_t n = list.size(), at_once = std::clamp<std::int64_t>(kMemory / kernel.bytes_per_item, 1, n);
  const Array<char> memory(at_once * kernel.bytes_per_item, model.device);
  kernel.memory = memory.data();
  for (std::int64_t first = 0; first < n; first += at_once) {
    kernel.list = list.slice(first, std::min(first + at_once, n)).const_view();
    launch(queue, static_cast<int>(kernel.list.size), kernel);
  }
  queue.finish();
  packed += n;
  lane_width = 0;
}

void MuJoCoPlan::write_bodies(const PlanSource& source, const Queue& queue, const std::vector<int>& places,
                              const BodyNumbers& bodies) const {
  const Array<int> list(std::span<const int>(places), source.model.device);
  launch(queue, static_cast<int>(places.size()),
         WriteBodies{list.const_view(), survey.part.data(), tree.origin.body_link,
                     params.data() + layout.inverse_masses, params_stride, source.listed_bodies.data(),
                     bodies.part.data(), bodies.link.data(), bodies.inverse_mass.data()});
  queue.finish();
}

bool MuJoCoPlan::pack_again(const PlanSource& source, const Queue& queue, const std::vector<int>& places,
                            const BodyNumbers& bodies) {
  if (places.empty()) return true;
  const bool first_changed = places.front() == 0;  // which all are compared with
  survey.look(source, queue, tree, ellipsoids, first_changed ? all_places() : places);
  if (survey.needs_of_any() != needs) return false;
  const bool shared = survey.all_same(), was_shared = params_stride == 0;
  if (shared && was_shared && !first_changed) return true;
  if (shared != was_shared) make_rooms(shared, source.model.device);
  pack(source, queue, shared ? std::vector<int>{0} : places);
  write_bodies(source, queue, shared ? all_places() : places, bodies);
  return true;
}

void MuJoCoPlan::share_params(MuJoCoStep& kernel, int width) {
  if (width == 1 || params_stride != 0) return;
  if (lane_width != width) {
    lane_params = Array<Real>(std::int64_t{layout.total} * width);
    for (int k = 0; k < layout.total; ++k) std::fill_n(lane_params.data() + k * width, width, params[k]);
    lane_width = width;
  }
  kernel.lane_params = lane_params.data();
}

// -- Contacts.

void pack_shapes(const Model& model, const BodyNumbers& bodies, const std::vector<int>& shapes, const Queue& queue,
                 const Array<ShapeMaterial>& packed) {
  const Array<int> list(std::span<const int>(shapes), model.device);
  launch(queue, static_cast<int>(shapes.size()),
         PackShapes{list.const_view(), model.shape_body.const_view(), model.shape_priority.const_view(),
                    model.shape_condim.const_view(), model.shape_solmix.const_view(),
                    model.shape_material_mu.const_view(), model.shape_material_torsional_friction.const_view(),
                    model.shape_material_rolling_friction.const_view(), model.shape_contact_margin.const_view(),
                    model.shape_gap.const_view(), model.shape_solref.const_view(), model.shape_solimp.const_view(),
                    bodies.part.data(), bodies.link.data(), bodies.inverse_mass.data(), packed.data()});
  queue.finish();
}

ContactPairs::ContactPairs(const Model& model) {
  if (model.contact_pair_count == 0) return;
  const Array<Index2> shapes = model.contact_pair_shapes.on_cpu();
  const Array<int> condim = model.contact_pair_condim.on_cpu();
  const Array<RealN<5>> friction = model.contact_pair_friction.on_cpu();
  const Array<RealN<2>> solref = model.contact_pair_solref.on_cpu(),
                        solref_friction = model.contact_pair_solref_friction.on_cpu();
  const Array<RealN<5>> solimp = model.contact_pair_solimp.on_cpu();
  const Array<Real> margin = model.contact_pair_margin.on_cpu(), gap = model.contact_pair_gap.on_cpu(),
                    adhesion = model.contact_pair_adhesion.on_cpu();
  std::vector<int> order(model.contact_pair_count), starts(model.shape_count + 1, 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return shapes[a] < shapes[b]; });
  std::vector<PairNumbers> rows;
  for (const int i : order) {
    PairNumbers row{.other = shapes[i][1],
                    .condim = condim[i],
                    .friction = {},
                    .solref = {},
                    .solref_friction = {},
                    .solimp = {},
                    .margin = margin[i],
                    .gap = gap[i],
                    .adhesion = adhesion[i]};
    std::copy(friction[i].begin(), friction[i].end(), row.friction);
    std::copy(solref[i].begin(), solref[i].end(), row.solref);
    std::copy(solref_friction[i].begin(), solref_friction[i].end(), row.solref_friction);
    std::copy(solimp[i].begin(), solimp[i].end(), row.solimp);
    rows.push_back(row);
    ++starts[shapes[i][0] + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  start = Array<int>(std::span<const int>(starts), model.device);
  numbers = Array<PairNumbers>(std::span<const PairNumbers>(rows), model.device);
}

namespace {

bool any_nonzero(const Array<Real>& column) {
  const Array<Real> values = column.on_cpu();
  return std::any_of(values.begin(), values.end(), [](Real x) { return x != 0; });
}
bool any_surface_moves(const Model& model) {
  const Array<SpatialVector> velocity = model.shape_surface_velocity.on_cpu();
  return std::any_of(velocity.begin(), velocity.end(), [](const SpatialVector& v) {
    return length_squared(v.linear) != 0 || length_squared(v.angular) != 0;
  });
}
bool any_pair_is_uneven(const Model& model) {
  const Array<RealN<5>> friction = model.contact_pair_friction.on_cpu();
  const Array<RealN<2>> solref = model.contact_pair_solref_friction.on_cpu();
  return std::any_of(friction.begin(), friction.end(),
                     [](const RealN<5>& f) { return f[0] != f[1] || f[3] != f[4]; }) ||
         std::any_of(solref.begin(), solref.end(), [](const RealN<2>& r) { return r[0] != 0 || r[1] != 0; });
}

}  // namespace

ContactTraits traits_of(const Model& model) {
  ContactTraits traits{.condims = {}, .cone = model.options.cone};
  traits.has_adhesion = any_nonzero(model.shape_adhesion) || any_nonzero(model.contact_pair_adhesion);
  traits.has_extras = traits.has_adhesion || any_surface_moves(model) || any_pair_is_uneven(model);
  for (const int target : model.actuator_target.on_cpu())
    traits.pulled_by_bodies = traits.pulled_by_bodies || target == static_cast<int>(ActuatorTarget::kBody);
  if (traits.has_adhesion) traits.condims = condim_set(1);  // of contacts that only pull
  for (const Array<int>& column : {model.shape_condim.on_cpu(), model.contact_pair_condim.on_cpu()})
    for (const int condim : column) traits.condims = traits.condims | condim_set(condim);
  return traits;
}

ContactView contact_view(const Contacts& contacts, const Array<ContactMaterial>& material, ContactTraits traits) {
  return {contacts.rigid_contact_world_start.data(),
          nullptr,
          contacts.rigid_contact_point.data(),
          contacts.rigid_contact_normal.data(),
          contacts.rigid_contact_tangent.data(),
          contacts.rigid_contact_depth.data(),
          material.data(),
          contacts.rigid_contact_force.data(),
          contacts.rigid_contact_torque.data(),
          traits};
}

// -- The step.

MuJoCoStep MuJoCoPlan::kernel(const PartArrays& arrays, const State& in, const Control& control, Real dt) const {
  MuJoCoStep k{};
  k.tree = tree.view;
  k.rows = rows.rows;
  k.forces = rows.forces;
  k.body_link = tree.origin.body_link;
  k.shape_body = shape_body.data(), k.shape_type = shape_type.data();
  k.body_row = archetype.parts.front().listed < 0 ? nullptr : listed_bodies.data();
  k.link_dofs = link_dofs.view();
  k.layout = layout;
  k.dt = dt;
  k.moves = true;
  k.params = params.data();
  k.params_stride = params_stride;
  k.starts = arrays.view();
  k.joint_q = in.joint_q.data();
  k.joint_qd = in.joint_qd.data();
  k.joint_qdd = in.joint_qdd.data();
  k.joint_f = control.joint_f.data();
  k.ctrl = control.ctrl.data();
  k.act = in.act.data();
  k.spring_shifts = {in.joint_spring_shift.data(), reinterpret_cast<const Real*>(in.tendon_spring_shift.data())};
  k.strokes = strokes.data();
  k.ctrl_history = in.ctrl_history.data();
  k.target_pos = control.joint_target_pos.data();
  k.target_vel = control.joint_target_vel.data();
  k.body_f = reinterpret_cast<const Real*>(in.body_f.data());
  return k;
}

}  // namespace carom::inline CAROM_PRECISION
