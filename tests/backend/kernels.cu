// The test kernels for CUDA.
#include "tests/backend/kernels.h"

#include "backend/cuda/loops.cuh"

namespace carom {

#define CAROM_KERNEL(K) template struct CudaLoop<K>;
#define CAROM_LANES_KERNEL(K) template struct CudaLanesLoop<K>;
#include "tests/backend/kernels.def"

}  // namespace carom
