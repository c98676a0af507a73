// What readers of model files are given in Python, a path or a text, and their warnings.
#pragma once

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "bindings.h"
#include "carom/error.h"

namespace carom::inline CAROM_PRECISION::python {

using PathOrText = std::variant<std::string, std::filesystem::path>;

// A string that begins with '<' is the text of a file. expected: "an MJCF file".
template <class Source>
Source source_of_file(const PathOrText& given, const char* expected) {
  Source source;
  if (const auto* path = std::get_if<std::filesystem::path>(&given)) {
    source.path = path->string();
    return source;
  }
  const auto& line = std::get<std::string>(given);
  const std::size_t first = line.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  (first != std::string::npos && line[first] == '<' ? source.text : source.path) = line;
  if (source.path.empty() && source.text.empty())
    throw Error(std::string(expected) + " or its text is expected, not nothing");
  return source;
}

inline void warn_python(const std::vector<std::string>& lines) {
  std::string message;
  for (const std::string& line : lines) message += (message.empty() ? "" : "\n") + line;
  if (!message.empty() && PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

}  // namespace carom::inline CAROM_PRECISION::python
