#include "backend/readback.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/backend/on_device.h"

namespace carom {
namespace {

using ReadbackOnDevice = testing::OnDevice;
CAROM_ON_ALL_DEVICES(ReadbackOnDevice);

// Proves that the host reads what was on the device when the copy was sent, zeros at first.
TEST_P(ReadbackOnDevice, GivesWhatIsOnTheDevice) {
  for (const Queue& queue : queues()) {
    const Readback readback(3, device());
    for (const std::vector<std::int64_t>& values :
         {std::vector<std::int64_t>{0, 0, 0}, {1, -2, std::int64_t{1} << 40}, {5, 6, 7}}) {
      if (values[0] != 0) readback.on_device().assign(on_device(values));
      readback.send(queue);
      queue.finish();
      EXPECT_EQ(std::vector<std::int64_t>(readback.values(), readback.values() + 3), values);
    }
  }
}

}  // namespace
}  // namespace carom
