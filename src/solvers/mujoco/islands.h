// Islands: parts of a world that contacts tie together in this very step, and the contacts of each.
#pragma once

#include <vector>

#include "carom/array.h"
#include "solvers/mujoco/contact_list.kernel.h"

namespace carom::inline CAROM_PRECISION {

class Islands {
 public:
  Islands() = default;
  explicit Islands(int parts);

  // Of `count` contacts of the parts; on the CPU.
  void find(int count, const ContactView& contacts);

  // Islands of two parts and more: parts of island i are part[start[i] ... start[i + 1]), ascending.
  std::vector<int> start, part;
  std::vector<int> place;                   // of every part in its island
  std::vector<char> alone;                  // whether a part touches no other
  std::vector<int> segment_start, contact;  // of each part alone, or of an island, under its first part

  // Pairs of parts of an island that touch, by their places in it, the smaller one first; a part may touch itself.
  // Those of island i: pair[pair_start[i] ... pair_start[i + 1]).
  std::vector<int> pair_start;
  std::vector<Index2> pair;
  std::vector<int> pair_of_contact;  // in its island, -1 = of a part and what does not move

 private:
  int root(int part);
  void list_islands();
  void sort_contacts(int count, const ContactView& contacts);
  void list_pairs(int count, const ContactView& contacts);

  std::vector<int> parent_, size_;
  std::vector<int> last_pair_, pair_before_;  // of the pairs with this first part
};

}  // namespace carom::inline CAROM_PRECISION
