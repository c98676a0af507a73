// The kernels of this module for CUDA.
#include "solvers/mujoco/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#define CAROM_LANES_KERNEL(K)  // here its phases are kernels
#define CAROM_TEAMS_KERNEL(K) template struct CudaTeamsLoop<K>;
#include "solvers/mujoco/kernels.def"

}  // namespace carom
