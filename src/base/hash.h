// A 64-bit hash of bytes for golden hashes: FNV-1a (Fowler, Noll, Vo; IETF draft-eastlake-fnv), which depends on the
// bytes alone and therefore is the same number on every little-endian machine. Not for hash tables, not for security.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace carom {

class Hash {
 public:
  void add_bytes(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * kPrime;
  }

  // Only types without padding have one pattern of bytes per value; floats are hashed bit by bit, so 0 and -0 differ.
  template <class T>
  void add(const T& item) {
    static_assert(std::is_floating_point_v<T> || std::has_unique_object_representations_v<T>);
    add_bytes(&item, sizeof(T));
  }

  // The values and their number, so that the border between two arrays counts.
  template <class T>
  void add_all(std::span<const T> items) {
    add(static_cast<std::uint64_t>(items.size()));
    for (const T& item : items) add(item);
  }

  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325u;
  static constexpr std::uint64_t kPrime = 0x100000001b3u;

  std::uint64_t value_ = kOffsetBasis;
};

// Of anything with data() and size() in CPU memory: an Array, a vector, a span.
template <class Items>
std::uint64_t hash_of(const Items& items) {
  Hash hash;
  hash.add_all(std::span(static_cast<const std::remove_reference_t<decltype(*items.data())>*>(items.data()),
                         static_cast<std::size_t>(items.size())));
  return hash.value();
}

}  // namespace carom
