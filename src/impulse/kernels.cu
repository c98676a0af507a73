// The kernels of this module for CUDA.
#include "impulse/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#include "impulse/kernels.def"

}  // namespace carom
