// The kernels of this module for CUDA.
#include "dynamics/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#define CAROM_LANES_KERNEL(K)  // here it is a kernel of teams
#define CAROM_TEAMS_KERNEL(K) template struct CudaTeamsLoop<K>;
#include "dynamics/kernels.def"

}  // namespace carom
