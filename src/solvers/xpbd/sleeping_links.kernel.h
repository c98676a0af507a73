// Which links of the worlds in the lanes sleep, and which fall asleep with this step (dynamics/sleep.kernel.h). What
// sleeps in all lanes is left out. Where it sleeps in some, nothing moves it in these: it has no mass that a push could
// move, no contacts, and is not written.
#pragma once

#include "dynamics/contact_sweeps.kernel.h"
#include "dynamics/maximal.kernel.h"
#include "dynamics/sleep.kernel.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct SleepingLinks {
  static constexpr int kLanes = ScalarTraits<F>::kWidth;

  SleepPhase* phase;  // of every link in every lane
  int* awake;         // links that are in some lane, ascending
  int links, awake_count;
  bool any;  // the model sleeps

  CAROM_HD void take(Arena& arena, int n, bool sleeps) {
    links = awake_count = n;
    any = sleeps;
    phase = arena.take<SleepPhase>(any ? std::int64_t{n} * kLanes : 0);
    awake = arena.take<int>(any ? n : 0);
  }
  template <class Team>
  CAROM_HD_FREE void open(Team team, const SleepView& sleep, const MaximalWorlds& maximal, const WorldIds<F>& ids) {
    if (!any) return;
    team.each(links, [&](int l) {
      const int body = maximal.tree.link[l].body;
      for (int lane = 0; lane < kLanes; ++lane)
        phase[l * kLanes + lane] = sleep.phase(maximal.body_rows(ids[lane], body));
    });
    awake_count = team.compact(
        links, [&](int l) CAROM_HD_LAMBDA { return is_awake(l); }, [&](int k, int l) CAROM_HD_LAMBDA { awake[k] = l; });
  }

  // In some lane.
  CAROM_HD bool is_awake(int l) const {
    bool some = !any;
    for (int lane = 0; any && lane < kLanes; ++lane) some = some || !is_asleep(l, lane);
    return some;
  }
  CAROM_HD bool is_asleep(int l, int lane) const { return any && phase[l * kLanes + lane] == SleepPhase::kAsleep; }
  CAROM_HD MaskOf<F> asleep(int l) const { return in(SleepPhase::kAsleep, l); }
  CAROM_HD MaskOf<F> falls_asleep(int l) const { return in(SleepPhase::kFallsAsleep, l); }

  // f(l) for those that are awake.
  template <class Team, class Function>
  CAROM_HD void each(Team team, Function f) const {
    team.each(awake_count, [&](int k) { f(link(k)); });
  }
  template <class Team, class Function>
  CAROM_HD auto sum(Team team, Function f) const {
    return team.sum(awake_count, [&](int k) CAROM_HD_LAMBDA { return f(link(k)); });
  }

 private:
  CAROM_HD int link(int k) const { return any ? awake[k] : k; }
  CAROM_HD MaskOf<F> in(SleepPhase wanted, int l) const {
    if constexpr (PlainNumber<F>) {
      return any && phase[l] == wanted;
    } else {
      MaskOf<F> mask = F(0) < F(0);
      for (int lane = 0; any && lane < kLanes; ++lane) mask.set(lane, phase[l * kLanes + lane] == wanted);
      return mask;
    }
  }
};

// Over all worlds: those that sleep altogether, which no step looks at.
struct ReportSleepingWorlds {
  const int* asleep;  // of each world
  ContactColumns contacts;
  SweepReport report;

  CAROM_HD void operator()(int world) const {
    if (!asleep[world]) return;
    report.status[world] = report.iterations[world] = report.needed[world] = 0;
    report.contacts[world] = contacts.count(world);
    for (int k = 0; k < contacts.count(world); ++k)
      contacts.force[contacts.begin(world) + k] = contacts.torque[contacts.begin(world) + k] = {};
  }
};

}  // namespace carom::inline CAROM_PRECISION
