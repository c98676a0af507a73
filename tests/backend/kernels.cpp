// The test kernels for one CPU tier.
#include "tests/backend/kernels.h"

#include "backend/cpu/loops.h"

namespace carom {

#define CAROM_KERNEL(K) template struct CpuLoop<K, tier::CAROM_TIER>;
#define CAROM_WORLD_KERNEL(K) template struct CpuLoop<WorldEntityKernel<K>, tier::CAROM_TIER>;
#define CAROM_LANES_KERNEL(K) template struct CpuLanesLoop<K, tier::CAROM_TIER>;
#include "tests/backend/kernels.def"

}  // namespace carom
