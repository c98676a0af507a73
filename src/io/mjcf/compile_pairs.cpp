// Pairs and excludes of <contact>.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct CompiledPair {
  int signature, geom1, geom2, dim;
  std::string name;
  Doubles2 solref, solreffriction;
  Doubles5 solimp, friction;
  double margin, gap, adhesion;
};

int signature_of(int body1, int body2) { return (std::min(body1, body2) << 16) + std::max(body1, body2); }

void take_given(double& number, double given) {
  if (!std::isnan(given)) number = given;
}
template <std::size_t N>
void take_given(std::array<double, N>& numbers, const std::array<double, N>& given) {
  for (std::size_t k = 0; k < N; ++k) take_given(numbers[k], given[k]);
}

// The share of the first geom in what is mixed.
double mixed_share(double mix1, double mix2) {
  constexpr double kLeast = 1e-15;
  if (mix1 >= kLeast && mix2 >= kLeast) return mix1 / (mix1 + mix2);
  if (mix1 < kLeast && mix2 < kLeast) return 0.5;
  return mix1 < kLeast ? 0 : 1;
}

// What two geoms that touch have together: the numbers of the one with the higher priority, or a mixture.
CompiledPair from_geoms(const CompiledMjcf& m, int g1, int g2) {
  CompiledPair pair{};
  pair.geom1 = g1;
  pair.geom2 = g2;
  pair.margin = at(m.geom_margin, g1) + at(m.geom_margin, g2);
  pair.gap = at(m.geom_gap, g1) + at(m.geom_gap, g2);
  pair.adhesion = at(m.geom_adhesion, g1) + at(m.geom_adhesion, g2);
  const Doubles3 f1 = doubles<3>(m.geom_friction, g1), f2 = doubles<3>(m.geom_friction, g2);
  Doubles3 f;
  const int p1 = at(m.geom_priority, g1), p2 = at(m.geom_priority, g2);
  if (p1 != p2) {
    const int winner = p1 > p2 ? g1 : g2;
    pair.dim = at(m.geom_condim, winner);
    pair.solref = doubles<2>(m.geom_solref, winner);
    pair.solimp = doubles<5>(m.geom_solimp, winner);
    f = p1 > p2 ? f1 : f2;
  } else {
    pair.dim = std::max(at(m.geom_condim, g1), at(m.geom_condim, g2));
    const double share = mixed_share(at(m.geom_solmix, g1), at(m.geom_solmix, g2));
    const Doubles2 r1 = doubles<2>(m.geom_solref, g1), r2 = doubles<2>(m.geom_solref, g2);
    const bool times = r1[0] > 0 && r2[0] > 0;
    for (std::size_t k = 0; k < 2; ++k)
      pair.solref[k] = times ? share * r1[k] + (1 - share) * r2[k] : std::min(r1[k], r2[k]);
    const Doubles5 i1 = doubles<5>(m.geom_solimp, g1), i2 = doubles<5>(m.geom_solimp, g2);
    for (std::size_t k = 0; k < 5; ++k) pair.solimp[k] = share * i1[k] + (1 - share) * i2[k];
    for (std::size_t k = 0; k < 3; ++k) f[k] = std::max(f1[k], f2[k]);
  }
  pair.friction = {f[0], f[0], f[1], f[2], f[2]};
  return pair;
}

CompiledPair compiled_pair(const Compiling& c, const PairSpec& spec) {
  const int first = find_name(c.geoms, spec.geom1, spec.place, "pair", "geom");
  const int second = find_name(c.geoms, spec.geom2, spec.place, "pair", "geom");
  CompiledPair pair = from_geoms(c.out, first, second);
  pair.name = spec.name;
  pair.signature = signature_of(at(c.out.geom_bodyid, first), at(c.out.geom_bodyid, second));
  if (spec.condim >= 0) pair.dim = spec.condim;
  take_given(pair.solref, spec.solref);
  take_given(pair.solreffriction, spec.solreffriction);
  take_given(pair.solimp, spec.solimp);
  take_given(pair.friction, spec.friction);
  take_given(pair.margin, spec.margin);
  take_given(pair.gap, spec.gap);
  take_given(pair.adhesion, spec.adhesion);
  return pair;
}

}  // namespace

void compile_pairs(Compiling& c) {
  CompiledMjcf& m = c.out;
  for (const ExcludeSpec& spec : c.spec.excludes)
    m.exclude_signature.push_back(signature_of(find_name(c.bodies, spec.body1, spec.place, "exclude", "body"),
                                               find_name(c.bodies, spec.body2, spec.place, "exclude", "body")));
  std::stable_sort(m.exclude_signature.begin(), m.exclude_signature.end());
  std::vector<CompiledPair> pairs;
  for (const PairSpec& spec : c.spec.pairs) pairs.push_back(compiled_pair(c, spec));
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const CompiledPair& a, const CompiledPair& b) { return a.signature < b.signature; });
  for (const CompiledPair& pair : pairs) {
    m.name_pair.push_back(pair.name);
    m.pair_dim.push_back(pair.dim);
    m.pair_geom1.push_back(pair.geom1);
    m.pair_geom2.push_back(pair.geom2);
    append(m.pair_solref, pair.solref);
    append(m.pair_solreffriction, pair.solreffriction);
    append(m.pair_solimp, pair.solimp);
    m.pair_margin.push_back(pair.margin);
    m.pair_gap.push_back(pair.gap);
    append(m.pair_friction, pair.friction);
    m.pair_adhesion.push_back(pair.adhesion);
  }
}

}  // namespace carom::inline CAROM_PRECISION
