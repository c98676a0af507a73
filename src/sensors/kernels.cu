// The kernels of this module for CUDA.
#include "sensors/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#define CAROM_LANES_KERNEL(K) template struct CudaLanesLoop<K>;
#include "sensors/kernels.def"

}  // namespace carom
