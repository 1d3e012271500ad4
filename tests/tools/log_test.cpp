#include "tools/terminal/log.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace hearsay::test::log_test {

using namespace std::chrono_literals;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds evening{1'796'070'607'123};

}  // namespace

TEST_CASE("log: a line has time, level, peer and sentence") {
  const LogEntry entry{LogLevel::warning, PeerId{3}, "the disk is slow"};
  CHECK(log_line(LogFormat::text, evening, entry, Json::object()) ==
        "2026-11-30T20:30:07.123Z warning peer 3: the disk is slow");
  CHECK(
      log_line(LogFormat::json, evening, entry, {{"loss", 0.5}}) ==
      R"({"time":"2026-11-30T20:30:07.123Z","level":"warning","peer":3,"message":"the disk is slow","loss":0.5})");
  CHECK(log_line(LogFormat::text, evening, {.peer = PeerId{3}, .sentence = "peer 3 waits"}, Json::object()) ==
        "2026-11-30T20:30:07.123Z info peer 3 waits");
  CHECK(log_line(LogFormat::text, evening, {.sentence = "begins"}, Json::object()) ==
        "2026-11-30T20:30:07.123Z info begins");
}

TEST_CASE("log: whatever a sentence holds, a line is one line, and an object of JSON") {
  const LogEntry entry{LogLevel::error, {}, "two\nlines, \"quoted\", \x1b[31m, and no UTF-8: \xff"};
  const std::string text = log_line(LogFormat::text, evening, entry, Json::object());
  CHECK(text.find('\n') == text.npos);
  CHECK(text.find('\x1b') == text.npos);
  const std::string line = log_line(LogFormat::json, evening, entry, Json::object());
  CHECK(line.find('\n') == line.npos);
  CHECK(Json::parse(line)["level"] == "error");
}

TEST_CASE("log: a sentence that repeats is said once a minute, with a count") {
  RepeatedSentences sentences;
  const RepeatedSentences::Instant begin{};
  CHECK(sentences.say("a stranger was refused", begin) == 0);
  for (int second = 1; second < 60; ++second)
    CHECK_FALSE(sentences.say("a stranger was refused", begin + second * 1s));
  CHECK(sentences.say("another sentence", begin + 30s) == 0);
  CHECK(sentences.say("another sentence", begin + 90s) == 0);  // does not make the count forgotten
  CHECK(sentences.say("a stranger was refused", begin + 90s) == 59);
  CHECK(sentences.say("a stranger was refused", begin + 150s) == 0);
  CHECK_FALSE(sentences.say("a stranger was refused", begin + 209s));
  CHECK(sentences.say("a stranger was refused", begin + 300s) == 1);
}

}  // namespace hearsay::test::log_test
