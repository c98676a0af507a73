// The extension module itself: the order of its parts, and carom::Error as the Python exception carom.Error.
#include "bindings.h"
#include "carom/error.h"
#include "carom/version.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// Both modules raise the one class of carom/_error.py, so `except carom.Error` catches the errors of carom.f64 too.
void translate_error(const std::exception_ptr& thrown, void* error_class) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyErr_SetString(static_cast<PyObject*>(error_class), error.what());
  }
}

}  // namespace

NB_MODULE(CAROM_MODULE, m) {
  m.doc() = "Contact physics of many worlds at once.";
  m.attr("__version__") = kVersion;
  nb::object error_class = nb::module_::import_("carom._error").attr("Error");
  nb::register_exception_translator(translate_error, error_class.release().ptr());

  bind_array(m);
  bind_queue(m);
  bind_math(m);
  bind_geometry(m);
  bind_config(m);
  bind_state(m);
  bind_model(m);
  bind_builder(m);
  bind_from_mujoco(m);
  bind_mjcf(m);
  bind_mjcf_elements(m);
  bind_urdf(m);
  bind_kinematics(m);
  bind_dynamics(m);
  bind_collide(m);
  bind_query(m);
  bind_raycast(m);
  bind_impulse(m);
  bind_resolve_impulses(m);
  bind_contact_forces(m);
  bind_sensors(m);
  bind_solver_mujoco(m);
  bind_solvers_penalty(m);
  bind_simulation(m);
#if defined(CAROM_F64)
  bind_contact_detection(m);
  bind_event_stepper(m);
#endif
}

}  // namespace carom::inline CAROM_PRECISION::python
