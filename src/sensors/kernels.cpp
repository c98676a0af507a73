// The kernels of this module for one CPU tier.
#include "sensors/kernels.h"

#include "backend/cpu/loops.h"

namespace carom {

#define CAROM_KERNEL(K) template struct CpuLoop<K, tier::CAROM_TIER>;
#define CAROM_LANES_KERNEL(K) template struct CpuLanesLoop<K, tier::CAROM_TIER>;
#include "sensors/kernels.def"

}  // namespace carom
