// A sequence of launches that is sent to a GPU as a whole, recorded once and replayed as often as wanted with the same
// arguments. On the CPU there is nothing to save: run() simply runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "carom/queue.h"
#if defined(CAROM_CUDA)
#include "backend/cuda/cuda_backend.h"
#endif

namespace carom {

class Graph {
 public:
  // The first call with a key runs `launches` and records nothing yet, so that memory may grow; the second one with
  // the same key records; later ones replay. A new key starts over.
  template <class Key, class Launches>
  void run(const Queue& queue, const Key& key, const Launches& launches) {
#if defined(CAROM_CUDA)
    if (!queue.device().is_cpu()) {
      const std::string_view now(reinterpret_cast<const char*>(&key), sizeof(key));
      if (now != key_) {
        key_ = now;
        graph_.reset();
        launches();
        return;
      }
      if (!graph_) {
        cuda::begin_recording(queue);
        launches();
        graph_ = cuda::end_recording(queue);
      }
      cuda::replay(queue, graph_.get());
      return;
    }
#endif
    static_cast<void>(queue);
    static_cast<void>(key);
    launches();
  }
  void forget() {
    key_.clear();
    graph_.reset();
  }

 private:
  std::string key_;  // bytes of what the recorded launches were made from
  std::shared_ptr<void> graph_;
};

}  // namespace carom
