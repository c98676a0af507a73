// Contact sensors: which contacts match, which of them are told, and what of them (MuJoCo's rules, docs/sensors.md).
//
// Two kernels: the first one finds, contact by contact, which sensors of a world see anything at all, the second one
// reads each sensor on its own. Sums and orders are those of the contacts, which do not depend on who computes them.
#pragma once

#include "carom/contacts.h"
#include "carom/math/contact_frame.h"
#include "sensors/contact_sensor.h"
#include "sensors/sense_sites.kernel.h"

namespace carom::inline CAROM_PRECISION {

// The contacts of all worlds, as Contacts has them, and the shapes that touch.
struct SensedContacts {
  const int *world_start, *shape0, *shape1;
  const Vec3 *point, *normal, *tangent, *force, *torque;
  const Real* depth;
  const int* shape_type;

  CAROM_HD bool swapped(int c) const {
    return rank_in_contact(static_cast<ShapeType>(shape_type[shape0[c]])) >
           rank_in_contact(static_cast<ShapeType>(shape_type[shape1[c]]));
  }
};

// Which sensors of a world see something, as bits.
struct FindSensorsTouched {
  SensedContacts contacts;
  ContactCriteria criteria;
  const std::int64_t* touched_start;
  std::uint64_t* touched;

  CAROM_HD void operator()(int world) const {
    std::uint64_t* const to = touched + touched_start[world];
    const int words = criteria.words[world];
    for (int k = 0; k < words; ++k) to[k] = 0;
    for (int c = contacts.world_start[world]; c < contacts.world_start[world + 1]; ++c)
      for (int k = 0; k < words; ++k) to[k] |= criteria.match(world, k, contacts.shape0[c], contacts.shape1[c]).bits;
  }
};

// A contact as its sensor sees it: the normal points from the first object to the second, on which the force acts.
struct SensedContact {
  Mat33 axes;  // normal, tangent, and their cross product
  Vec3 point, force, torque;
  Real distance;
  int shape[2];
};

// All matches of a sensor together.
struct ContactTotals {
  int found = 0;
  bool pushed = false;  // by one of them
  Vec3 force{};         // on the second object, world frame [N]
};

struct SenseContacts {
  Span<const ContactSensor> sensors;
  SensedContacts contacts;
  ContactCriteria criteria;
  const std::int64_t* touched_start;
  const std::uint64_t* touched;
  SensedShapes shapes;
  const SpatialVector* body_qd;
  const Vec3* body_com;
  const std::int32_t* body_asleep;  // nullptr: nothing sleeps
  Real dt;
  Real* values;
  Real* memory;
  ContactReadingRows readings;
  bool first_of_call;

  CAROM_HD void operator()(int i) const {
    const ContactSensor s = sensors[i];
    Real *const air = memory + s.memory, *const contact = air + 1;
    ContactTotals now{readings.found[s.place], *contact > 0, readings.force_on_second[s.place]};
    if (!sleeps(s)) now = read(s);
    *air = now.pushed ? Real(0) : *air + dt;
    *contact = now.pushed ? *contact + dt : Real(0);
    readings.found[s.place] = now.found, readings.force_on_second[s.place] = now.force;
    readings.air_time[s.place] = *air, readings.contact_time[s.place] = *contact;
    add_to_call(s.place, now);
  }

 private:
  // What sleeps makes no contacts: its sensors keep what they read last.
  CAROM_HD bool sleeps(const ContactSensor& s) const {
    if (!body_asleep) return false;
    bool any = false;
    for (const int body : s.body) {
      if (body < 0) continue;
      if (body_asleep[body] < 0) return false;
      any = true;
    }
    return any;
  }

  CAROM_HD void add_to_call(int i, const ContactTotals& now) const {
    const bool first = first_of_call;
    const int most = first ? 0 : readings.most_found[i];
    readings.most_found[i] = now.found > most ? now.found : most;
    readings.largest_force[i] = max(first ? Real(0) : readings.largest_force[i], length(now.force));
    readings.impulse_on_second[i] = (first ? Vec3{} : readings.impulse_on_second[i]) + now.force * dt;
    readings.duration[i] = (first ? Real(0) : readings.duration[i]) + dt;
  }

  CAROM_HD ContactTotals read(const ContactSensor& s) const {
    Real* const to = values + s.values;
    for (int k = 0; k < s.num * s.size; ++k) to[k] = 0;
    if (!(touched[touched_start[s.world] + s.bit / 64] >> (s.bit % 64) & 1)) return {};
    const ContactTotals total = add_up(s);
    if (total.found == 0) return total;
    switch (s.reduce) {
      case ContactReduce::kNone: tell_first(s, total.found, to); break;
      case ContactReduce::kMinDist:
      case ContactReduce::kMaxForce: tell_sorted(s, total.found, to); break;
      case ContactReduce::kNetForce: tell_net(s, total, to); break;
    }
    return total;
  }

  // 1, -1: the first object of the sensor is shape 0, shape 1; 0: the contact does not match.
  CAROM_HD int direction(const ContactSensor& s, int c) const {
    const bool swap = contacts.swapped(c);
    const int a = swap ? contacts.shape1[c] : contacts.shape0[c], b = swap ? contacts.shape0[c] : contacts.shape1[c];
    const ContactCriteria::Match match = criteria.match(s.world, s.bit / 64, a, b);
    const std::uint64_t bit = std::uint64_t{1} << (s.bit % 64);
    if (!(match.bits & bit)) return 0;
    if (s.site >= 0 && !is_inside(s.site, contacts.point[c])) return 0;
    return ((match.flipped & bit) != 0) != swap ? -1 : 1;
  }
  CAROM_HD bool is_inside(int site, Vec3 p_W) const {
    const Vec3 p = transform_point(inverse(shapes.pose(site)), p_W);
    return surface_point(shapes.form(site), p, kUnbounded).distance < 0;
  }

  // f(contact, direction) for all that match, in their order.
  template <class Function>
  CAROM_HD void each_match(const ContactSensor& s, Function f) const {
    for (int c = contacts.world_start[s.world]; c < contacts.world_start[s.world + 1]; ++c)
      if (const int way = direction(s, c); way != 0) f(c, way);
  }

  CAROM_HD ContactTotals add_up(const ContactSensor& s) const {
    ContactTotals total;
    each_match(s, [&](int c, int way) CAROM_HD_LAMBDA {
      ++total.found;
      total.pushed = total.pushed || length_squared(contacts.force[c]) > 0;
      total.force += contacts.force[c] * Real(way);
    });
    return total;
  }

  CAROM_HD void tell_first(const ContactSensor& s, int found, Real* to) const {
    int slot = 0;
    each_match(s, [&](int c, int way) CAROM_HD_LAMBDA {
      if (slot < s.num) write(s, found, seen(c, way), to + slot * s.size);
      ++slot;
    });
  }

  // Nearest, or most pushed, first; of equal ones that with the lower number. Each pass takes the next one.
  CAROM_HD void tell_sorted(const ContactSensor& s, int found, Real* to) const {
    const bool by_force = s.reduce == ContactReduce::kMaxForce;
    Real last_key = 0;
    int last = -1;  // none yet
    for (int slot = 0; slot < s.num && slot < found; ++slot) {
      Real best_key = 0;
      int best = -1, best_way = 1;
      each_match(s, [&](int c, int way) CAROM_HD_LAMBDA {
        const Real key = by_force ? -length_squared(contacts.force[c]) : -contacts.depth[c];
        const bool is_left = last < 0 || key > last_key || (key == last_key && c > last);
        if (is_left && (best < 0 || key < best_key)) best_key = key, best = c, best_way = way;
      });
      if (best < 0) return;  // a number that is not finite
      write(s, found, seen(best, best_way), to + slot * s.size);
      last_key = best_key, last = best;
    }
  }

  // One that stands for all of them, at the mean of their points weighted by force, in the axes of the world.
  CAROM_HD void tell_net(const ContactSensor& s, const ContactTotals& total, Real* to) const {
    Real weight = 0;
    Vec3 sum{};
    each_match(s, [&](int c, int) CAROM_HD_LAMBDA {
      const Real force = length(contacts.force[c]);
      weight += force;
      sum += contacts.point[c] * force;
    });
    SensedContact net{mat33_identity<Real>(), sum / max(weight, Real(1e-15)), total.force, {}, 0, {-1, -1}};
    each_match(s, [&](int c, int way) CAROM_HD_LAMBDA {
      const Vec3 torque = contacts.torque[c] + cross(contacts.point[c] - net.point, contacts.force[c]);
      net.torque += torque * Real(way);
    });
    write(s, total.found, net, to);
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

  CAROM_HD void write(const ContactSensor& s, int found, const SensedContact& c, Real* to) const {
    const auto put = [&](Vec3 v) CAROM_HD_LAMBDA {
      to[0] = v.x, to[1] = v.y, to[2] = v.z;
      to += 3;
    };
    const auto along = [&](Vec3 v) CAROM_HD_LAMBDA {
      return Vec3{dot(c.axes[0], v), dot(c.axes[1], v), dot(c.axes[2], v)};
    };
    if (s.data & kContactFound) *to++ = Real(found);
    if (s.data & kContactForce) put(along(c.force));
    if (s.data & kContactTorque) put(along(c.torque));
    if (s.data & kContactDist) *to++ = c.distance;
    if (s.data & kContactPos) put(c.point);
    if (s.data & kContactNormal) put(c.axes[0]);
    if (s.data & kContactTangent) put(c.axes[1]);
    if (!(s.data & (kContactLinVel | kContactAngVel))) return;
    const SpatialVector first = velocity_at(c.shape[0], c.point), second = velocity_at(c.shape[1], c.point);
    if (s.data & kContactLinVel) put(along(second.linear - first.linear));
    if (s.data & kContactAngVel) put(along(second.angular - first.angular));
  }
};

// From MuJoCo's layout to the flat one, of one channel: a row for each world and member.
struct FlattenContacts {
  const int* sensor;    // of each row, -1 = there is none
  const int* found;     // of each row
  const Real* values;   // of the channel
  int data, num, size;  // of an entry, as in ContactSensor
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
