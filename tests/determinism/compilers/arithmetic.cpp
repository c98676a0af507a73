// Compiled by itself with every compiler and optimisation level (compile_and_run.cmake): evaluates the mathematics for
// plain numbers and for lanes of every width, and compares one hash per stage with the committed ones. Prints the
// stages and widths that differ.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/hash.h"
#include "carom/math.h"
#include "math/lanes.h"
#include "tests/fixed_random.h"

namespace carom {
namespace {

constexpr int kCount = 64;  // inputs: a multiple of all widths
constexpr int kNativeWidth = 16 / sizeof(Real);

struct Stage {
  const char* name;
  std::uint64_t golden32, golden64;
};
constexpr Stage kScalar{"scalar functions", 0xe5dd739ca93d26d9u, 0x7cf084588273b83bu};
constexpr Stage kTypes{"vectors, rotations, inertias", 0x80739e3237044a9cu, 0x539d2edbbe7ecb69u};
constexpr Stage kSinExp{"sin and exp", 0x21a1130e4fadebf4u, 0x34958dfcdbe89f8du};
constexpr Stage kTrig{"cos to pow", 0x73f80e932c67ae56u, 0xade0fca38885645fu};
constexpr Stage kChain{"kinematics of a chain", 0x387d5c1d50d0db48u, 0x7ef3fd3f48112873u};

int failures = 0;

void check(const Stage& stage, int width, std::uint64_t found) {
  const std::uint64_t golden = sizeof(Real) == 4 ? stage.golden32 : stage.golden64;
  if (found == golden) return;
  ++failures;
  std::printf("%s, width %d: found 0x%016llxu instead of 0x%016llxu\n", stage.name, width,
              static_cast<unsigned long long>(found), static_cast<unsigned long long>(golden));
}

template <class F>
F load_at(const Real* from) {
  if constexpr (PlainNumber<F>) return *from;
  else return F::load(from);
}

// The results of a stage. Result k of input i stands at [k][i], whatever the width.
template <class F>
class Results {
 public:
  void begin(int first) { position_ = first; }
  void add(F x) {
    if (position_ >= static_cast<int>(values_.size())) values_.resize((position_ / kCount + 1) * kCount);
    if constexpr (PlainNumber<F>) values_[position_] = x;
    else x.store(&values_[position_]);
    position_ += kCount;
  }
  void add(Vec3T<F> v) { add(v.x), add(v.y), add(v.z); }
  void add(QuatT<F> q) { add(vector_part(q)), add(q.w); }
  void add(Mat33T<F> m) { add(m.row0), add(m.row1), add(m.row2); }
  std::uint64_t hash() const { return hash_of(values_); }

 private:
  int position_ = 0;
  std::vector<Real> values_;
};

struct ScalarFunctions {
  template <class F>
  static void run(Results<F>& out, F a, F b, F c) {
    out.add(a + b);
    out.add(a - b * c);
    out.add(a / (b + F(Real(1.5))));
    out.add(fma(a, b, c));
    out.add(sqrt(abs(a)));
    out.add(min(a, b));
    out.add(max(b, c));
    out.add(copysign(a, b));
    out.add(select(a < b, b, c));
    out.add(-a);
  }
};

struct MathTypes {
  template <class F>
  static void run(Results<F>& out, F a, F b, F c) {
    const F one(Real(1));
    const Vec3T<F> u{a, b, c}, v{b * c, a - c, c};
    const TransformT<F> X{u, normalize(QuatT<F>{a, b, c, one})}, Y{v, normalize(QuatT<F>{c, one, b, a})};
    out.add(cross(u, v));
    out.add(length(u));
    out.add((X * Y).q);
    out.add(transform_point(inverse(X) * Y, v));
    out.add(inverse(rotate_inertia(X.q, mat33_identity<F>() + point_inertia(b * b, v))));
  }
};

struct SinExp {
  template <class F>
  static void run(Results<F>& out, F a, F b, F) {
    out.add(sin(a * F(Real(10))));
    out.add(exp(b * F(Real(10))));
  }
};

struct Trig {
  template <class F>
  static void run(Results<F>& out, F a, F b, F c) {
    const F positive = abs(c) + F(Real(0.125));
    out.add(cos(b * F(Real(1e6))));
    out.add(tan(c));
    out.add(atan2(a, b));
    out.add(asin(a));
    out.add(acos(b));
    out.add(log(positive));
    out.add(pow(positive, b * F(Real(5))));
  }
};

// Eight links on hinges: pose and twist of each from those of the one before.
struct Chain {
  template <class F>
  static void run(Results<F>& out, F a, F b, F c) {
    const Vec3T<F> axis = normalize(Vec3T<F>{b, c, F(Real(1))}), arm{c, a, b};
    TransformT<F> X_WB;
    SpatialVectorT<F> V_WB;
    for (int link = 0; link < 8; ++link) {
      const Vec3T<F> axis_W = rotate(X_WB.q, axis), arm_W = rotate(X_WB.q, arm);
      V_WB.linear += cross(V_WB.angular, arm_W);
      V_WB.angular = fma(axis_W, b, V_WB.angular);
      X_WB = X_WB * TransformT<F>{arm, quat_from_axis_angle(axis, a * F(Real(link)))};
      out.add(X_WB.p);
      out.add(X_WB.q);
      out.add(V_WB.linear);
      out.add(V_WB.angular);
    }
  }
};

template <class Functions, class F>
void check_functions(const Stage& stage, int width) {
  std::vector<Real> a, b, c;
  FixedRandom random(1);
  for (int i = 0; i < kCount; ++i) {
    for (auto* numbers : {&a, &b, &c}) numbers->push_back(random.next());
  }
  Results<F> results;
  for (int i = 0; i < kCount; i += ScalarTraits<F>::kWidth) {
    results.begin(i);
    Functions::run(results, load_at<F>(&a[i]), load_at<F>(&b[i]), load_at<F>(&c[i]));
  }
  check(stage, width, results.hash());
}

// Width 0 stands for plain numbers. 16 is the widest that a tier has: with 32 doubles, sixteen registers of SSE2 each,
// GCC 12 does not come to an end at -O3.
template <class F>
void check_every_width(int width) {
  check_functions<ScalarFunctions, F>(kScalar, width);
  check_functions<MathTypes, F>(kTypes, width);
  check_functions<SinExp, F>(kSinExp, width);
}

// What takes long to compile: other widths of these are compared by the tests of lanes and by threads_test.cpp.
template <class F>
void check_some_widths(int width) {
  check_functions<Trig, F>(kTrig, width);
  check_functions<Chain, F>(kChain, width);
}

}  // namespace
}  // namespace carom

int main() {
  using namespace carom;
  check_every_width<Real>(0);
  check_every_width<Lanes<Real, 1>>(1);
  check_every_width<Lanes<Real, 2>>(2);
  check_every_width<Lanes<Real, 4>>(4);
  check_every_width<Lanes<Real, 8>>(8);
  check_every_width<Lanes<Real, 16>>(16);
  check_some_widths<Real>(0);
  check_some_widths<Lanes<Real, kNativeWidth>>(kNativeWidth);
  std::printf("%d differences\n", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
