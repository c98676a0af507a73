// Comparing the contacts of two runs, bit by bit, wherever they are.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "carom/carom.h"

namespace carom {

inline void expect_same_contacts(const Contacts& a, const Contacts& b) {
  const auto expect = [&](const char* name, auto member) {
    const auto x = (a.*member).on_cpu(), y = (b.*member).on_cpu();
    ASSERT_EQ(x.size(), y.size()) << name;
    EXPECT_TRUE(x.empty() || std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0) << name;
  };
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
  expect("depth", &Contacts::rigid_contact_depth);
  expect("force", &Contacts::rigid_contact_force);
}

}  // namespace carom
