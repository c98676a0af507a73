// A plain loop over the function for one contact, without checks, with the instructions that the lanes have.
#include "bench/one_by_one/impulse.h"

namespace carom {

void impulses_one_by_one(const ImpulseBatch& b, Span<Vec3> impulses) {
  for (std::int64_t i = 0; i < impulses.size; ++i) {
    impulses[i] = collision_impulse(CollisionT<Real>{
        b.v1.rows[i], b.w1.rows[i], b.self_euler.rows[i], b.v2.rows[i], b.w2.rows[i], b.target_euler.rows[i],
        b.r1.rows[i], b.r2.rows[i], b.m1.rows[i], b.m2.rows[i], b.I1.moments[i], b.I2.moments[i], b.normal.rows[i],
        b.e.rows[i], b.friction.rows[i], 0, 0, b.oriented});
  }
}

}  // namespace carom
