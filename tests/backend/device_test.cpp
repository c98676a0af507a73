#include <gtest/gtest.h>

#include <string>

#include "carom/array.h"
#include "carom/error.h"

namespace carom {
namespace {

// Proves that every device name is read and written back.
TEST(Device, NamesGoBothWays) {
  EXPECT_EQ(Device::parse("cpu"), (Device{DeviceType::kCpu, 0}));
  EXPECT_EQ(Device::parse("cuda"), (Device{DeviceType::kCuda, 0}));
  EXPECT_EQ(Device::parse("cuda:12"), (Device{DeviceType::kCuda, 12}));
  for (const char* name : {"cpu", "cuda:0", "cuda:7"}) EXPECT_EQ(Device::parse(name).name(), name);
}

// Proves that anything else is an error that repeats the name and says what would be right.
TEST(Device, RefusesOtherNames) {
  for (const std::string name :
       {"", "CPU", "gpu", "cpu:0", "cuda:", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:99999999999"}) {
    try {
      Device::parse(name);
      ADD_FAILURE() << '"' << name << "\" was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find('"' + name + '"'), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("\"cuda:<number>\""), std::string::npos) << error.what();
    }
  }
}

// Proves that memory on a device that is not there is an error that names the device.
TEST(Device, MustExistToBeUsed) {
  const Device missing{DeviceType::kCuda, cuda_device_count()};
  try {
    Array<int> array(10, missing);
    ADD_FAILURE() << "memory on " << missing.name();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find('"' + missing.name() + "\" does not exist"), std::string::npos);
  }
}

}  // namespace
}  // namespace carom
