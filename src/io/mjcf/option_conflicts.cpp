// Options of a model that is attached to another one, which has options, too: <compiler conflict="..."> says what
// becomes of them.
#include <algorithm>
#include <type_traits>

#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

enum class Merge { kSmaller, kLarger, kRefuse };

// visit(name, how they are merged, ours, theirs)
template <class Visit>
void each_option(OptionSpec& a, const OptionSpec& b, const Visit& visit) {
  visit("timestep", Merge::kSmaller, a.timestep, b.timestep);
  visit("noslip_tolerance", Merge::kSmaller, a.noslip_tolerance, b.noslip_tolerance);
  visit("sleep_tolerance", Merge::kSmaller, a.sleep_tolerance, b.sleep_tolerance);
  visit("noslip_iterations", Merge::kLarger, a.noslip_iterations, b.noslip_iterations);
  visit("gravity", Merge::kRefuse, a.gravity, b.gravity);
  visit("wind", Merge::kRefuse, a.wind, b.wind);
  visit("magnetic", Merge::kRefuse, a.magnetic, b.magnetic);
  visit("density", Merge::kRefuse, a.density, b.density);
  visit("viscosity", Merge::kRefuse, a.viscosity, b.viscosity);
  visit("integrator", Merge::kRefuse, a.integrator, b.integrator);
  visit("cone", Merge::kRefuse, a.cone, b.cone);
  visit("impratio", Merge::kRefuse, a.impratio, b.impratio);
  visit("o_margin", Merge::kRefuse, a.o_margin, b.o_margin);
  visit("o_solref", Merge::kRefuse, a.o_solref, b.o_solref);
  visit("o_solimp", Merge::kRefuse, a.o_solimp, b.o_solimp);
  visit("o_friction", Merge::kRefuse, a.o_friction, b.o_friction);
}

template <class T>
void merge(Merge how, T& mine, const T& other) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (how == Merge::kSmaller) mine = std::min(mine, other);
    if (how == Merge::kLarger) mine = std::max(mine, other);
  }
}

}  // namespace

void merge_options(MjcfReading& in, const OptionSpec& other, const MjcfAttributes& attach) {
  OptionSpec& mine = in.spec.option;
  const OptionConflict policy = in.spec.compiler.conflict;
  const auto warn = [&](const std::string& what) {
    in.messages.warnings.push_back(at_place(attach.node->place, "attach") + what);
  };
  each_option(mine, other, [&](const char* name, Merge how, auto& ours, const auto& theirs) {
    if (!other.given.contains(name) || ours == theirs) return;
    const bool both = mine.given.contains(name);
    const bool refused =
        policy == OptionConflict::kError || (policy == OptionConflict::kMerge && how == Merge::kRefuse);
    if (both && refused) attach.fail_at("model", "option '", name, "' differs between the models");
    if (policy != OptionConflict::kMerge) {
      warn(text("option '", name, "' of the attached model is left out"));
      return;
    }
    if (both) merge(how, ours, theirs);
    else ours = theirs;
    mine.given.insert(name);
  });
  const bool merged = policy == OptionConflict::kMerge;
  const auto unite = [&](const char* what, int& ours, int theirs) {
    if ((ours | theirs) == ours) return;
    if (merged) ours |= theirs;
    else warn(text(what, " of the attached model are left out"));
  };
  unite("flags that disable something", mine.disable, other.disable);
  unite("flags that enable something", mine.enable, other.enable);
  unite("disabled groups of actuators", mine.disable_actuator, other.disable_actuator);
}

}  // namespace carom::inline CAROM_PRECISION
