// Solvers by their names.
#include "carom/solvers.h"

#include <optional>
#include <utility>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Calls visit(type) with a pointer to each type of the list.
template <class... S, class Visit>
void visit_solvers(SolverList<S...>, Visit visit) {
  (visit(static_cast<S*>(nullptr)), ...);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "\"" : ", \"") + name + "\"";
  return all;
}

// What make(type) returns for the solver of this name.
template <class Make>
auto of_solver(const std::string& name, Make make) {
  std::optional<decltype(make(static_cast<SolverMuJoCo*>(nullptr)))> made;
  visit_solvers(Solvers{}, [&]<class S>(S* type) {
    if (name == S::kName) made.emplace(make(type));
  });
  if (!made) fail("solver '", name, "' is unknown; there is ", joined(solver_names()));
  return *std::move(made);
}

template <class Config>
void set_option(const char* solver, Config& config, const SolverOption& option) {
  bool known = false;
  std::vector<std::string> names;
  visit_options(config, [&]<class Value>(const char* name, Value& value, const char*) {
    names.emplace_back(name);
    if (option.name != name) return;
    value = static_cast<Value>(option.value);
    if (std::is_integral_v<Value> && static_cast<double>(value) != option.value)
      fail("solver \"", solver, "\": option ", name, " is a whole number, not ", option.value);
    known = true;
  });
  if (!known) fail("solver \"", solver, "\" has no option '", option.name, "'; it has ", joined(names));
}

}  // namespace

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  visit_solvers(Solvers{}, [&]<class S>(S*) { names.emplace_back(S::kName); });
  return names;
}

SolverAbilities solver_abilities(const std::string& name) {
  return of_solver(name, []<class S>(S*) { return S::kAbilities; });
}

std::vector<std::string> solvers_with(Feature feature) {
  std::vector<std::string> names;
  visit_solvers(Solvers{}, [&]<class S>(S*) {
    if (S::kAbilities.features.has(feature)) names.emplace_back(S::kName);
  });
  return names;
}

std::vector<SolverOption> solver_options(const std::string& name) {
  return of_solver(name, []<class S>(S*) {
    std::vector<SolverOption> options;
    typename S::Config config;
    visit_options(config, [&](const char* option, auto& value, const char*) {
      options.push_back({option, static_cast<double>(value)});
    });
    return options;
  });
}

Solver make_solver(const std::string& name, const Model& model, const std::vector<SolverOption>& options,
                   const Queue* queue) {
  return of_solver(name, [&]<class S>(S*) {
    typename S::Config config;
    for (const SolverOption& option : options) set_option(S::kName, config, option);
    return Solver(S(model, config, queue));
  });
}

void Solver::fail_other(const char* wanted, const char* held) {
  fail("this solver is \"", held, "\", not \"", wanted, "\"");
}

void Solver::fail_to_leave_out(const char* name) {
  fail("the solver \"", name, "\" steps all worlds: it has no set_active()");
}

}  // namespace carom::inline CAROM_PRECISION
