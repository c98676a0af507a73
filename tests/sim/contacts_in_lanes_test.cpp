// Contacts, with their forces, of worlds in lanes and of worlds that are stepped one at a time.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/same_contacts.h"
#include "tests/sim/step_scenes.h"

namespace carom {
namespace {

// Proves that contacts() does not depend on lanes, not even in the sign of a zero force.
TEST(ContactsInLanes, SameBits) {
  std::vector<int> numbers(60);
  std::iota(numbers.begin(), numbers.end(), 0);
  const step_scenes::Worlds worlds = step_scenes::make_worlds(numbers);
  const Queue in_lanes(Device{}, {.lanes = 0}), one_by_one(Device{}, {.lanes = 1});
  Simulation lanes(worlds.model, "mujoco", step_scenes::kDt, &in_lanes);
  Simulation single(worlds.model, "mujoco", step_scenes::kDt, &one_by_one);
  int contacts = 0;
  for (int phase = 0; phase < step_scenes::kPhases; ++phase) {
    step_scenes::begin_phase(worlds, lanes, phase);
    single.restore(lanes.snapshot());
    for (int i = 0; i < 20; ++i) {
      lanes.step();
      single.step();
      const Contacts a = lanes.contacts(), b = single.contacts();
      contacts += a.rigid_contact_count[0];
      expect_same_contacts(a, b);
      if (HasFailure()) FAIL() << "phase " << phase << ", step " << i;
    }
  }
  EXPECT_GT(contacts, 1000);
}

}  // namespace
}  // namespace carom
