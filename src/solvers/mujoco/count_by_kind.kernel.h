// How many contacts of either kind each world has: worlds with as many are solved side by side.
#pragma once

#include "solvers/mujoco/contact_list.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct CountByKind {
  ContactView contacts;
  Index2* count;  // without friction, with friction

  CAROM_HD void operator()(int world) const {
    int frictional = 0;
    const int begin = contacts.begin(world), end = contacts.end(world);
    for (int c = begin; c < end; ++c) frictional += contacts.material[c].condim != 1;
    count[world] = {end - begin - frictional, frictional};
  }
};

}  // namespace carom::inline CAROM_PRECISION
