// Editing a model: the user writes to copies of its arrays; what was changed is checked as a whole, and then copied
// back. Views of the copies that somebody keeps reach nothing.
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

}  // namespace

ModelEdit::ModelEdit(const Model& model) : model_(model) {
  if (model.edits->is_open) fail("edit: the model is being edited already; finish that edit first");
  visit_numbers(numbers, model, [](auto& to, const auto& array) { to = array.clone(); });
  model.edits->is_open = true;
}

ModelEdit::~ModelEdit() { model_.edits->is_open = false; }

void ModelEdit::finish() {
  const ModelNumbers now = on_cpu(numbers);
  try {
    check_numbers(model_, on_cpu(model_), now);
  } catch (const Error& error) {
    fail("edit: ", error.what(), "; nothing was changed");
  }
  visit_numbers(model_, now, [](const auto& array, const auto& values) { array.assign(values); });
  bring_up_to_date(model_);
}

void Model::edit(const std::function<void(ModelNumbers&)>& change) const {
  ModelEdit edit(*this);
  change(edit.numbers);
  edit.finish();
}

}  // namespace carom::inline CAROM_PRECISION
