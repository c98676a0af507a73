// Who works on one world. Loops whose iterations are independent are written team.each(n, f), sums team.sum(n, f):
//
//   Solo      one CPU thread. In the shuffled tier (tests) each() runs in another order at every call, which must
//             not change a bit: a race between iterations shows up without a GPU.
//   Crew      one CPU thread that others help with long loops (backend/crew.h): iterations share no variable that one
//             of them writes
//   Team<T>   CUDA: T neighbouring threads of one warp; a barrier follows each loop.
//
// ThreadTeam<T> of tests/teams stands in for Team<T> on the CPU, where the thread sanitizer watches. Memory that the
// threads of a team share is written by one of them: team.each(1, f).
//
// sum() adds in one order on every machine: eight partial sums, number i going to partial i mod 8, and then
// ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)), which is also the order of a butterfly over eight threads.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION::inline CAROM_TIER {

struct Solo {
  CAROM_HD static constexpr int rank() { return 0; }
  CAROM_HD static constexpr int size() { return 1; }
  CAROM_HD static void sync() {}
  CAROM_HD static void together() {}
  CAROM_HD static bool any(bool value) { return value; }          // true when it is for some thread of the team
  CAROM_HD static bool any_in_step(bool value) { return value; }  // of the teams that walk in step with this one

  // f() writes down numbers that all threads know: each for itself, or one for all of them where they share the place.
  template <class Function>
  CAROM_HD static void note(Function f) {
    f();
  }

  template <class Function>
  CAROM_HD static void each(int n, Function f) {
#if defined(CAROM_SHUFFLE_TEAMS)
    // i -> a i + b is a permutation modulo a power of two when a is odd; what falls outside [0, n) is skipped.
    static thread_local std::uint32_t random = 1;
    random = random * 1664525u + 1013904223u;
    const std::uint32_t a = random >> 8 | 1u, b = random >> 16;
    const std::uint32_t size = std::bit_ceil(static_cast<std::uint32_t>(n > 0 ? n : 0));
    for (std::uint32_t k = 0; k < size; ++k) {
      const int i = static_cast<int>((a * k + b) & (size - 1));
      if (i < n) f(i);
    }
#else
    for (int i = 0; i < n; ++i) f(i);
#endif
  }

  template <class Function>
  CAROM_HD static auto sum(int n, Function f) {
    using V = std::decay_t<decltype(f(0))>;
    if (n <= 4) {  // small models: the other partial sums are zero, and these stay in registers
      V a{}, b{}, c{}, d{};
      if (n > 0) a = a + f(0);
      if (n > 1) b = b + f(1);
      if (n > 2) c = c + f(2);
      if (n > 3) d = d + f(3);
      return (a + c) + (b + d);
    }
    V s[8];
    for (V& partial : s) partial = V{};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
      CAROM_UNROLL
      for (int k = 0; k < 8; ++k) s[k] = s[k] + f(i + k);
    }
    for (int k = 0; i + k < n; ++k) s[k] = s[k] + f(i + k);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }

  // write(k, i) for the k-th i in [0, n) for which keep(i) holds, ascending; returns how many there are.
  template <class Keep, class Write>
  CAROM_HD static int compact(int n, Keep keep, Write write) {
    int count = 0;
    for (int i = 0; i < n; ++i)
      if (keep(i)) write(count++, i);
    return count;
  }
};

#if defined(__CUDACC__)

// Blocks are one-dimensional and hold whole teams; the threads of a team come to every call together.
//
// kInStep: so do all teams of a warp that have a world, since the way through the code does not depend on what is in
// it. They wait for each other, and a warp goes through the code once. Otherwise every team waits for itself, and those
// of a warp may come apart: it then takes them one after the other.
//
// kOwnNotes: every thread writes down for itself what all of them know (note()), and keeps it in registers.
template <int T, bool kInStep = false, bool kOwnNotes = false>
struct Team {
  static_assert(T >= 1 && T <= 32 && (T & (T - 1)) == 0);

  __device__ static int rank() { return threadIdx.x & (T - 1); }
  CAROM_HD static constexpr int size() { return T; }
  __device__ static void sync() {
    if constexpr (T > 1) __syncwarp(waiting());
  }

  // A thread alone asks nobody: in votes of their own the threads of a warp would come apart.
  __device__ static bool any(bool value) {
    if constexpr (T == 1) return value;
    else return (__ballot_sync(waiting(), value) & own()) != 0;
  }
  __device__ static bool any_in_step(bool value) {
    if constexpr (T == 1 || !kInStep) return any(value);
    else return __any_sync(waiting(), value) != 0;
  }

  template <class Function>
  __device__ static void note(Function f) {
    if constexpr (kOwnNotes) {
      f();
    } else {
      if (rank() == 0) f();
      sync();
    }
  }

  // Waits for the other teams of the block that have something to do: those that walk through long code side by side
  // share what is fetched of it. The threads of a warp leave it as one, too, however they came: after functions that
  // some of them left early they would go on in groups. All teams of a warp that have a world come to every call.
  __device__ static void together() {
    __syncthreads();
    __syncwarp();
  }

  template <class Function>
  __device__ static void each(int n, Function f) {
    CAROM_ROLL
    for (int i = rank(); i < n; i += T) f(i);
    sync();
  }

  // Partial sums never hold -0, so adding the zeros past the end changes no bit.
  template <class Function>
  __device__ static auto sum(int n, Function f) {
    using V = std::decay_t<decltype(f(0))>;
    constexpr int kOwn = T < 8 ? 8 / T : 1;     // thread r owns partials r, r + T, ... of the eight
    constexpr int kRounds = T > 8 ? T / 8 : 1;  // threads r, r + 8, ... all keep partial r mod 8
    V s[kOwn] = {};
    CAROM_ROLL
    for (int first = 0; first < n; first += T * kOwn) {
      for (int own = 0; own < kOwn; ++own) {
        const int i = first + own * T + rank();
        const V value = i < n ? f(i) : V{};
        if constexpr (kRounds == 1) {
          s[own] = s[own] + value;
        } else {
          for (int round = 0; round < kRounds; ++round) s[0] = s[0] + from_thread(value, rank() % 8 + 8 * round);
        }
      }
    }
    for (int apart = 4; apart > 0; apart /= 2) {
      if (apart >= T) {
        const int pairs = apart / T;
        for (int own = 0; own < pairs; ++own) s[own] = s[own] + s[own + pairs];
      } else {
        s[0] = s[0] + from_thread(s[0], rank() ^ apart);
      }
    }
    sync();
    return s[0];
  }

  template <class Keep, class Write>
  __device__ static int compact(int n, Keep keep, Write write) {
    if constexpr (T == 1) return Solo::compact(n, keep, write);
    int count = 0;
    CAROM_ROLL
    for (int first = 0; first < n; first += T) {
      const int i = first + rank();
      const bool kept = i < n && keep(i);
      const unsigned votes = (__ballot_sync(waiting(), kept) & own()) >> (threadIdx.x & 31 & ~(T - 1));
      if (kept) write(count + __popc(votes & ((1u << rank()) - 1u)), i);
      count += __popc(votes);
    }
    sync();
    return count;
  }

 private:
  // Threads of the warp: of this team, and those that wait for each other.
  __device__ static unsigned own() {
    return T == 32 ? 0xffffffffu : ((1u << T % 32) - 1u) << (threadIdx.x & 31 & ~(T - 1));
  }
  __device__ static unsigned waiting() { return kInStep ? 0xffffffffu : own(); }
  // The value that thread `rank` of the team holds.
  template <class V>
  __device__ static V from_thread(V value, int rank) {
    static_assert(std::is_trivially_copyable_v<V> && sizeof(V) % 4 == 0);
    struct Words {
      unsigned word[sizeof(V) / 4];
    };
    Words words = std::bit_cast<Words>(value);
    for (unsigned& word : words.word) word = __shfl_sync(waiting(), word, rank, T);
    return std::bit_cast<V>(words);
  }
};

#endif  // defined(__CUDACC__)

}  // namespace carom::inline CAROM_PRECISION::inline CAROM_TIER
