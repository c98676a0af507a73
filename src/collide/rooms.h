// Rooms for things whose number a stage finds out: it counts, sums up and fills.
//
// On the CPU the sum is known at once, and the room is made for it. On a GPU asking for it would be a wait in the
// middle of the stages, which could not be recorded as a graph either. There a room is kept from run to run; kernels
// run over it and stop at the count, which they read themselves (backend/count.h). One look at all totals, behind the
// last stage, tells whether some room was too small. Then the stages are run once more, this time waiting for each
// total. Several runs, one after the other, can do with one look: at the largest total of them all.
#pragma once

#include "backend/readback.h"
#include "backend/scan.h"

namespace carom::inline CAROM_PRECISION {

// All rooms of a list of stages:  do { begin(); for each run { send the stages; send_totals(); } } while (!settle());
class Rooms {
 public:
  explicit Rooms(const Queue& queue);

  // From run to run. Then stages must be nothing but launches.
  bool are_kept() const { return keeps_; }

  void begin();
  // Behind the last stage of each run; part of what a graph records.
  void send_totals(bool first_run = true, bool last_run = true) const;
  // Waits for all that was sent. False: some room was too small.
  bool settle();
  // Another number whenever rooms may have changed: recorded graphs are out of date.
  std::int64_t generation() const { return generation_; }

  // For tests: whether pipelines that are made from now on keep rooms on the CPU as they do on a GPU.
  static void keep_on_cpu(bool keep);

 private:
  friend class Room;
  static constexpr int kMostRooms = 16;

  const Queue& queue_;
  const bool keeps_;   // from run to run
  bool waits_ = true;  // for every total
  std::int64_t generation_ = 0;
  int count_ = 0;
  Readback totals_;                     // of the run, then the largest of all runs
  std::int64_t seen_[kMostRooms] = {};  // totals of the last run that was settled
  std::int64_t room_[kMostRooms] = {};
};

// Room for one kind of things.
class Room {
 public:
  // More than `most` are an Error; `what` names them for it.
  Room(Rooms& rooms, std::int64_t most, const char* what);

  // start[i] = count[0] + ... + count[i - 1] for i up to n.room; counts past n count as 0. Returns how many there are
  // in all, and the room for them.
  Count sum(Count n, const int* count, int* start);
  // The same for a total that the host found.
  Count set(std::int64_t total);
  // How many there were in the last run; known once it is settled.
  int size() const { return static_cast<int>(rooms_.seen_[slot_]); }

 private:
  void make_room(std::int64_t total);
  std::int64_t& room() { return rooms_.room_[slot_]; }

  Rooms& rooms_;
  const int slot_;
  const std::int64_t most_;
  const char* const what_;
  ScanScratch scan_;
};

}  // namespace carom::inline CAROM_PRECISION
