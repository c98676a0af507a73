#include "solvers/mujoco/world_order.h"

#include "backend/scratch.h"

namespace carom::inline CAROM_PRECISION {

const int* WorldOrder::send(const Queue& queue, MuJoCoStep& kernel, RowCount* count, RowRule rule,
                            const int* island_size) {
  const auto n = static_cast<int>(kernel.worlds.size);
  const Device device = queue.device();
  grow(key_, n, device), grow(sort_.keys, n, device);
  grow(part_, n, device), grow(sort_.values, n, device);
  grow(start_, kRowClasses + 1, device);
  launch(queue, n, CountRows{kernel.worlds.data, kernel, count, key_.data(), part_.data(), island_size});
  sort_by_key(queue, {key_.data(), n}, {part_.data(), n}, sort_, RowKey::kBits + (island_size ? 1 : 0));
  launch(queue, kRowClasses + 1, FindClasses{{key_.data(), n}, {rule.some, rule.few, -1}, start_.data()});
  kernel.worlds = {part_.data(), n};
  return start_.data();
}

}  // namespace carom::inline CAROM_PRECISION
