// Editing a model: the user writes to copies of its arrays; what was changed is checked as a whole, and then copied
// back. Views of the copies that somebody keeps reach nothing.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/fail.h"
#include "carom/model.h"
#include "model/check_numbers.h"
#include "model/derived.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Calls visit(array of a, same array of b) for all that an edit may change.
template <class A, class B, class Visit>
void visit_numbers(A& a, B& b, Visit visit) {
  visit_columns([&](const ColumnInfo&, auto get) { visit(get(a), get(b)); });
  visit(a.gravity, b.gravity);
  visit(a.shape_collision_filter_pairs, b.shape_collision_filter_pairs);
}

template <class From>
ModelNumbers on_cpu(const From& from) {
  ModelNumbers numbers;
  visit_numbers(numbers, from, [](auto& to, const auto& array) { to = array.on_cpu(); });
  return numbers;
}

// start: of the worlds, then of the globals at the back, then the end.
template <class T>
std::vector<int> changed_worlds(const Array<T>& was, const Array<T>& now, const std::vector<int>& start) {
  const auto differ = [&](int first, int end) {
    return end > first && std::memcmp(was.data() + first, now.data() + first, (end - first) * sizeof(T)) != 0;
  };
  std::vector<int> worlds;
  if (!differ(0, start.back())) return worlds;
  const int count = static_cast<int>(start.size()) - 2;
  if (differ(0, start.front()) || differ(start[count], start.back())) worlds.push_back(-1);
  for (int world = 0; world < count; ++world)
    if (differ(start[world], start[world + 1])) worlds.push_back(world);
  return worlds;
}

// What differs in the columns that are chosen by their names.
template <class Choose>
void add_changes(const Model& model, const ModelNumbers& was, const ModelNumbers& now, Choose choose,
                 std::vector<ColumnChange>& changes) {
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (!choose(std::string_view(info.name))) return;
    std::vector<int> worlds = changed_worlds(get(was), get(now), model.layout->start[static_cast<int>(info.entity)]);
    if (!worlds.empty()) changes.push_back({info.name, std::move(worlds)});
  });
}

std::vector<ColumnChange> all_changes(const Model& model, const ModelNumbers& was, const ModelNumbers& now) {
  std::vector<ColumnChange> changes;
  add_changes(
      model, was, now, [](std::string_view) { return true; }, changes);
  std::vector<int> rows_of_worlds(model.world_count + 2);
  std::iota(rows_of_worlds.begin(), rows_of_worlds.end(), 0);
  std::vector<int> worlds = changed_worlds(was.gravity, now.gravity, rows_of_worlds);
  if (!worlds.empty()) changes.push_back({"gravity", std::move(worlds)});
  const Array<Index2>&pairs = was.shape_collision_filter_pairs, &others = now.shape_collision_filter_pairs;
  if (!std::equal(pairs.begin(), pairs.end(), others.begin(), others.end()))
    changes.push_back({"shape_collision_filter_pairs", {}});
  return changes;
}

// When an edit ends, joints and bodies of the initial state are brought in line.
constexpr std::array<std::string_view, 4> kInitialState{"body_q", "body_qd", "joint_q", "joint_qd"};
bool is_initial_state(std::string_view column) {
  return std::find(kInitialState.begin(), kInitialState.end(), column) != kInitialState.end();
}

ModelNumbers initial_state(const Model& model) {
  ModelNumbers numbers;
  visit_columns([&](const ColumnInfo& info, auto get) {
    if (is_initial_state(info.name)) get(numbers) = get(static_cast<const ModelColumns<Array>&>(model)).on_cpu();
  });
  return numbers;
}

}  // namespace

ModelEdit::ModelEdit(const Model& model) : model_(model) {
  if (model.edits->is_open) fail("edit: the model is being edited already; finish that edit first");
  visit_numbers(numbers, model, [](auto& to, const auto& array) { to = array.clone(); });
  model.edits->is_open = true;
}

ModelEdit::~ModelEdit() { model_.edits->is_open = false; }

void ModelEdit::finish() {
  const ModelNumbers now = on_cpu(numbers), was = on_cpu(model_);
  try {
    check_numbers(model_, was, now);
  } catch (const Error& error) {
    fail("edit: ", error.what(), "; nothing was changed");
  }
  std::vector<ColumnChange> changes = all_changes(model_, was, now);
  visit_numbers(model_, now, [](const auto& array, const auto& values) { array.assign(values); });
  bring_up_to_date(model_);
  add_changes(model_, now, initial_state(model_), is_initial_state, changes);
  model_.edits->remember(std::move(changes));
}

void Model::edit(const std::function<void(ModelNumbers&)>& change) const {
  ModelEdit edit(*this);
  change(edit.numbers);
  edit.finish();
}

}  // namespace carom::inline CAROM_PRECISION
