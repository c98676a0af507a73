// Devices: their names, and which of them exist.
#include "backend/device.h"

#include <optional>
#include <string>

#include "backend/cuda/cuda_backend.h"
#include "base/fail.h"
#include "base/parse_number.h"

namespace carom {

Device Device::parse(const std::string& name) {
  const std::string prefix = "cuda:";
  if (name == "cpu") return {};
  if (name == "cuda") return {DeviceType::kCuda, 0};
  if (name.starts_with(prefix)) {
    const std::optional<int> index = parse_whole_number(std::string_view(name).substr(prefix.size()));
    if (index && *index >= 0) return {DeviceType::kCuda, *index};
  }
  fail("device \"", name, "\" is not known: use \"cpu\", \"cuda\" or \"cuda:<number>\"");
}

std::string Device::name() const { return is_cpu() ? "cpu" : "cuda:" + std::to_string(index); }

int cuda_device_count() { return cuda::device_count(); }

void require_device(Device device) {
  const bool exists = device.is_cpu() ? device.index == 0 : device.index >= 0 && device.index < cuda_device_count();
  if (exists) return;
  const int count = cuda_device_count();
  const std::string why = cuda::is_built() ? text(count, count == 1 ? " CUDA device found" : " CUDA devices found")
                                           : "this build of carom has no CUDA (it has where nvcc is found)";
  fail("device \"", device.name(), "\" does not exist: ", why, "; use ", count ? "one of them or " : "", "\"cpu\"");
}

}  // namespace carom
