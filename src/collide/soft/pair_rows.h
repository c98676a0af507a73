// PairRows: rows of pairs made by a kernel that is run twice, to count and to fill (see PairOutput).
#pragma once

#include "backend/launch.h"
#include "backend/scan.h"
#include "backend/scratch.h"
#include "base/fail.h"
#include "collide/broad/rows.kernel.h"

namespace carom::inline CAROM_PRECISION {

class PairRows {
 public:
  // `what` names the pairs for the Error when there are more than can be counted with 32 bits.
  template <class Kernel>
  void find(const Queue& queue, int rows, Kernel kernel, const char* what) {
    constexpr std::int64_t kMostPairs = 1'000'000'000;
    grow(count_, rows, queue.device());
    grow(start_, rows + 1, queue.device());
    kernel.out = {count_.data(), nullptr, nullptr};
    launch(queue, rows, kernel);
    exclusive_scan(queue, {count_.data(), rows}, {start_.data(), rows + 1}, scan_);
    const std::int64_t total = scan_total(queue, scan_);
    if (total > kMostPairs)
      fail("collision pipeline: ", total, " pairs of ", what, " are near each other, at most ", kMostPairs,
           " can be held; use filters, a smaller margin, or fewer worlds at once");
    size_ = static_cast<int>(total);
    grow(pair_, size_, queue.device());
    kernel.out = {count_.data(), start_.data(), pair_.data()};
    launch(queue, rows, kernel);
  }

  int size() const { return size_; }
  const int* start() const { return start_.data(); }
  const Index2* pairs() const { return pair_.data(); }

 private:
  Array<int> count_, start_;
  Array<Index2> pair_;
  ScanScratch scan_;
  int size_ = 0;
};

}  // namespace carom::inline CAROM_PRECISION
