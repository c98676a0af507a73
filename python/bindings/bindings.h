// The parts of the extension module, one function per subject. The same files are compiled twice, for _carom_f32 and
// _carom_f64; what they bind is the public door of the library, include/carom, and nothing else.
#pragma once

#include <nanobind/nanobind.h>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION::python {

namespace nb = nanobind;

void bind_array(nb::module_& m);
void bind_queue(nb::module_& m);
void bind_math(nb::module_& m);
void bind_geometry(nb::module_& m);
void bind_config(nb::module_& m);
void bind_state(nb::module_& m);
void bind_model(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_from_mujoco(nb::module_& m);
void bind_mjcf(nb::module_& m);
void bind_mjcf_elements(nb::module_& m);
void bind_urdf(nb::module_& m);
void bind_kinematics(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_collide(nb::module_& m);
void bind_query(nb::module_& m);
void bind_raycast(nb::module_& m);
void bind_impulse(nb::module_& m);
void bind_resolve_impulses(nb::module_& m);
void bind_contact_forces(nb::module_& m);
void bind_sensors(nb::module_& m);
void bind_solver_mujoco(nb::module_& m);
void bind_solvers_penalty(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_contact_detection(nb::module_& m);  // in double precision alone, as is the next one
void bind_event_stepper(nb::module_& m);

}  // namespace carom::inline CAROM_PRECISION::python
