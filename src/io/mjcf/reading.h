// Reading a tree of XML nodes into a spec, one file for each family of elements.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/mjcf/spec.h"

namespace carom::inline CAROM_PRECISION {

// A default class: what it and its parents give to elements. Actuators share one set of numbers, whatever shortcut they
// are written with, so theirs are kept as numbers.
struct MjcfClass {
  std::map<std::string, std::vector<MjcfValue>> values;  // by the id of the element
  ActuatorSpec actuator;
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

// What the user says about the source, over what it says: after this all is known that the compiler asks for.
void apply_user_rules(MjcfSpec& spec, const MjcfSource& source);
// All sections below the root.
void read_mjcf_tree(MjcfReading& in, const XmlNode& root);
void read_model_asset(MjcfReading& in, const MjcfAttributes& given);
void read_attach(MjcfReading& in, const MjcfAttributes& given, int parent, const MjcfPose& frame);
// Options of a model that is attached.
void merge_options(MjcfReading& in, const OptionSpec& other, const MjcfAttributes& attach);

JointSpec joint_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
GeomSpec geom_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
SiteSpec site_spec(const MjcfAttributes& attributes, const MjcfAngles& angles);
// Writes what an actuator element says over what `spec`, of its class, is.
void apply_actuator(ActuatorSpec& spec, const MjcfAttributes& attributes);

}  // namespace carom::inline CAROM_PRECISION
