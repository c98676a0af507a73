// USD stages, which the Python package carom.usd reads and writes: it runs in the environment that the command is
// installed in, or where python3 is found, and hands over saved models.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace carom::cli {

bool is_usd(const std::string& path);

// A folder for files that are needed for a moment; it goes with what is in it.
class PassingFolder {
 public:
  PassingFolder();
  ~PassingFolder();
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A saved model of a stage, or a stage of a saved model, by their names. samples: an .npz file with a run of it.
// Returns what Python said: what was not understood, or is lost. Throws Error with what it refused, or what is missing.
std::vector<std::string> convert_usd(const std::string& from, const std::string& to, std::optional<int> worlds = {},
                                     const std::string& samples = "");

}  // namespace carom::cli
