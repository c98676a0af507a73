// The version of the library. CMake and the Python package read it from here.
#pragma once

#define CAROM_VERSION_MAJOR 0
#define CAROM_VERSION_MINOR 1
#define CAROM_VERSION_PATCH 0

namespace carom {

constexpr const char* kVersion = "0.1.0";

}  // namespace carom
