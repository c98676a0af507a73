// The parts of the ModelBuilder class, and the arguments that many of its methods share.
#pragma once

#include "carom/builder.h"
#include "convert.h"

namespace carom::inline CAROM_PRECISION::python {

using BuilderClass = nb::class_<ModelBuilder>;

void bind_builder_bodies(BuilderClass& cls);
void bind_builder_shapes(BuilderClass& cls);
void bind_builder_actuation(nb::module_& m, BuilderClass& cls);
void bind_builder_sensors(BuilderClass& cls);
void bind_builder_particles(BuilderClass& cls);
void bind_builder_mjcf(nb::module_& m, BuilderClass& cls);
void bind_builder_usd(nb::module_& m, BuilderClass& cls);
void bind_builder_urdf(nb::module_& m, BuilderClass& cls);

using Number = std::optional<Real>;  // None = take the default

inline void override_default(Real& number, const Number& given) {
  if (given) number = *given;
}

}  // namespace carom::inline CAROM_PRECISION::python
