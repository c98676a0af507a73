// Comparing the contacts of two runs, bit by bit, wherever they are.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "carom/collide.h"
#include "carom/state.h"

namespace carom {

// Says where arrays that ought to be the same begin to differ.
template <class T>
void expect_same_bits(const std::string& name, const Array<T>& a, const Array<T>& b) {
  ASSERT_EQ(a.size(), b.size()) << name;
  const Array<T> x = a.on_cpu(), y = b.on_cpu();
  std::int64_t same = 0;
  while (same < x.size() && std::memcmp(&x[same], &y[same], sizeof(T)) == 0) ++same;
  EXPECT_EQ(same, x.size()) << name << " differs from element " << same << " on";
}

inline void expect_same_contacts(const Contacts& a, const Contacts& b) {
  const auto expect = [&](const char* name, auto member) { expect_same_bits(name, a.*member, b.*member); };
  expect("count", &Contacts::rigid_contact_count);
  expect("world_start", &Contacts::rigid_contact_world_start);
  expect("shape0", &Contacts::rigid_contact_shape0);
  expect("shape1", &Contacts::rigid_contact_shape1);
  expect("feature", &Contacts::rigid_contact_feature);
  expect("age", &Contacts::rigid_contact_age);
  expect("point", &Contacts::rigid_contact_point);
  expect("point0", &Contacts::rigid_contact_point0);
  expect("point1", &Contacts::rigid_contact_point1);
  expect("normal", &Contacts::rigid_contact_normal);
  expect("tangent", &Contacts::rigid_contact_tangent);
  expect("depth", &Contacts::rigid_contact_depth);
  expect("impact_time", &Contacts::rigid_contact_impact_time);
  expect("impact_speed", &Contacts::rigid_contact_impact_speed);
  expect("force", &Contacts::rigid_contact_force);
  expect("soft_count", &Contacts::soft_contact_count);
  expect("soft_world_start", &Contacts::soft_contact_world_start);
  expect("soft_particle", &Contacts::soft_contact_particle);
  expect("soft_shape", &Contacts::soft_contact_shape);
  expect("soft_body_pos", &Contacts::soft_contact_body_pos);
  expect("soft_normal", &Contacts::soft_contact_normal);
  expect("soft_depth", &Contacts::soft_contact_depth);
  expect("particle_count", &Contacts::particle_contact_count);
  expect("particle_world_start", &Contacts::particle_contact_world_start);
  expect("particle0", &Contacts::particle_contact_particle0);
  expect("particle1", &Contacts::particle_contact_particle1);
  expect("particle_normal", &Contacts::particle_contact_normal);
  expect("particle_depth", &Contacts::particle_contact_depth);
}

// All that the last call of a pipeline told.
inline void expect_same_results(const CollisionPipeline& a, const Contacts& of_a, const CollisionPipeline& b,
                                const Contacts& of_b) {
  expect_same_bits("shape_boxes", a.shape_boxes(), b.shape_boxes());
  expect_same_bits("shape_pairs", a.shape_pairs(), b.shape_pairs());
  expect_same_contacts(of_a, of_b);
  expect_same_bits("contacts_needed", a.contacts_needed(), b.contacts_needed());
  expect_same_bits("status", a.status(), b.status());
}

}  // namespace carom
