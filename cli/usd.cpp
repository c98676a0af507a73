#include "cli/usd.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carom/error.h"

extern char** environ;

namespace carom::cli {

namespace {

// The one beside this program, in the environment that both were installed in, or the first that is found.
std::string python() {
  std::error_code none;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* name : {"python3", "python"})
    if (!here.empty() && access((here / name).c_str(), X_OK) == 0) return here / name;
  return "python3";
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

// Runs a program with these arguments, no shell between, and returns its exit status; 127: it is not there.
int run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return 127;
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

}  // namespace

bool is_usd(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".usd" || ending == ".usda" || ending == ".usdc" || ending == ".usdz";
}

PassingFolder::PassingFolder() {
  path_ = (std::filesystem::temp_directory_path() / "carom-XXXXXX").string();
  if (!mkdtemp(path_.data())) throw Error("no folder can be made in " + path_ + ": " + std::strerror(errno));
}

PassingFolder::~PassingFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

std::vector<std::string> convert_usd(const std::string& from, const std::string& to, std::optional<int> worlds,
                                     const std::string& samples) {
  const PassingFolder folder;
  const std::string said = folder.file("said");
  std::vector<std::string> words{python(), "-m", "carom.usd", "convert"};
  if (worlds) words.insert(words.end(), {"--worlds", std::to_string(*worlds)});
  if (!samples.empty()) words.insert(words.end(), {"--samples", samples});
  // Names may begin with a dash.
  words.insert(words.end(), {"--", from, to});
  const int status = run_program(words, said);
  std::vector<std::string> lines = lines_of(said);
  if (status == 0) return lines;
  const std::string file = is_usd(from) ? from : to;
  if (status == 127)
    throw Error("'" + file +
                "': USD is read and written by Python, and no python3 is found; install it with the package "
                "carom[usd]");
  // Of a traceback the last line says why.
  throw Error(lines.empty() ? "'" + file + "': " + words[0] + " ended with " + std::to_string(status) : lines.back());
}

}  // namespace carom::cli
