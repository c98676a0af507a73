// Islands against a slow search, on random contacts of several worlds.
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
  std::vector<int> part_start{0}, contact_start{0};  // of each world
  std::vector<ContactMaterial> material;
  std::vector<Real> depth;

  int parts() const { return part_start.back(); }
  ContactView view() const {
    ContactView v{};
    v.segment_start = contact_start.data();
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

void add_world(Scene& s, SeededRandom& random) {
  const int parts = 1 + random.below(30), contacts = random.below(41);
  for (int c = 0; c < contacts; ++c) {
    ContactMaterial m{};
    m.active_margin = random.one_in(4) ? Real(-1) : Real(0.01);
    m.inverse_mass = 1;
    for (int& part : m.part) {
      const int place = random.below(parts + 1) - 1;
      part = place < 0 ? -1 : s.parts() + place;
    }
    s.material.push_back(m);
    s.depth.push_back(Real(0.001));
  }
  s.part_start.push_back(s.parts() + parts);
  s.contact_start.push_back(static_cast<int>(s.material.size()));
}

Scene random_scene(SeededRandom& random) {
  Scene s;
  const int worlds = 1 + random.below(4);
  for (int w = 0; w < worlds; ++w) add_world(s, random);
  return s;
}

// The smallest part that each part is tied to, by spreading it until nothing changes.
std::vector<int> roots_of(const Scene& s) {
  std::vector<int> root(s.parts());
  for (int p = 0; p < s.parts(); ++p) root[p] = p;
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

// What a slow search makes of the parts: those of each island under the first of them.
std::map<int, std::vector<int>> islands_of(const std::vector<int>& root) {
  std::map<int, std::vector<int>> islands;
  for (std::size_t p = 0; p < root.size(); ++p) islands[root[p]].push_back(static_cast<int>(p));
  return islands;
}

void expect_parts(const IslandView& found, const std::map<int, std::vector<int>>& expected) {
  for (const auto& [root, parts] : expected) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const int p = parts[i];
      EXPECT_EQ(found.root[p], root);
      EXPECT_EQ(found.place[p], static_cast<int>(i));
      EXPECT_EQ(found.size[p], p == root ? static_cast<int>(parts.size()) : 0);
      if (parts.size() > 1) {
        EXPECT_EQ(found.part[found.first[root] + i], p);
      }
    }
  }
}

// Contacts under the first part of what they belong to, in order.
std::vector<std::vector<int>> contacts_of(const Scene& scene, const std::vector<int>& root) {
  std::vector<std::vector<int>> contacts(scene.parts());
  for (std::size_t c = 0; c < scene.material.size(); ++c) {
    const int a = scene.material[c].part[0], b = scene.material[c].part[1];
    if ((a < 0 && b < 0) || (scene.joins(c) && !scene.acts(c))) continue;
    contacts[root[a >= 0 ? a : b]].push_back(static_cast<int>(c));
  }
  return contacts;
}

// Returns how many pairs there are.
int expect_pairs(const Scene& scene, const IslandView& found, int root, const std::vector<int>& contacts) {
  std::set<Index2> touching;
  for (const int c : contacts) {
    const int a = scene.material[c].part[0], b = scene.material[c].part[1], number = found.pair_of_contact[c];
    if (a < 0 || b < 0) {
      EXPECT_EQ(number, -1);
      continue;
    }
    const Index2 pair{found.place[std::min(a, b)], found.place[std::max(a, b)]};
    touching.insert(pair);
    EXPECT_GE(number, 0);
    EXPECT_EQ(found.pair[found.segment_start[root] + number], pair);
  }
  EXPECT_EQ(static_cast<int>(touching.size()), found.pair_count[root]);
  return static_cast<int>(touching.size());
}

TEST(Islands, AreWhatContactsTieTogether) {
  SeededRandom random(1);
  int islands_seen = 0, pairs_seen = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const Scene scene = random_scene(random);
    const auto room = static_cast<std::int64_t>(scene.material.size());
    Islands islands(scene.part_start, {});
    islands.send(Queue(), scene.view(), room);
    islands.send(Queue(), scene.view(), room);  // nothing is left of the call before
    const IslandView found = islands.view();
    const std::vector<int> root = roots_of(scene);
    const std::map<int, std::vector<int>> expected = islands_of(root);
    expect_parts(found, expected);
    const std::vector<std::vector<int>> contacts = contacts_of(scene, root);
    for (int p = 0; p < scene.parts(); ++p)
      EXPECT_EQ(contacts[p],
                std::vector<int>(found.contact + found.segment_start[p], found.contact + found.segment_start[p + 1]));
    for (const auto& [first, parts] : expected) {
      if (parts.size() < 2) continue;
      ++islands_seen;
      pairs_seen += expect_pairs(scene, found, first, contacts[first]);
    }
  }
  EXPECT_GT(islands_seen, 100);
  EXPECT_GT(pairs_seen, 500);
}

// A contact that somebody wrote down for a world whose parts it does not touch is nobody's: it ties nothing together,
// and takes no place in another world's list.
TEST(Islands, LeaveOutContactsOfOtherWorlds) {
  Scene scene;
  scene.part_start = {0, 2, 4};
  scene.contact_start = {0, 2, 3};
  for (const Index2 parts : {Index2{0, 2}, Index2{-1, 3}, Index2{2, 3}}) {
    ContactMaterial m{};
    m.active_margin = Real(0.01);
    m.inverse_mass = 1;
    m.part[0] = parts[0], m.part[1] = parts[1];
    scene.material.push_back(m);
    scene.depth.push_back(Real(0.001));
  }
  Islands islands(scene.part_start, {});
  islands.send(Queue(), scene.view(), 3);
  const IslandView found = islands.view();
  EXPECT_EQ(std::vector<int>(found.root, found.root + 4), (std::vector<int>{0, 1, 2, 2}));
  EXPECT_EQ(std::vector<int>(found.segment_start, found.segment_start + 5), (std::vector<int>{0, 0, 0, 1, 1}));
  EXPECT_EQ(found.contact[0], 2);
}

}  // namespace
}  // namespace carom
