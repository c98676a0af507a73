// A step of extended position-based dynamics with sub-steps (Macklin and others 2019, Mueller and others 2020), in the
// form of impulses: in every sub-step of h
//
//   v += h (g + f / m);  sweeps over joints and contacts with what they have to say about positions;  x += h v;
//   a sweep over joints and contacts with what they have to say about velocities alone;  restitution
//
// Impulses go on from one sub-step to the next as a first guess. Joints and contacts are solved one colour after the
// other (contact_colours.kernel.h), so that a sweep is the same whoever does it.
#pragma once

#include "backend/launch.h"
#include "solvers/xpbd/bounce.kernel.h"
#include "solvers/xpbd/contact_set.kernel.h"
#include "solvers/xpbd/coupled_rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct XpbdWork {
  MaximalWork<F> links;
  SleepingLinks<F> sleepers;
  LinkRow<F>* row;     // of every link, then those of the world
  LinkMass<F>* mass;   // likewise
  Sym33T<F>* inertia;  // and its inverse, in link axes
  Sym33T<F>* inverse_inertia;
  SpatialVectorT<F>* push;  // acceleration by what pushes, but gravity; torque
  Vec3T<F>* com_start;      // [m]
  HeldJoint<F>* joint;
  CoupledJoints<F>* coupling;
  ContactSet<F> contacts;
  LinkRow<F>* before;  // of a sub-step with impacts: velocities before them
  JointImpulses<F>* joint_before;
  F* coupling_before;
};

inline constexpr int kSweepsAfterBounce = 4;
inline constexpr Real kJointRate = Real(0.1);  // share of its error that a joint loses in a sub-step

struct XpbdOptions {
  int substeps, iterations;
  Real contact_frequency, contact_damping;  // [Hz], 1 = critical
  Real push_speed;                          // [m/s]
  Real overlap;                             // [m]
  Real angular_damping;                     // [1/s]
  bool restitution;
};

struct XpbdStep {
  using Number = Real;
  static constexpr bool kInStep = false;

  Span<const int> worlds;  // ids of the parts, each a world
  MaximalWorlds maximal;
  // By colour, and where each colour begins: links whose joints hold or resist, with ~loop for connects and welds;
  // loops that are couplings.
  Span<const int> joint, joint_start, coupling, coupling_start;
  XpbdOptions options;
  Real dt;  // [s]
  int capacity;
  bool keeps_joints;  // joint coordinates are wanted
  const Queue* crew;  // whose threads share a world; nullptr: a thread is alone with it
  const int* lost;    // of each world: 1 where a particle is not finite; nullptr: there are none
  ContactColumns contacts;
  MemoryView memory;
  Span<const int> joint_memory;  // of each part: where its rows begin
  SweepReport report;
  SleepView sleep;  // without trees: nothing sleeps

  CAROM_HD int links() const { return maximal.tree.links(); }
  CAROM_HD int joints() const { return static_cast<int>(joint.size); }
  CAROM_HD int couplings() const { return static_cast<int>(coupling.size); }
  template <class F>
  CAROM_HD int rows_of_links() const {
    return links() + ContactSet<F>::rows_of_world(capacity);
  }
  CAROM_HD Real h() const { return dt / Real(options.substeps); }

  // -- Memory.

  template <class F>
  CAROM_HD void take_work(Arena& arena, XpbdWork<F>& w) const {
    maximal.take(arena, w.links);
    w.sleepers.take(arena, links(), sleep.tree != nullptr);
    w.row = arena.take<LinkRow<F>>(rows_of_links<F>());
    w.mass = arena.take<LinkMass<F>>(rows_of_links<F>());
    w.inertia = arena.take<Sym33T<F>>(links());
    w.inverse_inertia = arena.take<Sym33T<F>>(links());
    w.push = arena.take<SpatialVectorT<F>>(links());
    w.com_start = arena.take<Vec3T<F>>(links());
    w.joint = arena.take<HeldJoint<F>>(joints());
    w.coupling = arena.take<CoupledJoints<F>>(couplings());
    w.contacts.take(arena, capacity, links());
    w.before = arena.take<LinkRow<F>>(options.restitution ? links() + 1 : 0);
    w.joint_before = arena.take<JointImpulses<F>>(options.restitution ? joints() : 0);
    w.coupling_before = arena.take<F>(options.restitution ? couplings() : 0);
  }
  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    Arena arena;
    XpbdWork<F> w;
    take_work(arena, w);
    return arena.used;
  }
  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    return scratch_bytes<Real>();
  }

  // -- The step.

  template <class Team, class F>
  CAROM_HD void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    Arena arena{static_cast<char*>(scratch), 0};
    XpbdWork<F> w;
    take_work(arena, w);
    step(team, ids, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int part, char* scratch) const {
    if (sleep.tree && sleep.world_asleep[maximal.world_of[worlds[part]]]) return;
    (*this)(team, WorldIds<Real>{worlds[part]}, static_cast<void*>(scratch));
  }

  template <class Team, class F>
  CAROM_HD_FREE void step(Team team, WorldIds<F> ids, XpbdWork<F>& w) const {
    const WorldsOfLanes<F> of(maximal.world_of, ids);
    using G = typename ContactSet<F>::G;
    maximal.open(team, ids, w.links);
    maximal.find_joints(team, ids, w.links);
    w.sleepers.open(team, sleep, maximal, ids);
    open_links(team, ids, w);
    bool known[ScalarTraits<F>::kWidth];
    find_known(team, ids, known);
    w.contacts.open(team, contacts, of.world, w.sleepers, report, memory, known, G(h()), w.mass);
    recall_joints(team, ids, known, w);
    CAROM_ROLL
    for (int s = 0; s < options.substeps; ++s) {
      sub_step(team, s == 0, w);
      if (maximal.readings.tie_force) read_ties(team, ids, s == 0, w);
    }
    w.contacts.close(team, contacts, of.world, w.sleepers, report, memory, known, G(dt), G(h()));
    finish(team, ids, of.world, known, w);
  }

 private:
  // -- Sub-steps.

  template <class Team, class F>
  CAROM_HD_FREE void sub_step(Team team, bool first, XpbdWork<F>& w) const {
    const MaskOf<F> all = F(0) <= F(0);
    if (!first) w.sleepers.each(team, [&](int l) { move_link(l, w); });
    each_joint(team, w, [&](int j) { open_joint(team, j, joint_solve(w, all), w); });
    each_coupling(team, w, [&](int c) { coupling_solve(w, all).open(team, coupling[c], w.coupling[c]); });
    w.sleepers.each(team, [&](int l) { fall(l, w); });
    each_joint(team, w, [&](int j) { joint_solve(w, all).warm_start(team, w.joint[j]); });
    each_coupling(team, w, [&](int c) { coupling_solve(w, all).warm_start(team, w.coupling[c]); });
    w.contacts.each(team, [&](auto& c) { warm_start(c, first, contacts.turns, w.mass, w.row); });
    const MaskOf<F> bounces = options.restitution ? find_bounces(team, w) : !all;
    CAROM_ROLL
    for (int i = 0; i < options.iterations; ++i) sweep(team, true, all, w);
    w.sleepers.each(team, [&](int l) { move(l, w); });
    sweep(team, false, all, w);
    if (any(bounces)) bounce(team, bounces, w);
    each_joint(team, w, [&](int j) { joint_solve(w, all).close(team, w.joint[j]); });
  }

  template <class Team, class F>
  CAROM_HD_FREE void sweep(Team team, bool poses, MaskOf<F> acts, XpbdWork<F>& w) const {
    const JointSolve<F> solve = joint_solve(w, acts);
    const F rate = poses ? F(kJointRate / h()) : F(0);
    each_joint(team, w, [&](int j) { solve.solve(team, w.joint[j], rate); });
    each_coupling(team, w, [&](int c) { coupling_solve(w, acts).solve(team, w.coupling[c], rate); });
    const auto pass = contact_pass<typename ContactSet<F>::G>(poses, lanes_of_rows<F>(acts));
    w.contacts.each(team, [&](auto& c) { solve_contact(c, pass, w.mass, w.row); });
  }

  // -- Restitution.

  // In which worlds something bounces; then it is noted how they begin the sub-step.
  template <class Team, class F>
  CAROM_HD_FREE MaskOf<F> find_bounces(Team team, XpbdWork<F>& w) const {
    using G = typename ContactSet<F>::G;
    const Vec3T<F> g = w.links.tree.gravity;
    const Vec3T<G> fall = in_rows<G>(g);
    const G slow = in_rows<G>(length(g) * F(2 * h()));
    w.contacts.each(team, [&](auto& c) { find_bounce(c, G(h()), fall, slow, w.mass, w.row); });
    const MaskOf<F> found = w.contacts.hit(team);
    if (!any(found)) return found;
    w.sleepers.each(team, [&](int l) {
      w.before[l] = w.row[l];
      w.before[l].omega = angular_momentum(l, w);
    });
    each_joint(team, w, [&](int j) { w.joint_before[j] = w.joint[j].p; });
    each_coupling(team, w, [&](int c) { w.coupling_before[c] = w.coupling[c].p; });
    return found;
  }

  template <class Team, class F>
  CAROM_HD_FREE void bounce(Team team, MaskOf<F> struck, XpbdWork<F>& w) const {
    using G = typename ContactSet<F>::G;
    w.sleepers.each(team, [&](int l) {
      w.row[l].v = select(struck, w.before[l].v, w.row[l].v);
      w.row[l].omega = select(struck, velocity_of(l, w.before[l].omega, w), w.row[l].omega);
    });
    each_joint(team, w, [&](int j) {
      for (int k = 0; k < 6; ++k)
        w.joint[j].p.along[k] = select(struck, w.joint_before[j].along[k], w.joint[j].p.along[k]);
    });
    each_coupling(team, w, [&](int c) { w.coupling[c].p = select(struck, w.coupling_before[c], w.coupling[c].p); });
    const MaskOf<G> acts = lanes_of_rows<F>(struck);
    const G slow = in_rows<G>(length(w.links.tree.gravity) * F(2 * h()));
    CAROM_ROLL
    for (int wave = 0; wave < kMostWaves; ++wave) {
      w.contacts.each(team, [&](auto& c) { open_wave(c, G(h()), slow, acts, w.mass, w.row); });
      if (!any(w.contacts.hit(team))) break;
      CAROM_ROLL
      for (int i = 0; i < kSweepsOfWave; ++i) w.contacts.each(team, [&](auto& c) { strike(c, w.mass, w.row); });
      w.contacts.each(team, [&](auto& c) { close_wave(c); });
    }
    w.contacts.each(team, [&](auto& c) { close_bounce(c, acts); });
    CAROM_ROLL
    for (int i = 0; i < kSweepsAfterBounce; ++i) sweep(team, false, struck, w);
  }

  // Between worlds in lanes and the lanes of contacts; those of a world alone are all of this world.
  template <class G, class F>
  CAROM_HD static G in_rows(const F& value) {
    if constexpr (std::is_same_v<F, G>) return value;
    else return G(value);
  }
  template <class G, class F>
  CAROM_HD static Vec3T<G> in_rows(const Vec3T<F>& v) {
    return {in_rows<G>(v.x), in_rows<G>(v.y), in_rows<G>(v.z)};
  }
  template <class F>
  CAROM_HD static auto lanes_of_rows(MaskOf<F> worlds) {
    using G = typename ContactSet<F>::G;
    if constexpr (std::is_same_v<F, G>) return worlds;
    else return worlds ? G(0) <= G(0) : G(0) < G(0);
  }

  // f(j) for all joints of what is awake, colour by colour.
  template <class Team, class F, class Function>
  CAROM_HD void each_joint(Team team, const XpbdWork<F>& w, Function f) const {
    each_by_colour(team, joint_start, [&](int j) {
      if (w.sleepers.is_awake(link_of_joint(j))) f(j);
    });
  }
  template <class Team, class F, class Function>
  CAROM_HD void each_coupling(Team team, const XpbdWork<F>& w, Function f) const {
    each_by_colour(team, coupling_start, [&](int c) {
      if (w.sleepers.is_awake(link_of_coupling(c))) f(c);
    });
  }
  // One that it moves; all of them sleep together.
  CAROM_HD int link_of_joint(int j) const {
    if (joint[j] >= 0) return joint[j];
    const Loop& tie = maximal.loops.loop[~joint[j]];
    return tie.link[0] >= 0 ? tie.link[0] : tie.link[1];
  }
  CAROM_HD int link_of_coupling(int c) const { return maximal.loops.loop[coupling[c]].link[0]; }
  template <class Team, class Function>
  CAROM_HD static void each_by_colour(Team team, Span<const int> start, Function f) {
    CAROM_ROLL
    for (int c = 0; c + 1 < static_cast<int>(start.size); ++c)
      team.each(start[c + 1] - start[c], [&](int i) { f(start[c] + i); });
  }
  template <class Team, class F>
  CAROM_HD void open_joint(Team team, int j, const JointSolve<F>& solve, XpbdWork<F>& w) const {
    if (joint[j] >= 0) solve.open(team, joint[j], w.joint[j]);
    else solve.open_tie(team, ~joint[j], w.joint[j]);
  }
  template <class F>
  CAROM_HD CouplingSolve<F> coupling_solve(XpbdWork<F>& w, MaskOf<F> acts) const {
    return {maximal, w.links, w.mass, w.row, acts};
  }
  template <class F>
  CAROM_HD JointSolve<F> joint_solve(XpbdWork<F>& w, MaskOf<F> acts) const {
    return {maximal, w.links, w.mass, w.row, F(h()), acts};
  }
  template <class G>
  CAROM_HD ContactPass<G> contact_pass(bool poses, MaskOf<G> acts) const {
    const Real quarter = Real(0.25) / h();
    const Real frequency = options.contact_frequency < quarter ? options.contact_frequency : quarter;
    const Softness<G> soft =
        poses ? Softness<G>::of_spring(frequency, options.contact_damping, h()) : Softness<G>::rigid();
    return {soft, G(Real(1) / h()), G(options.push_speed), G(options.overlap), poses, contacts.turns, acts};
  }

  // -- Links.

  template <class Team, class F>
  CAROM_HD_FREE void open_links(Team team, const WorldIds<F>& ids, XpbdWork<F>& w) const {
    team.each(rows_of_links<F>(), [&](int l) {
      w.row[l] = {};
      w.mass[l] = {};
      if (l >= links()) return;
      w.push[l] = {};
      if (!w.sleepers.is_awake(l)) return;
      const LinkMotion<F>& link = w.links.link[l];
      const LinkParams<F>& params = w.links.tree.link_params[l];
      w.row[l].v = link.V.linear, w.row[l].omega = link.V.angular;
      w.com_start[l] = link.com;
      w.inertia[l] = params.inertia;
      w.inverse_inertia[l] = inverse(params.inertia);
      weigh(l, w);
    });
    maximal.each_push(team, ids, w.links, [&](int l, Vec3T<F> point, const SpatialVectorT<F>& f) CAROM_HD_LAMBDA {
      w.push[l].linear = fma(f.linear, w.mass[l].inverse, w.push[l].linear);
      w.push[l].angular += f.angular + cross(point - w.links.link[l].com, f.linear);
    });
  }
  // The motion of a kinematic body is given, and what sleeps stands still: nothing moves them.
  template <class F>
  CAROM_HD MaskOf<F> is_held(int l, const XpbdWork<F>& w) const {
    return maximal.is_given(l, w.links) || w.sleepers.asleep(l);
  }
  template <class F>
  CAROM_HD void weigh(int l, XpbdWork<F>& w) const {
    const LinkMotion<F>& link = w.links.link[l];
    const MaskOf<F> held = is_held(l, w);
    LinkMass<F>& m = w.mass[l];
    m.com = link.com;
    m.inverse = select(held, F(0), F(1) / w.links.tree.link_params[l].mass);
    const Sym33T<F> I = rotate(mat33_from_quat(link.X_WL.q), w.inverse_inertia[l]);
    const auto free = [&](F x) CAROM_HD_LAMBDA { return select(held, F(0), x); };
    m.inverse_turn = {free(I.xx), free(I.yy), free(I.zz), free(I.xy), free(I.xz), free(I.yz)};
  }
  // At the beginning of a sub-step that is not the first one.
  template <class F>
  CAROM_HD void move_link(int l, XpbdWork<F>& w) const {
    LinkMotion<F>& link = w.links.link[l];
    place(l, w);
    link.V = {w.row[l].v, w.row[l].omega};
    weigh(l, w);
  }
  template <class F>
  CAROM_HD void place(int l, XpbdWork<F>& w) const {
    LinkMotion<F>& link = w.links.link[l];
    link.com = w.com_start[l] + w.row[l].moved;
    link.X_WL.p = link.com - rotate(link.X_WL.q, w.links.tree.link_params[l].com);
  }
  template <class F>
  CAROM_HD void fall(int l, XpbdWork<F>& w) const {
    LinkRow<F>& row = w.row[l];
    const MaskOf<F> held = is_held(l, w);
    const F rest = F(1) / fma(F(options.angular_damping), F(h()), F(1));
    row.v = fma(select(held, Vec3T<F>{}, w.links.tree.gravity + w.push[l].linear), F(h()), row.v);
    row.omega = fma(w.mass[l].inverse_turn * w.push[l].angular, F(h()), row.omega * select(held, F(1), rest));
  }
  // Turning keeps the angular momentum, omega+ = I+^-1 I omega.
  template <class F>
  CAROM_HD void move(int l, XpbdWork<F>& w) const {
    LinkRow<F>& row = w.row[l];
    LinkMotion<F>& link = w.links.link[l];
    row.moved = fma(row.v, F(h()), row.moved);
    row.turned = fma(row.omega, F(h()), row.turned);
    const Vec3T<F> momentum = angular_momentum(l, w);
    link.X_WL.q = normalize(quat_from_rotation_vector(row.omega * F(h())) * link.X_WL.q);
    row.omega = velocity_of(l, momentum, w);
  }
  // As the link is turned now; of kinematic bodies the velocity stands for it.
  template <class F>
  CAROM_HD Vec3T<F> angular_momentum(int l, const XpbdWork<F>& w) const {
    const Vec3T<F> omega = w.row[l].omega;
    const QuatT<F> q = w.links.link[l].X_WL.q;
    const Vec3T<F> momentum = rotate(q, w.inertia[l] * rotate(conjugate(q), omega));
    return select(maximal.is_given(l, w.links), omega, momentum);
  }
  template <class F>
  CAROM_HD Vec3T<F> velocity_of(int l, Vec3T<F> momentum, const XpbdWork<F>& w) const {
    const QuatT<F> q = w.links.link[l].X_WL.q;
    const Vec3T<F> omega = rotate(q, w.inverse_inertia[l] * rotate(conjugate(q), momentum));
    return select(maximal.is_given(l, w.links), momentum, omega);
  }

  // -- Memory of the last step.

  // Which worlds are as they were left.
  template <class Team, class F>
  CAROM_HD_FREE void find_known(Team team, const WorldIds<F>& ids, bool* known) const {
    const int bodies = static_cast<int>(maximal.body_link.size);
    for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
      known[l] =
          goes_on(team, memory, maximal.body_q, maximal.body_qd, bodies > 0 ? maximal.body_rows(ids[l], 0) : 0, bodies);
  }
  template <class Team, class F>
  CAROM_HD_FREE void recall_joints(Team team, const WorldIds<F>& ids, const bool* known, XpbdWork<F>& w) const {
    team.each(joints(), [&](int j) {
      for (int k = 0; k < 6; ++k) {
        F& p = k < 3 ? w.joint[j].push[k] : w.joint[j].twist[k - 3];
        p = F(0);
        for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
          if (known[l]) set_lane(p, l, memory.joint[joint_row(ids[l], j) + k] * h());
      }
    });
    team.each(couplings(), [&](int c) {
      F& p = w.coupling[c].p;
      p = F(0);
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        if (known[l]) set_lane(p, l, memory.joint[joint_row(ids[l], joints() + c)] * h());
    });
  }
  template <class Team, class F>
  CAROM_HD_FREE void remember(Team team, const WorldIds<F>& ids, const bool* known, MaskOf<F> finite,
                              const XpbdWork<F>& w) const {
    const Real rate = Real(1) / h();
    // What is remembered of what sleeps stays.
    const auto keep_force = [&](int link, int row, int k, F force) CAROM_HD_LAMBDA {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        const bool asleep = w.sleepers.is_asleep(link, l);
        if (!asleep || !known[l]) memory.joint[joint_row(ids[l], row) + k] = asleep ? Real(0) : lane_of(force, l);
      }
    };
    team.each(joints(), [&](int j) {
      for (int k = 0; k < 6; ++k)
        keep_force(link_of_joint(j), j, k, (k < 3 ? w.joint[j].push[k] : w.joint[j].twist[k - 3]) * F(rate));
    });
    team.each(couplings(), [&](int c) { keep_force(link_of_coupling(c), joints() + c, 0, w.coupling[c].p * F(rate)); });
    const int bodies = static_cast<int>(maximal.body_link.size);
    for (int l = 0; l < ScalarTraits<F>::kWidth && bodies > 0; ++l) {
      const std::int64_t first = maximal.body_rows(ids[l], 0);
      const bool kept = lane_of(finite, l);  // otherwise no state is like it
      const auto keep = [&](int numbers, const Real* from, Real* to) CAROM_HD_LAMBDA {
        team.each(numbers * bodies,
                  [&](int k) { to[numbers * first + k] = kept ? from[numbers * first + k] : Real(0); });
      };
      keep(7, maximal.out_body_q, memory.body_q);
      keep(6, maximal.out_body_qd, memory.body_qd);
    }
  }
  CAROM_HD std::int64_t joint_row(int part, int j) const { return std::int64_t{6} * (joint_memory[part] + j); }

  // What connects and welds do, the mean of the step; after each sub-step.
  template <class Team, class F>
  CAROM_HD_FREE void read_ties(Team team, const WorldIds<F>& ids, bool first, const XpbdWork<F>& w) const {
    const F rate = F(1) / F(dt);
    team.each(joints(), [&](int j) {
      if (joint[j] >= 0 || !w.sleepers.is_awake(link_of_joint(j))) return;
      const HeldJoint<F>& tie = w.joint[j];
      const int side = tie.link[1] == links() ? 0 : 1;
      const Vec3T<F> point = w.links.link[tie.link[side]].com + tie.r[side];
      maximal.readings.write_tie(ids, ~joint[j], tie.push * rate, tie.twist * rate, point,
                                 w.sleepers.asleep(link_of_joint(j)), !first);
    });
  }

  // -- The new state.

  template <class Team, class F>
  CAROM_HD_FREE void finish(Team team, const WorldIds<F>& ids, const int* world, const bool* known,
                            XpbdWork<F>& w) const {
    const F rest = w.sleepers.sum(team, [&](int l) CAROM_HD_LAMBDA {  // 0 x is 0 for finite x
      const Vec3T<F> zero = (w.row[l].v + w.row[l].omega + w.row[l].moved) * F(0);
      return zero.x + zero.y + zero.z;
    });
    const MaskOf<F> finite = rest == F(0) && !is_lost<F>(lost, world);
    report_worlds<F>(team, world, finite);
    w.sleepers.each(team, [&](int l) {
      LinkMotion<F>& link = w.links.link[l];
      place(l, w);
      link.V = {w.row[l].v + Vec3T<F>{}, w.row[l].omega + Vec3T<F>{}};  // + 0: never -0
      fall_asleep(ids, l, w);
    });
    if (!all(finite)) maximal.restore_links(team, ids, finite, w.links);
    const auto asleep = [&](int l) CAROM_HD_LAMBDA { return w.sleepers.asleep(l); };
    maximal.write_bodies(team, ids, w.links, asleep);
    remember(team, ids, known, finite, w);
    if (keeps_joints) maximal.write_joints(team, ids, finite, F(dt), w.links, asleep);
  }
  // Where it was, at rest.
  template <class F>
  CAROM_HD void fall_asleep(const WorldIds<F>& ids, int l, XpbdWork<F>& w) const {
    const MaskOf<F> falls = w.sleepers.falls_asleep(l);
    if (!any(falls)) return;
    maximal.restore_link(ids, l, !falls, w.links);
    SpatialVectorT<F>& V = w.links.link[l].V;
    V = {select(falls, Vec3T<F>{}, V.linear), select(falls, Vec3T<F>{}, V.angular)};
  }
  template <class F, class Team>
  CAROM_HD void report_worlds(Team team, const int* world, MaskOf<F> finite) const {
    team.each(1, [&](int) {
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        report.status[world[l]] |= lane_of(finite, l) ? 0 : kStatusNotFinite;
        report.iterations[world[l]] = options.substeps * options.iterations;
      }
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
