#include "solvers/mujoco/islands.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace carom::inline CAROM_PRECISION {

namespace {

// Rows come from contacts that push: those nearer than their margin.
bool is_active(const ContactView& contacts, int c) {
  const ContactMaterial& m = contacts.material[c];
  return m.inverse_mass > 0 && -contacts.depth[c] < m.active_margin;
}

bool joins(const ContactMaterial& m) { return m.part[0] >= 0 && m.part[1] >= 0 && m.part[0] != m.part[1]; }

}  // namespace

Islands::Islands(int parts)
    : place(parts), alone(parts), segment_start(parts + 1), parent_(parts), size_(parts), last_pair_(parts) {}

// The first part of an island is its root, whatever the order of the contacts.
int Islands::root(int p) {
  while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
  return p;
}

void Islands::find(int count, const ContactView& contacts) {
  std::iota(parent_.begin(), parent_.end(), 0);
  for (int c = 0; c < count; ++c) {
    const ContactMaterial& m = contacts.material[c];
    if (!joins(m) || !is_active(contacts, c)) continue;
    int a = root(m.part[0]), b = root(m.part[1]);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }
  list_islands();
  sort_contacts(count, contacts);
  list_pairs(count, contacts);
}

void Islands::list_islands() {
  const int parts = static_cast<int>(parent_.size());
  std::fill(size_.begin(), size_.end(), 0);
  for (int p = 0; p < parts; ++p) place[p] = size_[root(p)]++;
  start.assign(1, 0);
  part.clear();
  std::vector<int>& first = segment_start;  // where the parts of a root's island go
  for (int p = 0; p < parts; ++p) {
    alone[p] = size_[root(p)] == 1;
    if (root(p) != p || alone[p]) continue;
    first[p] = start.back();
    start.push_back(start.back() + size_[p]);
  }
  part.resize(start.back());
  for (int p = 0; p < parts; ++p)
    if (!alone[p]) part[first[root(p)] + place[p]] = p;
}

void Islands::sort_contacts(int count, const ContactView& contacts) {
  const auto segment = [&](int c) {
    const ContactMaterial& m = contacts.material[c];
    if (joins(m) && !is_active(contacts, c)) return -1;  // of two islands: it pushes neither
    const int p = m.part[0] >= 0 ? m.part[0] : m.part[1];
    return p < 0 ? -1 : root(p);
  };
  std::fill(segment_start.begin(), segment_start.end(), 0);
  int kept = 0;
  for (int c = 0; c < count; ++c)
    if (const int s = segment(c); s >= 0) ++segment_start[s + 1], ++kept;
  std::partial_sum(segment_start.begin(), segment_start.end(), segment_start.begin());
  contact.resize(kept);
  std::vector<int>& next = size_;
  std::copy(segment_start.begin(), segment_start.end() - 1, next.begin());
  for (int c = 0; c < count; ++c)
    if (const int s = segment(c); s >= 0) contact[next[s]++] = c;
}

void Islands::list_pairs(int count, const ContactView& contacts) {
  pair_start.assign(1, 0);
  pair.clear();
  pair_before_.clear();
  pair_of_contact.assign(count, -1);
  for (std::size_t i = 0; i + 1 < start.size(); ++i) {
    const int first = part[start[i]];
    for (int p = start[i]; p < start[i + 1]; ++p) last_pair_[part[p]] = -1;
    for (int at = segment_start[first]; at < segment_start[first + 1]; ++at) {
      const ContactMaterial& m = contacts.material[contact[at]];
      if (m.part[0] < 0 || m.part[1] < 0) continue;
      const int a = std::min(m.part[0], m.part[1]), b = std::max(m.part[0], m.part[1]);
      int known = last_pair_[a];
      while (known >= 0 && pair[known][1] != place[b]) known = pair_before_[known];
      if (known < 0) {
        known = static_cast<int>(pair.size());
        pair.push_back({place[a], place[b]});
        pair_before_.push_back(last_pair_[a]);
        last_pair_[a] = known;
      }
      pair_of_contact[contact[at]] = known - pair_start.back();
    }
    pair_start.push_back(static_cast<int>(pair.size()));
  }
}

}  // namespace carom::inline CAROM_PRECISION
