// What SolverXPBD remembers of its last step: the forces of contacts and joints, where the next step begins its search,
// and the state that it led to. A world that is not in this state, as after a reset, begins without.
#pragma once

#include "carom/queue.h"
#include "solvers/xpbd/memory.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct XpbdMemory {
  int room = 0;  // for contacts of a world
  Array<int> count, shape0, shape1, feature;
  Array<Vec3> force, torque;
  Array<Real> joint;  // force and torque of every joint, world axes
  Array<Transform> body_q;
  Array<SpatialVector> body_qd;

  XpbdMemory() = default;
  XpbdMemory(int worlds, int joints, int bodies, Device device);
  // Room for so many contacts of a world; what is remembered stays.
  void grow(int contacts, Device device);
  XpbdMemory like() const;                   // of the same size
  bool fits(const XpbdMemory& other) const;  // whether it is about as many joints and bodies
  void send_copy_to(const Queue& queue, XpbdMemory& other) const;
  MemoryView view() const;
};

}  // namespace carom::inline CAROM_PRECISION
