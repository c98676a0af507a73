// A picture of something made of capsules and convex outlines at several times, one pose beside the other on an axis of
// time, as an SVG file. It knows nothing of models: it is given thick lines that a camera has projected already.
#pragma once

#include <string>
#include <vector>

namespace carom::cli {

// All lengths are metres in the plane of the picture, x to the right, y up, the ground's origin at zero.
struct PicturePoint {
  double x, y;
};

// A thick line, or an outline that is filled.
struct Stroke {
  double x0, y0, x1, y1;  // ends; of an outline the corners of its box
  double radius;
  double depth;  // larger = nearer
  int tone;      // index of Picture::tones
  std::vector<PicturePoint> outline{};
};

// Along the normal of a contact and along its two tangents, each an arrow of its own colour.
struct ContactArrows {
  double x, y;          // where they act
  double fx[3], fy[3];  // [N]; short ones are not drawn
};

struct Pose {
  double time;  // [s]
  std::vector<Stroke> body;
  std::vector<Stroke> shadow;  // seen from above: y is along the ground, away from the camera
  std::vector<ContactArrows> forces;
};

struct Picture {
  std::string title, subtitle;
  std::vector<std::string> tones;  // what the colours mean; three at most
  double ground_slope = 0;         // height in the picture of a metre along the ground, away from the camera
  std::vector<Pose> poses;
};

std::string to_svg(const Picture& picture);
// Makes all poses as much smaller, or larger, as it takes for each to have its place.
void fit_to_places(std::vector<Pose>& poses);

}  // namespace carom::cli
