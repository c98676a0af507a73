// Parts of a model that are put somewhere else, by <replicate> and <attach>: what a run of reading gave to a body, with
// all bodies below it, and the elements outside that refer to these alone.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "io/mjcf/spec.h"

namespace carom::inline CAROM_PRECISION {

struct Renaming {
  std::string prefix, suffix;

  void apply(std::string& name) const {
    if (!name.empty()) name = prefix + name + suffix;
  }
};

struct Subtree {
  BodySpec own;                   // its joints, geoms and sites stand in the body around
  std::vector<BodySpec> bodies;   // depth first; parents count from 0 here, -1 is the body around
  std::vector<FrameSpec> frames;  // their bodies and rows count likewise

  std::size_t elements() const;
  std::size_t name_bytes() const;
};

// Rows that are read from now on: the run is over with end_run().
MjcfRun begin_run(const MjcfSpec& spec, int body);
void end_run(const MjcfSpec& spec, MjcfRun& run);
// The end of the bodies below one.
std::size_t subtree_end(const MjcfSpec& spec, std::size_t body);

// `frames`: how many of the frames are looked at; one that stands around the run may have the same rows.
Subtree copy_run(const MjcfSpec& spec, const MjcfRun& run, std::size_t frames = std::string::npos);
// Bodies alone, one and all below it.
Subtree copy_bodies(const MjcfSpec& spec, const MjcfRun::Rows& bodies);
// Takes away what was read last.
Subtree cut_run(MjcfSpec& spec, const MjcfRun& run);
void add_subtree(MjcfSpec& into, Subtree subtree, int body, const MjcfPose& at, const Renaming& names);

// Counts a copy against the limits before it is made: its rows, what longer names take, and `bytes` of assets.
struct CopySize {
  std::size_t elements = 0, bytes = 0;
};
void count_copy(XmlBudget& budget, const XmlNode& node, const CopySize& size, const Renaming& names);

// -- References

enum class MjcfKind { kBody, kJoint, kGeom, kSite, kTendon, kActuator, kSensor, kCamera, kLight, kAsset, kCount };

// kAsset: what comes with a whole model, in use or not.
struct NamesInside {
  std::array<std::set<std::string>, static_cast<std::size_t>(MjcfKind::kCount)> names;
  std::set<std::string> left_tendons{};  // that are partly inside
  bool assets = false;                   // those of the model are inside, too

  explicit NamesInside(const Subtree& subtree);
  std::set<std::string>& of(MjcfKind kind) { return names[static_cast<std::size_t>(kind)]; }
  bool has(MjcfKind kind, const std::string& name) const {
    return kind == MjcfKind::kAsset ? assets : names[static_cast<std::size_t>(kind)].contains(name);
  }
};

std::size_t count_elements(const MjcfReferences& references);
bool belongs(const ActuatorSpec& actuator, const NamesInside& inside);
// The elements that refer to these names (and the world) alone; tendons and actuators among them add their own names.
// `left`, if given, gets a line for each that refers to others, too.
MjcfReferences copy_references(const MjcfReferences& from, NamesInside& inside, std::vector<std::string>* left);
// ... and takes them away.
MjcfReferences take_references(MjcfReferences& from, NamesInside& inside);
// All names of a kind that something refers to.
std::set<std::string> referenced_names(const MjcfReferences& references, MjcfKind kind);
void add_references(MjcfReferences& into, MjcfReferences references, const NamesInside& inside, const Renaming& names);

}  // namespace carom::inline CAROM_PRECISION
