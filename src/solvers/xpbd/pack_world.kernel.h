// What a world's particles, elements and contacts are at the start of a step, copied into the order in which they are
// solved. h: the length of a sub-step [s].
#pragma once

#include "dynamics/particles/particle_contact.kernel.h"
#include "dynamics/particles/soft_contact.kernel.h"
#include "solvers/xpbd/particle_pair_projection.kernel.h"
#include "solvers/xpbd/soft_contact_projection.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ParticleColumns {
  SlotStarts starts;
  const Vec3 *q, *qd, *f;
  const Real *mass, *radius;
  const int *flags, *world;

  CAROM_HD bool moves(int i) const { return (flags[i] & kParticleActive) != 0 && mass[i] > Real(0); }
};

template <class Team>
CAROM_HD void pack_particles(Team team, const ParticleColumns& c, const SlotRows& rows, const ProjectedWorld& w) {
  team.each(w.particles, [&](int k) CAROM_HD_LAMBDA {
    const int i = rows.at(k);
    w.motion[k] = {c.q[i], c.moves(i) ? Real(1) / c.mass[i] : Real(0), {}, 0};
    w.speed[k] = {c.qd[i], 0, {}, 0};
  });
  team.each(w.rows(), [&](int k) CAROM_HD_LAMBDA { w.used[k] = 0; });
}

struct ElementColumns {
  SlotStarts springs, triangles, edges, tetrahedra;
  const Real *spring_rest_length, *spring_stiffness, *spring_damping, *spring_control;
  const RealN<4>* tri_poses;
  const RealN<5>* tri_materials;
  const Real* tri_activations;
  const Real *edge_rest_angle, *edge_rest_length;
  const RealN<2>* edge_properties;
  const Mat33* tet_poses;
  const RealN<3>* tet_materials;
  const Real* tet_activations;

  CAROM_HD void pack_spring(int s, Real h, Real* to) const {
    to[0] = spring_rest_length[s] * (Real(1) - spring_control[s]);
    to[1] = spring_stiffness[s] * h * h;
    to[2] = spring_damping[s] * h;
    to[3] = 0;
  }
  CAROM_HD void pack_edge(int e, Real h, Real* to) const {
    const Real l = edge_rest_length[e];
    to[0] = edge_rest_angle[e];
    to[1] = edge_properties[e][0] * l * h * h;
    to[2] = edge_properties[e][1] * l * h;
    to[3] = 0;
  }
  // Damping goes by kd A / 2 (|S|^2 + (dJ/dt)^2), and |S|^2 is half the sum of the squares of both measures' rates.
  CAROM_HD void pack_triangle(int t, Real h, Real* to) const {
    const RealN<4>& pose = tri_poses[t];
    const RealN<5>& m = tri_materials[t];
    const Real area = Real(0.5) / fma(pose[0], pose[3], -(pose[1] * pose[2]));
    for (int k = 0; k < 4; ++k) to[k] = pose[k];
    to[4] = m[0] * area * h * h;
    to[5] = m[2] * area * h * Real(0.5);
    to[6] = m[1] * area * h * h;
    to[7] = m[2] * area * h * Real(1.5);
    to[8] = to[6] * tri_activations[t];
    to[9] = m[3], to[10] = m[4], to[11] = 0;
  }
  // Likewise k_damp V / 2 (|S|^2 + (dJ/dt)^2); here |S|^2 is half the square of the shear's rate and a third of J's.
  CAROM_HD void pack_tetrahedron(int t, Real h, Real* to) const {
    const Mat33& pose = tet_poses[t];
    const RealN<3>& m = tet_materials[t];
    const Real volume = Real(1) / (Real(6) * determinant(pose)), by_h2 = volume * h * h;
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k) to[3 * r + k] = pose[r][k];
    to[9] = Real(0.75) * m[0] * by_h2;
    to[10] = Real(0.5) * m[2] * volume * h;
    to[11] = max(fma(Real(-0.125), m[0], m[1]), Real(0)) * by_h2;
    to[12] = Real(4) / Real(3) * m[2] * volume * h;
    to[13] = m[1] * by_h2 * tet_activations[t];
  }
};

template <class Team>
CAROM_HD void pack_triangles(Team team, const ElementColumns& c, const ElementPlan& plan, const SlotRows& rows, Real h,
                             ProjectedWorld& w) {
  bool resists = false, air = false;
  team.each(plan.count, [&](int k) CAROM_HD_LAMBDA {
    const RealN<5>& m = c.tri_materials[rows.at(k)];
    if (m[0] + m[1] + m[2] > Real(0)) resists = true;
    if (m[3] + m[4] > Real(0)) air = true;
  });
  w.cloth_resists = team.any(resists);
  w.air = team.any(air);
  if (!w.cloth_resists && !w.air) return;
  team.each(plan.count, [&](int k) CAROM_HD_LAMBDA {
    c.pack_triangle(rows.at(plan.element[k]), h, w.triangle + kTriangleRow * k);
  });
}

template <class Team>
CAROM_HD void pack_elements(Team team, const ElementColumns& c, const ParticleStructure& plan, int slot, Real h,
                            ProjectedWorld& w) {
  const SlotRows springs = c.springs.rows(slot), edges = c.edges.rows(slot), tetrahedra = c.tetrahedra.rows(slot);
  team.each(plan.springs.count, [&](int k) CAROM_HD_LAMBDA {
    c.pack_spring(springs.at(plan.springs.element[k]), h, w.spring + kSpringRow * k);
  });
  pack_triangles(team, c, plan.triangles, c.triangles.rows(slot), h, w);
  team.each(plan.edges.count,
            [&](int k) CAROM_HD_LAMBDA { c.pack_edge(edges.at(plan.edges.element[k]), h, w.edge + kBendingRow * k); });
  team.each(plan.tetrahedra.count, [&](int k) CAROM_HD_LAMBDA {
    c.pack_tetrahedron(tetrahedra.at(plan.tetrahedra.element[k]), h, w.tetrahedron + kTetrahedronRow * k);
  });
}

// Shapes and bodies as the penalty solvers see them, and what only this one asks for.
struct TouchedShapes {
  ShapesOfContacts shapes;
  BodiesOfContacts bodies;
  const Real* restitution;
  const int* body_touches;  // contacts that act on each body; nullptr: there are no bodies
  ModelOptions options;

  // The point that is touched; a belt carries along, but it neither lifts nor sinks.
  CAROM_HD BodyPoint point(int s, Vec3 body_pos, Vec3 n) const {
    const SpatialVector belt = shapes.surface_velocity[s];
    if (belt.linear == Vec3{} && belt.angular == Vec3{}) return body_point(bodies, shapes.body[s], body_pos);
    BodyPoint at = shape_point(shapes, bodies, s, body_pos);
    const Vec3 carried = at.v - body_point(bodies, shapes.body[s], body_pos).v;
    at.v -= n * dot(n, carried);
    return at;
  }

  CAROM_HD void pack(const SoftContactView& contacts, int c, int world, Vec3 q, Vec3 qd, Real radius, Real* to) const {
    const int s = contacts.shape[c], b = shapes.body[s];
    const Vec3 n = contacts.normal[c];
    const BodyPoint at = point(s, contacts.body_pos[c], n);
    for (int k = 0; k < kSoftContactRow; ++k) to[k] = 0;
    for (int k = 0; k < 3; ++k) to[soft_row::kNormal + k] = n[k], to[soft_row::kVelocity + k] = at.v[k];
    to[soft_row::kGap] = dot(n, q - at.p) - (radius + shapes.thickness[s]);
    if (b >= 0 && is_moved_by(bodies.world[b], world)) {
      const Real touches = Real(body_touches[b] > 1 ? body_touches[b] : 1);
      const Vec3 slip = qd - at.v, along = normalize(fma(n, -dot(n, slip), slip));
      to[soft_row::kNormalYield] = touches * at.inverse_mass_along(n);
      to[soft_row::kSlipYield] = touches * at.inverse_mass_along(along == Vec3{} ? n : along);
    }
    to[soft_row::kFriction] = combined(options.combine, options.soft_contact_mu, shapes.mu[s]);
    to[soft_row::kMovesParticle] = is_moved_by(world, shapes.world[s]) ? Real(1) : Real(0);
    to[soft_row::kRestitution] = combined(options.combine, options.soft_contact_restitution, restitution[s]);
  }
};

template <class Team>
CAROM_HD void pack_soft_contacts(Team team, const SoftContactView& contacts, const TouchedShapes& shapes,
                                 const ParticleColumns& c, const SlotRows& rows, const ProjectedWorld& w) {
  const OrderedContacts& soft = w.soft;
  if (soft.count == 0) return;
  const auto particle = [&](int k) CAROM_HD_LAMBDA { return rows.of(contacts.particle[soft.begin + k]); };
  colour_contacts(team, soft.count, w.used, soft.colour, soft.contact, *soft.colours, [&](int k) CAROM_HD_LAMBDA {
    return TwoParticles{particle(k), particle(k)};
  });
  team.each(soft.count, [&](int k) CAROM_HD_LAMBDA {
    const int contact = soft.begin + soft.contact[k], i = contacts.particle[contact];
    soft.particle[k] = rows.of(i);
    shapes.pack(contacts, contact, c.world[i], c.q[i], c.qd[i], c.radius[i], soft.row + kSoftContactRow * k);
  });
  team.each(w.rows(), [&](int k) CAROM_HD_LAMBDA { w.used[k] = 0; });
}

// A global particle that is touched by one of a world is a ghost there: it goes on with its velocity.
template <class Team>
CAROM_HD void pack_pairs(Team team, const ParticleContactView& contacts, const ParticleColumns& c, const SlotRows& rows,
                         const ProjectedWorld& w) {
  const OrderedContacts& pairs = w.pairs;
  if (pairs.count == 0) return;
  const bool has_ghosts = w.ghosts > 0;
  const auto row = [&](int i, int k)
                       CAROM_HD_LAMBDA { return has_ghosts && c.world[i] < 0 ? w.particles + k : rows.of(i); };
  const auto both = [&](int k) CAROM_HD_LAMBDA {
    return TwoParticles{row(contacts.particle0[pairs.begin + k], k), row(contacts.particle1[pairs.begin + k], k)};
  };
  if (has_ghosts)
    team.each(pairs.count, [&](int k) CAROM_HD_LAMBDA {
      const int a = contacts.particle0[pairs.begin + k], i = c.world[a] < 0 ? a : contacts.particle1[pairs.begin + k];
      w.motion[w.particles + k] = {c.q[i], 0, {}, 0};
      w.speed[w.particles + k] = {c.moves(i) ? c.qd[i] : Vec3{}, 0, {}, 0};
    });
  colour_contacts(team, pairs.count, w.used, pairs.colour, pairs.contact, *pairs.colours, both);
  team.each(pairs.count, [&](int k) CAROM_HD_LAMBDA {
    const int at = pairs.contact[k], contact = pairs.begin + at;
    const TwoParticles who = both(at);
    pairs.particle[k] = who.a, pairs.particle[pairs.count + k] = who.b;
    Real* const to = pairs.row + kParticlePairRow * k;
    for (int n = 0; n < kParticlePairRow; ++n) to[n] = 0;
    to[pair_row::kRadii] = c.radius[contacts.particle0[contact]] + c.radius[contacts.particle1[contact]];
  });
}

}  // namespace carom::inline CAROM_PRECISION
