// PairRows: rows of pairs made by a kernel that is run twice, to count and to fill (see PairOutput).
#pragma once

#include "backend/launch.h"
#include "backend/scratch.h"
#include "collide/broad/rows.kernel.h"
#include "collide/rooms.h"

namespace carom::inline CAROM_PRECISION {

class PairRows {
 public:
  // `what` names the pairs for the Error when there are more than can be counted with 32 bits.
  PairRows(Rooms& rooms, const char* what) : room_(rooms, 1'000'000'000, what) {}

  // Returns how many pairs there are.
  template <class Kernel>
  Count find(const Queue& queue, int rows, Kernel kernel) {
    grow(count_, rows, queue.device());
    grow(start_, rows + 1, queue.device());
    kernel.out = {count_.data(), nullptr, nullptr, 0};
    launch(queue, rows, kernel);
    const Count pairs = room_.sum({rows}, count_.data(), start_.data());
    grow(pair_, pairs.room, queue.device());
    kernel.out = view(pairs);
    launch(queue, rows, kernel);
    return pairs;
  }

  int size() const { return room_.size(); }  // once the rooms are settled
  PairOutput view(Count pairs) const { return {count_.data(), start_.data(), pair_.data(), pairs.room}; }

 private:
  Array<int> count_, start_;
  Array<Index2> pair_;
  Room room_;
};

}  // namespace carom::inline CAROM_PRECISION
