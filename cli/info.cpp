// carom info: what is in a model file.
#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/load_model.h"
#include "cli/table.h"

namespace carom::cli {

void info(const InfoArgs& args) {
  const LoadedModel loaded = load_model(args.path);
  print_warnings(loaded);
  const Model& model = loaded.model;
  std::printf("%s: %s worlds, up axis %s\n", args.path.c_str(), grouped(model.world_count).c_str(),
              axis_name(model.up_axis));
  const ModelOptions& options = model.options;
  std::printf("timestep %g s, integrator %s%s, %s cone, impratio %g%s%s%s\n", double{options.timestep},
              integrator_name(options.integrator), options.euler_damping ? "" : " without implicit damping",
              cone_name(options.cone), double{options.impratio}, options.refsafe ? "" : ", not refsafe",
              options.diagexact ? ", diagexact" : "", options.speculative ? ", speculative" : "");
  if (options.sleep) std::printf("sleeps below %g m/s\n", double{options.sleep_tolerance});
  if (options.contact_keep_distance > 0)
    std::printf("contacts are kept over %g mm\n", double{options.contact_keep_distance} * 1e3);
  if (options.noslip_iterations > 0)
    std::printf("%d sweeps against slip, to %g\n", options.noslip_iterations, double{options.noslip_tolerance});
  if (options.density != 0 || options.viscosity != 0)
    std::printf("in a fluid of density %g kg/m^3 and viscosity %g Pa s, wind %g %g %g m/s\n", double{options.density},
                double{options.viscosity}, double{options.wind.x}, double{options.wind.y}, double{options.wind.z});
  if (options.combine != ModelOptions{}.combine)
    std::printf("materials of contacts are combined by: %s\n", combine_rule_name(options.combine));
  std::printf("\n");
  print_counts(model);
  std::printf("\n");
  print_archetypes(model);
  if (args.keys == 0) return;
  for (const Entity entity : {Entity::kBody, Entity::kJoint, Entity::kShape}) {
    const int total = model.layout->start[static_cast<int>(entity)].back();
    std::printf("\n%s keys:", entity_name(entity));
    for (int i = 0; i < std::min(total, args.keys); ++i) std::printf(" %s", model.key(entity, i).c_str());
    std::printf("%s\n", total > args.keys ? " ..." : "");
  }
}

}  // namespace carom::cli
