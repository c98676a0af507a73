// Islands against a slow search, on random contacts.
#include "solvers/mujoco/islands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/random.h"

namespace carom {
namespace {

struct Scene {
  int parts;
  std::vector<ContactMaterial> material;
  std::vector<Real> depth;

  ContactView view() const {
    ContactView v{};
    v.material = material.data();
    v.depth = depth.data();
    return v;
  }
  bool acts(std::size_t c) const { return material[c].inverse_mass > 0 && -depth[c] < material[c].active_margin; }
  bool joins(std::size_t c) const {
    const int* const part = material[c].part;
    return part[0] >= 0 && part[1] >= 0 && part[0] != part[1];
  }
};

Scene random_scene(SeededRandom& random) {
  Scene s{.parts = 1 + random.below(30), .material = {}, .depth = {}};
  const int contacts = random.below(41);
  for (int c = 0; c < contacts; ++c) {
    ContactMaterial m{};
    m.active_margin = random.one_in(4) ? Real(-1) : Real(0.01);
    m.inverse_mass = 1;
    for (int& part : m.part) part = random.below(s.parts + 1) - 1;
    s.material.push_back(m);
    s.depth.push_back(Real(0.001));
  }
  return s;
}

// The smallest part that each part is tied to, by spreading it until nothing changes.
std::vector<int> roots_of(const Scene& s) {
  std::vector<int> root(s.parts);
  for (int p = 0; p < s.parts; ++p) root[p] = p;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t c = 0; c < s.material.size(); ++c) {
      if (!s.joins(c) || !s.acts(c)) continue;
      int &a = root[s.material[c].part[0]], &b = root[s.material[c].part[1]];
      changed = changed || a != b;
      a = b = std::min(a, b);
    }
  }
  return root;
}

TEST(Islands, AreWhatContactsTieTogether) {
  SeededRandom random(1);
  int islands_seen = 0, pairs_seen = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const Scene scene = random_scene(random);
    Islands islands(scene.parts);
    islands.find(static_cast<int>(scene.material.size()), scene.view());
    islands.find(static_cast<int>(scene.material.size()), scene.view());  // nothing is left of the call before
    const std::vector<int> root = roots_of(scene);
    std::map<int, std::vector<int>> expected;
    for (int p = 0; p < scene.parts; ++p) expected[root[p]].push_back(p);
    std::vector<std::vector<int>> found;
    for (std::size_t i = 0; i + 1 < islands.start.size(); ++i)
      found.emplace_back(islands.part.begin() + islands.start[i], islands.part.begin() + islands.start[i + 1]);
    std::vector<std::vector<int>> wanted;
    for (const auto& [first, parts] : expected)
      if (parts.size() > 1) wanted.push_back(parts);
    EXPECT_EQ(found, wanted);
    for (int p = 0; p < scene.parts; ++p) {
      EXPECT_EQ(islands.alone[p] != 0, expected[root[p]].size() == 1);
      const auto& own = expected[root[p]];
      EXPECT_EQ(islands.place[p], std::find(own.begin(), own.end(), p) - own.begin());
    }
    islands_seen += static_cast<int>(wanted.size());

    // Contacts under the first part of what they belong to, in order; pairs likewise.
    std::vector<std::vector<int>> contacts(scene.parts);
    for (std::size_t c = 0; c < scene.material.size(); ++c) {
      const int a = scene.material[c].part[0], b = scene.material[c].part[1];
      if ((a < 0 && b < 0) || (scene.joins(c) && !scene.acts(c))) continue;
      contacts[root[a >= 0 ? a : b]].push_back(static_cast<int>(c));
    }
    for (int p = 0; p < scene.parts; ++p)
      EXPECT_EQ(contacts[p], std::vector<int>(islands.contact.begin() + islands.segment_start[p],
                                              islands.contact.begin() + islands.segment_start[p + 1]));
    for (std::size_t i = 0; i + 1 < islands.start.size(); ++i) {
      std::set<Index2> touching;
      for (const int c : contacts[islands.part[islands.start[i]]]) {
        const int a = scene.material[c].part[0], b = scene.material[c].part[1];
        const int number = islands.pair_of_contact[c];
        if (a < 0 || b < 0) {
          EXPECT_EQ(number, -1);
          continue;
        }
        const Index2 pair{islands.place[std::min(a, b)], islands.place[std::max(a, b)]};
        touching.insert(pair);
        ASSERT_GE(number, 0);
        EXPECT_EQ(islands.pair[islands.pair_start[i] + number], pair);
      }
      EXPECT_EQ(static_cast<int>(touching.size()), islands.pair_start[i + 1] - islands.pair_start[i]);
      pairs_seen += static_cast<int>(touching.size());
    }
  }
  EXPECT_GT(islands_seen, 100);
  EXPECT_GT(pairs_seen, 500);
}

}  // namespace
}  // namespace carom
