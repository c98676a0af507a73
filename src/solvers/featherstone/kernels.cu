// The kernels of this module for CUDA.
#include "solvers/featherstone/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_LANES_KERNEL(K)  // here it is a kernel of teams
#define CAROM_TEAMS_KERNEL(K) template struct CudaTeamsLoop<K>;
#include "solvers/featherstone/kernels.def"

}  // namespace carom
