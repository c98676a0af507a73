// What copies of a part of a model cost, counted before they are made: elements, names, and the numbers of assets. Few
// words ask for many of them.
#include "io/mjcf/reading.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct CopyCost {
  std::size_t elements = 0, bytes = 0;

  void add(const std::string& name, const Renaming& names) {
    ++elements;
    if (!name.empty()) bytes += name.size() + names.prefix.size() + names.suffix.size();
  }
  void add(const BodySpec& body, const Renaming& names) {
    add(body.name, names);
    for (const JointSpec& joint : body.joints) add(joint.name, names);
    for (const GeomSpec& geom : body.geoms) add(geom.name, names);
    for (const SiteSpec& site : body.sites) add(site.name, names);
  }
};

template <class List>
void add_names(CopyCost& cost, const List& list, const Renaming& names) {
  for (const auto& entry : list) cost.add(entry.name, names);
}

}  // namespace

void count_copy(XmlBudget& budget, const XmlNode& node, const Subtree& subtree, const MjcfReferences& references,
                const Renaming& names, bool is_first) {
  CopyCost cost;
  cost.add(subtree.own, names);
  for (const BodySpec& body : subtree.bodies) cost.add(body, names);
  add_names(cost, references.pairs, names);
  add_names(cost, references.excludes, names);
  add_names(cost, references.equalities, names);
  add_names(cost, references.actuators, names);
  for (const TendonSpec& tendon : references.tendons) {
    cost.add(tendon.name, names);
    for (const WrapSpec& wrap : tendon.wraps) cost.add(wrap.object, names);
  }
  for (std::size_t i = 0; i < cost.elements && !is_first; ++i) budget.count_element(node);
  budget.bytes += cost.bytes;
  if (budget.bytes > budget.limits.bytes)
    fail_at(node, "names make more than ", budget.limits.bytes, " bytes in all (limits.bytes)");
}

void count_assets(XmlBudget& budget, const XmlNode& node, const MjcfSpec& from) {
  std::size_t numbers = 0;
  for (const MeshSpec& mesh : from.meshes) numbers += mesh.vertices.size() + mesh.faces.size();
  for (const HeightfieldSpec& field : from.heightfields) numbers += field.elevation.size();
  budget.count_numbers(static_cast<std::int64_t>(numbers), at_place(node.place, node.name));
}

}  // namespace carom::inline CAROM_PRECISION
