// The kernels of this module for one CPU tier.
#include "dynamics/kernels.h"

#include "backend/cpu/loops.h"

namespace carom {

#define CAROM_KERNEL(K) template struct CpuLoop<K, tier::CAROM_TIER>;
#define CAROM_LANES_KERNEL(K) template struct CpuLanesLoop<K, tier::CAROM_TIER>;
#define CAROM_TEAMS_KERNEL(K)
#include "dynamics/kernels.def"

}  // namespace carom
