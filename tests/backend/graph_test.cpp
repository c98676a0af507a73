// The bookkeeping of recorded graphs, with a recorder that writes down what it is told.
#include "backend/graph.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace carom {
namespace {

// What a cache did with each call: "run k", "record k", "replay k".
class Calls {
 public:
  std::vector<std::string> log;

  void operator()(const std::string& key) {
    cache_.run(Recorder{*this}, key, [&] { log.push_back((recording_ ? "record " : "run ") + key); });
  }
  void fail(const std::string& key) {
    EXPECT_THROW(cache_.run(Recorder{*this}, key, [] { throw std::runtime_error("no memory"); }), std::runtime_error);
  }
  bool recording() const { return recording_; }
  void forget() { cache_.forget(); }

 private:
  struct Recorder {
    Calls& calls;
    void begin() const { calls.recording_ = true; }
    std::shared_ptr<int> end() const {
      calls.recording_ = false;
      return std::make_shared<int>(0);
    }
    void replay(const std::shared_ptr<int>& graph) const {
      EXPECT_TRUE(graph);
      calls.log.push_back("replay");
    }
  };
  bool recording_ = false;
  GraphCache<std::shared_ptr<int>> cache_;
};

using Log = std::vector<std::string>;

// Proves that the first call runs, the second records and replays, and later ones replay alone.
TEST(GraphCache, RunsRecordsReplays) {
  Calls call;
  for (int i = 0; i < 3; ++i) call("a");
  EXPECT_EQ(call.log, (Log{"run a", "record a", "replay", "replay"}));
}

// Proves that keys used in turn, as two states are, have a graph each.
TEST(GraphCache, KeysInTurn) {
  Calls call;
  for (int i = 0; i < 3; ++i) call("a"), call("b");
  EXPECT_EQ(call.log, (Log{"run a", "run b", "record a", "replay", "record b", "replay", "replay", "replay"}));
}

// Proves that with more keys than graphs the one that was used longest ago goes, and that what is used stays.
TEST(GraphCache, LeastRecentlyUsedGoes) {
  Calls call;
  const auto last = [&](const std::string& key) {
    call.log.clear();
    call(key);
    return call.log.front();
  };
  for (const char* key : {"a", "b", "c", "d", "A", "B", "C", "D"}) call(key), call(key);
  EXPECT_EQ(last("a"), "replay");
  EXPECT_EQ(last("e"), "run e");  // b goes
  for (const char* key : {"a", "c", "d", "A", "B", "C", "D"}) EXPECT_EQ(last(key), "replay") << key;
  EXPECT_EQ(last("e"), "record e");
  EXPECT_EQ(last("b"), "run b");  // a goes
  EXPECT_EQ(last("a"), "run a");
}

// Proves that nothing is replayed after forget(), and that an error while running or recording leaves no graph behind.
TEST(GraphCache, ForgetsAndSurvivesErrors) {
  Calls call;
  for (int i = 0; i < 2; ++i) call("a");
  call.forget();
  call.log.clear();
  call("a");
  EXPECT_EQ(call.log, Log{"run a"});
  call.fail("a");  // while it records
  EXPECT_FALSE(call.recording());
  call("a");
  EXPECT_EQ(call.log, (Log{"run a", "record a", "replay"}));
  call.fail("b");  // while it runs
  call.log.clear();
  call("b");
  EXPECT_EQ(call.log, Log{"run b"});
}

}  // namespace
}  // namespace carom
