#include "collide/rooms.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "collide/kernels.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool keeps_on_cpu = false;

// What is found grows and shrinks a little from run to run.
std::int64_t with_slack(std::int64_t total) { return total + total / 2 + 64; }

}  // namespace

void Rooms::keep_on_cpu(bool keep) { keeps_on_cpu = keep; }

Rooms::Rooms(const Queue& queue)
    : queue_(queue), keeps_(!queue.device().is_cpu() || keeps_on_cpu), totals_(2 * kMostRooms, queue.device()) {}

void Rooms::begin() {
  if (waits_) ++generation_;
}

void Rooms::send_totals(bool first_run, bool last_run) const {
  if (!keeps_) return;
  std::int64_t* const totals = totals_.on_device().data();
  launch(queue_, count_, MostTotals{first_run, totals, totals + kMostRooms});
  if (last_run) totals_.send(queue_);
}

bool Rooms::settle() {
  queue_.finish();
  const std::int64_t* const most = totals_.values() + kMostRooms;
  std::copy_n(totals_.values(), count_, seen_);
  waits_ = !keeps_ || !std::equal(most, most + count_, room_, [](auto needed, auto room) { return needed <= room; });
  return !keeps_ || !waits_;
}

Room::Room(Rooms& rooms, std::int64_t most, const char* what)
    : rooms_(rooms), slot_(rooms.count_++), most_(most), what_(what) {
  scan_.total = rooms.totals_.on_device().slice(slot_, slot_ + 1);
}

Count Room::sum(Count n, const int* count, int* start) {
  exclusive_scan(rooms_.queue_, {count, n.room}, {start, n.room + 1}, scan_, n.total);
  if (rooms_.waits_) make_room(scan_total(rooms_.queue_, scan_));
  return {static_cast<int>(room()), scan_.total.data()};
}

Count Room::set(std::int64_t total) {
  copy_bytes(scan_.total.data(), scan_.total.device(), &total, Device{}, sizeof(total));
  make_room(total);
  return {static_cast<int>(room()), scan_.total.data()};
}

void Room::make_room(std::int64_t total) {
  if (total > most_)
    fail("collision pipeline: more than ", most_, " ", what_,
         "; move them apart, use filters, smaller margins, or fewer worlds at once");
  if (!rooms_.keeps_) room() = total;
  else if (total > room()) room() = std::min(with_slack(total), most_);
}

}  // namespace carom::inline CAROM_PRECISION
