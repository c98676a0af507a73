// The kernels of this module for CUDA.
#include "collide/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#include "collide/kernels.def"

}  // namespace carom
