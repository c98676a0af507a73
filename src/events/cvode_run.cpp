#include "events/cvode_run.h"

#include "base/fail.h"

#ifdef CAROM_SUNDIALS

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "events/block_solver.h"

namespace carom::inline CAROM_PRECISION {

bool has_integration_method(IntegrationMethod) { return true; }

namespace {

struct FreeContext {
  void operator()(SUNContext c) const { SUNContext_Free(&c); }
};
struct FreeVector {
  void operator()(N_Vector v) const { N_VDestroy(v); }
};
struct FreeMatrix {
  void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
};
struct FreeSolver {
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
};
struct FreeCvode {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
template <class T, class Free>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Free>;

}  // namespace

struct CvodeRun::Data {
  WorldRun& run;
  MotionOfWorlds& motion;
  WorldGroup alone;  // this world
  Array<Real> q_rate, qdd;
  const State* from = nullptr;
  const Control* control = nullptr;
  std::exception_ptr error;  // of an evaluation: none passes through C

  Owned<SUNContext, FreeContext> context;
  Owned<N_Vector, FreeVector> y, between;
  DiagonalBlocks blocks;  // of the Jacobian: what does not touch has nothing to do with each other
  Owned<SUNMatrix, FreeMatrix> matrix;
  Owned<SUNLinearSolver, FreeSolver> solver;
  std::unique_ptr<void, FreeCvode> cvode;

  Data(const Model& model, WorldRun& r, MotionOfWorlds& m, const EventStepperConfig& config)
      : run(r), motion(m), q_rate(model.joint_coord_count), qdd(model.joint_dof_count) {
    const int n = numbers();
    SUNContext made = nullptr;
    SUNContext_Create(nullptr, &made);
    context.reset(made);
    y.reset(N_VNew_Serial(std::max(n, 1), made));
    N_VConst(0, y.get());
    between.reset(N_VClone(y.get()));
    matrix.reset(make_block_matrix(blocks, made));
    solver.reset(make_block_solver(made));
    cvode.reset(CVodeCreate(config.method == IntegrationMethod::kBdf ? CV_BDF : CV_ADAMS, made));
    check(CVodeInit(cvode.get(), derivative, run.time, y.get()), "CVodeInit");
    check(CVodeSStolerances(cvode.get(), config.tolerance, Real(0.1) * config.tolerance), "CVodeSStolerances");
    check(CVodeSetLinearSolver(cvode.get(), solver.get(), matrix.get()), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(cvode.get(), jacobian), "CVodeSetJacFn");
    CVodeSetUserData(cvode.get(), this);
    CVodeSetErrHandlerFn(
        cvode.get(), [](int, const char*, const char*, char*, void*) {}, nullptr);
    CVodeSetMaxNumSteps(cvode.get(), -1);
    if (config.max_step < std::numeric_limits<Real>::infinity()) CVodeSetMaxStep(cvode.get(), config.max_step);
  }

  int numbers() const { return run.coords.count() + run.dofs.count(); }
  void check(int flag, const char* what) const {
    if (flag < 0) fail("CVODE: ", what, " failed with ", CVodeGetReturnFlagName(flag));
  }

  void read(const Real* numbers, const State& to) const {
    std::copy(numbers, numbers + run.coords.count(), to.joint_q.data() + run.coords.begin);
    std::copy(numbers + run.coords.count(), numbers + this->numbers(), to.joint_qd.data() + run.dofs.begin);
  }

  static int derivative(Real, N_Vector y, N_Vector rate, void* data) {
    Data& d = *static_cast<Data*>(data);
    d.read(N_VGetArrayPointer(y), d.motion.at());
    WorldRun* const run = &d.run;
    try {
      d.motion.eval(d.alone, d.from->body_f, *d.control, d.q_rate, d.qdd);
    } catch (...) {
      d.error = std::current_exception();
      return -1;
    }
    Real* out = N_VGetArrayPointer(rate);
    out = std::copy(d.q_rate.data() + run->coords.begin, d.q_rate.data() + run->coords.end, out);
    std::copy(d.qdd.data() + run->dofs.begin, d.qdd.data() + run->dofs.end, out);
    const Real* const first = N_VGetArrayPointer(rate);
    return std::all_of(first, first + d.numbers(), [](Real x) { return is_finite(x); }) ? 0 : 1;
  }

  // By differences, one number of every block at a time.
  static int jacobian(Real t, N_Vector y, N_Vector rate, SUNMatrix J, void* data, N_Vector weight, N_Vector next_y,
                      N_Vector next_rate) {
    Data& d = *static_cast<Data*>(data);
    CVodeGetErrWeights(d.cvode.get(), weight);
    const Real *const at = N_VGetArrayPointer(y), *const f = N_VGetArrayPointer(rate),
                      *const w = N_VGetArrayPointer(weight);
    Real *const shifted = N_VGetArrayPointer(next_y), *const moved = N_VGetArrayPointer(next_rate);
    const Real rounding = std::sqrt(std::numeric_limits<Real>::epsilon());
    const auto shift = [&](int i) { return max(rounding * abs(at[i]), Real(1e-3) * rounding / w[i] + Real(1e-11)); };
    for (int k = 0; k < d.blocks.largest(); ++k) {
      std::copy(at, at + d.numbers(), shifted);
      for (const std::vector<int>& block : d.blocks.rows)
        if (k < static_cast<int>(block.size())) shifted[block[k]] += shift(block[k]);
      if (const int flag = derivative(t, next_y, next_rate, data); flag != 0) return flag;
      for (std::size_t b = 0; b < d.blocks.rows.size(); ++b) {
        const std::vector<int>& block = d.blocks.rows[b];
        if (k >= static_cast<int>(block.size())) continue;
        const Real step = shifted[block[k]] - at[block[k]];
        for (std::size_t r = 0; r < block.size(); ++r)
          block_entry(J, b, static_cast<int>(r), k) = (moved[block[r]] - f[block[r]]) / step;
      }
    }
    return 0;
  }

  // The trees of joints, those that touch as one.
  void find_blocks() {
    const std::vector<int> root = run.roots_of_numbers();
    std::vector<int> block_of(root.size(), -1);
    blocks.rows.clear();
    for (int i = 0; i < static_cast<int>(root.size()); ++i) {
      int& block = block_of[root[i]];
      if (block < 0) block = static_cast<int>(blocks.rows.size()), blocks.rows.emplace_back();
      blocks.rows[block].push_back(i);
    }
  }
};

CvodeRun::CvodeRun(const Model& model, WorldRun& run, MotionOfWorlds& motion, const EventStepperConfig& config)
    : data_(std::make_shared<Data>(model, run, motion, config)) {}

Real CvodeRun::step(const State& from, const Control& control, Real stop) {
  Data& d = *data_;
  d.from = &from, d.control = &control;
  if (d.numbers() == 0) return stop;
  WorldRun* const run = &d.run;
  d.motion.gather(d.alone, {&run, 1});
  if (d.run.begins_anew) {
    Real* y = N_VGetArrayPointer(d.y.get());
    y = std::copy(from.joint_q.data() + d.run.coords.begin, from.joint_q.data() + d.run.coords.end, y);
    std::copy(from.joint_qd.data() + d.run.dofs.begin, from.joint_qd.data() + d.run.dofs.end, y);
    d.find_blocks();
    d.check(CVodeReInit(d.cvode.get(), d.run.time, d.y.get()), "CVodeReInit");
    d.run.begins_anew = false;
  }
  d.check(CVodeSetStopTime(d.cvode.get(), stop), "CVodeSetStopTime");
  Real reached = d.run.time;
  const int flag = CVode(d.cvode.get(), stop, d.y.get(), &reached, CV_ONE_STEP);
  if (d.error) std::rethrow_exception(std::exchange(d.error, nullptr));
  d.check(flag, "a step");
  return reached;
}

void CvodeRun::write(Real time, const State& to) const {
  const Data& d = *data_;
  if (d.numbers() == 0) return;
  d.check(CVodeGetDky(d.cvode.get(), time, 0, d.between.get()), "CVodeGetDky");
  d.read(N_VGetArrayPointer(d.between.get()), to);
}

}  // namespace carom::inline CAROM_PRECISION

#else

namespace carom::inline CAROM_PRECISION {

bool has_integration_method(IntegrationMethod method) { return method == IntegrationMethod::kRk45; }

// EventStepper refuses the methods that would make one.
struct CvodeRun::Data {};
CvodeRun::CvodeRun(const Model&, WorldRun&, MotionOfWorlds&, const EventStepperConfig&) {
  fail("EventStepper: SUNDIALS was absent when carom was built");
}
Real CvodeRun::step(const State&, const Control&, Real stop) { return stop; }
void CvodeRun::write(Real, const State&) const {}

}  // namespace carom::inline CAROM_PRECISION

#endif
