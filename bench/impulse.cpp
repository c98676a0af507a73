// carom's program of the benchmark suite `impulse`: random contacts of two turned bodies, as one batch and one by one
// in turn. It prints the best times as a JSON object, and whether both gave the same bits.
//
//   carom_bench_impulse CONTACTS FRICTION THREADS REPEATS
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/json_program.h"
#include "bench/one_by_one/impulse.h"
#include "bench/stopwatch.h"
#include "tests/fixed_random.h"

namespace carom {
namespace {

using nlohmann::json;

class Random : public FixedRandom {
 public:
  Random() : FixedRandom(1) {}
  Real next(Real low, Real high) { return Real(uniform(low, high)); }
  Vec3 vector(Real low, Real high) {
    const Real x = next(low, high), y = next(low, high), z = next(low, high);
    return {x, y, z};
  }
};

struct Contacts {
  std::vector<Vec3> v1, w1, v2, w2, r1, r2, normal, I1, I2;
  std::vector<Euler> self_euler, target_euler;
  std::vector<Real> m1, m2, e, friction;

  Contacts(int count, Real mu) {
    Random random;
    for (int i = 0; i < count; ++i) {
      for (auto* velocities : {&v1, &w1, &v2, &w2, &normal}) velocities->push_back(random.vector(-2, 2));
      for (auto* arms : {&r1, &r2}) arms->push_back(random.vector(-1, 1));
      for (auto* inertias : {&I1, &I2}) inertias->push_back(random.vector(Real(0.1), 1));
      for (auto* turns : {&self_euler, &target_euler})
        turns->push_back({random.next(-3, 3), random.next(-3, 3), random.next(-3, 3)});
      for (auto* masses : {&m1, &m2}) masses->push_back(random.next(Real(0.2), 3));
      e.push_back(random.next(0, 1));
      friction.push_back(mu);
    }
  }

  ImpulseBatch batch() const {
    const auto rows = []<class T>(const std::vector<T>& v) { return Span<const T>{v.data(), std::int64_t(v.size())}; };
    ImpulseBatch b;
    b.v1 = rows(v1);
    b.w1 = rows(w1);
    b.v2 = rows(v2);
    b.w2 = rows(w2);
    b.r1 = rows(r1);
    b.r2 = rows(r2);
    b.normal = rows(normal);
    b.I1 = rows(I1);
    b.I2 = rows(I2);
    b.self_euler = rows(self_euler);
    b.target_euler = rows(target_euler);
    b.m1 = rows(m1);
    b.m2 = rows(m2);
    b.e = rows(e);
    b.friction = rows(friction);
    return b;
  }
};

template <class Fn>
void keep_best(double& best, const Fn& fn) {
  const double start = now();
  fn();
  best = std::min(best, now() - start);
}

json measure(int count, Real friction, int threads, int repeats) {
  const Contacts contacts(count, friction);
  const ImpulseBatch batch = contacts.batch();
  const Queue queue({}, {.threads = threads});
  std::vector<Vec3> together(count), single(count);
  double batch_s = 1e9, loop_s = 1e9;
  for (int i = 0; i < repeats; ++i) {
    keep_best(batch_s, [&] { impulses_by_collision(batch, {together.data(), count}, &queue); });
    keep_best(loop_s, [&] { impulses_one_by_one(batch, {single.data(), count}); });
  }
  if (std::memcmp(together.data(), single.data(), count * sizeof(Vec3)) != 0)
    throw Error("the batch and single contacts have different impulses");
  return {{"tier", cpu_tier_name(cpu_tier())}, {"batch_s", batch_s}, {"loop_s", loop_s}};
}

json run(const std::vector<std::string>& args) {
  if (args.size() != 4) throw Error("usage: carom_bench_impulse CONTACTS FRICTION THREADS REPEATS");
  return measure(std::stoi(args[0]), std::stof(args[1]), std::stoi(args[2]), std::stoi(args[3]));
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_impulse", argc, argv, carom::run); }
