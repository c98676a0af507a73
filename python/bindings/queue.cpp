// Queue, and the builds of the kernels that the CPU can choose from.
#include "carom/queue.h"

#include <nanobind/stl/string.h>

#include "bindings.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

Queue make_queue(const std::string& device, int threads, int lanes) {
  return Queue(Device::parse(device), {.threads = threads, .lanes = lanes});
}

}  // namespace

void bind_queue(nb::module_& m) {
  nb::class_<Queue>(m, "Queue",
                    "Where work is sent, and how many threads and lanes may be used. Results do not depend on it.")
      .def(nb::new_(&make_queue), nb::arg("device") = Device{}.name(), nb::kw_only(),
           nb::arg("threads") = QueueConfig{}.threads, nb::arg("lanes") = QueueConfig{}.lanes,
           "threads: of the CPU, 0 = all cores or the environment variable CAROM_THREADS. lanes: worlds side by side "
           "in a vector register, 0 = as many as the CPU holds, 1 = one world at a time.")
      .def("finish", &Queue::finish, nb::call_guard<nb::gil_scoped_release>(), "Waits for everything sent so far.")
      .def_prop_ro(
          "device", [](const Queue& self) { return self.device().name(); }, "\"cpu\", \"cuda:0\", ...")
      .def_prop_ro("threads", &Queue::threads, "CPU threads in use.");

  m.def("cpu_tier_count", &cpu_tier_count, "Number of builds of the kernels in this library.");
  m.def("cpu_tier_name", &cpu_tier_name, nb::arg("tier"), "Name of a build: \"baseline\", \"avx2\", ...");
  m.def("cpu_tier_supported", &cpu_tier_supported, nb::arg("tier"), "True when this CPU can run that build.");
  m.def("cpu_tier", &cpu_tier, "The build in use.");
  m.def("set_cpu_tier", &set_cpu_tier, nb::arg("tier"), "Chooses a build. Results are the same bits with every one.");
}

}  // namespace carom::inline CAROM_PRECISION::python
