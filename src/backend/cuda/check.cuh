// Turns CUDA's status codes into carom::Error, for the files of this folder.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "carom/error.h"
#include "carom/queue.h"

namespace carom::cuda {

inline void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  throw Error("CUDA could not " + what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

inline cudaStream_t stream_of(const Queue& queue) { return static_cast<cudaStream_t>(queue.stream()); }

}  // namespace carom::cuda
