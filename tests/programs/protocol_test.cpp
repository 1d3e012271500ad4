#include "runtime/program/protocol.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "runtime/program/hello.hpp"

namespace hearsay::protocol_test {

namespace {

std::vector<std::byte> answer_with(std::uint32_t outcome, std::uint32_t flags, std::uint64_t hits,
                                   std::uint64_t judged, const std::string& text = "") {
  std::vector<std::byte> bytes(40 + text.size());
  const std::uint64_t number = 7;
  const double loss = 0.25;
  std::memcpy(bytes.data(), &number, 8);
  std::memcpy(bytes.data() + 8, &outcome, 4);
  std::memcpy(bytes.data() + 12, &flags, 4);
  std::memcpy(bytes.data() + 16, &loss, 8);
  std::memcpy(bytes.data() + 24, &hits, 8);
  std::memcpy(bytes.data() + 32, &judged, 8);
  std::memcpy(bytes.data() + 40, text.data(), text.size());
  return bytes;
}

/// Returns what is wrong with a hello; "" if nothing is.
std::string defect_of(const std::string& json) {
  const auto hello = read_hello(json, 1000);
  const auto* const wrong = std::get_if<std::string>(&hello);
  return wrong ? *wrong : "";
}

const std::string sound = R"("protocol":1,"samples":3,"scalar":"float","scores":true)";

}  // namespace

TEST_CASE("protocol: an answer is read, and its text made printable") {
  const auto answer = decode_answer(answer_with(1, 1, 2, 5, "a\nb"));
  REQUIRE(answer);
  CHECK(answer->number == 7);
  CHECK(answer->outcome == ProgramAnswer::Outcome::failed);
  CHECK(answer->of_test_samples);
  CHECK(answer->loss == 0.25);
  CHECK(answer->hits == 2);
  CHECK(answer->judged == 5);
  CHECK(answer->text.find('\n') == std::string::npos);
}

TEST_CASE("protocol: other bytes are no answer") {
  CHECK(!decode_answer(answer_with(4, 0, 0, 0)));
  CHECK(!decode_answer(answer_with(0, 2, 0, 0)));
  CHECK(!decode_answer(answer_with(0, 0, 3, 2)));
  CHECK(!decode_answer(answer_with(0, 0, 0, 0, std::string(2049, 'x'))));
  CHECK(decode_answer(answer_with(0, 0, 0, 0, std::string(2048, 'x'))));
  for (std::size_t length = 0; length < 40; ++length) CHECK(!decode_answer(std::vector<std::byte>(length)));
}

TEST_CASE("protocol: a question lies in its 48 bytes as the README says") {
  const auto bytes = encode_question({.kind = ProgramQuestion::Kind::gradient,
                                      .number = 0x0102030405060708,
                                      .seed = 0x11,
                                      .samples = 0x22,
                                      .iteration = 0x33});
  CHECK(bytes[0] == std::byte{1});
  CHECK(bytes[8] == std::byte{8});
  CHECK(bytes[15] == std::byte{1});
  CHECK(bytes[16] == std::byte{0x11});
  CHECK(bytes[24] == std::byte{0x22});
  CHECK(bytes[32] == std::byte{0x33});
}

TEST_CASE("facts: a program is told what the run does with a gradient") {
  const ProgramFacts facts{.settings = {{"algorithm.kind", "diloco"}, {"algorithm.local_steps", "10"}}};
  const std::string told = facts_text(facts, memory_layout(3, 4, 5));
  CHECK(told.ends_with(R"("settings":{"algorithm.kind":"diloco","algorithm.local_steps":"10"}})"));
}

TEST_CASE("hello: dimension, samples, scalar and layers are read") {
  const auto hello = read_hello("{" + sound + R"(,"dimension":7,"layers":[["w",2,3],["b",1,1]]})", 1000);
  REQUIRE(std::holds_alternative<ProgramHello>(hello));
  const auto& said = std::get<ProgramHello>(hello);
  CHECK(said.dimension == 7);
  CHECK(said.samples == 3);
  CHECK(said.scalar == ScalarKind::float32);
  REQUIRE(said.layers.size() == 2);
  CHECK(said.layers[1].begin == 6);
  CHECK(said.layers[0].columns == 3);
  CHECK(defect_of("{" + sound + R"(,"dimension":1000})").empty());
}

TEST_CASE("hello: whatever else comes is named, and nothing is taken for a number that is none") {
  for (const std::string json : {"", "[]", "{}", "{\"protocol\":2}", "{\"protocol\":\"1\"}", "nonsense",
                                 "{\"protocol\":1,\"scores\":false}"}) {
    CAPTURE(json);
    CHECK(!defect_of(json).empty());
  }
  for (const std::string dimension :
       {"0", "-1", "1.5", "1001", "\"7\"", "null", "18446744073709551615", "[7]"}) {
    CAPTURE(dimension);
    CHECK(defect_of("{" + sound + ",\"dimension\":" + dimension + "}") ==
          "its hello has no dimension from 1 to 1000");
  }
  for (const std::string layers : {"[]", "7", "[[\"w\",7]]", "[[7,7,1]]", "[[\"w\",8,1]]", "[[\"w\",6,1]]",
                                   "[[\"w\",0,1]]", "[[\"w\",4,2]]"}) {
    CAPTURE(layers);
    CHECK(!defect_of("{" + sound + ",\"dimension\":7,\"layers\":" + layers + "}").empty());
  }
}

TEST_CASE("hello: the memory has room for two vectors and the sample numbers, each at a multiple of 64") {
  const MemoryLayout layout = memory_layout(10, 4, 3);
  CHECK(layout.x == 0);
  CHECK(layout.gradient == 64);
  CHECK(layout.samples == 128);
  CHECK(layout.size == 192);
}

}  // namespace hearsay::protocol_test
