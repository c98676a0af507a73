// Names that are near one that nothing has, for messages.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace carom {

// How many letters must be changed, added or taken away to get from one name to the other.
inline int letters_apart(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i));
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

// "'foot', 'food'": a few of them, the nearest first.
inline std::string near_names(const std::vector<std::string>& names, const std::string& wanted) {
  constexpr std::size_t kShown = 5;
  std::vector<std::pair<int, std::string>> sorted;
  for (const std::string& name : names) sorted.emplace_back(letters_apart(name, wanted), name);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string list;
  for (std::size_t i = 0; i < std::min(sorted.size(), kShown); ++i)
    list += (list.empty() ? "'" : ", '") + sorted[i].second + "'";
  return list;
}

}  // namespace carom
