// A step of the particles of a world by extended position-based dynamics (M. Macklin, M. Mueller, N. Chentanez, "XPBD",
// 2016, and M. Macklin et al., "Small Steps in Physics Simulation", 2019). In each of n sub-steps of h = dt / n:
//
//   v += h (g + f / m),  displacement = h v      predicted
//   places shifted where they overlapped         touch_projection.kernel.h
//   elements and contacts projected              colour by colour, some times
//   v = displacement / h,  place += displacement
//
// The displacement of a sub-step is kept apart from the place, so that a velocity is not the difference of two large
// numbers. On the CPU one thread takes a world, with all its numbers in the cache, on CUDA a team.
#pragma once

#include "backend/launch.h"
#include "solvers/xpbd/air.kernel.h"
#include "solvers/xpbd/pack_world.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ProjectParticles {
  static constexpr int kItemsTogether = 1;  // a thread may take a single world
  static constexpr int kCudaTeam = 32;

  ParticleColumns columns;
  ElementColumns elements;
  TouchedShapes shapes;
  SoftContactView soft;
  ParticleContactView pairs;
  const ParticleStructure* structures;
  const int* structure;  // of each slot
  const Vec3* gravity;   // of each slot [m/s^2]
  Real dt;
  int substeps, iterations;
  bool bounces;
  int ghosts_from;  // slots below have a ghost for each pair; 0: there are no global particles
  // On a GPU the block of each slot is in `memory`, on the CPU every thread has one.
  char* memory;
  const std::int64_t* memory_start;  // of each slot, without what its contacts need
  std::int64_t bytes;                // on the CPU: of the largest slot
  Vec3 *new_q, *new_qd;
  int* is_lost;                   // of each slot: some particle would not be finite
  const int* left_out = nullptr;  // of each slot: whether the world takes no part; nullptr: all do

  CAROM_HD Real h() const { return dt / Real(substeps); }

  template <class Team>
  CAROM_HD void operator()(Team team, int slot) const {
    if (left_out && left_out[slot]) return;
    ProjectedWorld w = world(slot);
    const ParticleStructure& plan = structures[structure[slot]];
    Arena arena{block(slot, w)};
    w.take(arena, plan);

    const SlotRows rows = columns.starts.rows(slot);
    pack_particles(team, columns, rows, w);
    pack_elements(team, elements, plan, slot, h(), w);
    pack_soft_contacts(team, soft, shapes, columns, rows, w);
    pack_pairs(team, pairs, columns, rows, w);
    for (int k = 0; k < substeps; ++k) {
      predict(team, rows, gravity[slot], w);
      if (w.air) push_by_air(team, plan, w);
      begin_contacts(team, w);
      for (int i = 0; i < iterations; ++i) {
        project_elements(team, plan, w, {nullptr, i > 0, i + 1 < iterations});
        project_contacts(team, w);
      }
      end(team, w);
      if (bounces) bounce(team, gravity[slot], w);
    }
    write(team, slot, rows, w);
  }

  // How many there are of what a world has.
  CAROM_HD ProjectedWorld world(int slot) const {
    ProjectedWorld w{};
    w.particles = columns.starts.rows(slot).count;
    if (soft.count) w.soft.begin = soft.world_start[slot], w.soft.count = soft.world_start[slot + 1] - w.soft.begin;
    if (pairs.count)
      w.pairs.begin = pairs.world_start[slot], w.pairs.count = pairs.world_start[slot + 1] - w.pairs.begin;
    w.ghosts = slot < ghosts_from ? w.pairs.count : 0;
    return w;
  }

 private:
  CAROM_HD char* block(int slot, const ProjectedWorld& w) const {
#if !defined(__CUDACC__)
    if (!memory) return static_cast<char*>(thread_scratch(bytes));
#endif
    return memory + memory_start[slot] + (w.soft.begin + w.pairs.begin) * ProjectedWorld::kContactBytes;
  }

  CAROM_HD static ParticleRows moving(const ProjectedWorld& w) { return {&w.motion->place.x, &w.motion->moved.x}; }

  template <class Team>
  CAROM_HD void predict(Team team, const SlotRows& rows, Vec3 g, const ProjectedWorld& w) const {
    const Real h = this->h();
    team.each(w.particles, [&](int k) CAROM_HD_LAMBDA {
      ParticleRow& row = w.motion[k];
      if (!(row.inverse_mass > Real(0))) return;
      const Vec3 f = columns.f[rows.at(k)];
      row.moved = fma(fma(f, row.inverse_mass, g), h, w.speed[k].velocity) * h;
    });
    team.each(w.ghosts,
              [&](int k) CAROM_HD_LAMBDA { w.motion[w.particles + k].moved = w.speed[w.particles + k].velocity * h; });
  }

  // project(rows) for the elements of one colour after the other.
  template <class Team, class Project>
  CAROM_HD static void by_colour(Team team, const ElementPlan& plan, const Project& project) {
    for (int c = 0; c < plan.colours; ++c) each_in_lanes(team, plan.colour_start[c], plan.colour_start[c + 1], project);
  }
  template <class Team, class Project>
  CAROM_HD static void by_colour(Team team, const OrderedContacts& contacts, const Project& project) {
    const int* const start = contacts.colours->start;
    for (int c = 0; c < kContactColours && start[c] < contacts.count; ++c)
      each_in_lanes(team, start[c], start[c + 1], project);
    for (int k = start[kContactColours]; k < contacts.count; ++k) each_in_lanes(team, k, k + 1, project);
  }

  CAROM_HD static ColouredRows rows_of(const ElementPlan& plan, const Real* row, Real* lambda, Lambdas use) {
    return {plan.corner, plan.count, row, {lambda, use.reads, use.writes}};
  }

  template <class Team>
  CAROM_HD void push_by_air(Team team, const ParticleStructure& plan, const ProjectedWorld& w) const {
    by_colour(team, plan.triangles,
              PushByAir{moving(w), rows_of(plan.triangles, w.triangle, nullptr, {}), shapes.options.wind, h()});
  }

  template <class Team>
  CAROM_HD void project_elements(Team team, const ParticleStructure& s, const ProjectedWorld& w, Lambdas use) const {
    const ParticleRows p = moving(w);
    by_colour(team, s.springs, ProjectSprings{p, rows_of(s.springs, w.spring, w.spring_lambda, use)});
    if (w.cloth_resists)
      by_colour(team, s.triangles, ProjectTriangles{p, rows_of(s.triangles, w.triangle, w.triangle_lambda, use)});
    by_colour(team, s.edges, ProjectBending{p, rows_of(s.edges, w.edge, w.edge_lambda, use)});
    by_colour(team, s.tetrahedra,
              ProjectTetrahedra{p, rows_of(s.tetrahedra, w.tetrahedron, w.tetrahedron_lambda, use)});
  }

  CAROM_HD TouchedRows touched(const ProjectedWorld& w) const {
    return {moving(w), &w.speed->velocity.x, &w.speed->shift.x, h()};
  }
  CAROM_HD SoftContactRows soft_rows(const ProjectedWorld& w) const {
    return {touched(w), w.soft.particle, w.soft.row, Real(1) / Real(substeps)};
  }
  CAROM_HD ParticlePairRows pair_rows(const ProjectedWorld& w) const {
    return {touched(w),  w.pairs.particle,           w.pairs.count,
            w.pairs.row, shapes.options.particle_mu, Real(1) / Real(substeps)};
  }

  template <class Team>
  CAROM_HD void begin_contacts(Team team, const ProjectedWorld& w) const {
    if (w.soft.count + w.pairs.count == 0) return;
    team.each(w.rows(), [&](int k) CAROM_HD_LAMBDA { w.speed[k].shift = {}; });
    if (w.pairs.count > 0) by_colour(team, w.pairs, ShiftPairs{pair_rows(w)});
    if (w.soft.count > 0) by_colour(team, w.soft, ShiftFromShapes{soft_rows(w)});
    each_in_lanes(team, 0, w.pairs.count, BeginPairs{pair_rows(w)});
    each_in_lanes(team, 0, w.soft.count, BeginSoftContacts{soft_rows(w)});
    team.each(w.particles, [&](int k) CAROM_HD_LAMBDA { w.motion[k].place += w.speed[k].shift; });
  }

  template <class Team>
  CAROM_HD void project_contacts(Team team, const ProjectedWorld& w) const {
    if (w.pairs.count > 0) by_colour(team, w.pairs, ProjectPairs{pair_rows(w)});
    if (w.soft.count > 0) by_colour(team, w.soft, ProjectSoftContacts{soft_rows(w)});
  }

  template <class Team>
  CAROM_HD void end(Team team, const ProjectedWorld& w) const {
    each_in_lanes(team, 0, w.pairs.count, EndPairs{pair_rows(w)});
    each_in_lanes(team, 0, w.soft.count, EndSoftContacts{soft_rows(w)});
    const Real by_h = Real(substeps) / dt;
    team.each(w.rows(), [&](int k) CAROM_HD_LAMBDA {
      ParticleRow& row = w.motion[k];
      row.place += row.moved;
      if (row.inverse_mass > Real(0)) w.speed[k].velocity = row.moved * by_h;  // the others keep theirs
    });
  }

  // What falls less than a sub-step long is at rest.
  template <class Team>
  CAROM_HD void bounce(Team team, Vec3 g, const ProjectedWorld& w) const {
    if (w.soft.count > 0) by_colour(team, w.soft, BounceFromShapes{soft_rows(w), Real(2) * length(g) * h()});
  }

  template <class Team>
  CAROM_HD void write(Team team, int slot, const SlotRows& rows, const ProjectedWorld& w) const {
    bool lost = false;
    team.each(w.particles, [&](int k) CAROM_HD_LAMBDA {
      const int i = rows.at(k);
      const Vec3 q = w.motion[k].place, qd = w.speed[k].velocity;
      if (!(is_finite(q) && is_finite(qd))) lost = true;
      new_q[i] = q;
      new_qd[i] = qd;
    });
    lost = team.any(lost);
    team.each(1, [&](int) CAROM_HD_LAMBDA { is_lost[slot] = lost; });
    team.each(w.soft.count, [&](int k) CAROM_HD_LAMBDA {
      const Real* const f = w.soft.row + kSoftContactRow * k + soft_row::kForce;
      soft.force[w.soft.begin + w.soft.contact[k]] = {f[0], f[1], f[2]};
    });
    team.each(w.pairs.count, [&](int k) CAROM_HD_LAMBDA {
      const Real* const f = w.pairs.row + kParticlePairRow * k + pair_row::kForce;
      pairs.force[w.pairs.begin + w.pairs.contact[k]] = {f[0], f[1], f[2]};
    });
  }
};

}  // namespace carom::inline CAROM_PRECISION
