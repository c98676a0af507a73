// Mesh files of all kinds become the same triangles: OBJ, STL in bytes and as text, and DAE with its scene; and hostile
// ones end.
#include "io/mesh/mesh_files.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/fail.h"
#include "carom/error.h"

namespace carom {
namespace {

constexpr const char* kCorners = "0 0 0 1 0 0 0 2 0 0 0 3";

std::string geometry(const std::string& polygons) {
  return text("<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='f' count='12'>", kCorners,
              "</float_array><technique_common><accessor source='#f' count='4' stride='3'/></technique_common></source>"
              "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>",
              polygons, "</mesh></geometry></library_geometries>");
}

const std::string kTriangles =
    "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' "
    "offset='1'/>"
    "<p>0 9 2 9 1 9  0 9 1 9 3 9  0 9 3 9 2 9  1 9 2 9 3 9</p></triangles>";

std::string scene(const std::string& nodes) {
  return "<library_visual_scenes><visual_scene id='s'>" + nodes +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>";
}
std::string asset(const std::string& up, const std::string& metres = "1") {
  return "<asset><unit meter='" + metres + "'/><up_axis>" + up + "</up_axis></asset>";
}
std::string collada(const std::string& elements) {
  return "<?xml version='1.0'?><COLLADA>\n" + elements + "</COLLADA>";
}

RawMesh dae(const std::string& elements, const FileLimits& limits = {}) {
  return parse_mesh_file(collada(elements), "a.dae", "", limits);
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_corner(const RawMesh& mesh, Vec3d expected) {
  for (const Vec3d& v : mesh.vertices)
    if (length(v - expected) < 1e-6) return;
  FAIL() << "no vertex at " << expected.x << " " << expected.y << " " << expected.z;
}

double volume(const RawMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.faces) {
    const auto at = [&](int i) { return mesh.vertices[static_cast<std::size_t>(i)]; };
    sum += dot(at(a), cross(at(b), at(c))) / 6;
  }
  return sum;
}

// Proves that triangles, lists of polygons and single polygons are read, whatever else their corners have.
TEST(MeshFiles, DaeHasPolygonsOfAllKinds) {
  const std::string input = "<input semantic='VERTEX' source='#v' offset='0'/>";
  const std::string polylist =
      "<polylist>" + input + "<vcount>3 3 3 3</vcount><p>0 2 1 0 1 3 0 3 2 1 2 3</p></polylist>";
  const std::string polygons = "<polygons>" + input + "<p>0 2 1</p><p>0 1 3</p><p>0 3 2</p><p>1 2 3</p></polygons>";
  for (const std::string& list : {kTriangles, polylist, polygons}) {
    const RawMesh mesh = dae(asset("Z_UP") + geometry(list));
    EXPECT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.faces.size(), 4u);
    EXPECT_NEAR(volume(mesh), 1, 1e-6);
    expect_corner(mesh, {0, 0, 3});
  }
  const RawMesh square =
      dae(asset("Z_UP") + geometry("<polylist>" + input + "<vcount>4</vcount><p>0 1 2 3</p></polylist>"));
  EXPECT_EQ(square.faces.size(), 2u);
}

// Proves that files are in metres with z up, whichever axis is up in them; without a word, it is y.
TEST(MeshFiles, DaeHasUnitsAndAxes) {
  expect_corner(dae(asset("Z_UP", "0.01") + geometry(kTriangles)), {0, 0.02, 0});
  const RawMesh y_up = dae(asset("Y_UP") + geometry(kTriangles)), unsaid = dae(geometry(kTriangles));
  for (const RawMesh& mesh : {y_up, unsaid}) {
    expect_corner(mesh, {0, 0, 2});   // y is up
    expect_corner(mesh, {0, -3, 0});  // z comes towards the viewer
  }
  const RawMesh x_up = dae(asset("X_UP") + geometry(kTriangles));
  expect_corner(x_up, {0, 0, 1});
  expect_corner(x_up, {-2, 0, 0});
  expect_corner(x_up, {0, -3, 0});
  EXPECT_NEAR(volume(x_up), 1, 1e-6);
}

// Proves that nodes place what they show, each transformation behind the one before it, and those of a mirror are
// turned to be seen from outside.
TEST(MeshFiles, DaeHasScenes) {
  const std::string shown = "<instance_geometry url='#g'/>";
  const std::string matrix =
      "<node><matrix>1 0 0 5  0 1 0 6  0 0 1 7  0 0 0 1</matrix><node><scale>2 2 2</scale>" + shown + "</node></node>";
  expect_corner(dae(asset("Z_UP") + geometry(kTriangles) + scene(matrix)), {7, 6, 7});
  const std::string steps = "<node><translate>0 0 1</translate><rotate>0 0 1 90</rotate>" + shown + "</node>";
  expect_corner(dae(asset("Z_UP") + geometry(kTriangles) + scene(steps)), {-2, 0, 1});
  const RawMesh mirrored =
      dae(asset("Z_UP") + geometry(kTriangles) + scene("<node><scale>-1 1 1</scale>" + shown + "</node>"));
  EXPECT_NEAR(volume(mirrored), 1, 1e-6);
  const std::string library = "<library_nodes><node id='n'>" + shown + "</node></library_nodes>";
  const RawMesh twice = dae(
      asset("Z_UP") + geometry(kTriangles) + library +
      scene(
          "<node><instance_node url='#n'/><node><translate>9 0 0</translate><instance_node url='#n'/></node></node>"));
  EXPECT_EQ(twice.faces.size(), 8u);
  expect_corner(twice, {10, 0, 0});
}

// Proves that mistakes of a DAE file have their line, and that one whose nodes show each other ends by the limits.
TEST(MeshFiles, DaeIsCheckedAndEnds) {
  const auto error = [&](const std::string& elements, const FileLimits& limits = {}) {
    return error_of([&] { dae(elements, limits); });
  };
  EXPECT_EQ(error(geometry("<triangles><p>0 1 2</p></triangles>")),
            "a.dae:2: <triangles>: has no <input> with semantic VERTEX");
  const std::string input = "<input semantic='VERTEX' source='#v' offset='0'/>";
  EXPECT_NE(error(geometry("<triangles>" + input + "<p>0 1 4</p></triangles>"))
                .find("<p>: there is no vertex 4, there are 4"),
            std::string::npos);
  EXPECT_NE(error(geometry("<triangles>" + input + "<p>0 -1 2</p></triangles>")).find("'-1' is no index"),
            std::string::npos);
  EXPECT_NE(error(geometry("<polylist>" + input + "<vcount>2000000000</vcount><p>0 1 2</p></polylist>"))
                .find("has too few indices"),
            std::string::npos);
  EXPECT_NE(error(asset("W_UP") + geometry(kTriangles)).find("<up_axis>: 'W_UP' is none of"), std::string::npos);
  const std::string loop = "<library_nodes><node id='n'><instance_node url='#n'/></node></library_nodes>";
  EXPECT_NE(error(loop + scene("<node><instance_node url='#n'/></node>")).find("(limits.depth)"), std::string::npos);
  std::string bomb;
  for (int i = 0; i < 40; ++i)
    bomb += text("<node id='n", i, "'><instance_node url='#n", i + 1, "'/><instance_node url='#n", i + 1, "'/></node>");
  bomb = "<library_nodes>" + bomb + "<node id='n40'><instance_geometry url='#g'/></node></library_nodes>" +
         geometry(kTriangles);
  FileLimits limits;
  limits.numbers = 1 << 16;
  EXPECT_NE(error(bomb + scene("<node><instance_node url='#n0'/></node>"), limits).find("(limits.numbers)"),
            std::string::npos);
}

// Proves that STL files are read as text, too, with shared corners joined, and what is wrong in them is said.
TEST(MeshFiles, StlAsText) {
  std::string content = "solid s\n";
  const char* faces[] = {"0 0 0 0 2 0 1 0 0", "0 0 0 1 0 0 0 0 3", "0 0 0 0 0 3 0 2 0", "1 0 0 0 2 0 0 0 3"};
  for (const std::string face : faces) {
    content += "facet normal 0 0 0\nouter loop\n";
    for (std::size_t k = 0; k < 3; ++k) content += "vertex " + face.substr(6 * k, 5) + "\n";
    content += "endloop\nendfacet\n";
  }
  const RawMesh mesh = parse_mesh_file(content + "endsolid s\n", "a.stl", "");
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_NEAR(volume(mesh), 1, 1e-6);
  EXPECT_EQ(error_of([&] { parse_stl(content + "facet vertex 1 2", "a.stl"); }), "a.stl: '' is not a number");
  EXPECT_EQ(error_of([&] { parse_stl(content + "facet vertex 1 2 nan", "a.stl"); }), "a.stl: 'nan' is not finite");
  EXPECT_EQ(error_of([&] { parse_stl(content + "facet vertex 1 2 3", "a.stl"); }),
            "a.stl: the last facet has 1 vertices, expected 3");
}

}  // namespace
}  // namespace carom
