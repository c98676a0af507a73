// EventStepper as Python's; in carom.f64 alone. The GIL is released while it runs, and taken for the user's functions.
#include "carom/platform.h"

#if defined(CAROM_F64)
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "carom/event_stepper.h"
#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

ArrayHandle array_of(const std::vector<Real>& numbers, std::vector<std::size_t> shape) {
  const Array<Real> array{std::span<const Real>(numbers)};
  ArrayHandle handle(array);
  handle.shape = std::move(shape);
  return handle;
}

// A Python object that may be copied and dropped without the GIL.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* o) {
            nb::gil_scoped_acquire locked;
            delete o;
          }};
}

Restart parse_restart(nb::handle given) {
  if (given.is_none()) return Restart::kNone;
  const std::string name = nb::cast<std::string>(given);
  for (const Restart restart : {Restart::kNone, Restart::kRestart, Restart::kTerminate})
    if (name == restart_name(restart)) return restart;
  throw Error("EventStepper: an event says \"" + name + "\"; \"none\", \"restart\" and \"terminate\" are possible");
}

// self: whose action it is, and which calls it while it lives.
Action action_of(EventStepper& self, nb::object given) {
  if (given.is_none()) return {};
  return [f = shared(std::move(given)), &self](const Instant& at, const Control& control) {
    nb::gil_scoped_acquire locked;
    const nb::object said = (*f)(at.time, nb::cast(at.state), nb::cast(control), at.world);
    if (!nb::isinstance<nb::tuple>(said)) return parse_restart(said);
    if (nb::len(said) != 2 || !nb::isinstance<ModelHandle>(said[0]) || !nb::isinstance<State>(said[1]))
      throw Error("EventStepper: an event says a tuple that is not a model and a state");
    self.restart(nb::cast<const ModelHandle&>(said[0]).model, nb::cast<const State&>(said[1]), at.time);
    return Restart::kFull;
  };
}

void bind_events(nb::module_& m) {
  nb::class_<Event>(m, "Event", "What happened, and when.")
      .def_ro("time", &Event::time, "where the distance is zero, or the user's function [s]")
      .def_ro("world", &Event::world, "-1: of a model without worlds")
      .def_prop_ro(
          "kind", [](const Event& e) { return event_kind_name(e.kind); },
          "\"begin\", \"end\", \"impact\", \"stick\" or \"user\"")
      .def_ro("pair", &Event::pair, "pair_id of the shapes; 0 of events of the user's")
      .def_ro("velocity", &Event::velocity, "of the second shape relative to the first where they touch, before [m/s]")
      .def_ro("normal_velocity", &Event::normal_velocity, "how fast they part; negative: they approach [m/s]")
      .def_prop_ro(
          "restart", [](const Event& e) { return restart_name(e.restart); },
          "\"none\", \"restart\", \"full\" or \"terminate\"")
      .def_ro("name", &Event::name, "of events of the user's")
      .def_ro("accumulates_at", &Event::accumulates_at,
              "when impacts of this pair that follow each other ever faster come to their end; otherwise NaN [s]")
      .def("__repr__", [](const Event& e) {
        return nb::str("Event(time={}, world={}, kind={!r}, pair={}, normal_velocity={}, name={!r})")
            .format(e.time, e.world, event_kind_name(e.kind), e.pair, e.normal_velocity, e.name);
      });
  nb::class_<EventSamples>(m, "EventSamples", "Samples of a world at equal intervals.")
      .def_prop_ro(
          "time", [](const EventSamples& s) { return array_of(s.time, {s.time.size()}); }, "[s]")
      .def_prop_ro(
          "joint_q",
          [](const EventSamples& s) {
            return array_of(s.joint_q, {s.time.size(), s.joint_q.size() / std::max<std::size_t>(s.time.size(), 1)});
          },
          "a row per sample")
      .def_prop_ro(
          "joint_qd",
          [](const EventSamples& s) {
            return array_of(s.joint_qd, {s.time.size(), s.joint_qd.size() / std::max<std::size_t>(s.time.size(), 1)});
          },
          "a row per sample")
      .def_prop_ro(
          "nearest", [](const EventSamples& s) { return array_of(s.nearest, {s.nearest.size()}); },
          "least distance of all pairs [m]");
  nb::class_<EventCounts>(m, "EventCounts", "What a run took.")
      .def_ro("steps", &EventCounts::steps)
      .def_ro("rejected", &EventCounts::rejected, "steps that were made again, shorter")
      .def_ro("evaluations", &EventCounts::evaluations, "of derivatives")
      .def_ro("events", &EventCounts::events);
}

void bind_palette(nb::module_& m) {
  nb::class_<SolidMaterial>(m, "SolidMaterial", "What a shape is of.")
      .def(
          "__init__",
          [](SolidMaterial* self, std::string name, Real modulus, Real ratio) {
            new (self) SolidMaterial{std::move(name), modulus, ratio};
          },
          nb::arg("name"), nb::arg("youngs_modulus"), nb::arg("poissons_ratio"))
      .def_rw("name", &SolidMaterial::name)
      .def_rw("youngs_modulus", &SolidMaterial::youngs_modulus, "[Pa]")
      .def_rw("poissons_ratio", &SolidMaterial::poissons_ratio);
  nb::class_<PairMaterial>(m, "PairMaterial", "What happens between two solids.")
      .def(
          "__init__",
          [](PairMaterial* self, std::string a, std::string b, Real restitution, Real mu, Real rolling) {
            new (self) PairMaterial{std::move(a), std::move(b), restitution, mu, rolling};
          },
          nb::arg("solid_a"), nb::arg("solid_b"), nb::arg("restitution"), nb::arg("mu"),
          nb::arg("rolling_friction") = 0)
      .def_rw("solid_a", &PairMaterial::solid_a)
      .def_rw("solid_b", &PairMaterial::solid_b)
      .def_rw("restitution", &PairMaterial::restitution)
      .def_rw("mu", &PairMaterial::mu)
      .def_rw("rolling_friction", &PairMaterial::rolling_friction,
              "of the radius of contact, against turning about any axis");
  nb::class_<MaterialPalette>(m, "MaterialPalette", "Solids, and what happens between two of them.")
      .def("__init__", [](MaterialPalette* self) { new (self) MaterialPalette(standard_materials()); })
      .def_rw("solids", &MaterialPalette::solids)
      .def_rw("pairs", &MaterialPalette::pairs)
      .def("solid", &MaterialPalette::solid, nb::arg("name"))
      .def("pair", &MaterialPalette::pair, nb::arg("a"), nb::arg("b"));
}

// What the ContactDetection of the first world has.
template <class T>
auto of_detection(const char* name) {
  return [name](const EventStepper& s) { return nb::borrow<T>(nb::cast(s.detection()).attr(name)); };
}

void make(EventStepper* self, const ModelHandle& handle, const EventStepperConfig& config, const Queue* queue) {
  new (self) EventStepper(handle.model, config, queue);
}

}  // namespace

void bind_event_stepper(nb::module_& m) {
  bind_events(m);
  bind_palette(m);
  const EventStepperConfig defaults;
  using S = EventStepper;
  nb::class_<S>(
      m, "EventStepper",
      "Contact that is accurate to the event: an integrator with a variable step, which stops at the instant at "
      "which shapes touch or part, or a function of yours crosses zero. See docs/events.md.")
      .def(
          "__init__",
          [](S* self, const ModelHandle& handle, Real tolerance, const std::string& method, const std::string& response,
             const std::string& hits, int nz_max, const std::string& scheme, Real smoothing_radius, Real max_step,
             Real stick_speed, Real slide_speed, Real turn_speed, Real max_damping, Real stiffness_scale,
             const nb::dict& materials, const MaterialPalette* palette, const std::string& default_material,
             const Queue* queue) {
            EventStepperConfig c;
            c.tolerance = tolerance;
            c.method = parse_integration_method(method);
            c.response = parse_contact_response(response);
            c.hits = parse_hit_order(hits);
            c.detection.nz_max = nz_max;
            c.detection.scheme = parse_detection_scheme(scheme);
            c.detection.smoothing_radius = smoothing_radius;
            c.max_step = max_step, c.stick_speed = stick_speed, c.slide_speed = slide_speed;
            c.turn_speed = turn_speed, c.max_damping = max_damping, c.stiffness_scale = stiffness_scale;
            for (const auto& [key, name] : materials)
              c.materials.emplace_back(nb::cast<std::string>(key), nb::cast<std::string>(name));
            if (palette) c.palette = *palette;
            c.default_material = default_material;
            make(self, handle, c, queue);
          },
          nb::arg("model"), nb::arg("tolerance") = defaults.tolerance,
          nb::arg("method") = integration_method_name(defaults.method),
          nb::arg("response") = contact_response_name(defaults.response), nb::kw_only(),
          nb::arg("hits") = hit_order_name(defaults.hits), nb::arg("nz_max") = defaults.detection.nz_max,
          nb::arg("scheme") = detection_scheme_name(defaults.detection.scheme),
          nb::arg("smoothing_radius") = defaults.detection.smoothing_radius, nb::arg("max_step") = defaults.max_step,
          nb::arg("stick_speed") = defaults.stick_speed, nb::arg("slide_speed") = defaults.slide_speed,
          nb::arg("turn_speed") = defaults.turn_speed, nb::arg("max_damping") = defaults.max_damping,
          nb::arg("stiffness_scale") = defaults.stiffness_scale, nb::arg("materials") = nb::dict(),
          nb::arg("palette") = nb::none(), nb::arg("default_material") = defaults.default_material,
          nb::arg("queue") = nb::none(), nb::keep_alive<1, 19>(),
          "It begins with the state and control of the model at time 0.\n\n"
          "    tolerance: of a step: this part of every number, or a tenth of it in [m], [rad], [m/s], [rad/s]\n"
          "    method: \"rk45\", \"bdf\" or \"adams\"\n"
          "    response: \"impulse\" or \"elastic\"\n"
          "    hits: \"together\", or \"in_turn\", where one pair after the other passes an impulse on\n"
          "    nz_max: most functions of scheme \"pairs\"; with more contacts than that it gives up\n"
          "    scheme: of contact detection: \"pairs\" or \"two\"\n"
          "    smoothing_radius: of edges and corners [m]\n"
          "    max_step: [s]\n"
          "    stick_speed: what meets slower stays in touch, without restitution [m/s]\n"
          "    slide_speed: what slides slower rubs less [m/s]\n"
          "    turn_speed: what rolls or spins slower, likewise [rad/s]\n"
          "    max_damping: of the elastic law [s/m]\n"
          "    stiffness_scale: of Hertz's stiffness: less is softer and quicker to integrate\n"
          "    materials: of shapes, by their keys or a beginning with a * behind it\n"
          "    default_material: of shapes that materials do not name")
      .def(
          "restart", [](S& s, const State& state, Real time) { s.restart(state, time); }, nb::arg("state"),
          nb::arg("time") = 0, "Begins at this state, without a past: no events, and what overlaps is in contact.")
      .def(
          "restart_with",
          [](S& s, const ModelHandle& handle, const State& state, Real time) { s.restart(handle.model, state, time); },
          nb::arg("model"), nb::arg("state"), nb::arg("time"),
          "Goes on with another model: bodies were attached, released or taken away. Events stay listed.")
      .def("run", &S::run, nb::arg("until"), nb::arg("sample_interval") = 0, nb::call_guard<nb::gil_scoped_release>(),
           "Until all worlds are there, or an event has ended them [s]. With a sample_interval there are samples().")
      .def("step_to", &S::step_to, nb::arg("time"), nb::call_guard<nb::gil_scoped_release>(), "run() without samples.")
      .def("run_to_event", &S::run_to_event, nb::arg("until"), nb::call_guard<nb::gil_scoped_release>(),
           "Every world to its next event, or to `until`; True where one has had an event.")
      .def(
          "add_event",
          [](S& s, std::string name, nb::object zero, int direction, nb::object act) {
            auto call = [f = shared(std::move(zero))](const Instant& at) {
              nb::gil_scoped_acquire locked;
              return nb::cast<Real>((*f)(at.time, nb::cast(at.state), at.world));
            };
            s.add_event({std::move(name), call, direction, action_of(s, std::move(act))});
          },
          nb::arg("name"), nb::arg("zero"), nb::arg("direction") = 0, nb::arg("act") = nb::none(),
          "An event where zero(time, state, world) rises (1), falls (-1) or crosses (0). act(time, state, control, "
          "world) may write to both, and returns \"none\", \"restart\" or \"terminate\"; or a model and a state to go "
          "on with.")
      .def(
          "add_time_event",
          [](S& s, Real time, const std::string& name, nb::object act) {
            s.add_time_event(time, name, action_of(s, std::move(act)));
          },
          nb::arg("time"), nb::arg("name"), nb::arg("act") = nb::none(), "The same at a time [s].")
      .def_prop_ro(
          "state", [](const S& s) { return s.state(); }, "at the times of the worlds")
      .def_prop_ro(
          "control", [](const S& s) { return s.control(); }, "what is written here counts from the next run on")
      .def("time", &S::time, nb::arg("world") = -1, "[s]")
      .def("terminated", &S::terminated, nb::arg("world") = -1, "whether an event has ended the world")
      .def_prop_ro(
          "events", [](const S& s) { return s.events(); }, "list of Event, by time and then by world")
      .def(
          "samples", [](const S& s, int world) { return s.samples(world); }, nb::arg("world") = -1)
      .def(
          "detection", [](const S& s, int world) { return s.detection(world); }, nb::arg("world") = -1,
          "its ContactDetection")
      .def_prop_ro("last_contact_dict", of_detection<nb::dict>("last_contact_dict"), "of detection(), here and below")
      .def_prop_ro("contact_dict", of_detection<nb::dict>("contact_dict"))
      .def_prop_ro("distance_dict", of_detection<nb::dict>("distance_dict"))
      .def_prop_ro("no_contact_dict", of_detection<nb::dict>("no_contact_dict"))
      .def_prop_ro("z", of_detection<nb::list>("z"))
      .def("counts", &S::counts, nb::arg("world") = -1, "of a world; -1: of all together");
}

}  // namespace carom::inline CAROM_PRECISION::python
#endif
