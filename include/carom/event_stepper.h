// EventStepper: contact that is accurate to the event. An integrator with a variable step moves every world of a model
// at its own pace, between events without any jump; at the instant at which shapes touch, part, or a function of the
// user's crosses zero it stops, changes what there is to change, and begins anew. In double precision, on the CPU.
//
//   response kImpulse   what meets faster than stick_speed bounces at once, by the laws of carom/impulse/impact.h, with
//                       all that touches then, through joints too; what meets slower stays in touch by the elastic law
//   response kElastic   contact takes the time that the elastic law takes (Hertz, damped; src/events/elastic_law.h)
//
// Loops (enabled equality constraints), tendons, particles and whatever else it does not move are an Error by name.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "carom/contact_detection.h"
#include "carom/elastic_materials.h"
#include "carom/queue.h"
#include "carom/solver_features.h"

namespace carom::inline CAROM_PRECISION {

enum class IntegrationMethod : std::int32_t {
  kRk45,   // Dormand and Prince 5(4): what is not stiff; worlds side by side
  kBdf,    // SUNDIALS' CVODE, backward differentiation: what is stiff, as contacts of hard materials that last
  kAdams,  // CVODE, Adams-Moulton: smooth motion to the last digit
};
enum class ContactResponse : std::int32_t { kImpulse, kElastic };
enum class HitOrder : std::int32_t {
  kTogether,  // what touches at one instant shares the impulse
  kInTurn,    // one pair after the other passes it on, the fastest first
};

const char* integration_method_name(IntegrationMethod method);  // "rk45", "bdf", "adams"
IntegrationMethod parse_integration_method(const std::string& name);
bool has_integration_method(IntegrationMethod method);        // CVODE was there when this was built
const char* contact_response_name(ContactResponse response);  // "impulse", "elastic"
ContactResponse parse_contact_response(const std::string& name);
const char* hit_order_name(HitOrder order);  // "together", "in_turn"
HitOrder parse_hit_order(const std::string& name);

struct EventStepperConfig {
  Real tolerance = Real(1e-8);  // of a step: this part of every number, or a tenth of it in [m], [rad], [m/s], [rad/s]
  IntegrationMethod method = IntegrationMethod::kRk45;
  ContactResponse response = ContactResponse::kImpulse;
  HitOrder hits = HitOrder::kTogether;
  ContactDetectionConfig detection;
  Real max_step = std::numeric_limits<Real>::infinity();  // [s]
  Real stick_speed = Real(0.01);                          // what meets slower stays in touch, without restitution [m/s]
  Real slide_speed = Real(0.01);                          // what slides slower rubs less [m/s]
  Real turn_speed = Real(0.01);                           // what rolls or spins slower, likewise [rad/s]
  Real max_damping = Real(2000);                          // of the elastic law [s/m]
  Real stiffness_scale = 1;  // of Hertz's stiffness: less is softer and quicker to integrate
  // What shapes are of: their keys, or a beginning of keys with a * behind it, and solids of the palette; the last one
  // that fits counts. Two shapes of solids have the numbers of their pair. A shape without is as hard as
  // default_material, and has the restitution and friction of its own columns.
  std::vector<std::pair<std::string, std::string>> materials;
  MaterialPalette palette = standard_materials();
  std::string default_material = "Steel";
};

enum class EventKind : std::int32_t {
  kBegin,   // shapes touch, and stay so while they push each other
  kEnd,     // they part
  kImpact,  // they bounce
  kStick,   // they touch too slowly to bounce
  kUser,
};
const char* event_kind_name(EventKind kind);  // "begin", "end", "impact", "stick", "user"

// What the integrator does after an event.
enum class Restart : std::int32_t {
  kNone,
  kRestart,
  kFull,  // with the model that the action has handed to restart(): no action returns this
  kTerminate,
};
const char* restart_name(Restart restart);  // "none", "restart", "full", "terminate"

struct Event {
  Real time;  // at which the distance is zero, or the user's function [s]
  int world;  // -1: of a model without worlds
  EventKind kind;
  PairID pair;           // 0 of kUser
  Vec3 velocity;         // of the second shape relative to the first where they touch, before [m/s]
  Real normal_velocity;  // how fast they part; negative: they approach [m/s]
  Restart restart;
  std::string name;  // of kUser
  // Where impacts of this pair follow each other ever faster, when they will have come to their end [s]; otherwise NaN.
  Real accumulates_at;
};

// What a function of the user's is given: the instant, and a state of which the rows of this world are up to date.
struct Instant {
  Real time;
  int world;
  const State& state;
};
// What happens at an event of the user's: it may write state and control of its world, and says how to go on. None: as
// if nothing had happened; so who writes something says restart. Where bodies are attached, released or taken away it
// calls restart() with the model without or with them.
using Action = std::function<Restart(const Instant&, const Control&)>;
// An event where `zero` rises or falls through 0, in every world.
struct UserEvent {
  std::string name;
  std::function<Real(const Instant&)> zero;
  int direction = 0;  // 1: rises, -1: falls, 0: both
  Action act{};
};

// Samples of a world at equal intervals.
struct EventSamples {
  std::vector<Real> time;               // [s]
  std::vector<Real> joint_q, joint_qd;  // row after row
  std::vector<Real> nearest;            // least distance of all pairs [m]
};

struct EventCounts {
  std::int64_t steps = 0, rejected = 0;  // accepted ones, and those that were made again shorter
  std::int64_t evaluations = 0;          // of derivatives
  std::int64_t events = 0;
};

class EventStepper {
 public:
  static constexpr const char* kName = "EventStepper";
  static constexpr Features kFeatures{Feature::kDistanceJoints, Feature::kTurningEffortLimits, Feature::kUnevenTurning,
                                      Feature::kActuators};

  // It begins with the model's state and control at time 0.
  explicit EventStepper(const Model& model, const EventStepperConfig& config = {}, const Queue* queue = nullptr);

  // Begins at this state, without a past: no events, and what overlaps by more than z_eps is in contact.
  void restart(const State& state, Real time = 0);
  // Goes on with another model: bodies were attached, released or taken away. Events stay listed. Called by an action,
  // of a stepper of one world, it takes place once that has returned.
  void restart(const Model& model, const State& state, Real time);

  // Until all worlds are there, or an event has ended them. sample_interval: 0 takes no samples; runs with the same one
  // go on with them [s].
  void run(Real until, Real sample_interval = 0);
  void step_to(Real time) { run(time); }
  // Every world to its next event, or to `until`; true where one has had an event.
  bool run_to_event(Real until);

  void add_event(const UserEvent& event);
  void add_time_event(Real time, const std::string& name, Action act = {});

  // World -1 is that of a model without worlds, and otherwise the first one.
  const State& state() const;      // at the times of the worlds
  const Control& control() const;  // what is written here counts from the next step on
  Real time(int world = -1) const;
  bool terminated(int world = -1) const;
  const std::vector<Event>& events() const;  // of all worlds, by time and then by world
  const EventSamples& samples(int world = -1) const;
  const ContactDetection& detection(int world = -1) const;  // of which the dictionaries are those of state()
  EventCounts counts(int world = -1) const;                 // -1: of all worlds together

  const EventStepperConfig& config() const;
  const Model& model() const;

 private:
  struct Data;
  void go_on_with(std::shared_ptr<Data> next);
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
