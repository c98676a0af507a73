// impulses_by_collision: checks the rows and launches the kernels.
#include <algorithm>
#include <limits>

#include "backend/launch.h"
#include "base/fail.h"
#include "impulse/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_sizes(const ImpulseBatch& batch, std::int64_t count) {
  const auto check = [&](const char* name, std::int64_t size) {
    if (size != 0 && size != count) fail("impulse_by_collision: ", name, " has ", size, " rows instead of ", count);
  };
  check("v1", batch.v1.rows.size);
  check("w1", batch.w1.rows.size);
  check("self_euler", batch.self_euler.rows.size);
  check("v2", batch.v2.rows.size);
  check("w2", batch.w2.rows.size);
  check("target_euler", batch.target_euler.rows.size);
  check("r1", batch.r1.rows.size);
  check("r2", batch.r2.rows.size);
  check("m1", batch.m1.rows.size);
  check("m2", batch.m2.rows.size);
  check("I1", std::max(batch.I1.moments.size, batch.I1.tensors.size));
  check("I2", std::max(batch.I2.moments.size, batch.I2.tensors.size));
  check("normal", batch.normal.rows.size);
  check("e", batch.e.rows.size);
  check("friction", batch.friction.rows.size);
  check("tangential_restitution", batch.tangential_restitution.rows.size);
  check("restitution_threshold", batch.restitution_threshold.rows.size);
  if (count > std::numeric_limits<int>::max()) fail("impulse_by_collision: ", count, " rows are more than 2^31 - 1");
}

// Lanes find out whether something is bad; the functions for one contact say what.
void check_rows(const Queue& queue, const ImpulseBatch& batch, std::int64_t count) {
  const int blocks = static_cast<int>((count + FindBadRows::kBlock - 1) / FindBadRows::kBlock);
  const Array<std::uint8_t> bad(blocks);
  launch(queue, blocks, FindBadRows{batch, count, bad.data()});
  for (int block = 0; block < blocks; ++block) {
    if (bad[block] == 0) continue;
    const std::int64_t first = std::int64_t{block} * FindBadRows::kBlock;
    for (std::int64_t i = first; i < std::min(first + FindBadRows::kBlock, count); ++i)
      checked_collision_impulse(collision_of<Real>(batch, i), ArgumentCheck("impulse_by_collision", i));
  }
}

}  // namespace

void impulses_by_collision(const ImpulseBatch& batch, Span<Vec3> impulses, const Queue* queue) {
  const Queue& q = queue ? *queue : default_queue();
  check_sizes(batch, impulses.size);
  const bool on_cpu = q.device().is_cpu();
  if (on_cpu) check_rows(q, batch, impulses.size);
  launch(q, static_cast<int>(impulses.size), CollideRows{batch, impulses.data, on_cpu});
  q.finish();
}

}  // namespace carom::inline CAROM_PRECISION
