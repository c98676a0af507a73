// What the backend checks about devices before it uses them.
#pragma once

#include "carom/array.h"

namespace carom {

// Throws Error when the device is not there.
void require_device(Device device);

}  // namespace carom
