// impulse_by_collision() for arrays of contacts: the same bits per contact, in lanes and on threads, or on a GPU.
#pragma once

#include <concepts>

#include "carom/impulse/collision.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

// A value per contact, or one for all of them when there are no rows.
template <class T>
struct ContactColumn {
  Span<const T> rows;
  T one{};

  ContactColumn() = default;
  ContactColumn(const T& one) : one(one) {}
  ContactColumn(Span<const T> rows) : rows(rows) {}
};

// Principal moments per contact, tensors per contact, or one inertia for all when there are neither.
struct InertiaColumn {
  Span<const Vec3> moments;
  Span<const Mat33> tensors;
  RotationalInertia one;

  InertiaColumn(const RotationalInertia& one) : one(one) {}
  InertiaColumn(Span<const Vec3> moments) : moments(moments), one(1, 1, 1) {}
  InertiaColumn(Span<const Mat33> tensors) : tensors(tensors), one(1, 1, 1) {}

  CAROM_HD bool diagonal() const { return moments.size > 0 || (tensors.size == 0 && one.diagonal); }
};

// The arguments of impulse_by_collision(). What is not set of the target makes it immovable.
struct ImpulseBatch {
  ContactColumn<Vec3> v1, w1;
  ContactColumn<Euler> self_euler;
  ContactColumn<Vec3> v2, w2;
  ContactColumn<Euler> target_euler;
  ContactColumn<Vec3> r1, r2;
  ContactColumn<Real> m1 = Real(1), m2 = infinity<Real>();
  InertiaColumn I1 = RotationalInertia(1, 1, 1);
  InertiaColumn I2 = RotationalInertia(infinity<Real>(), infinity<Real>(), infinity<Real>());
  ContactColumn<Vec3> normal;
  ContactColumn<Real> e, friction, tangential_restitution, restitution_threshold;
  bool oriented = false;
};

// The impulses on self of as many contacts as `impulses` has room for. The queue is the default one of the CPU when
// none is given; all arrays are on its device. On the CPU all rows are checked first, and a bad one throws an Error
// that names the argument and the row. On a GPU the impulses of bad rows are NaN, and the call returns when the work is
// done.
void impulses_by_collision(const ImpulseBatch& batch, Span<Vec3> impulses, const Queue* queue = nullptr);

}  // namespace carom::inline CAROM_PRECISION
