// Comparing the contacts of two runs, bit by bit, wherever they are.
#pragma once

#include <gtest/gtest.h>

#include "tests/sim/step_scenes.h"

namespace carom {

inline void expect_same_contacts(const Contacts& a, const Contacts& b) {
  EXPECT_EQ(a.rigid_contact_count, b.rigid_contact_count);
  const auto expect = [&](const char* name, auto member) {
    EXPECT_TRUE(step_scenes::same_bits((a.*member).on_cpu(), (b.*member).on_cpu())) << name;
  };
  expect("world_start", &Contacts::rigid_contact_world_start);
  expect("shape0", &Contacts::rigid_contact_shape0);
  expect("shape1", &Contacts::rigid_contact_shape1);
  expect("feature", &Contacts::rigid_contact_feature);
  expect("point", &Contacts::rigid_contact_point);
  expect("normal", &Contacts::rigid_contact_normal);
  expect("depth", &Contacts::rigid_contact_depth);
  expect("force", &Contacts::rigid_contact_force);
}

}  // namespace carom
