// Devices and the typed arrays that live on them. Arrays are the interface of carom: every Model, State and Contacts
// field is one. An Array is a cheap handle: copies and slices share the memory, clone() makes an own copy.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "carom/platform.h"

namespace carom {

enum class DeviceType : std::int32_t { kCpu, kCuda };

struct Device {
  DeviceType type = DeviceType::kCpu;
  int index = 0;  // which GPU; 0 for the CPU

  static Device parse(const std::string& name);  // "cpu", "cuda", "cuda:1"; throws Error for anything else
  std::string name() const;
  bool is_cpu() const { return type == DeviceType::kCpu; }
  bool operator==(const Device&) const = default;
};

// Number of usable CUDA devices: 0 in builds and on machines without CUDA.
int cuda_device_count();

// A pointer and a length; what kernels see of an Array.
template <class T>
struct Span {
  T* data = nullptr;
  std::int64_t size = 0;

  CAROM_HD T& operator[](std::int64_t i) const { return data[i]; }
  CAROM_HD T* begin() const { return data; }
  CAROM_HD T* end() const { return data + size; }
  template <std::same_as<const T> U>
  CAROM_HD operator Span<U>() const {
    return {data, size};
  }
};

// Memory on a device, released with the last handle. Zeroed memory costs nothing extra on the CPU.
std::shared_ptr<void> allocate_bytes(Device device, std::int64_t bytes);
// Waits for what queues of these devices were sent before; the ranges may overlap on the CPU.
void copy_bytes(void* dst, Device dst_device, const void* src, Device src_device, std::int64_t bytes);
// Throw Error when sizes differ, and when [first, last) is not inside [0, size).
void check_same_size(std::int64_t size, std::int64_t other_size);
void check_slice(std::int64_t first, std::int64_t last, std::int64_t size);

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  // Zero-filled.
  explicit Array(std::int64_t size, Device device = {})
      : memory_(allocate_bytes(device, size * std::int64_t{sizeof(T)})),
        data_(static_cast<T*>(memory_.get())),
        size_(size),
        device_(device) {}
  explicit Array(std::span<const T> values, Device device = {}) : Array(std::int64_t(values.size()), device) {
    copy_bytes(data_, device_, values.data(), Device{}, bytes());
  }

  // Memory that somebody else owns; `owner` keeps it alive.
  Array(std::shared_ptr<void> owner, T* data, std::int64_t size, Device device = {})
      : memory_(std::move(owner)), data_(data), size_(size), device_(device) {}

  T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return size_ * std::int64_t{sizeof(T)}; }
  bool empty() const { return size_ == 0; }
  Device device() const { return device_; }
  const std::shared_ptr<void>& memory() const { return memory_; }

  // For arrays on the CPU alone.
  T& operator[](std::int64_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

  Span<T> view() const { return {data_, size_}; }
  Span<const T> const_view() const { return {data_, size_}; }

  // Elements [first, last) of the same memory.
  Array slice(std::int64_t first, std::int64_t last) const {
    check_slice(first, last, size_);
    Array part = *this;
    part.data_ = data_ + first;
    part.size_ = last - first;
    return part;
  }
  Array clone() const { return to(device_); }
  // An own copy on another device.
  Array to(Device device) const {
    Array copy(size_, device);
    copy.assign(*this);
    return copy;
  }
  // Where the CPU can read it: the array itself, or a copy of one that lives on a GPU.
  Array on_cpu() const { return device_.is_cpu() ? *this : to(Device{}); }
  // Copies the values of another array of the same size.
  void assign(const Array& other) const {
    check_same_size(size_, other.size_);
    copy_bytes(data_, device_, other.data_, other.device_, bytes());
  }

 private:
  std::shared_ptr<void> memory_;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  Device device_;
};

}  // namespace carom
