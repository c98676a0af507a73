// Heightfields: heights between 0 and 1, from numbers in the file, whose first row is the last one, or from a file.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "io/mjcf/compile.h"
#include "io/mjcf/png_heights.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_png(const HeightfieldSpec& spec) {
  if (spec.content_type == "image/png") return true;
  if (!spec.content_type.empty() && spec.content_type != "image/vnd.mujoco.hfield")
    fail(at_place(spec.place, "hfield", "content_type"), "'", spec.content_type, "' is unknown");
  std::string ending = std::filesystem::path(spec.file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return spec.content_type.empty() && ending == ".png";
}

// Two integers, rows and columns, and then the heights.
Heights heights_of_file(Compiling& c, const HeightfieldSpec& spec) {
  namespace fs = std::filesystem;
  const std::string where = at_place(spec.place, "hfield", "file");
  const fs::path path = fs::path(spec.folder) / spec.file;
  const std::string content = read_text_file(path.string(), c.budget, where);
  if (is_png(spec)) return read_png_heights(content, c.budget.limits.numbers, where + "'" + path.string() + "': ");
  std::int32_t counts[2] = {0, 0};
  if (content.size() >= sizeof counts) std::memcpy(counts, content.data(), sizeof counts);
  Heights heights{counts[0], counts[1], {}};
  const bool fits = counts[0] > 0 && counts[1] > 0 && content.size() % 4 == 0 &&
                    static_cast<std::int64_t>(content.size() / 4 - 2) == heights.rows * heights.columns;
  if (!fits) fail(where, "'", path.string(), "' has ", content.size(), " bytes, which do not fit its counts");
  heights.numbers.resize((content.size() - 8) / 4);
  std::memcpy(heights.numbers.data(), content.data() + 8, content.size() - 8);
  return heights;
}

Heights heights_of_text(Compiling& c, const HeightfieldSpec& spec) {
  Heights heights{spec.rows, spec.columns, {}};
  const std::int64_t count = heights.rows * heights.columns;
  const std::string where = at_place(spec.place, "hfield");
  if (spec.rows < 2 || spec.columns < 2) fail(where, "has at least 2 rows and columns");
  c.budget.count_numbers(count, where);
  if (!spec.elevation.empty() && static_cast<std::int64_t>(spec.elevation.size()) != count)
    fail(at_place(spec.place, "hfield", "elevation"), "has ", spec.elevation.size(), " numbers, expected ", count);
  heights.numbers.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < spec.elevation.size(); ++i) {
    const std::size_t columns = static_cast<std::size_t>(spec.columns), row = i / columns;
    const std::size_t flipped = static_cast<std::size_t>(spec.rows) - 1 - row;
    heights.numbers[flipped * columns + i % columns] = float(spec.elevation[i]);
  }
  return heights;
}

void stretch(std::vector<float>& numbers) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const float least = *low, range = *high - *low;
  for (float& number : numbers) number = range > 1e-15f ? (number - least) / range : 0;
}

}  // namespace

void compile_heightfields(Compiling& c) {
  CompiledMjcf& m = c.out;
  for (const HeightfieldSpec& spec : c.spec.heightfields) {
    Heights heights = spec.file.empty() ? heights_of_text(c, spec) : heights_of_file(c, spec);
    for (const float number : heights.numbers)
      if (!(number - number == 0)) fail(at_place(spec.place, "hfield"), "a height is not finite");
    for (const double size : spec.size)
      if (size <= 0) fail(at_place(spec.place, "hfield", "size"), "must be positive, is ", size);
    if (heights.rows < 2 || heights.columns < 2)
      fail(at_place(spec.place, "hfield"), "has at least 2 rows and columns");
    stretch(heights.numbers);
    add_name(c.heightfields, spec.name, static_cast<int>(m.hfield_nrow.size()), spec.place, "hfield");
    m.hfield_nrow.push_back(static_cast<int>(heights.rows));
    m.hfield_ncol.push_back(static_cast<int>(heights.columns));
    m.hfield_adr.push_back(static_cast<int>(m.hfield_data.size()));
    append(m.hfield_size, spec.size);
    m.hfield_data.insert(m.hfield_data.end(), heights.numbers.begin(), heights.numbers.end());
  }
}

}  // namespace carom::inline CAROM_PRECISION
