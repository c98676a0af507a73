#include "cli/picture.h"

#include <algorithm>
#include <cmath>

#include "cli/svg_text.h"

namespace carom::cli {

namespace {

// -- Layout [px], and metres where it says so.
constexpr double kScale = 165;  // px per metre
constexpr double kPitch = 1.2;  // from pose to pose [m]
constexpr double kMargin = 40, kHeader = 84, kAxis = 46;
constexpr int kPosesPerRow = 6;
constexpr double kLongestArrow = 0.85;  // [m]

struct Tone {
  const char* edge;
  const char* fill;
  const char* light;
};
// Told apart by people who do not see red and green as different, too.
constexpr Tone kTones[] = {
    {"#37474f", "#78909c", "#b5c3ca"}, {"#b8560f", "#f08a3c", "#ffc595"}, {"#0d5c8c", "#3a97cf", "#9fd1f0"}};
// Of forces along a normal and along its tangents.
constexpr const char* kForces[] = {"#2e9e4f", "#d32f2f", "#1e63c8"};
constexpr const char* kForceNames[] = {"normal", "tangent", "second tangent"};
const Tone& tone_of(int tone) { return kTones[std::clamp(tone, 0, 2)]; }

// A line with round ends; of length zero a disc, which not every viewer draws as a line.
void put_line(std::string& out, const Stroke& s, double x, double y, const char* colour, double grow, double shift) {
  const double r = std::max(0.0, s.radius * kScale + grow), up = -shift * s.radius * kScale;
  const double x0 = x + s.x0 * kScale + up, y0 = y - s.y0 * kScale + up, x1 = x + s.x1 * kScale + up,
               y1 = y - s.y1 * kScale + up;
  if (std::hypot(x1 - x0, y1 - y0) < 0.1)
    put(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"none\"/>\n", x0, y0, r, colour);
  else
    put(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", x0, y0, x1, y1, colour, 2 * r);
}

void put_outline(std::string& out, const Stroke& s, double x, double y, const char* fill, const char* edge) {
  for (std::size_t i = 0; i < s.outline.size(); ++i)
    put(out, "%s%.1f %.1f", i == 0 ? "<path d=\"M" : "L", x + s.outline[i].x * kScale, y - s.outline[i].y * kScale);
  put(out, "Z\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.3\"/>\n", fill, edge);
}

void put_arrow(std::string& out, double x, double y, double dx, double dy, const char* colour) {
  const double length = std::hypot(dx, dy);
  if (length < 4) return;
  const double head = std::min(7.0, length / 2), ux = dx / length, uy = dy / length, bx = x + dx - head * ux,
               by = y + dy - head * uy, half = head * 4 / 7;
  put(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", x, y, bx, by, colour);
  put(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\"/>\n", x + dx, y + dy, bx - half * uy,
      by + half * ux, bx + half * uy, by - half * ux, colour);
}

void put_contact(std::string& out, const ContactArrows& contact, double x, double y, double px_per_newton) {
  const double at_x = x + contact.x * kScale, at_y = y - contact.y * kScale;
  for (int i = 2; i >= 0; --i)
    put_arrow(out, at_x, at_y, contact.fx[i] * px_per_newton, -contact.fy[i] * px_per_newton, kForces[i]);
  put(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"#fff\" stroke=\"%s\"/>\n", at_x, at_y, kInk);
}

// A force that is drawn 1 m long: a round number that keeps the longest arrow in the picture [N].
double newtons_per_metre(const Picture& picture) {
  double longest = 1;
  for (const Pose& pose : picture.poses)
    for (const ContactArrows& contact : pose.forces)
      for (int i = 0; i < 3; ++i) longest = std::max(longest, std::hypot(contact.fx[i], contact.fy[i]));
  return round_up(longest / kLongestArrow);
}

void put_pose(std::string& out, const Picture& picture, const Pose& pose, double x, double ground, double newtons) {
  // Shadows of parts that overlap are one shadow: opaque inside a group that is not.
  put(out, "<g opacity=\".16\" transform=\"translate(%.1f %.1f) scale(1 %.3f)\">\n", x, ground, picture.ground_slope);
  for (const Stroke& s : pose.shadow) {
    if (s.outline.empty()) put_line(out, s, 0, 0, kInk, 0, 0);
    else put_outline(out, s, 0, 0, kInk, kInk);
  }
  out += "</g>\n";

  std::vector<Stroke> body = pose.body;
  std::stable_sort(body.begin(), body.end(), [](const Stroke& a, const Stroke& b) { return a.depth < b.depth; });
  for (const Stroke& s : body) {
    const Tone& tone = tone_of(s.tone);
    if (!s.outline.empty()) {
      put_outline(out, s, x, ground, tone.fill, tone.edge);
      continue;
    }
    put_line(out, s, x, ground, tone.edge, 0, 0);
    put_line(out, s, x, ground, tone.fill, -1.3, 0);
    put_line(out, s, x, ground, tone.light, -0.68 * s.radius * kScale, 0.27);
  }
  for (const ContactArrows& contact : pose.forces) put_contact(out, contact, x, ground, kScale / newtons);
}

void put_header(std::string& out, const Picture& picture, double width, double newtons) {
  put_text(out, kMargin, 38, "class=\"title\"", picture.title);
  put_text(out, kMargin, 62, "class=\"small\"", picture.subtitle);
  // Entries are as wide as their words are in a wide font: viewers choose the font.
  double x = width - kMargin;
  const double arrow = newtons / 5, arrow_px = kScale / 5;
  char text[64];
  std::snprintf(text, sizeof text, "contact force, %.0f N", arrow);
  put_text(out, x - 160, 38, "class=\"small\"", text);
  put_arrow(out, x - 170 - arrow_px, 33, arrow_px, 0, kForces[0]);
  double left = x - 550;
  for (int i = 0; i < 3; ++i) {
    put_arrow(out, left, 33, 22, 0, kForces[i]);
    put_text(out, left + 28, 38, "class=\"small\"", kForceNames[i]);
    left += 38 + 8.0 * static_cast<double>(std::string(kForceNames[i]).size());
  }
  for (std::size_t i = picture.tones.size(); i-- > 0;) {
    x -= 8.0 * static_cast<double>(picture.tones[i].size());
    const Tone& tone = tone_of(static_cast<int>(i));
    const Stroke sample{-0.16, 0, -0.1, 0, 0.035, 0, 0};
    put_line(out, sample, x, 57, tone.edge, 0, 0);
    put_line(out, sample, x, 57, tone.fill, -1.3, 0);
    put_text(out, x, 62, "class=\"small\"", picture.tones[i]);
    x -= 56;
  }
}

// Some of the poses, side by side. Rows are as high as what is in them.
struct Row {
  int first, last;
  double above, below;  // of the ground's origin [px]
};

std::vector<Row> rows_of(const Picture& picture, double newtons) {
  std::vector<Row> rows;
  const int count = static_cast<int>(picture.poses.size());
  for (int first = 0; first < count; first += kPosesPerRow) {
    Row row{first, std::min(count, first + kPosesPerRow), 0, 0};
    const double slope = picture.ground_slope * kScale;
    for (int i = row.first; i < row.last; ++i) {
      for (const Stroke& s : picture.poses[i].body) {
        row.above = std::max(row.above, (std::max(s.y0, s.y1) + s.radius) * kScale);
        row.below = std::max(row.below, (s.radius - std::min(s.y0, s.y1)) * kScale);
      }
      for (const Stroke& s : picture.poses[i].shadow)
        row.below = std::max(row.below, (s.radius - std::min(s.y0, s.y1)) * slope);
      for (const ContactArrows& contact : picture.poses[i].forces)
        for (const double force : contact.fy) {
          const double tip = (contact.y + force / newtons) * kScale;
          row.above = std::max(row.above, tip), row.below = std::max(row.below, -tip);
        }
    }
    row.above += 16;
    row.below += 10;
    rows.push_back(row);
  }
  return rows;
}

// Where a pose's own x = 0 is drawn so that its middle is at `x`.
double centred(const Pose& pose, double x) {
  double low = 1e30, high = -1e30;
  for (const Stroke& s : pose.body) {
    low = std::min({low, s.x0 - s.radius, s.x1 - s.radius});
    high = std::max({high, s.x0 + s.radius, s.x1 + s.radius});
  }
  return low > high ? x : x - (low + high) / 2 * kScale;
}

// The ground, the axis of time in front of it, and the poses of a row.
void put_row(std::string& out, const Picture& picture, const Row& row, double width, double y, double newtons) {
  const double ground = y + row.above, front = ground + row.below, back = ground - 0.55 * picture.ground_slope * kScale;
  put(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"url(#ground)\"/>\n", kMargin / 2, back,
      width - kMargin, front - back);
  put(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"1.2\"/>\n", kMargin / 2, front,
      width - kMargin / 2, kFaintInk);
  for (int i = row.first; i < row.last; ++i) {
    const Pose& pose = picture.poses[i];
    const double x = kMargin + (i - row.first + 0.5) * kPitch * kScale;
    char label[32];
    std::snprintf(label, sizeof label, "%.2f s", pose.time);
    put(out, "<path d=\"M%.1f %.1fv7\" stroke=\"%s\" stroke-width=\"1.2\"/>\n", x, front, kFaintInk);
    put_text(out, x, front + 24, "text-anchor=\"middle\"", label);
    put_pose(out, picture, pose, centred(pose, x), ground, newtons);
  }
}

}  // namespace

void fit_to_places(std::vector<Pose>& poses) {
  constexpr double kLargest = 1.1 * kPitch;  // a little may reach into the next place [m]
  double largest = 0;
  for (const Pose& pose : poses) {
    double low = 1e30, high = -1e30, top = 0;
    for (const Stroke& s : pose.body) {
      low = std::min({low, s.x0 - s.radius, s.x1 - s.radius});
      high = std::max({high, s.x0 + s.radius, s.x1 + s.radius});
      top = std::max({top, s.y0 + s.radius, s.y1 + s.radius});
    }
    largest = std::max({largest, high - low, top / 2});
  }
  const double factor = largest > 0 ? kLargest / largest : 1;
  for (Pose& pose : poses) {
    for (std::vector<Stroke>* strokes : {&pose.body, &pose.shadow})
      for (Stroke& s : *strokes) {
        for (double* length : {&s.x0, &s.y0, &s.x1, &s.y1, &s.radius}) *length *= factor;
        for (PicturePoint& point : s.outline) point = {point.x * factor, point.y * factor};
      }
    for (ContactArrows& contact : pose.forces) contact.x *= factor, contact.y *= factor;
  }
}

std::string to_svg(const Picture& picture) {
  const double width = 2 * kMargin + kPosesPerRow * kPitch * kScale, newtons = newtons_per_metre(picture);
  const std::vector<Row> rows = rows_of(picture, newtons);
  double height = kHeader;
  for (const Row& row : rows) height += row.above + row.below + kAxis;

  std::string out;
  put_svg_head(out, width, height);
  out +=
      "<linearGradient id=\"ground\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\"><stop offset=\"0\" stop-color=\"#fff\"/>"
      "<stop offset=\"1\" stop-color=\"#dfe6ea\"/></linearGradient>\n"
      "<g fill=\"none\" stroke-linecap=\"round\">\n";
  put_header(out, picture, width, newtons);
  double y = kHeader;
  for (const Row& row : rows) {
    put_row(out, picture, row, width, y, newtons);
    y += row.above + row.below + kAxis;
  }
  out += "</g>\n</svg>\n";
  return out;
}

}  // namespace carom::cli
