// ThreadTeam<T>: T threads of the CPU that work on one world, as Team<T> does with threads of a GPU. Slow; compiled
// with the thread sanitizer it finds races between the threads of a team in the very text of the kernels.
//
// It orders no more than a GPU does: each(), sum() and compact() end with a barrier, but threads that vote (any(),
// compact()) only wait for each other, and what they have written before is not passed on.
#pragma once

#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <type_traits>
#include <vector>

namespace carom::testing {

// kOwnNotes: as of Team.
template <int T, bool kOwnNotes = false>
class ThreadTeam {
 public:
  static_assert(T >= 1 && T <= 32);

  // What the threads of a team share.
  struct Room {
    struct Voter {  // of one thread: its votes so far, and what the counters showed after the last ones
      std::uint32_t round = 0;
      std::array<std::uint64_t, 2> seen{};
    };
    std::barrier<> barrier{T};
    std::array<std::atomic<std::uint64_t>, 2> votes{};  // in turn: low half threads that voted, high half their bits
    std::array<Voter, T> voter{};
    alignas(64) std::array<char, 1 << 16> summands{};
  };

  ThreadTeam(int rank, Room& room) : rank_(rank), room_(&room) {}

  int rank() const { return rank_; }
  static constexpr int size() { return T; }
  void sync() const { room_->barrier.arrive_and_wait(); }
  void together() const { sync(); }
  bool any(bool value) const { return vote(value) != 0; }
  bool any_in_step(bool value) const { return any(value); }

  template <class Function>
  void note(Function f) const {
    if (kOwnNotes || rank_ == 0) f();
    if (!kOwnNotes) sync();
  }

  template <class Function>
  void each(int n, Function f) const {
    for (int i = rank_; i < n; i += T) f(i);
    sync();
  }

  template <class Function>
  auto sum(int n, Function f) const {
    using V = std::decay_t<decltype(f(0))>;
    static_assert(std::is_trivially_copyable_v<V>);
    if (n * sizeof(V) > room_->summands.size()) std::abort();
    V* const value = reinterpret_cast<V*>(room_->summands.data());
    for (int i = rank_; i < n; i += T) value[i] = f(i);
    sync();
    V s[8]{};
    for (int i = 0; i < n; ++i) s[i % 8] = s[i % 8] + value[i];
    sync();
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }

  template <class Keep, class Write>
  int compact(int n, Keep keep, Write write) const {
    int count = 0;
    for (int first = 0; first < n; first += T) {
      const int i = first + rank_;
      const bool kept = i < n && keep(i);
      const std::uint32_t votes = vote(kept);
      if (kept) write(count + std::popcount(votes & ((1u << rank_) - 1)), i);
      count += std::popcount(votes);
    }
    sync();
    return count;
  }

 private:
  // A bit of each thread. Relaxed on purpose: see above.
  std::uint32_t vote(bool value) const {
    typename Room::Voter& self = room_->voter[rank_];
    const std::uint32_t turn = self.round++ % 2;  // a thread is never more than one vote ahead of another
    std::atomic<std::uint64_t>& votes = room_->votes[turn];
    votes.fetch_add(1 + (std::uint64_t{value} << (32 + rank_)), std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t now = votes.load(std::memory_order_relaxed), cast = now - self.seen[turn];
      if (static_cast<std::uint32_t>(cast) == T) {
        self.seen[turn] = now;
        return static_cast<std::uint32_t>(cast >> 32);
      }
      std::this_thread::yield();
    }
  }

  int rank_;
  Room* room_;
};

// f(team) by all the threads of a team.
template <int T, bool kOwnNotes = false, class Function>
void run_team(const Function& f) {
  using OfThreads = ThreadTeam<T, kOwnNotes>;
  typename OfThreads::Room room;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < T; ++rank) threads.emplace_back([&, rank] { f(OfThreads(rank, room)); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace carom::testing
