// Sequences of launches that are sent to a GPU as a whole, recorded once and replayed as often as wanted with the same
// arguments. On the CPU there is nothing to save: run() simply runs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/cuda_backend.h"
#include "base/fail.h"
#include "carom/queue.h"

namespace carom {

// Everything that a sequence of launches is made from and that may change from call to call: arrays by where they are,
// numbers by their bits.
class GraphKey {
 public:
  void add(std::int64_t number) {
    if (size_ == kMost) fail("a graph depends on more than ", kMost, " things");
    number_[size_++] = number;
  }
  void add(double number) { add(std::bit_cast<std::int64_t>(number)); }
  template <class T>
  void add(const Array<T>& array) {
    add(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(array.data())));
  }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(number_.data()), size_ * sizeof(number_[0])}; }

 private:
  static constexpr std::size_t kMost = 128;
  std::array<std::int64_t, kMost> number_;
  std::size_t size_ = 0;
};

// The few recorded graphs that were used last, by their keys. States that are swapped from call to call have one each.
template <class Graph>
class GraphCache {
 public:
  static constexpr std::size_t kMost = 8;

  // The first call with a key runs `launches` and records nothing yet, so that memory may grow; the second one with
  // the same key records; later ones replay. Recorder: begin(), end() -> Graph, replay(Graph).
  template <class Recorder, class Launches>
  void run(Recorder&& recorder, std::string_view key, const Launches& launches) {
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
    if (known == entries_.end()) {
      launches();
      if (entries_.size() == kMost) entries_.pop_back();
      entries_.insert(entries_.begin(), Entry{std::string(key), {}});
      return;
    }
    std::rotate(entries_.begin(), known, known + 1);
    Entry& entry = entries_.front();
    if (!entry.graph) entry.graph = record(recorder, launches);
    recorder.replay(entry.graph);
  }
  void forget() { entries_.clear(); }

 private:
  struct Entry {
    std::string key;
    Graph graph;  // empty until the key comes a second time
  };

  template <class Recorder, class Launches>
  static Graph record(Recorder& recorder, const Launches& launches) {
    recorder.begin();
    try {
      launches();
    } catch (...) {
      recorder.end();  // the queue must run again what it is sent
      throw;
    }
    return recorder.end();
  }

  std::vector<Entry> entries_;  // the one that was used last comes first
};

// The graphs of one sequence of launches.
class Graphs {
 public:
  // Launches are all that `launches` does to what outlives it: a replay does not call it.
  template <class Launches>
  void run(const Queue& queue, const GraphKey& key, const Launches& launches) {
    if (queue.device().is_cpu()) launches();
    else cache_.run(Recorder{queue}, key.bytes(), launches);
  }
  void forget() { cache_.forget(); }

 private:
  struct Recorder {
    const Queue& queue;
    void begin() const { cuda::begin_recording(queue); }
    std::shared_ptr<void> end() const { return cuda::end_recording(queue); }
    void replay(const std::shared_ptr<void>& graph) const { cuda::replay(queue, graph.get()); }
  };
  GraphCache<std::shared_ptr<void>> cache_;
};

}  // namespace carom
