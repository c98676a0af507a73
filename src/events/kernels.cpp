// The kernels of this module for one CPU tier.
#include "events/kernels.h"

#include "backend/cpu/loops.h"

namespace carom {

#define CAROM_KERNEL(K) template struct CpuLoop<K, tier::CAROM_TIER>;
#include "events/kernels.def"

}  // namespace carom
