// read_urdf(): the root and its sections, links with what they weigh and look like.
#include <algorithm>
#include <cmath>

#include "io/urdf/attributes.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// A matrix has no negative eigenvalues: neither the determinant of it nor those of its corners are negative. slack: of
// eigenvalues.
bool is_semidefinite(Mat33d m, double slack) {
  for (int k = 0; k < 3; ++k) m[k][k] += slack;
  const double corner = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return m[0][0] >= 0 && corner >= 0 && dot(m[0], cross(m[1], m[2])) >= 0;
}

// In its principal axes an inertia has no negative moment, and none that exceeds the sum of the others: the moments of
// second order, tr(I) / 2 - I, are not negative then.
void check_inertia_of(const XmlNode& node, const Mat33d& I) {
  const double size = std::abs(I[0][0]) + std::abs(I[1][1]) + std::abs(I[2][2]);
  const double across = std::abs(I[0][1]) + std::abs(I[0][2]) + std::abs(I[1][2]);
  const double slack = 1e-4 * std::max(size, across);  // the builder's own; files round their numbers
  if (!is_semidefinite(I, slack)) fail_at(node, "has an axis about which the inertia is negative, which no body has");
  if (!is_semidefinite(mat33_identity<double>() * (trace(I) / 2) - I, slack))
    fail_at(node, "about one axis the inertia is larger than the sum of those about the other two, which no body has");
}

UrdfInertial read_inertial(UrdfReading& in, const XmlNode& node) {
  check_known(in, node, {}, {"origin", "mass", "inertia"});
  UrdfInertial inertial{node.place, read_origin(in, node)};
  const XmlNode& mass = needed_child(node, "mass");
  check_known(in, mass, {"value"}, {});
  inertial.mass = needed_number(mass, "value");
  if (inertial.mass < 0) fail_attribute(mass, "value", "must not be negative, is ", inertial.mass);
  const XmlNode* inertia = find_child(node, "inertia");
  if (!inertia) return inertial;
  check_known(in, *inertia, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {});
  Mat33d& I = inertial.inertia;
  I[0][0] = needed_number(*inertia, "ixx");
  I[1][1] = needed_number(*inertia, "iyy");
  I[2][2] = needed_number(*inertia, "izz");
  I[0][1] = I[1][0] = number_or(*inertia, "ixy", 0);
  I[0][2] = I[2][0] = number_or(*inertia, "ixz", 0);
  I[1][2] = I[2][1] = number_or(*inertia, "iyz", 0);
  check_inertia_of(*inertia, I);
  if (inertial.mass == 0 && trace(I) > 0) fail_at(*inertia, "there is inertia, but no mass");
  return inertial;
}

void read_size(UrdfReading& in, const XmlNode& node, UrdfShape& shape) {
  const auto round = [&] {
    check_known(in, node, {"radius", "length"}, {});
    shape.size = {positive_number(node, "radius"), positive_number(node, "length"), 0};
  };
  if (node.name == "box") {
    check_known(in, node, {"size"}, {});
    needed_text(node, "size");
    shape.geometry = UrdfGeometry::kBox;
    shape.size = vector_or(node, "size", {});
    for (int k = 0; k < 3; ++k)
      if (!(shape.size[k] > 0)) fail_attribute(node, "size", "must be positive, is ", shape.size[k]);
  } else if (node.name == "sphere") {
    check_known(in, node, {"radius"}, {});
    shape.geometry = UrdfGeometry::kSphere;
    shape.size = {positive_number(node, "radius"), 0, 0};
  } else if (node.name == "cylinder") {
    shape.geometry = UrdfGeometry::kCylinder;
    round();
  } else if (node.name == "capsule") {
    shape.geometry = UrdfGeometry::kCapsule;
    round();
  } else if (node.name == "mesh") {
    check_known(in, node, {"filename", "scale"}, {});
    shape.geometry = UrdfGeometry::kMesh;
    shape.file = needed_text(node, "filename");
    shape.size = vector_or(node, "scale", {1, 1, 1});
    for (int k = 0; k < 3; ++k)
      if (shape.size[k] == 0) fail_attribute(node, "scale", "is zero along axis ", k);
  } else {
    fail_at(node, "is no geometry of URDF: box, sphere, cylinder, capsule, mesh");
  }
}

UrdfShape read_shape(UrdfReading& in, const XmlNode& node) {
  check_known(in, node, {"name"}, {"origin", "geometry", "material", "verbose"});
  UrdfShape shape{node.place, optional_name(node), read_origin(in, node)};
  const XmlNode& geometry = needed_child(node, "geometry");
  if (geometry.children.size() != 1)
    fail_at(geometry, "has ", geometry.children.size(),
            " elements, expected one: box, sphere, cylinder, capsule, mesh");
  const XmlNode& size = geometry.children.front();
  shape.place = size.place;
  read_size(in, size, shape);
  return shape;
}

void check_root(const XmlNode& root) {
  if (root.name == "mujoco") fail_at(root, "this is MJCF, not URDF: add_mjcf() reads it");
  if (root.name == "sdf") fail_at(root, "this is SDF, not URDF");
  if (root.name != "robot") fail_at(root, "expected <robot>");
}

XmlNode parse_source(const UrdfSource& source, XmlBudget& budget) {
  if (!source.path.empty()) return parse_xml(read_text_file(source.path, budget), source.path, budget);
  budget.bytes += source.text.size();
  if (budget.bytes > budget.limits.bytes) fail("URDF: more than ", budget.limits.bytes, " bytes (limits.bytes)");
  return parse_xml(source.text, "URDF", budget);
}

std::string folder_of(const UrdfSource& source) {
  const std::size_t slash = source.path.find_last_of('/');
  if (source.path.empty()) return source.folder;
  return slash == std::string::npos ? "" : source.path.substr(0, slash + 1);
}

void scale_origin(Transformd& X, double factor) { X.p = X.p * factor; }

}  // namespace

UrdfLink read_urdf_link(UrdfReading& in, const XmlNode& node) {
  check_known(in, node, {"name", "type"}, {"inertial", "collision", "visual", "self_collision_checking"});
  UrdfLink link{node.place, needed_text(node, "name")};
  if (const XmlNode* inertial = find_child(node, "inertial")) link.inertial = read_inertial(in, *inertial);
  for (const XmlNode& child : node.children) {
    if (child.name == "collision") link.collisions.push_back(read_shape(in, child));
    if (child.name == "visual") link.visuals.push_back(read_shape(in, child));
  }
  return link;
}

UrdfSpec read_urdf(const UrdfSource& source, XmlBudget& budget, UrdfWarnings& warnings) {
  const XmlNode root = parse_source(source, budget);
  check_root(root);
  UrdfReading in{budget, warnings};
  in.spec.file = root.place.file;
  in.spec.folder = folder_of(source);
  check_known(in, root, {"name", "version"}, {"link", "joint", "transmission", "material"});
  in.spec.name = optional_name(root);
  for (const XmlNode& child : root.children) {
    if (child.name == "link") in.spec.links.push_back(read_urdf_link(in, child));
    if (child.name == "joint") in.spec.joints.push_back(read_urdf_joint(in, child));
    if (child.name == "transmission") read_urdf_transmission(in, child);
  }
  if (in.spec.links.empty()) fail_at(root, "has no <link>");
  connect_urdf(in);
  return std::move(in.spec);
}

void scale_urdf(UrdfSpec& spec, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) fail(*spec.file, ": scale must be positive, is ", factor);
  if (factor == 1) return;
  for (UrdfLink& link : spec.links) {
    if (link.inertial) {
      scale_origin(link.inertial->X_LI, factor);
      link.inertial->inertia = link.inertial->inertia * (factor * factor);
    }
    for (std::vector<UrdfShape>* shapes : {&link.collisions, &link.visuals})
      for (UrdfShape& shape : *shapes) {
        scale_origin(shape.X_LS, factor);
        shape.size = shape.size * factor;
      }
  }
  const auto slides = [&](const UrdfJoint& joint) { return joint.type == UrdfJointType::kPrismatic; };
  for (UrdfJoint& joint : spec.joints) {
    scale_origin(joint.X_PJ, factor);
    for (std::optional<double>* length : {&joint.lower, &joint.upper})
      if (*length && slides(joint)) **length *= factor;
    if (!joint.mimic) continue;
    if (slides(joint)) joint.mimic->offset *= factor, joint.mimic->multiplier *= factor;
    if (slides(spec.joints[static_cast<std::size_t>(joint.mimic->leader)])) joint.mimic->multiplier /= factor;
  }
}

}  // namespace carom::inline CAROM_PRECISION
