// Length ranges of muscles that a simulation finds: closed forms, how they reach the model, and what is said when there
// is none. (python/tests holds them against MuJoCo.)
#include <gtest/gtest.h>

#include "carom/error.h"
#include "carom/mjcf.h"

namespace carom {
namespace {

constexpr double kTolerance = sizeof(Real) == 4 ? 2e-5 : 1e-9;

// Two slides of one mass with constant impedance d = 0.9, so that a limit gives way by
//   a (1 - d) / d^2 dmax^2 timeconst^2 = 0.0008   when it is pressed with the force that accelerates by a = 20.
std::string slides(const std::string& actuators, const std::string& lengthrange = "",
                   const std::string& limits = "range='-1 2'") {
  const std::string rest = " type='slide' " + limits + " solimplimit='.9 .9 .001 .5 2'/><geom size='.1'/></body>";
  return "<mujoco><compiler><lengthrange " + lengthrange +
         "/></compiler>\n<worldbody><body><joint name='x' axis='1 0 0'" + rest + "<body><joint name='y' axis='0 1 0'" +
         rest +
         "</worldbody><tendon><fixed name='t'><joint joint='x' coef='3'/><joint joint='y' "
         "coef='-4'/></fixed></tendon>" +
         "<actuator>\n" + actuators + "</actuator></mujoco>";
}

MjcfSource source_of(const std::string& text) {
  MjcfSource source;
  source.text = text;
  return source;
}

std::vector<double> ranges_of(const std::string& text) {
  ReadMjcf read = read_mjcf(source_of(text));
  find_length_ranges(read);
  EXPECT_TRUE(read.length_search.actuators.empty());
  return read.model.actuator_lengthrange;
}

std::string error_of(const std::string& text) {
  try {
    load_mjcf(source_of(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_ranges(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], kTolerance * 10) << i;
}

// Proves that a joint's muscle reaches as far as the force that accelerates it by 20 presses its limits, that a gear
// multiplies and turns the range, and that a tendon has the same force shared by its coefficients.
TEST(MjcfLengths, RestAgainstSoftLimits) {
  const double give = 0.0008;
  expect_ranges(
      ranges_of(slides("<muscle joint='x'/><muscle joint='x' gear='-3'/><muscle tendon='t'/><motor joint='y'/>")),
      {-1 - give, 2 + give, -3 * (2 + give), 3 * (1 + give), -3 * (1 + 0.6 * give) - 4 * (2 + 0.8 * give),
       3 * (2 + 0.6 * give) + 4 * (1 + 0.8 * give), 0, 0});
}

// Proves that the settings count: half of the acceleration presses half as far, a bounded force as far as it may (the
// mass is 4188.79 r^3), and modes say whose lengths are looked for.
TEST(MjcfLengths, SettingsCount) {
  const double give = 0.0008;
  expect_ranges(ranges_of(slides("<muscle joint='x'/>", "accel='10'")), {-1 - give / 2, 2 + give / 2});
  const double mass = 4188.790204786391 * 0.001;
  expect_ranges(ranges_of(slides("<muscle joint='x'/>", "maxforce='5'")),
                {-1 - give * 5 / (20 * mass), 2 + give * 5 / (20 * mass)});
  expect_ranges(ranges_of(slides("<motor joint='x'/>", "mode='all'")), {-1 - give, 2 + give});
  expect_ranges(ranges_of(slides("<muscle joint='x' lengthrange='5 6'/>")), {5, 6});
  expect_ranges(ranges_of(slides("<muscle joint='x' lengthrange='5 6'/>", "useexisting='false'")),
                {-1 - give, 2 + give});
  expect_ranges(ranges_of(slides("<muscle joint='x' lengthrange='5 6'/>", "useexisting='false' uselimit='true'")),
                {-1, 2});
}

// Proves that contacts, gravity, springs, dampers and friction play no part, and that flags that switch off limits do
// not, either.
TEST(MjcfLengths, NothingElsePulls) {
  const std::string plain = slides("<muscle joint='x'/><muscle tendon='t'/>");
  const std::vector<double> expected = ranges_of(plain);
  const auto with = [](std::string text, const std::string& before, const std::string& more) {
    for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += more.size() + before.size())
      text.insert(at, more);
    return ranges_of(text);
  };
  expect_ranges(with(plain, "<worldbody>", "<option gravity='3 2 1'><flag limit='disable'/></option>"), expected);
  expect_ranges(with(plain, "type='slide'", "stiffness='50' damping='3' frictionloss='9' "), expected);
  expect_ranges(with(plain, "<body><joint name='x'", "<geom type='plane' size='1 1 1' euler='0 80 0'/>"), expected);
}

// Proves that load_mjcf() gives the range to the muscle, and that it is in what to_mjcf() writes.
TEST(MjcfLengths, ModelsHaveThem) {
  const Model model = load_mjcf(source_of(slides("<muscle joint='x'/>")));
  EXPECT_NEAR(model.actuator_muscle[0][2], -1.0008, kTolerance * 10);
  EXPECT_NEAR(model.actuator_muscle[0][3], 2.0008, kTolerance * 10);
  EXPECT_NE(to_mjcf(model).find("lengthrange=\"-1.0008"), std::string::npos) << to_mjcf(model);
}

// Proves that a range that does not exist is an error with line and element, which says what was found.
TEST(MjcfLengths, NoRangeIsAnError) {
  const std::string endless = error_of(slides("<motor joint='y'/>\n<muscle joint='x'/>", "", ""));
  EXPECT_NE(endless.find("MJCF:4: <muscle>: a simulation of 10 s"), std::string::npos) << endless;
  EXPECT_NE(endless.find("did not come to rest"), std::string::npos) << endless;
  const std::string still = error_of(slides("<muscle joint='x'/>", "accel='0'"));
  EXPECT_NE(still.find("MJCF:3: <muscle>: a simulation that pulls at it found no range"), std::string::npos) << still;
  const std::string none = error_of(slides("<muscle joint='x'/>", "mode='none'"));
  EXPECT_NE(none.find("MJCF:3: <muscle>: a muscle needs its lengthrange"), std::string::npos) << none;
}

// Proves that a simulation that would go on for too long is refused before it starts, and one without steps, too.
TEST(MjcfLengths, TooManyStepsAreRefused) {
  for (const char* how : {"timestep='1e-300'", "inttotal='1e300'", "inttotal='1e9' timestep='1e-3'"}) {
    const std::string error = error_of(slides("<muscle joint='x'/>", how));
    EXPECT_NE(error.find("MJCF:3: <muscle>: "), std::string::npos) << how << ": " << error;
    EXPECT_NE(error.find("limits.steps"), std::string::npos) << how << ": " << error;
  }
  const std::string backwards = error_of(slides("<muscle joint='x'/>", "inttotal='-1'"));
  EXPECT_NE(backwards.find("found no range"), std::string::npos) << backwards;
}

}  // namespace
}  // namespace carom
