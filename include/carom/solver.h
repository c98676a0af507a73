// What a solver is: whatever turns contacts and a state into the next state. Any type that SolverLike describes is one,
// also a user's own; Solver holds one of them, and is what Simulation steps.
//
// Solvers are handles: copies share what they hold, so a solver that was given to a Simulation can still be asked.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "carom/contacts.h"
#include "carom/model.h"
#include "carom/queue.h"
#include "carom/solver_forces.h"

namespace carom::inline CAROM_PRECISION {

// What the last step did, one entry per world, on the model's device; written anew by every step. An array that says
// nothing about a solver is empty.
struct SolverReports {
  Array<std::int32_t> status;      // bits of StatusBit
  Array<std::int32_t> contacts;    // listed
  Array<std::int32_t> rows;        // of the constraint problem
  Array<std::int32_t> iterations;  // that the solution took
  Array<std::int32_t> needed;      // room for contacts that was missing, 0 = none
  Array<std::int32_t> frictional;  // contacts with friction
  Array<std::int32_t> padded;      // contact slots that its group of lanes computed with
  Array<Real> residual;            // of the solution, scaled as the tolerance
};

// Calls visit(name, member, doc) for every array.
template <class Visit>
void visit_reports(Visit&& visit) {
  using R = SolverReports;
  visit("status", &R::status, "bits as in step()");
  visit("contacts", &R::contacts, "contacts that were listed");
  visit("rows", &R::rows, "rows of the constraint problem");
  visit("iterations", &R::iterations, "iterations that the solution took");
  visit("needed", &R::needed, "room for contacts that was missing, 0 = none");
  visit("frictional", &R::frictional, "contacts with friction");
  visit("padded", &R::padded, "contact slots that its group of lanes computed with");
  visit("residual", &R::residual, "of the solution, scaled as the tolerance");
}

// All of them, zero.
inline SolverReports make_reports(int worlds, Device device = {}) {
  SolverReports reports;
  visit_reports([&]<class T>(const char*, Array<T> SolverReports::*array, const char*) {
    reports.*array = Array<T>(worlds, device);
  });
  return reports;
}

// Takes whatever option there is. (A lambda in a concept is too much for some compilers.)
struct AnyOption {
  template <class T>
  void operator()(const char*, T&, const char*) const {}
};

// What Solver and Simulation ask of a solver.
//   kName          the name that Simulation(model, "name") finds, for those in the list of solvers.h
//   Config         its options; visit_options(config, visit) calls visit(name, value, doc) for each, which are numbers
//   step()         from state_in to state_out, which may be one, by dt [s]; contacts push and get their
//                  rigid_contact_force, nullptr: none do
//   status()       bits of StatusBit, per world, of the last step
//   reports()      what it did in that step
template <class S>
concept SolverLike = std::copy_constructible<S> &&
    requires(S& solver, const S& asked, typename S::Config& config, const State& state, const Control& control,
             const Contacts* contacts, Real dt) {
  { S::kName } -> std::convertible_to<const char*>;
  visit_options(config, AnyOption{});
  { asked.config() } -> std::same_as<const typename S::Config&>;
  { asked.model() } -> std::same_as<const Model&>;
  { asked.queue() } -> std::same_as<const Queue&>;
  { asked.status() } -> std::same_as<const Array<std::int32_t>&>;
  { asked.reports() } -> std::same_as<const SolverReports&>;
  solver.step(state, state, control, contacts, dt);
};

// One that can send its launches alone, so that several steps are one graph on a GPU. prepare() checks, and adds to the
// key what the launches depend on beside the contacts; send() does nothing but launch. Of a call of several steps only
// the last one's contacts have points in the frames of bodies. It may say by stages() that a step consists of several,
// which are sent one after the other, each with contacts of its own; step() does without contacts then.
template <class S>
concept SolverThatSends = SolverLike<S> &&
    requires(S& solver, const State& state, const Control& control, const Contacts* contacts, Real dt, GraphKey& key,
             StepOfCall which) {
  solver.prepare(state, state, control, dt, key);
  solver.send(state, state, control, contacts, dt, which);
};

// One whose next step depends on more than the state. remember() is a copy of that, which recall() of the same solver
// takes back: snapshots hold it.
template <class S>
concept SolverThatRemembers = SolverLike<S> && requires(S& solver, const std::shared_ptr<const void>& memory) {
  { solver.remember() } -> std::same_as<std::shared_ptr<const void>>;
  solver.recall(memory);
};

// One that can leave out worlds: from the next step on it steps those whose entry of the mask is set, one entry a
// world; empty: all of them. The others it does not move, and its reports of them are zero.
template <class S>
concept SolverThatLeavesOut = SolverLike<S> && requires(S& solver, std::span<const std::uint8_t> mask) {
  solver.set_active(mask);
};

class Solver {
 public:
  template <class S>
  requires(!std::same_as<S, Solver> && SolverLike<S>) Solver(S solver)
      : held_(std::make_shared<HeldAs<S>>(std::move(solver))) {}

  const char* name() const { return held_->name(); }
  const Model& model() const { return held_->model(); }
  const Queue& queue() const { return held_->queue(); }  // that runs its steps
  void step(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts,
            Real dt) const {
    held_->step(state_in, state_out, control, contacts, dt);
  }
  // Of the last step.
  const Array<std::int32_t>& status() const { return held_->status(); }
  const SolverReports& reports() const { return held_->reports(); }

  // What it knows for sensors, of the last step; empty arrays for those that say nothing.
  const SolverForces& forces() const { return held_->forces(); }
  // Stages of a step, each with contacts of its own; 1 for those that say nothing.
  int stages() const { return held_->stages(); }
  // Whether it leaves out what sleeps; then send_wake(), before contacts are looked for, wakes what was written to.
  bool sleeps() const { return held_->sleeps(); }
  void send_wake(const State& state, const Control& control) const { held_->send_wake(state, control); }
  // See SolverThatRemembers; nothing for those that do not.
  std::shared_ptr<const void> remember() const { return held_->remember(); }
  void recall(const std::shared_ptr<const void>& memory) const { held_->recall(memory); }
  // See SolverThatLeavesOut; Error for those that do not.
  void set_active(std::span<const std::uint8_t> mask) const { held_->set_active(mask); }
  // Whether there are the two below; see SolverThatSends.
  bool can_send() const { return held_->can_send(); }
  void prepare(const State& state_in, const State& state_out, const Control& control, Real dt, GraphKey& key) const {
    held_->prepare(state_in, state_out, control, dt, key);
  }
  void send(const State& state_in, const State& state_out, const Control& control, const Contacts* contacts, Real dt,
            StepOfCall which) const {
    held_->send(state_in, state_out, control, contacts, dt, which);
  }

  // The solver itself: solver.as<SolverMuJoCo>(). Throws Error when it is another one.
  template <SolverLike S>
  S& as() const {
    if (S* const solver = get_if<S>()) return *solver;
    fail_other(S::kName, name());
  }
  // nullptr when it is another one.
  template <SolverLike S>
  S* get_if() const {
    auto* const held = dynamic_cast<HeldAs<S>*>(held_.get());
    return held ? &held->solver : nullptr;
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual const char* name() const = 0;
    virtual const Model& model() const = 0;
    virtual const Queue& queue() const = 0;
    virtual void step(const State&, const State&, const Control&, const Contacts*, Real) = 0;
    virtual int stages() const = 0;
    virtual bool sleeps() const = 0;
    virtual void send_wake(const State&, const Control&) = 0;
    virtual std::shared_ptr<const void> remember() const = 0;
    virtual void recall(const std::shared_ptr<const void>&) = 0;
    virtual void set_active(std::span<const std::uint8_t> mask) = 0;
    virtual bool can_send() const = 0;
    virtual void prepare(const State&, const State&, const Control&, Real, GraphKey&) = 0;
    virtual void send(const State&, const State&, const Control&, const Contacts*, Real, StepOfCall) = 0;
    virtual const Array<std::int32_t>& status() const = 0;
    virtual const SolverReports& reports() const = 0;
    virtual const SolverForces& forces() const = 0;
  };

  template <class S>
  struct HeldAs final : Held {
    S solver;
    explicit HeldAs(S s) : solver(std::move(s)) {}
    const char* name() const override { return S::kName; }
    const Model& model() const override { return solver.model(); }
    const Queue& queue() const override { return solver.queue(); }
    void step(const State& in, const State& out, const Control& control, const Contacts* contacts, Real dt) override {
      solver.step(in, out, control, contacts, dt);
    }
    int stages() const override {
      if constexpr (requires { solver.stages(); }) return solver.stages();
      else return 1;
    }
    bool sleeps() const override {
      if constexpr (requires { solver.sleeps(); }) return solver.sleeps();
      else return false;
    }
    void send_wake([[maybe_unused]] const State& state, [[maybe_unused]] const Control& control) override {
      if constexpr (requires { solver.sleeps(); }) solver.send_wake(state, control);
    }
    std::shared_ptr<const void> remember() const override {
      if constexpr (SolverThatRemembers<S>) return solver.remember();
      else return nullptr;
    }
    void recall([[maybe_unused]] const std::shared_ptr<const void>& memory) override {
      if constexpr (SolverThatRemembers<S>) solver.recall(memory);
    }
    void set_active(std::span<const std::uint8_t> mask) override {
      if constexpr (SolverThatLeavesOut<S>) solver.set_active(mask);
      else if (!mask.empty()) fail_to_leave_out(S::kName);
    }
    bool can_send() const override { return SolverThatSends<S>; }
    void prepare([[maybe_unused]] const State& in, [[maybe_unused]] const State& out,
                 [[maybe_unused]] const Control& control, [[maybe_unused]] Real dt,
                 [[maybe_unused]] GraphKey& key) override {
      if constexpr (SolverThatSends<S>) solver.prepare(in, out, control, dt, key);
    }
    void send(const State& in, const State& out, const Control& control, const Contacts* contacts, Real dt,
              [[maybe_unused]] StepOfCall which) override {
      if constexpr (SolverThatSends<S>) solver.send(in, out, control, contacts, dt, which);
      else solver.step(in, out, control, contacts, dt);
    }
    const Array<std::int32_t>& status() const override { return solver.status(); }
    const SolverReports& reports() const override { return solver.reports(); }
    const SolverForces& forces() const override {
      if constexpr (requires { solver.forces(); }) return solver.forces();
      else return nothing;
    }
    SolverForces nothing{};
  };

  [[noreturn]] static void fail_other(const char* wanted, const char* held);
  [[noreturn]] static void fail_to_leave_out(const char* name);

  std::shared_ptr<Held> held_;
};

}  // namespace carom::inline CAROM_PRECISION
