// One short text that changes when any bit of a state's poses or twists does; for showing that two ways of computing
// give the same bits. 64-bit FNV-1a (Fowler, Noll, Vo).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "carom/state.h"

namespace carom::inline CAROM_PRECISION::scenes {

inline std::string fingerprint(const State& state) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const auto& array) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(array.data());
    for (std::int64_t i = 0; i < array.bytes(); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  };
  add(state.body_q);
  add(state.body_qd);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace carom::inline CAROM_PRECISION::scenes
