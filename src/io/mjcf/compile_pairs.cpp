// Pairs and excludes of <contact>, in the order of their bodies.
#include <algorithm>

#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct CompiledPair {
  std::int64_t signature;
  int geom1, geom2;
  const PairSpec* spec;
};

std::int64_t signature_of(int body1, int body2) {
  return (std::int64_t{std::min(body1, body2)} << 16) + std::max(body1, body2);
}

// MuJoCo keeps both bodies in one integer, and so does CompiledMjcf.
int exclude_signature(const Compiling& c, const ExcludeSpec& spec) {
  const int first = find_name(c.bodies, spec.body1, spec.place, "exclude", "body");
  const int second = find_name(c.bodies, spec.body2, spec.place, "exclude", "body");
  constexpr int kMostBodies = 1 << 15;
  if (std::max(first, second) >= kMostBodies)
    fail_compile(spec.place, "exclude", "is for the first ", kMostBodies, " bodies of a model");
  return static_cast<int>(signature_of(first, second));
}

CompiledPair compiled_pair(const Compiling& c, const PairSpec& spec) {
  int first = find_name(c.geoms, spec.geom1, spec.place, "pair", "geom");
  int second = find_name(c.geoms, spec.geom2, spec.place, "pair", "geom");
  const auto body = [&](int geom) { return at(c.out.geom_bodyid, geom); };
  if (body(first) > body(second)) std::swap(first, second);
  return {signature_of(body(first), body(second)), first, second, &spec};
}

}  // namespace

void compile_pairs(Compiling& c) {
  CompiledMjcf& m = c.out;
  for (const ExcludeSpec& spec : c.spec.excludes) m.exclude_signature.push_back(exclude_signature(c, spec));
  std::stable_sort(m.exclude_signature.begin(), m.exclude_signature.end());
  std::vector<CompiledPair> pairs;
  for (const PairSpec& spec : c.spec.pairs) pairs.push_back(compiled_pair(c, spec));
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const CompiledPair& a, const CompiledPair& b) { return a.signature < b.signature; });
  for (const CompiledPair& pair : pairs) {
    const PairSpec& spec = *pair.spec;
    note_place(c, MjcfRows::kPair, spec.place, "pair");
    m.name_pair.push_back(spec.name);
    m.pair_dim.push_back(spec.condim);
    m.pair_geom1.push_back(pair.geom1);
    m.pair_geom2.push_back(pair.geom2);
    append(m.pair_solref, spec.solref);
    append(m.pair_solreffriction, spec.solreffriction);
    append(m.pair_solimp, spec.solimp);
    m.pair_margin.push_back(spec.margin);
    m.pair_gap.push_back(spec.gap);
    append(m.pair_friction, spec.friction);
    m.pair_adhesion.push_back(spec.adhesion);
  }
}

}  // namespace carom::inline CAROM_PRECISION
