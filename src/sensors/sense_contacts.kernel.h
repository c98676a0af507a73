// Contact sensors: which contacts match, which of them are told, and what of them (MuJoCo's rules, docs/sensors.md).
//
// Two kernels: the first one adds up, contact by contact, what the sensors of a world see in each step, the second one
// tells of each sensor on its own, at the end of a call. Sums and orders are those of the contacts, which do not depend
// on who computes them.
#pragma once

#include "carom/contacts.h"
#include "carom/math/contact_frame.h"
#include "math/bits.h"
#include "sensors/contact_sensor.h"
#include "sensors/sense_sites.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The contacts of all worlds, as Contacts has them, and the shapes that touch.
struct SensedContacts {
  const int *world_start, *shape0, *shape1;
  const Vec3 *point, *normal, *tangent, *force, *torque;
  const Real* depth;
  const int* shape_type;

  // Which of the sensors see it from shape 1: of those that might take either shape for their first object, those whose
  // normal points that way.
  CAROM_HD std::uint64_t backward(const ContactCriteria::Match& match, int c) const {
    const std::uint64_t either = match.forward & match.backward;
    return (match.backward & ~either) | (either != 0 && swapped(c) ? either : 0);
  }
  CAROM_HD bool swapped(int c) const {
    return rank_in_contact(static_cast<ShapeType>(shape_type[shape0[c]])) >
           rank_in_contact(static_cast<ShapeType>(shape_type[shape1[c]]));
  }
};

// Whether a contact is in the volume of a site.
CAROM_HD bool is_inside(const SensedShapes& shapes, int site, Vec3 p_W) {
  const Vec3 p = transform_point(inverse(shapes.pose(site)), p_W);
  return surface_point(shapes.form(site), p, kUnbounded).distance < 0;
}

// What the sensors of a world see all together, and for how long.
struct AddUpContacts {
  SensedContacts contacts;
  ContactCriteria criteria;
  ContactBooks books;
  SensedShapes shapes;
  SleepingBodies asleep;
  bool has_sites;  // some sensor of the model
  bool tells;      // somebody wants the totals of this step
  Real dt;
  Real* memory;
  PlaceInCall place;

  CAROM_HD void operator()(int world) const {
    for (int k = 0; k < criteria.words[world]; ++k) add_up(world, k);
    books.duration[world] = (place.first ? Real(0) : books.duration[world]) + dt;
  }

 private:
  // Up to 64 sensors of a world.
  struct Sensors {
    int world, word;
    std::int64_t first;  // in the books
    int count;
  };
  // What they see.
  struct Sums {
    std::uint64_t touched = 0, pushed = 0;  // pushed: by a contact with a force
    ContactTotals total[64];                // of those that are touched
  };

  CAROM_HD void add_up(int world, int word) const {
    const std::int64_t first = books.start[world] + std::int64_t{word} * 64, left = books.start[world + 1] - first;
    const Sensors these{world, word, first, left < 64 ? static_cast<int>(left) : 64};
    const std::int64_t set = books.word_start[world] + word;
    Sums now;
    for (int c = contacts.world_start[world]; c < contacts.world_start[world + 1]; ++c) add(these, c, now);
    const std::uint64_t rests = asleep.any() ? resting(these) : 0;
    now.touched &= ~rests, now.pushed &= ~rests;
    books.touched[set] = now.touched, books.rests[set] = rests;
    pass_time(these, now.pushed, rests);
    if (asleep.any()) keep_for_sleep(these, now, rests);
    else if (tells) each_bit(now.touched, [&](int i) CAROM_HD_LAMBDA { books.totals[first + i] = now.total[i]; });
    add_to_call(these, set, now, rests);
  }

  CAROM_HD void add(const Sensors& these, int c, Sums& sums) const {
    const ContactCriteria::Match match =
        criteria.match(these.world, these.word, contacts.shape0[c], contacts.shape1[c]);
    const std::uint64_t matches = match.forward | match.backward;
    if (matches == 0) return;
    const Vec3 force = contacts.force[c];
    std::uint64_t seen = matches;
    if (has_sites)
      each_bit(matches, [&](int i) CAROM_HD_LAMBDA {
        const int site = books.objects[these.first + i].site;
        if (site >= 0 && !is_inside(shapes, site, contacts.point[c])) seen &= ~(std::uint64_t{1} << i);
      });
    const std::uint64_t known = sums.touched, backward = contacts.backward(match, c);
    each_bit(seen, [&](int i) CAROM_HD_LAMBDA {
      ContactTotals& total = sums.total[i];
      const Vec3 on_second = backward >> i & 1 ? -force : force;
      if (!(known >> i & 1)) {
        total = {c, c + 1, 1, on_second.x, on_second.y, on_second.z};
      } else {
        total.end = c + 1;
        ++total.found;
        total.x += on_second.x, total.y += on_second.y, total.z += on_second.z;
      }
    });
    sums.touched |= seen;
    if (length_squared(force) > 0) sums.pushed |= seen;
  }

  // For how long each has been pushed; for how long it has not, negative [s]. What rests goes on with what it did.
  CAROM_HD void pass_time(const Sensors& these, std::uint64_t pushed, std::uint64_t rests) const {
    if (books.in_a_row && rests == 0)
      return pass_time_in_a_row(memory + books.time_at[these.first], these.count, pushed);
    for (int i = 0; i < these.count; ++i) {
      Real& time = memory[books.time_at[these.first + i]];
      time = passed(time, (pushed >> i & 1) != 0 || ((rests >> i & 1) != 0 && time > 0));
    }
  }
  // As compilers find lanes in it.
  CAROM_HD void pass_time_in_a_row(Real* times, int count, std::uint64_t pushed) const {
    const Real step = dt;
    for (int half = 0; half * 32 < count; ++half) {
      const auto bits = static_cast<std::uint32_t>(pushed >> (half * 32));
      Real* const time = times + half * 32;
      const int end = count - half * 32 < 32 ? count - half * 32 : 32;
      for (int i = 0; i < end; ++i) {
        const Real longer = max(time[i], Real(0)) + step, away = min(time[i], Real(0)) - step;
        time[i] = bits & (std::uint32_t{1} << i) ? longer : away;
      }
    }
  }
  CAROM_HD Real passed(Real time, bool is_pushed) const {
    return is_pushed ? max(time, Real(0)) + dt : min(time, Real(0)) - dt;
  }

  // What sleeps makes no contacts: its sensors keep what they saw last (KeepReadings).
  CAROM_HD std::uint64_t resting(const Sensors& these) const {
    std::uint64_t rests = 0;
    for (int i = 0; i < these.count; ++i)
      if (books.objects[these.first + i].sleepers.rest(asleep)) rests |= std::uint64_t{1} << i;
    return rests;
  }
  CAROM_HD void keep_for_sleep(const Sensors& these, const Sums& now, std::uint64_t rests) const {
    for (int i = 0; i < these.count; ++i) {
      ContactTotals& total = books.totals[these.first + i];
      Real* const kept = memory + books.time_at[these.first + i] + 1;
      if (rests >> i & 1) {
        total = {0, 0, static_cast<int>(kept[0]), kept[1], kept[2], kept[3]};
      } else {
        total = now.touched >> i & 1 ? now.total[i] : ContactTotals{};
        kept[0] = Real(total.found), kept[1] = total.x, kept[2] = total.y, kept[3] = total.z;
      }
    }
  }

  CAROM_HD void add_to_call(const Sensors& these, std::int64_t set, const Sums& now, std::uint64_t rests) const {
    ContactCall* const calls = books.calls + these.first;
    const std::uint64_t sees = now.touched | rests, before = books.called[set];
    if (place.first) books.told[set] = before;
    const std::uint64_t known = place.first ? 0 : before;
    each_bit(sees, [&](int i) CAROM_HD_LAMBDA {
      const ContactTotals& total = rests >> i & 1 ? books.totals[these.first + i] : now.total[i];
      const ContactCall call = known >> i & 1 ? calls[i] : ContactCall{};
      calls[i] = {total.found > call.most_found ? total.found : call.most_found,
                  max(call.largest_force, length(total.force())), call.impulse + total.force() * dt};
    });
    books.called[set] = known | sees;
  }
};

// A contact as its sensor sees it: the normal points from the first object to the second, on which the force acts.
struct SensedContact {
  Mat33 axes;  // normal, tangent, and their cross product
  Vec3 point, force, torque;
  Real distance;
  int shape[2];
};

struct TellContacts {
  const ContactSeat* seats;
  const ContactChannel* channels;
  SensedContacts contacts;
  ContactCriteria criteria;
  ContactBooks books;
  SensedShapes shapes;
  const SpatialVector* body_qd;
  const Vec3* body_com;
  Real* values;
  const Real* memory;
  ContactReadingRows readings;
  PlaceInCall place;

  CAROM_HD void operator()(int i) const {
    const ContactSeat& seat = seats[i];
    const bool sees = books.has(books.called, seat) || books.has(books.told, seat);
    if (place.last && channels[seat.channel].is_read) tell_readings(seat, sees);
    if (channels[seat.channel].remembers || (place.last && sees)) tell_values(seat);
  }

  // sees: otherwise they are 0 as they were in the call before, and time alone goes on.
  CAROM_HD void tell_readings(const ContactSeat& seat, bool sees) const {
    const std::int64_t own = books.start[seat.world] + seat.bit;
    const int at = seat.place;
    const Real time = memory[books.time_at[own]];
    readings.air_time[at] = max(-time, Real(0));
    if (!sees) return;
    const bool now = books.has(books.touched, seat) || books.has(books.rests, seat);
    const ContactTotals total = now ? books.totals[own] : ContactTotals{};
    const ContactCall call = books.has(books.called, seat) ? books.calls[own] : ContactCall{};
    readings.contact_time[at] = max(time, Real(0));
    const Real duration = books.duration[seat.world];
    readings.found[at] = total.found;
    readings.force_on_second[at] = total.force(), readings.force_on_first[at] = -total.force();
    readings.most_found[at] = call.most_found, readings.largest_force[at] = call.largest_force;
    readings.impulse_on_second[at] = call.impulse;
    readings.mean_force_on_second[at] = duration > 0 ? call.impulse / duration : total.force();
  }

 private:
  // One sensor.
  struct Sensor {
    const ContactSeat& seat;
    const ContactChannel& is;
    int site;
  };

  CAROM_HD void tell_values(const ContactSeat& seat) const {
    if (books.has(books.rests, seat)) return;
    const std::int64_t own = books.start[seat.world] + seat.bit;
    const Sensor s{seat, channels[seat.channel], books.objects[own].site};
    const std::int64_t size = std::int64_t{s.is.num} * s.is.size;
    Real* const to = values + s.is.first_value + (seat.place - s.is.first_place) * size;
    for (std::int64_t k = 0; k < size; ++k) to[k] = 0;
    if (!books.has(books.touched, seat)) return;
    const ContactTotals total = books.totals[own];
    switch (s.is.reduce) {
      case ContactReduce::kNone: tell_first(s, total, to); break;
      case ContactReduce::kMinDist:
      case ContactReduce::kMaxForce: tell_sorted(s, total, to); break;
      case ContactReduce::kNetForce: tell_net(s, total, to); break;
    }
  }

  // 1, -1: the first object of the sensor is shape 0, shape 1; 0: the contact does not match.
  CAROM_HD int direction(const Sensor& s, int c) const {
    const ContactCriteria::Match match =
        criteria.match(s.seat.world, s.seat.bit / 64, contacts.shape0[c], contacts.shape1[c]);
    const std::uint64_t own = std::uint64_t{1} << (s.seat.bit % 64);
    if (!((match.forward | match.backward) & own)) return 0;
    if (s.site >= 0 && !is_inside(shapes, s.site, contacts.point[c])) return 0;
    return contacts.backward(match, c) & own ? -1 : 1;
  }

  // f(contact, direction) for all that match, in their order.
  template <class Function>
  CAROM_HD void each_match(const Sensor& s, const ContactTotals& among, Function f) const {
    for (int c = among.begin; c < among.end; ++c)
      if (const int way = direction(s, c); way != 0) f(c, way);
  }

  CAROM_HD void tell_first(const Sensor& s, const ContactTotals& total, Real* to) const {
    int slot = 0;
    each_match(s, total, [&](int c, int way) CAROM_HD_LAMBDA {
      if (slot < s.is.num) write(s, total, seen(c, way), to + slot * s.is.size);
      ++slot;
    });
  }

  // Nearest, or most pushed, first; of equal ones that with the lower number. Each pass takes the next one.
  CAROM_HD void tell_sorted(const Sensor& s, const ContactTotals& total, Real* to) const {
    const bool by_force = s.is.reduce == ContactReduce::kMaxForce;
    Real last_key = 0;
    int last = -1;  // none yet
    for (int slot = 0; slot < s.is.num && slot < total.found; ++slot) {
      Real best_key = 0;
      int best = -1, best_way = 1;
      each_match(s, total, [&](int c, int way) CAROM_HD_LAMBDA {
        const Real key = by_force ? -length_squared(contacts.force[c]) : -contacts.depth[c];
        const bool is_left = last < 0 || key > last_key || (key == last_key && c > last);
        if (is_left && (best < 0 || key < best_key)) best_key = key, best = c, best_way = way;
      });
      if (best < 0) return;  // a number that is not finite
      write(s, total, seen(best, best_way), to + slot * s.is.size);
      last_key = best_key, last = best;
    }
  }

  // One that stands for all of them, at the mean of their points weighted by force, in the axes of the world.
  CAROM_HD void tell_net(const Sensor& s, const ContactTotals& total, Real* to) const {
    Real weight = 0;
    Vec3 sum{};
    each_match(s, total, [&](int c, int) CAROM_HD_LAMBDA {
      const Real force = length(contacts.force[c]);
      weight += force;
      sum += contacts.point[c] * force;
    });
    SensedContact net{mat33_identity<Real>(), sum / max(weight, Real(1e-15)), total.force(), {}, 0, {-1, -1}};
    if (s.is.data & kContactTorque)
      each_match(s, total, [&](int c, int way) CAROM_HD_LAMBDA {
        const Vec3 torque = contacts.torque[c] + cross(contacts.point[c] - net.point, contacts.force[c]);
        net.torque += torque * Real(way);
      });
    write(s, total, net, to);
  }

  CAROM_HD SensedContact seen(int c, int way) const {
    const Real sign = Real(way);
    const bool swap = way < 0;
    // Turned about the second tangent, so that the axes stay right-handed: MuJoCo does so with its own normal, which is
    // that of the lower rank.
    const Real own = contacts.swapped(c) ? Real(-1) : Real(1);
    const Mat33 given = contact_frame(contacts.normal[c] * own, contacts.tangent[c]);
    const Real turn = own * sign;
    SensedContact seen{
        {given[0] * turn, given[1] * turn, given[2]},
        contacts.point[c],
        contacts.force[c] * sign,
        contacts.torque[c] * sign,
        -contacts.depth[c],
        {swap ? contacts.shape1[c] : contacts.shape0[c], swap ? contacts.shape0[c] : contacts.shape1[c]}};
    return seen;
  }

  // Of the material point of a shape's body that is at p.
  CAROM_HD SpatialVector velocity_at(int shape, Vec3 p) const {
    const int body = shapes.body[shape];
    if (body < 0) return {};
    const SpatialVector V = body_qd[body];
    return {V.linear + cross(V.angular, p - transform_point(shapes.X_WB[body], body_com[body])), V.angular};
  }

  CAROM_HD void write(const Sensor& s, const ContactTotals& total, const SensedContact& c, Real* to) const {
    const int data = s.is.data;
    const auto put = [&](Vec3 v) CAROM_HD_LAMBDA {
      to[0] = v.x, to[1] = v.y, to[2] = v.z;
      to += 3;
    };
    const auto along = [&](Vec3 v) CAROM_HD_LAMBDA {
      return Vec3{dot(c.axes[0], v), dot(c.axes[1], v), dot(c.axes[2], v)};
    };
    if (data & kContactFound) *to++ = Real(total.found);
    if (data & kContactForce) put(along(c.force));
    if (data & kContactTorque) put(along(c.torque));
    if (data & kContactDist) *to++ = c.distance;
    if (data & kContactPos) put(c.point);
    if (data & kContactNormal) put(c.axes[0]);
    if (data & kContactTangent) put(c.axes[1]);
    if (!(data & (kContactLinVel | kContactAngVel))) return;
    const SpatialVector first = velocity_at(c.shape[0], c.point), second = velocity_at(c.shape[1], c.point);
    if (data & kContactLinVel) put(along(second.linear - first.linear));
    if (data & kContactAngVel) put(along(second.angular - first.angular));
  }
};

// The readings of a channel for which somebody asks for the first time.
struct TellReadings {
  TellContacts tell;
  int channel;

  CAROM_HD void operator()(int i) const {
    if (tell.seats[i].channel == channel) tell.tell_readings(tell.seats[i], true);
  }
};

// Both for some worlds, one after the other, so that the second one finds in the caches of a CPU what the first one
// left.
struct SenseContacts {
  static constexpr int kItemsTogether = 1;

  AddUpContacts add_up;
  TellContacts tell;
  int rows, rows_of_group;
  const int* seat_start;  // of each group

  CAROM_HD void operator()(int group) const {
    const int first = group * rows_of_group, end = first + rows_of_group;
    for (int row = first; row < end && row < rows; ++row) add_up(row);
    for (int i = seat_start[group]; add_up.tells && i < seat_start[group + 1]; ++i) tell(i);
  }
};

// From MuJoCo's layout to the flat one, of one channel: a row for each world and member.
struct FlattenContacts {
  const int* sensor;    // of each row, -1 = there is none
  const int* found;     // of each row
  const Real* values;   // of the channel
  int data, num, size;  // of an entry, as in ContactChannel
  bool net;
  int flat_dim;
  float* flat;

  CAROM_HD void operator()(int row) const {
    float* to = flat + std::int64_t{row} * flat_dim;
    for (int k = 0; k < flat_dim; ++k) to[k] = 0;
    if (sensor[row] < 0) return;
    const Real* from = values + std::int64_t{row} * num * size;
    // As old as the values are; what was found now, where they do not say.
    const int matches = data & kContactFound ? static_cast<int>(from[0]) : found[row];
    const int valid = net ? 1 : matches < num ? matches : num;
    *to++ = float(valid);
    const int skipped = data & kContactFound ? 1 : 0;
    for (int slot = 0; slot < valid; ++slot, from += size)
      for (int k = skipped; k < size; ++k) *to++ = float(from[k]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
