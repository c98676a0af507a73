// What contacts are made of: combined several at a time, they are what each is alone.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "backend/launch.h"
#include "solvers/mujoco/kernels.h"
#include "tests/random.h"

namespace carom {
namespace {

// With all that decides how two materials are combined: priorities, solmix of 0, solref of both forms.
ShapeMaterial random_shape(SeededRandom& random) {
  const auto number = [&] { return Real(random.below(1000)) / 1000; };
  ShapeMaterial m{};
  m.mu = number(), m.spin = number(), m.roll = number();
  m.solmix = random.one_in(3) ? Real(0) : number();
  m.margin = number(), m.gap = number();
  m.inverse_mass = random.one_in(3) ? Real(0) : number();
  const Real form = random.one_in(4) ? Real(-100) : Real(1);
  for (Real& x : m.solref) x = form * number();
  for (Real& x : m.solimp) x = 2 * number() - Real(0.5);
  m.priority = random.below(3) - 1;
  m.condim = std::vector{1, 3, 4, 6}[random.below(4)];
  m.part = random.below(4) - 1;
  m.link = random.below(4) - 1;
  return m;
}

void expect_same(const ContactMaterial& a, const ContactMaterial& b, int c) {
  const MaterialNumbers<Real>&x = a, &y = b;
  EXPECT_EQ(std::memcmp(&x, &y, sizeof(x)), 0) << c;
  EXPECT_EQ(a.condim, b.condim) << c;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(a.part[i], b.part[i]) << c;
    EXPECT_EQ(a.link[i], b.link[i]) << c;
  }
}

// Proves that lanes change no bit of a material, and that contacts beyond the count are left alone.
TEST(ContactMaterial, TogetherAsAlone) {
  SeededRandom random(1);
  constexpr int kContacts = 203, kCount = 197;
  std::vector<ShapeMaterial> shapes(40);
  for (ShapeMaterial& shape : shapes) shape = random_shape(random);
  std::vector<int> shape0(kContacts), shape1(kContacts);
  for (int& s : shape0) s = random.below(40);
  for (int& s : shape1) s = random.below(40);
  std::vector<ContactMaterial> together(kContacts), alone(kContacts);
  std::vector<Vec3> force(kContacts, Vec3{1, 1, 1});
  const CombineMaterials kernel{&kCount,     shape0.data(),   shape1.data(), shapes.data(),
                                Real(0.002), together.data(), force.data()};
  launch(Queue(Device{}), kContacts, kernel);
  CombineMaterials one = kernel;
  one.out = alone.data();
  for (int c = 0; c < kContacts; ++c) {
    EXPECT_EQ(force[c].x, c < kCount ? 0 : 1) << c;
    one(c);
    expect_same(together[c], alone[c], c);
  }
  EXPECT_EQ(together[kCount].condim, 0);
  EXPECT_GT(together[0].mu, 0);
}

// Proves that a material is made anew where a contact is of other shapes, or the stamp is another one, and only there.
TEST(ContactMaterial, KnownUntilShapesOrNumbersChange) {
  SeededRandom random(2);
  constexpr int kContacts = 50;
  std::vector<ShapeMaterial> shapes(20);
  for (ShapeMaterial& shape : shapes) shape = random_shape(random);
  std::vector<int> shape0(kContacts), shape1(kContacts);
  for (int& s : shape0) s = random.below(20);
  for (int& s : shape1) s = random.below(20);
  std::vector<ContactMaterial> material(kContacts);
  std::vector<Vec3> force(kContacts);
  CombineMaterials kernel{&kContacts,  shape0.data(),   shape1.data(), shapes.data(),
                          Real(0.002), material.data(), force.data()};
  const auto combine = [&] {
    launch(Queue(Device{}), kContacts, kernel);
    return material;
  };
  const auto anew = [&] {
    material.assign(kContacts, {});
    return combine();
  };
  const std::vector<ContactMaterial> first = combine();

  shape0[7] = (shape0[7] + 1) % 20;
  const std::vector<ContactMaterial> other_shape = combine();
  const std::vector<ContactMaterial> expected = anew();
  for (int c = 0; c < kContacts; ++c) expect_same(other_shape[c], expected[c], c);
  EXPECT_EQ(other_shape[7].shape[0], shape0[7]);

  for (ShapeMaterial& shape : shapes) shape.mu += 1;
  const std::vector<ContactMaterial> unchanged = combine();
  for (int c = 0; c < kContacts; ++c) expect_same(unchanged[c], expected[c], c);
  kernel.stamp = 2;
  const std::vector<ContactMaterial> with_new_numbers = combine();
  for (int c = 0; c < kContacts; ++c) EXPECT_GE(with_new_numbers[c].mu, Real(1)) << c;
}

}  // namespace
}  // namespace carom
