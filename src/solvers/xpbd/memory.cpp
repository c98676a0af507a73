#include "solvers/xpbd/memory.h"

#include "backend/send_copy.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
void widen(Array<T>& column, int worlds, int before, int now, Device device) {
  Array<T> wide(static_cast<std::int64_t>(worlds) * now, device);
  for (int w = 0; w < worlds && before > 0; ++w)
    wide.slice(std::int64_t{w} * now, std::int64_t{w} * now + before)
        .assign(column.slice(std::int64_t{w} * before, std::int64_t{w} * before + before));
  column = wide;
}

}  // namespace

XpbdMemory::XpbdMemory(int worlds, int joints, int bodies, Device device)
    : count(worlds, device), joint(6 * std::int64_t{joints}, device), body_q(bodies, device), body_qd(bodies, device) {}

void XpbdMemory::grow(int contacts, Device device) {
  if (contacts <= room) return;
  const int worlds = static_cast<int>(count.size());
  for (Array<int>* column : {&shape0, &shape1, &feature}) widen(*column, worlds, room, contacts, device);
  for (Array<Vec3>* column : {&force, &torque}) widen(*column, worlds, room, contacts, device);
  room = contacts;
}

XpbdMemory XpbdMemory::like() const {
  const Device device = count.device();
  XpbdMemory other(static_cast<int>(count.size()), static_cast<int>(joint.size() / 6), static_cast<int>(body_q.size()),
                   device);
  other.room = room;
  for (Array<int> XpbdMemory::*column : {&XpbdMemory::shape0, &XpbdMemory::shape1, &XpbdMemory::feature})
    other.*column = Array<int>((this->*column).size(), device);
  for (Array<Vec3> XpbdMemory::*column : {&XpbdMemory::force, &XpbdMemory::torque})
    other.*column = Array<Vec3>((this->*column).size(), device);
  return other;
}

bool XpbdMemory::fits(const XpbdMemory& other) const {
  return joint.size() == other.joint.size() && body_q.size() == other.body_q.size();
}

void XpbdMemory::send_copy_to(const Queue& queue, XpbdMemory& other) const {
  if (other.room != room || other.count.size() != count.size()) other = like();
  send_copy(queue, count, other.count);
  for (Array<int> XpbdMemory::*column : {&XpbdMemory::shape0, &XpbdMemory::shape1, &XpbdMemory::feature})
    send_copy(queue, this->*column, other.*column);
  send_copy(queue, force, other.force);
  send_copy(queue, torque, other.torque);
  send_copy(queue, joint, other.joint);
  send_copy(queue, body_q, other.body_q);
  send_copy(queue, body_qd, other.body_qd);
}

MemoryView XpbdMemory::view() const {
  return {room,
          count.data(),
          shape0.data(),
          shape1.data(),
          feature.data(),
          force.data(),
          torque.data(),
          joint.data(),
          reinterpret_cast<Real*>(body_q.data()),
          reinterpret_cast<Real*>(body_qd.data())};
}

}  // namespace carom::inline CAROM_PRECISION
