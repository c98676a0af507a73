// WorldRun: one world on its way through time: its contacts, its events, and where the next event is.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "carom/event_stepper.h"
#include "events/elastic_law.h"
#include "events/pair_distances.h"
#include "events/step_sums.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct ActiveContact {
  PairID id;
  Index2 pair;
  int index;  // of the pair
  ElasticContact law;
  std::optional<BallPair> ball;  // computed in lanes, with others of its kind
};

// Of a pair of shapes at an instant.
struct PairNow {
  Real distance;  // [m]
  bool is_close;  // that of the shapes, not of boxes around them
  Real rate;      // of that [m/s]
  Vec3 normal;    // and from a to b there
};

// Writes a world's coordinates and velocities at an instant within a step to a state.
using Curve = std::function<void(Real time, const State& state)>;

// What the integrator has to stop for: a pair that touches or parts, or a function of the user's.
struct Landing {
  EventKind kind;
  int index;        // of the pair, or the function
  Real time;        // where the step should end [s]
  Real target;      // distance there [m]; of a function its sign behind
  Real event_time;  // at which the distance is zero [s]
  Vec3 velocity;    // of shape b against shape a then [m/s]
  Real rate;        // of the distance then [m/s]
  int tries = 0;
  Real limit = 0;  // the end of the step in which it was seen [s]
};

// When a pair bounced last.
struct Bounces {
  Real last = 0, before = 0, before_that = 0;  // [s]
  int count = 0;
};

class WorldRun {
 public:
  // users: functions of the user's, which all worlds share.
  WorldRun(const Model& model, int world, const EventStepperConfig& config, const std::vector<UserEvent>& users);

  int world;  // -1: of a model without
  Rows coords, dofs, bodies;
  Real time = 0, step = 0;  // step: the next one to try; 0: unknown [s]
  Real last_error = 1;      // of the step before, over the tolerance
  bool begins_anew = true;  // derivatives jump here
  bool terminated = false, stopped = false;
  std::optional<Landing> landing;  // what the step that is tried leads to
  bool landed = false;             // it is there
  std::size_t next_time_event = 0;
  Real last_event = -std::numeric_limits<Real>::infinity();
  int at_once = 0;        // events at that instant
  int tries = 0;          // of steps since
  Real counted_from = 0;  // this time [s]

  ContactDetection detection;
  PairDistances pairs;
  std::vector<ActiveContact> contacts;
  std::int64_t contact_changes = 0;    // how often there were others
  std::vector<int> contact_shapes;     // of those that are no balls
  std::vector<Real> contact_distance;  // at the end of the step that was looked at [m]
  std::vector<Event> events;
  EventSamples samples;
  EventCounts counts;

  // The state is that of the world's time, with its bodies in line.
  void initialize(const State& state);
  // Where its pairs are now.
  void look_around(const State& state);
  // A step without an event has led to where find_event() looked last.
  void advance(Real to);
  void keep_sides(const State& state);  // of functions of the user's
  // Puts `state` to an instant of a step, and the pairs with it.
  void go(const Curve& curve, Real to, const State& state);
  // What is known of the end of a step before the world is placed there.
  struct StepEnd {
    Real time;
    const State& moving;      // velocities of bodies
    bool contacts_are_known;  // contact_distance, of balls
  };
  // The first event of a step from here to there; `state`: scratch.
  std::optional<Landing> find_event(const StepEnd& end, const Curve& curve, const State& state);
  // How far a landing has missed its distance; `rate` of it [m], [m/s].
  Real miss(const Landing& landing, const State& state, Real& rate) const;

  // Contacts begin and end, as the dictionaries have it.
  void take_contacts();
  // Pairs that touch: those in contact, and others that are not farther apart than z_eps.
  struct Touching {
    int pair;
    bool in_contact;
    ShapeDistance at;
  };
  std::vector<Touching> touching(const State& state);

  // Of each coordinate, then of each degree of freedom: the first of those that it depends on now, by joints and
  // contacts.
  std::vector<int> roots_of_numbers() const;

  Event& log(const Landing& landing, Restart restart);
  Event& log_pair(EventKind kind, Real time, PairID pair, Vec3 velocity, Real normal_velocity);
  Real nearest() const;                     // least distance, where the pairs are placed [m]
  void cross_user(const Landing& landing);  // its function is on the other side from here on
  // What two shapes bounce and rub with.
  struct Rebound {
    Real restitution, mu;
  };
  Rebound rebound_of(Index2 pair) const;
  std::string names_of(PairID pair) const;

 private:
  void check_start(const State& state) const;
  PairNow look_closely(const State& state, int pair) const;
  bool is_contact(int pair) const { return in_contact_[pair] != 0; }
  void find_near(const StepEnd& end);
  void look_at_near(Real end, const Curve& curve, const State& state);
  bool contacts_last(const StepEnd& end) const;
  // Positive once something happens: the largest over pairs and functions, and which it is.
  struct Violation {
    Real value;
    bool user;
    int index;
  };
  Violation violation(Real time, const State& state) const;
  // distance(pair, is_contact, index in contacts or near_)
  template <class Distance>
  Violation violation_of(Real time, const State& state, Distance distance) const;
  Real user_value(int user, Real time, const State& state) const;
  bool may_meet_within(int pair) const;
  Real find_touch(Real end, const Curve& curve, const State& state, const std::vector<int>& pairs);
  Real root(Real low, Real high, const std::function<Real(Real)>& f) const;
  Landing landing_at(Real crossed, const Violation& what, const Curve& curve, const State& state);
  ElasticContact law_of(const ContactPair& pair) const;
  std::string material_of(int shape) const;

  Model model_;
  const EventStepperConfig& config_;
  const std::vector<UserEvent>& users_;
  std::vector<std::uint8_t> in_contact_;  // of each pair
  // Pairs are looked at only where they may have met: far ones have come nearer by the ways of both shapes at most.
  struct Way {
    Real now, end;   // the speed of its fastest point, at the world's time and at the end of the step [m/s]
    Real in_step;    // [m]
    Real travelled;  // since all pairs were looked at [m]
  };
  std::vector<Way> way_;            // of each shape of a pair
  std::vector<Real> clear_;         // of each pair: ways of both shapes before which they do not touch [m]
  std::vector<Real> looked_;        // and when it was looked at [s]
  std::vector<PairNow> now_, end_;  // then, and at the end of the step
  std::vector<int> near_;           // pairs that may touch in it
  std::vector<Real> user_now_;      // of each function: a number of its sign at the world's time
  std::map<PairID, Bounces> bounces_;
};

}  // namespace carom::inline CAROM_PRECISION
