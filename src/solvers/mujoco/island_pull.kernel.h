// What pulls at the contacts of an island (contact_pull.kernel.h), once their Jacobians are known: adhesion, and
// actuators of bodies, of which begin() knows no more than what they do to their own part.
#pragma once

#include "solvers/mujoco/island_problem.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct IslandPull {
  IslandWork& w;
  const ContactView& contacts;

  // Adds to the smooth forces, while begin() has left the actuators' behind, and finds the accelerations anew.
  template <class Team>
  CAROM_HD_STAGE void add(Team team) const {
    const IslandProblem problem{w};
    Vec3* const sum = w.smooth_acceleration;
    team.each(w.blocks, [&](int b) { sum[b] = {}; });
    if (contacts.traits.has_adhesion && contacts.extras)
      problem.each_contact(team, [&](auto& kind, int c) CAROM_HD_LAMBDA {
        for (int side = 0; side < 2; ++side)
          if (problem.is_own(team, kind.J.sides[2 * c + side].part) && can_move(kind, c))
            pull(kind, c, side, contacts.extras[kind.list.source[c]].adhesion, sum);
      });
    team.each(1, [&](int) {
      for (int p = 0; p < static_cast<int>(w.parts.size); ++p)
        if (w.parts[p].step->forces.pulls_contacts) pull_by_actuators(p, sum);
    });
    problem.each_part(team, [&](const IslandPart& part) CAROM_HD_LAMBDA { accelerate(part, sum + part.first_block); });
  }

 private:
  CAROM_HD static Vec3 normal_of(const Vec3& J) { return J; }
  template <class Block>
  CAROM_HD static Vec3 normal_of(const Block& J) {
    return friction::part(J, 0);
  }
  // The second side towards the first, or back.
  template <class Kind>
  CAROM_HD static void pull(const Kind& kind, int c, int side, Real force, Vec3* sum) {
    kind.J.each_block(c, side,
                      [&](int b, const auto& J) CAROM_HD_LAMBDA { sum[b] = fma(normal_of(J), -force, sum[b]); });
  }
  template <class Kind>
  CAROM_HD bool can_move(const Kind& kind, int c) const {
    return contacts.material[kind.list.source[c]].inverse_mass > 0;
  }

  // What the actuators of part p do to the others.
  CAROM_HD void pull_by_actuators(int p, Vec3* sum) const {
    const IslandPart& part = w.parts[p];
    const ForceView& forces = part.step->forces;
    for (int a = 0; a < static_cast<int>(forces.actuator.size); ++a) {
      const int path = forces.actuator[a].path;
      if (path < 0 || forces.path.slot[path].sort != PathSort::kContacts) continue;
      const int body = part.step->body_rows()(part.id, forces.path.slot[path].joint);
      int count = 0;
      each_of_body(part, body, [&](auto&, int) CAROM_HD_LAMBDA { ++count; });
      each_of_body(part, body, [&](auto& kind, int c) CAROM_HD_LAMBDA {
        for (int side = 0; side < 2; ++side)
          if (const int other = kind.J.sides[2 * c + side].part; other >= 0 && other != p)
            pull(kind, c, side, part.work->forces.actuator_force[a] / Real(count), sum);
      });
    }
  }
  // f(kind, c) for the contacts of a body.
  template <class Function>
  CAROM_HD void each_of_body(const IslandPart& part, int body, Function f) const {
    const int* const shape_body = part.step->shape_body;
    w.contacts.each([&](auto& kind) CAROM_HD_LAMBDA {
      for (int c = 0; c < kind.list.count; ++c) {
        const int* const shape = contacts.material[kind.list.source[c]].shape;
        if (can_move(kind, c) && (shape_body[shape[0]] == body || shape_body[shape[1]] == body)) f(kind, c);
      }
    });
  }

  // pulled: smooth accelerations, where the forces stand.
  CAROM_HD static void accelerate(const IslandPart& part, Vec3* pulled) {
    const MuJoCoStep& step = *part.step;
    Real* const shown = step.out.forward.smooth_force;
    for (int i = 0; shown && i < step.tree.dofs(); ++i)
      if (const int place = step.tree.dof_in_part[i]; place >= 0)
        shown[std::int64_t{step.starts.dof[part.id]} + place] += entry(pulled, i);
    Vec3* const force = part.work->rows.smooth_force;
    for (int b = 0; b < part.blocks(); ++b) pulled[b] = force[b] = force[b] + pulled[b];
    solve_blocks(Solo{}, step.tree.mass_pattern, part.factor(), pulled);
  }
};

}  // namespace carom::inline CAROM_PRECISION
