// The few macros of the project: where code runs, which precision it is built for, which CPU tier it belongs to.
//
// carom is one source built twice, with Real = float (namespace carom::f32) and Real = double (carom::f64).
// The precision is an inline namespace: users write carom::Model, the linker sees carom::f32::Model, so mixing
// both builds is a link error instead of a crash.
#pragma once

#include <cstdint>

#if defined(CAROM_F64)
#define CAROM_PRECISION f64
#else
#define CAROM_PRECISION f32
#endif

// A tier is one build of the kernels for the CPU: an instruction set, a lane width and an order of team loops.
// Types that kernels are instantiated with (Lanes, Solo) live in an inline namespace of the tier's name, so that
// the same text compiled for several tiers never shares a symbol. See docs/decisions/0003-tiers.md.
#if !defined(CAROM_TIER)
#define CAROM_TIER baseline
#endif

// CAROM_HD marks small functions for host and device. They are always inlined: a function compiled in a tier's
// file must not leave a shared out-of-line copy that an older CPU could be handed by the linker.
// CAROM_HD_LAMBDA stands behind the parameters of a lambda in such a function and asks for the same (in CUDA a lambda
// inherits where it runs).
// CAROM_HD_STAGE marks the large ones: templates over a tier's own types, which are free to stay out of line. On CUDA
// they must: a solve that is inlined as a whole does not fit the instruction cache.
// CAROM_HD_FREE marks such templates that CUDA is free to inline, too: then the numbers and pointers that a kernel is
// called with are operands of its instructions instead of loads.
// CAROM_HD_LARGE marks large functions that are no templates; they stand in the inline namespace of the tier.
// CAROM_UNROLL stands before a loop whose few iterations belong into registers, CAROM_ROLL before one whose body is so
// long that CUDA must not repeat it.
#if defined(__CUDACC__)
#define CAROM_UNROLL _Pragma("unroll")
#define CAROM_ROLL _Pragma("unroll 1")
#define CAROM_HD __host__ __device__ __forceinline__
#define CAROM_HD_STAGE __host__ __device__ __noinline__
#define CAROM_HD_FREE __host__ __device__
#define CAROM_HD_LARGE inline __host__ __device__ __noinline__
#define CAROM_HD_LAMBDA
#else
#define CAROM_UNROLL _Pragma("GCC unroll 8")
#define CAROM_ROLL
#define CAROM_HD inline __attribute__((always_inline))
#define CAROM_HD_STAGE
#define CAROM_HD_FREE
#define CAROM_HD_LARGE inline
#define CAROM_HD_LAMBDA __attribute__((always_inline))
#endif

namespace carom::inline CAROM_PRECISION {

#if defined(CAROM_F64)
using Real = double;
#else
using Real = float;
#endif

}  // namespace carom::inline CAROM_PRECISION
