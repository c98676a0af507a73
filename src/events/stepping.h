// What an EventStepper consists of: its worlds on their ways, the integrators, and what happens at events.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "events/cvode_run.h"
#include "events/dormand_prince.h"
#include "events/impacts.h"
#include "events/motion_of_worlds.h"
#include "events/world_run.h"

namespace carom::inline CAROM_PRECISION {

inline constexpr const char* kStepper = EventStepper::kName;

inline Real shortest_step(Real time) { return Real(1e-15) * (1 + abs(time)); }

struct TimeEvent {
  Real time;
  std::string name;
  Action act;
};

// Worlds that go side by side: runs of [begin, end), and the steps of those that are not there yet.
struct SteppingGroup {
  int begin, end;
  DormandPrince::Group steps{};
  std::vector<WorldRun*> runs{};
  std::vector<Real> step{};  // [s]
};

struct EventStepper::Data {
  Model model;
  EventStepperConfig config;
  const Queue& queue;
  State state;
  Control control;
  State scratch;  // where one world is looked at
  MotionOfWorlds motion;
  Impacts impacts;
  DormandPrince pair;
  std::vector<SteppingGroup> groups;
  bool one_thread = false;       // users' functions are called by one alone, and bodies of no world are placed by one
  std::int64_t generation = -1;  // of the model when pairs and contacts were made
  std::vector<UserEvent> users;
  std::vector<TimeEvent> at_times;
  std::vector<WorldRun> runs;
  std::vector<CvodeRun> cvode;  // of each world, if that is the method
  mutable std::vector<Event> events;
  Real sample_interval = 0, sampled_at = 0;  // of this run, and of the samples that there are
  bool stops_at_events = false;
  bool acts = false;           // an action of the user's is under way
  std::shared_ptr<Data> next;  // what that has asked for: another model

  Data(const Model& model, const EventStepperConfig& config, const Queue& queue);
  WorldRun& run_of(int world);

  // -- All worlds.

  void restart(const State& from, Real time);
  void run_all(Real until);
  void follow_edits();
  // Error where an action calls what it must not.
  void check_idle(const char* what) const;

  // -- States of one world.

  void copy_rows(const WorldRun& run, const State& from, const State& to) const;
  void look_at_now(WorldRun& run);
  void begin(Real time);
  void show_state();

  // -- Steps.

  Real next_stop(const WorldRun& run, Real until) const;
  // Worlds with a step of their own each, side by side: groups of as many as stay in a cache near the processor, each
  // on a thread. What changes at events is one world's after the other.
  void run_side_by_side(Real until);
  bool choose_steps(SteppingGroup& group, Real until);
  void step_groups(std::span<SteppingGroup* const> busy, Real until);
  void step_group(SteppingGroup& group, Real until);
  Real step_of(WorldRun& run, Real until);
  // False where there is nothing left to do; events at times happen here.
  bool reach(WorldRun& run, Real until);
  void check_progress(WorldRun& run);
  void judge(WorldRun& run, Real step, Real error, Real until);
  // True where the step ends where it should; otherwise where to end it is known better, or that it was no event: the
  // step that was made again has none where its polynomial had one, since shapes hardly touch.
  bool aim(WorldRun& run, Real end, const Curve& curve);
  void commit(WorldRun& run, Real end, const Curve& curve);
  void land(WorldRun& run, Real end, const Curve& curve);
  void take_samples(WorldRun& run, Real end, const Curve& curve);

  // -- CVODE, one world after the other.

  Real step_of_cvode(WorldRun& run, CvodeRun& integrator, Real stop);
  void run_cvode(WorldRun& run, CvodeRun& integrator, Real until);

  // -- Events; scratch is where they happen.

  void happen(WorldRun& run);
  // Events that come ever faster would never end.
  void guard(WorldRun& run);
  void bounce(WorldRun& run, const Landing& landing);
  Restart call(const WorldRun& run, const std::string& name, const Action& action);
  void act(WorldRun& run, const std::string& name, const Action& action);
  [[noreturn]] void fail_at(WorldRun& run, const std::string& what);
};

}  // namespace carom::inline CAROM_PRECISION
