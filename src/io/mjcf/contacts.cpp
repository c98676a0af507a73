// Which shapes can touch: MuJoCo's filters between bodies, and contact pairs with numbers of their own.
#include <algorithm>

#include "io/mjcf/mapping.h"
#include "io/mjcf/mujoco_enums.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Whether the pair is one of the builder's: not one that is ignored, or without self-collisions.
bool is_expressed(const Mapping& map, int pair) {
  const CompiledMjcf& m = map.m;
  const auto moves = [&](int geom) { return at(m.body_weldid, at(m.geom_bodyid, geom)) != 0; };
  const bool first_moves = moves(at(m.pair_geom1, pair)), second_moves = moves(at(m.pair_geom2, pair));
  const bool both_move = first_moves && second_moves;
  return !ignores(map.args, "pair") && map.has.contact && (map.args.enable_self_collisions || !both_move);
}

// The other bodies that a body may not touch.
std::vector<std::vector<int>> excluded_bodies(const CompiledMjcf& m) {
  std::vector<std::vector<int>> excluded(m.body_parentid.size());
  for (const int signature : m.exclude_signature) {
    const int first = signature >> 16, second = signature & 0xFFFF;
    row(excluded, first), row(excluded, second);  // are they bodies?
    excluded[first].push_back(second);
    excluded[second].push_back(first);
  }
  return excluded;
}

struct WeldedGeom {
  int body, weld, parent_weld;  // weld: the body that its body is welded to, 0: the world
};

std::vector<WeldedGeom> welded_geoms(const CompiledMjcf& m) {
  std::vector<WeldedGeom> geoms;
  for (const int body : m.geom_bodyid) {
    const int weld = at(m.body_weldid, body);
    geoms.push_back({body, weld, at(m.body_weldid, at(m.body_parentid, weld))});
  }
  return geoms;
}

// Every pair is looked at, and those of what stands still are all listed.
void check_pair_count(const CompiledMjcf& m, const std::string& who) {
  constexpr std::int64_t kMostColliding = 1 << 16, kMostStill = 1 << 13;
  std::int64_t colliding = 0, still = 0;
  for (std::size_t i = 0; i < m.geom_bodyid.size(); ++i) {
    if (!m.geom_contype[i] && !m.geom_conaffinity[i]) continue;
    ++colliding;
    still += at(m.body_weldid, m.geom_bodyid[i]) == 0;
  }
  if (colliding > kMostColliding) fail(who, ": ", colliding, " geoms collide, more than ", kMostColliding);
  if (still > kMostStill) fail(who, ": ", still, " geoms that collide stand still, more than ", kMostStill);
}

}  // namespace

void find_pairs(Mapping& map) {
  const CompiledMjcf& m = map.m;
  map.pair_reach.assign(m.geom_type.size(), kNoPair);
  for (int pair = 0; pair < static_cast<int>(m.pair_dim.size()); ++pair) {
    if (!is_expressed(map, pair)) continue;
    map.pairs.push_back(pair);
    const double margin = map.has.override_contacts ? m.opt_o_margin : m.pair_margin[pair];
    for (const int geom : {m.pair_geom1[pair], m.pair_geom2[pair]})
      map.pair_reach[geom] = std::max(map.pair_reach[geom], (margin + m.pair_gap[pair]) / 2);
  }
}

// As pairs of shapes, except for those that contype and conaffinity exclude.
void add_filters(Mapping& map) {
  const CompiledMjcf& m = map.m;
  const std::vector<std::vector<int>> excluded = excluded_bodies(m);
  const std::vector<WeldedGeom> geoms = welded_geoms(m);
  const auto filtered = [&](const WeldedGeom& a, const WeldedGeom& b) {
    if (a.weld == b.weld) return true;  // also two static ones: both are welded to the world
    const bool move = a.weld != 0 && b.weld != 0;
    if (move && !map.args.enable_self_collisions) return true;
    if (move && map.has.filterparent && (b.weld == a.parent_weld || b.parent_weld == a.weld)) return true;
    const std::vector<int>& others = excluded[a.body];
    return std::find(others.begin(), others.end(), b.body) != others.end();
  };
  const int count = static_cast<int>(geoms.size());
  map.now = {};
  check_pair_count(m, map.args.who);
  for (int a = 0; a < count; ++a) {
    if (!m.geom_contype[a] && !m.geom_conaffinity[a]) continue;
    for (int b = a + 1; b < count; ++b) {
      const int masks = (m.geom_contype[a] & m.geom_conaffinity[b]) | (m.geom_contype[b] & m.geom_conaffinity[a]);
      if (masks && filtered(geoms[a], geoms[b])) map.builder.add_shape_collision_filter_pair(a, b);
    }
  }
}

void add_pairs(Mapping& map) {
  const CompiledMjcf& m = map.m;
  for (const int pair : map.pairs) {
    map.now = {MjcfRows::kPair, pair};
    ContactPairArgs args{.condim = m.pair_dim[pair],
                         .friction = reals<5>(m.pair_friction, pair),
                         .solref = reals<2>(m.pair_solref, pair),
                         .solref_friction = reals<2>(m.pair_solreffriction, pair),
                         .solimp = reals<5>(m.pair_solimp, pair),
                         .margin = real(m.pair_margin, pair),
                         .gap = real(m.pair_gap, pair),
                         .adhesion = ignores(map.args, "adhesion") ? 0 : real(m.pair_adhesion, pair),
                         .key = name_at(m.name_pair, pair)};
    if (map.has.override_contacts) {
      args.friction = to_real(m.opt_o_friction);
      args.solref = args.solref_friction = to_real(m.opt_o_solref);
      args.solimp = to_real(m.opt_o_solimp);
      args.margin = Real(m.opt_o_margin);
    }
    map.builder.add_contact_pair(m.pair_geom1[pair], m.pair_geom2[pair], args);
  }
}

}  // namespace carom::inline CAROM_PRECISION
