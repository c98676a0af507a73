// How many contacts without and with friction each part has: parts with as many are solved side by side.
#pragma once

#include "solvers/mujoco/contact_list.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct CountContacts {
  ContactView contacts;
  Index2* count;  // without friction, with friction

  CAROM_HD void operator()(int part) const {
    int frictional = 0;
    const int begin = contacts.begin(part), end = contacts.end(part);
    for (int c = begin; c < end; ++c) frictional += contacts.material[contacts.contact(c)].condim != 1;
    count[part] = {end - begin - frictional, frictional};
  }
};

}  // namespace carom::inline CAROM_PRECISION
