// Points whose convex hull is a shape, nearly, and the outline of points in a picture.
#pragma once

#include <vector>

#include "carom/carom.h"
#include "cli/picture.h"

namespace carom::cli {

// In the frame of the shape; none of planes and fields.
std::vector<Vec3> shape_points(const Model& model, int shape);

// The corners of the convex hull, counterclockwise (Andrew's monotone chain).
std::vector<PicturePoint> convex_outline(std::vector<PicturePoint> points);

}  // namespace carom::cli
