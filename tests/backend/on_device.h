// Tests that run the same way on every device: on the CPU with several thread counts and all tiers, on CUDA where
// there is one and loudly not where there is none.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "carom/queue.h"

namespace carom::testing {

class OnDevice : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!device().is_cpu() && cuda_device_count() == 0) {
      GTEST_SKIP() << "NOT RUN ON CUDA: this build or machine has no CUDA device, only the CPU variant was tested";
    }
  }

  Device device() const { return Device::parse(GetParam()); }

  std::vector<Queue> queues() const {
    if (!device().is_cpu()) return {Queue(device())};
    std::vector<Queue> queues;
    for (const int threads : {1, 2, 3, 8}) queues.emplace_back(device(), QueueConfig{.threads = threads});
    return queues;
  }

  template <class T>
  Array<T> on_device(const std::vector<T>& values) const {
    return Array<T>(std::span<const T>(values), device());
  }

  template <class T>
  static std::vector<T> on_host(const Array<T>& array) {
    const Array<T> host = array.to(Device{});
    return {host.begin(), host.end()};
  }
};

// fn() under every tier that this CPU runs; the tier in use is put back afterwards.
template <class Fn>
void for_each_tier(const Fn& fn) {
  const int in_use = cpu_tier();
  for (int tier = 0; tier < cpu_tier_count(); ++tier) {
    if (!cpu_tier_supported(tier)) continue;
    SCOPED_TRACE(std::string("tier ") + cpu_tier_name(tier));
    set_cpu_tier(tier);
    fn();
  }
  set_cpu_tier(in_use);
}

}  // namespace carom::testing

#define CAROM_ON_ALL_DEVICES(Suite)                                   \
  INSTANTIATE_TEST_SUITE_P(, Suite, ::testing::Values("cpu", "cuda"), \
                           [](const ::testing::TestParamInfo<const char*>& device) { return device.param; })
