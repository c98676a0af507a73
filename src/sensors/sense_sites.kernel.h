// Sensors of volumes: what touches a site, and whether something is inside of one. One item is a sensor.
#pragma once

#include "geometry/point/shape.kernel.h"
#include "geometry/ray/shape.kernel.h"
#include "sensors/enclosure.kernel.h"
#include "sensors/find_wrenches.kernel.h"

namespace carom::inline CAROM_PRECISION {

// Where shapes are, and their form.
struct SensedShapes {
  const int *type, *body;
  const Transform* X_BS;
  const Vec3* scale;
  const int* geometry;        // row of the table, -1 = none; nullptr: nobody asks
  const GeometryView* table;  // of meshes, hulls and fields
  const Transform* X_WB;

  CAROM_HD ShapeView form(int s) const {
    const bool has_geometry = geometry && geometry[s] >= 0;
    return {static_cast<ShapeType>(type[s]), scale[s], has_geometry ? table + geometry[s] : nullptr};
  }
  // X_WS
  CAROM_HD Transform pose(int s) const { return body[s] < 0 ? X_BS[s] : X_WB[body[s]] * X_BS[s]; }
};

// The normal forces of the contacts of the site's body whose ray, from the point and away from the body, meets the
// site. That is so for all points inside. A point that sank in behind the site still counts.
struct SenseTouch {
  const int* sensor;  // row of each item
  const int *site, *world;
  SensedShapes shapes;
  ContactsOfWorlds contacts;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i], own = shapes.body[site[s]];
    const ShapeView form = shapes.form(site[s]);
    const Transform X_WS = shapes.pose(site[s]);
    Real sum = 0;
    contacts.each(world[s], [&](int c) CAROM_HD_LAMBDA {
      const bool on0 = contacts.shape_body[contacts.shape0[c]] == own;
      if (!on0 && contacts.shape_body[contacts.shape1[c]] != own) return;
      const Real push = dot(contacts.force[c], contacts.normal[c]);
      if (!(push > 0)) return;
      const Vec3 away = on0 ? contacts.normal[c] : -contacts.normal[c];
      const Vec3 p = rotate_inverse(X_WS.q, contacts.point[c] - X_WS.p), d = rotate_inverse(X_WS.q, away);
      if (is_hit(ray_shape(form, p, d, kRayEnd))) sum += push;
    });
    out.write(s, sum);
  }
};

// 1 where the origin of an object is inside of a site, 0 where it is not. Of shapes that have to be inside as a whole:
// by how much they jut out of it; the most of all shapes.
struct SenseInside {
  const int* sensor;  // row of each item
  const int *site, *body;
  const int* own_shape;  // of the object, -1: it is a frame, or a body
  const int* shape_start;
  const Transform* frame;
  const int* shape;  // of item i from shape_start[i] on; none: the origin of the object is asked for
  SensedShapes shapes;
  SensorOutput out;

  CAROM_HD void operator()(int i) const {
    const int s = sensor[i];
    const ShapeView form = shapes.form(site[s]);
    const Transform X_SW = inverse(shapes.pose(site[s]));
    if (shape_start[i] == shape_start[i + 1]) {
      const Vec3 p = transform_point(X_SW, origin(s));
      out.write(s, surface_point(form, p, kUnbounded).distance < 0 ? Real(1) : Real(0));
      return;
    }
    Real most = -kUnbounded;
    for (int k = shape_start[i]; k < shape_start[i + 1]; ++k)
      most = max(most, farthest_outside(form, shapes.form(shape[k]), X_SW * shapes.pose(shape[k])));
    out.write(s, most);
  }

 private:
  CAROM_HD Vec3 origin(int s) const {
    if (own_shape[s] >= 0) return shapes.pose(own_shape[s]).p;
    return body[s] < 0 ? frame[s].p : transform_point(shapes.X_WB[body[s]], frame[s].p);
  }
};

}  // namespace carom::inline CAROM_PRECISION
