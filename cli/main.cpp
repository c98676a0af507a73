// carom: the command line. Each command is a function in a file of its own.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>

#include "carom/carom.h"
#include "cli/commands.h"
#include "cli/solver_args.h"

namespace carom::cli {
namespace {

constexpr const char* kModelFile = "MJCF (.xml, .mjcf), URDF (.urdf), USD (.usd*), or a file written by Model.save()";

void add_check(CLI::App& app, int& exit_code) {
  const auto args = std::make_shared<CheckArgs>();
  CLI::App* command = app.add_subcommand(
      "check", "show what is in a model file and what looks suspicious; exits with 0 (fine), 1 (warnings), 2 (errors)");
  command->add_option("model", args->path, kModelFile)->required();
  command->add_option(
      "--keyframe", args->keyframe,
      "look at the overlaps, limits and first step of this keyframe of an MJCF file: its name or number");
  command->add_flag("--json", args->json, "print one JSON object");
  command->add_option("--rows", args->rows, "findings of one kind, at most; 0 = all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->callback([args, &exit_code] { exit_code = check(*args); });
}

void add_run(CLI::App& app, int& exit_code) {
  const auto args = std::make_shared<RunArgs>();
  CLI::App* command = app.add_subcommand(
      "run", "step the worlds of a model file; exits with 0, or 1 when numbers of a world were not finite");
  command->add_option("model", args->path, kModelFile)->required();
  command->add_option("--worlds", args->worlds, "copies of what an MJCF or URDF file or a stage describes")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--steps", args->steps, "in each world")->capture_default_str()->check(CLI::PositiveNumber);
  command->add_option("--threads", args->threads, "0 = all cores")->capture_default_str();
  command->add_option("--device", args->device, "cpu, cuda or cuda:1")->capture_default_str();
  command->add_option("--keyframe", args->keyframe, "begin at this keyframe of an MJCF file: its name or number");
  command
      ->add_option("--controls", args->controls,
                   "zero, random, keyframe (those of --keyframe, or of the first), or an .npz file with an array "
                   "ctrl (--record)")
      ->capture_default_str();
  command->add_option("--seed", args->seed, "of random controls")->capture_default_str();
  command->add_option("--hold", args->hold, "steps with the same random controls")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option(
      "--record", args->record,
      "write coordinates, poses, controls and what sensors read to this .npz file; sensors alone to a .csv file, poses "
      "alone to a USD stage");
  command->add_option("--every", args->every, "steps between two samples of the record")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--picture", args->picture, "draw world 0 at some times into this .svg file");
  command->add_option("--plot", args->plot,
                      "draw what the contact sensors of world 0 feel over time into this .svg file");
  command->add_option("--contacts", args->contacts, "whose points pairs of shapes have: carom or mujoco")
      ->capture_default_str();
  command->add_flag("--json", args->json, "print one JSON object");
  add_solver_args(*command, args->solver);
  command->callback([args, &exit_code] { exit_code = run_model(*args); });
}

void add_events(CLI::App& app) {
  const auto args = std::make_shared<EventsArgs>();
  CLI::App* command = app.add_subcommand(
      "events", "integrate a model file with a variable step from contact to contact, and list the instants");
  command->add_option("model", args->path, kModelFile)->required();
  command->add_option("--until", args->until, "[s]")->capture_default_str()->check(CLI::PositiveNumber);
  command->add_option("--worlds", args->worlds, "copies of what an MJCF or URDF file or a stage describes")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--tolerance", args->tolerance, "of a step; 1e-8 unless given");
  command->add_option("--method", args->method, "rk45, bdf (what is stiff) or adams; rk45 unless given");
  command->add_option("--response", args->response, "of contacts: impulse or elastic; impulse unless given");
  command->add_option("--hits", args->hits, "at one instant: together or in_turn; together unless given");
  command->add_option("--stick-speed", args->stick_speed, "what meets slower stays in touch [m/s]");
  command->add_option("--slide-speed", args->slide_speed, "what slides slower rubs less [m/s]");
  command->add_option("--stiffness-scale", args->stiffness_scale, "of elastic contacts: less is softer");
  command->add_option("--material", args->materials, "what shapes are of, as ball*=Steel; may be given several times");
  command->add_option("--keyframe", args->keyframe, "begin at this keyframe of an MJCF file: its name or number");
  command->add_option("--csv", args->csv, "write all events to this file");
  command->add_option("--plot", args->plot,
                      "draw the distances of pairs and the events of world 0 into this .svg file");
  command->add_option("--rows", args->rows, "events that are printed, at most; 0 = all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", args->json, "print one JSON object");
  command->callback([args] { events(*args); });
}

void add_sensors(CLI::App& app) {
  const auto args = std::make_shared<SensorsArgs>();
  CLI::App* command = app.add_subcommand(
      "sensors", "list the sensors of a model file: what they look at, how many numbers, which units");
  command->add_option("model", args->path, kModelFile)->required();
  command->add_flag("--json", args->json, "print one JSON object");
  command->callback([args] { sensors(*args); });
}

void add_convert(CLI::App& app) {
  const auto args = std::make_shared<ConvertArgs>();
  CLI::App* command =
      app.add_subcommand("convert", "write a model file as another kind: robot.xml robot.carom, or back");
  command->add_option("from", args->from, kModelFile)->required();
  command
      ->add_option("to", args->to,
                   "file to write: MJCF (.xml, .mjcf), URDF (.urdf), USD (.usd, .usda, .usdc), or .carom")
      ->required();
  command->add_option("--world", args->world, "that an MJCF or URDF file gets, where there are several")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--worlds", args->worlds, "copies of what an MJCF or URDF file or a stage describes")
      ->check(CLI::Range(1, 1 << 20));
  command->callback([args] { convert(*args); });
}

int run(int argc, char** argv) {
  CLI::App app("Contact physics of many worlds at once.", "carom");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);  // a word mistyped shows the words there are

  DemoArgs demo_args;
  CLI::App* demo_command =
      app.add_subcommand("demo", "simulate thousands of humanoids under random controls and draw one of them");
  demo_command->add_option("--worlds", demo_args.worlds, "number of worlds, with one humanoid each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 17));
  demo_command->add_option("--seconds", demo_args.seconds, "simulated time")->capture_default_str();
  demo_command->add_option("--threads", demo_args.threads, "compared with one thread; 0 = all cores")
      ->capture_default_str();
  demo_command->add_option("--seed", demo_args.seed, "of the random controls")
      ->capture_default_str()
      ->check(CLI::Range(0, 2147483647));
  demo_command->add_option("--out", demo_args.out, "file of the picture")->capture_default_str();
  demo_command->add_option("--save", demo_args.save, "write the model to this file");
  demo_command->add_option("--contacts", demo_args.contacts, "whose points pairs of shapes have: carom or mujoco")
      ->capture_default_str();
  add_solver_args(*demo_command, demo_args.solver);
  demo_command->callback([&] { demo(demo_args); });

  InfoArgs info_args;
  CLI::App* info_command = app.add_subcommand("info", "show what is in a model file");
  info_command->add_option("model", info_args.path, kModelFile)->required();
  info_command->add_option("--keys", info_args.keys, "list this many keys of each kind")->check(CLI::NonNegativeNumber);
  info_command->callback([&] { info(info_args); });

  InspectArgs inspect_args;
  CLI::App* inspect_command = app.add_subcommand("inspect", "show what a stage of a step makes of a model file");
  inspect_command->add_option("model", inspect_args.path, kModelFile)->required();
  inspect_command
      ->add_option(
          "--stage", inspect_args.stage,
          "boxes of shapes, pairs that are near, contacts, rows of the constraint problem, or contacts with the "
          "forces that a step solves for")
      ->capture_default_str()
      ->check(CLI::IsMember({"aabb", "pairs", "contacts", "rows", "forces"}));
  inspect_command->add_option("--contacts", inspect_args.contacts, "whose points pairs of shapes have: carom or mujoco")
      ->capture_default_str();
  inspect_command->add_option("--broad-phase", inspect_args.broad_phase, "how pairs are found; all find the same")
      ->capture_default_str()
      ->check(CLI::IsMember({"nxn", "sap", "explicit", "tree", "auto"}));
  inspect_command->add_option("--dt", inspect_args.dt, "timestep of the forces [s]; that of the model unless given");
  inspect_command->add_option("--world", inspect_args.world, "one world and the globals; -1 = all")
      ->capture_default_str();
  inspect_command->add_option("--rows", inspect_args.rows, "at most this many; 0 = all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  add_solver_args(*inspect_command, inspect_args.solver);
  inspect_command->callback([&] { inspect(inspect_args); });

  int exit_code = 0;
  add_check(app, exit_code);
  add_run(app, exit_code);
  add_events(app);
  add_sensors(app);
  add_convert(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return exit_code;
}

}  // namespace
}  // namespace carom::cli

int main(int argc, char** argv) {
  try {
    return carom::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carom: %s\n", error.what());
    return 1;
  }
}
