// Devices: their names, and which of them exist.
#include "backend/device.h"

#include <optional>
#include <string>

#include "base/fail.h"
#include "base/parse_number.h"
#if defined(CAROM_CUDA)
#include "backend/cuda/cuda_backend.h"
#endif

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

int cuda_device_count() {
#if defined(CAROM_CUDA)
  return cuda::device_count();
#else
  return 0;
#endif
}

void require_device(Device device) {
  const bool exists = device.is_cpu() ? device.index == 0 : device.index >= 0 && device.index < cuda_device_count();
  if (exists) return;
#if defined(CAROM_CUDA)
  const int count = cuda_device_count();
  fail("device \"", device.name(), "\" does not exist: ", count, count == 1 ? " CUDA device" : " CUDA devices",
       " found; use one of them or \"cpu\"");
#else
  fail("device \"", device.name(), "\" does not exist: this build of carom has no CUDA; configure with ",
       "-DCAROM_CUDA=ON or use device \"cpu\"");
#endif
}

}  // namespace carom
