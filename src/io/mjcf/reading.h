// Reading a tree of XML nodes into a spec, one file for each family of elements.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/mjcf/spec.h"

namespace carom::inline CAROM_PRECISION {

// A default class: what it and its parents give to elements. Actuators share one set of numbers, whatever shortcut they
// are written with, so theirs are kept as numbers.
struct MjcfClass {
  std::map<std::string, std::vector<MjcfValue>> values;  // by the id of the element
  ActuatorSpec actuator;
};

// Where an element names another one; `kind`: "material", "texture", "body".
struct MjcfMention {
  XmlPlace place;
  std::string element, attribute, kind, name;
};

// To be attached.
struct MjcfModel {
  MjcfSpec spec;
  std::map<std::string, MjcfClass> classes;
};

struct MjcfReading {
  XmlBudget& budget;
  MjcfMessages messages;
  MjcfSpec spec;
  std::map<std::string, MjcfClass> classes;
  std::string folder;  // of the files that the model names
  int level = 0;       // of a model that is attached to another one
  std::map<std::string, MjcfModel> models{};
  std::set<std::pair<std::string, std::string>> named{};  // kinds and names of what is only seen
  std::vector<MjcfMention> mentions{};

  const MjcfAngles& angles() const { return spec.compiler.angles; }
};

// The children of a node that the table knows, with their rules; the others are reported.
struct RuledNode {
  const XmlNode* node;
  const MjcfElementRule* rule;
};
std::vector<RuledNode> ruled_children(MjcfReading& in, const XmlNode& parent, const MjcfElementRule& rule);

// The attributes of a node over those of its class: the one it names, or else `childclass`. `defaults`: the id under
// which classes keep them, where it is not the element's own.
MjcfAttributes read_with_class(MjcfReading& in, const RuledNode& at, const std::string& childclass,
                               const char* defaults = nullptr);
const MjcfClass& find_class(const MjcfReading& in, const XmlNode& node, const std::string& name);

void read_compiler(MjcfReading& in, const XmlNode& node);
void read_option(MjcfReading& in, const XmlNode& node);
void read_default(MjcfReading& in, const XmlNode& node, const std::string& parent);
void read_assets(MjcfReading& in, const XmlNode& node);
// Bodies, frames and what is in them, below the world.
void read_worldbody(MjcfReading& in, const XmlNode& node);
void read_contact(MjcfReading& in, const XmlNode& node);
void read_equality(MjcfReading& in, const XmlNode& node);
void read_tendon(MjcfReading& in, const XmlNode& node);
void read_actuator(MjcfReading& in, const XmlNode& node);
void read_sensors(MjcfReading& in, const XmlNode& node);
void read_keyframes(MjcfReading& in, const XmlNode& node);
void read_custom(MjcfReading& in, const XmlNode& node);
// What users get of the tuples, when all copies of them are made.
void collect_tuples(MjcfSpec& spec);
void read_size(MjcfReading& in, const XmlNode& node);
void read_visual(MjcfReading& in, const XmlNode& node);
// A texture, material or skin.
void read_look(MjcfReading& in, const RuledNode& at);
// Looks through an element and all below it.
void check_tree(MjcfReading& in, const XmlNode& node, const MjcfElementRule& rule);
// What an element names is looked for when the whole file is read.
void note_names(MjcfReading& in, const MjcfAttributes& given);
void check_mentions(const MjcfReading& in);

// What the user says about the source, over what it says: after this all is known that the compiler asks for.
void apply_user_rules(MjcfSpec& spec, const MjcfSource& source);
// All sections below the root.
void read_mjcf_tree(MjcfReading& in, const XmlNode& root);
void read_model_asset(MjcfReading& in, const MjcfAttributes& given);
void read_attach(MjcfReading& in, const MjcfAttributes& given, int parent, const MjcfPose& frame);
FrameScale read_frame_scale(const MjcfAttributes& given);
// Resizes what is in scaled frames, and what refers to it, when all is read.
void apply_scales(MjcfSpec& spec);
// Options of a model that is attached.
void merge_options(MjcfReading& in, const OptionSpec& other, const MjcfAttributes& attach);

// Bodies [first, end) of another model, which begin at `into` of this one, and the actuators that came with them.
struct Attachment {
  std::string prefix;
  std::size_t first, end;
  int into;
  std::function<bool(const ActuatorSpec&)> has_actuator;
};
void attach_keyframes(MjcfSpec& into, const MjcfSpec& from, const Attachment& part);
void attach_custom(MjcfSpec& into, const MjcfSpec& from, const std::string& prefix);

JointSpec joint_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
GeomSpec geom_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
CameraSpec camera_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
SiteSpec site_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
// Writes what an actuator element says over what `spec`, of its class, is.
void apply_actuator(ActuatorSpec& spec, const MjcfAttributes& attributes);
// The bits of the words of an attribute 'input'.
int read_inputs(const MjcfAttributes& given, int otherwise);
// Shortcuts with several inputs or states. `before`: the gains of the class to go on from.
void read_dc_motor(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given);
void read_pid(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given);
void read_orientation(ActuatorSpec& spec, const ActuatorSpec& before, const MjcfAttributes& given);

}  // namespace carom::inline CAROM_PRECISION
