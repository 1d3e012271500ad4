#include "runtime/record/score_payload.hpp"

#include <doctest/doctest.h>

#include "runtime/record/own_evaluation.hpp"

namespace hearsay::score_payload_test {

TEST_CASE("score: 32 bytes, and back") {
  const LocalScore score{
      .loss = -0.125, .samples = 40'000'000'000, .hits = 7, .judged = 10, .of_test_samples = true};
  const std::vector<std::byte> payload = encode_score(score);
  CHECK(payload.size() == 32);
  CHECK(decode_score(payload) == score);
  CHECK(decode_score(encode_score({})) == LocalScore{});
  const LocalScore of_hub{.has_data = false};
  CHECK(decode_score(encode_score(of_hub)) == of_hub);
}

TEST_CASE("score: bytes of any other length, and more hits than judged samples, are none") {
  for (std::size_t length = 0; length < 100; ++length)
    CHECK(decode_score(std::vector<std::byte>(length)).has_value() == (length == 32));
  CHECK(!decode_score(encode_score({.hits = 2, .judged = 1})));
}

TEST_CASE("own evaluation: a score and a sketch, and back, and another length is none") {
  OwnEvaluation own{{.loss = 2.5, .samples = 3}, {}};
  for (std::size_t row = 0; row < sketch_size; ++row) own.sketch[row] = 0.1 * static_cast<double>(row) - 3.0;
  const std::vector<std::byte> bytes = encode_own_evaluation(own);
  CHECK(bytes.size() == 32 + 64 * 8);
  const auto read = decode_own_evaluation(bytes);
  REQUIRE(read);
  CHECK(read->score == own.score);
  CHECK(read->sketch == own.sketch);
  CHECK(!decode_own_evaluation(std::span(bytes).first(bytes.size() - 1)));
  CHECK(!decode_own_evaluation({}));
}

}  // namespace hearsay::score_payload_test
