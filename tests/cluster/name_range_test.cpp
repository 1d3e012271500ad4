#include "runtime/cluster/name_range.hpp"

#include <doctest/doctest.h>

#include "tests/support/misuse_text.hpp"

namespace hearsay::name_range_test {

namespace {

using Names = std::vector<std::string>;

Names expanded(const std::string& text) { return expand_ranges("host", text); }

std::string refusal(const std::string& text) {
  return misuse_text([&] { expanded(text); });
}

}  // namespace

TEST_CASE("ranges: a text without one stands for itself") {
  for (const std::string text :
       {"", "node", "tcp://[::1]:7000", "tcp://[fe80::1%eth0]:7000", "a[b]", "a[1", "1]", "n[]", "[[x]"}) {
    CAPTURE(text);
    CHECK(expanded(text) == Names{text});
    CHECK_FALSE(has_range(text));
  }
}

TEST_CASE("ranges: numbers are written as wide as the first of them") {
  CHECK(expanded("n[8-11]") == Names{"n8", "n9", "n10", "n11"});
  CHECK(expanded("n[08-11]") == Names{"n08", "n09", "n10", "n11"});
  CHECK(expanded("n[098-101]") == Names{"n098", "n099", "n100", "n101"});
  CHECK(expanded("n[0-1]") == Names{"n0", "n1"});
  CHECK(expanded("n[99-101]") == Names{"n99", "n100", "n101"});
  CHECK(expanded("n[5]") == Names{"n5"});
  CHECK(expanded("n[005]") == Names{"n005"});
}

TEST_CASE("ranges: lists, in the order they are written") {
  CHECK(expanded("node[1-3,7]") == Names{"node1", "node2", "node3", "node7"});
  CHECK(expanded("[7,1-2]x") == Names{"7x", "1x", "2x"});
  CHECK(expanded("[01,1]") == Names{"01", "1"});
}

TEST_CASE("ranges: several in one text step together") {
  CHECK(expanded("tcp://10.0.0.[1-3]:[7000-7002]") ==
        Names{"tcp://10.0.0.1:7000", "tcp://10.0.0.2:7001", "tcp://10.0.0.3:7002"});
  CHECK(expanded("tcp://[::1]:[7000-7001]") == Names{"tcp://[::1]:7000", "tcp://[::1]:7001"});
  CHECK(expanded("[1-2][3-4]") == Names{"13", "24"});
  CHECK(refusal("tcp://10.0.0.[1-3]:[7000-7001]") ==
        "host = \"tcp://10.0.0.[1-3]:[7000-7001]\": expected ranges of the same length, for they step "
        "together: [1-3] "
        "has "
        "3, [7000-7001] has 2");
  CHECK(refusal("a[1]b[1-2]").find("[1] has 1, [1-2] has 2") != std::string::npos);
}

TEST_CASE("ranges: what is none, or too much, is refused with the text") {
  for (const std::string text :
       {"n[-]", "n[1-]", "n[-1]", "n[1,]", "n[,1]", "n[1--2]", "n[1-2-3]", "n[1234567890]"}) {
    CAPTURE(text);
    CHECK(has_range(text));
    CHECK(refusal(text) ==
          "host = \"" + text + "\": expected numbers in the brackets, such as [1-3,7] or [01-16]");
  }
  CHECK(refusal("n[3-1]") == "host = \"n[3-1]\": expected a range that runs upwards, [1-3]");
  CHECK(expanded("n[1-10000]").size() == 10'000);
  CHECK(refusal("n[0-10000]") == "host = \"n[0-10000]\": expected at most 10000 names");
  CHECK(refusal("n[1-6000,1-6000]") == "host = \"n[1-6000,1-6000]\": expected at most 10000 names");
}

TEST_CASE("ranges: every span of small numbers, padded and not, has its length and its ends") {
  for (int from = 0; from <= 120; from += 7)
    for (int to = from; to <= 130; to += 3)
      for (int width = 1; width <= 4; ++width) {
        const auto padded = [&](int number) {
          const std::string digits = std::to_string(number);
          const std::size_t wide = static_cast<std::size_t>(width);
          return std::string(digits.size() < wide ? wide - digits.size() : 0, '0') + digits;
        };
        const Names names = expanded("[" + padded(from) + "-" + padded(to) + "]");
        REQUIRE(names.size() == static_cast<std::size_t>(to - from + 1));
        for (int number = from; number <= to; ++number) {
          const std::string digits = std::to_string(number);
          const std::size_t wide = padded(from).size();
          CHECK(names[static_cast<std::size_t>(number - from)] ==
                std::string(digits.size() < wide ? wide - digits.size() : 0, '0') + digits);
        }
      }
}

TEST_CASE("ranges: a list as Slurm writes it") {
  const auto listed = [](const std::string& text) { return expand_list("SLURM_JOB_NODELIST", text); };
  CHECK(listed("localhost") == Names{"localhost"});
  CHECK(listed("node[1-3,7],gpu1,z[01-02]") ==
        Names{"node1", "node2", "node3", "node7", "gpu1", "z01", "z02"});
  CHECK(misuse_text([&] { listed("a,b[1-"); }) == "");  // an open bracket is plain text
  CHECK(misuse_text([&] { listed("n[1-6000],m[1-6000]"); }).find("at most 10000") != std::string::npos);
}

}  // namespace hearsay::name_range_test
