#include "runtime/foundation/shared_slots.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace hearsay::shared_slots_test {

namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

SharedBytes put(SharedSlots& slots, std::uint64_t mark, const std::string& text,
                std::uint64_t read_up_to = 0) {
  const auto there = slots.put(1, mark, read_up_to, {bytes_of(text)});
  REQUIRE(there);
  return *there;
}

std::uint32_t slot_of(const SharedSlots& slots, const SharedBytes& bytes) {
  const auto slot = slots.slot_of(1, bytes);
  REQUIRE(slot);
  return *slot;
}

}  // namespace

TEST_CASE("shared slots: what a process has put there, others read, also once it has ended") {
  const auto slots = SharedSlots::make(3, 10);
  REQUIRE(slots);
  const test::Process owner([&] {
    const auto kept = slots->put(1, 7, 0, {bytes_of("a mo"), bytes_of("del")});
    return test::Ended{0, kept ? text_of(*kept) : ""};
  });
  CHECK(owner.join().text == "a model");
  std::string content;
  for (const std::uint32_t slot : {0u, 1u})
    if (const auto found = slots->content(1, slot, 7, 7)) content = text_of(*found);
  CHECK(content == "a model");
  for (const std::uint32_t slot : {0u, 1u}) {
    CHECK_FALSE(slots->content(1, slot, 8, 7));          // another mark
    CHECK_FALSE(slots->content(2, slot, 7, 7));          // another owner
    CHECK_FALSE(slots->content(1, slot, 7, 1'000'000));  // longer than a slot
  }
  CHECK_FALSE(slots->content(1, 2, 7, 7));
  CHECK_FALSE(slots->content(3, 0, 7, 7));
}

TEST_CASE("shared slots: a content that is kept is never overwritten") {
  const auto slots = SharedSlots::make(2, 10);
  REQUIRE(slots);
  auto first = std::optional(put(*slots, 10, "ten"));
  const SharedBytes second = put(*slots, 20, "twenty");
  CHECK_FALSE(slots->put(1, 30, 10, {bytes_of("thirty")}));
  first.reset();
  CHECK_FALSE(slots->put(1, 30, 0, {bytes_of("thirty")}));
  const SharedBytes third = put(*slots, 30, "thirty", 10);
  CHECK(text_of(second) == "twenty");
  CHECK(text_of(third) == "thirty");
  CHECK(slot_of(*slots, second) != slot_of(*slots, third));
  CHECK_FALSE(slots->put(0, 10, 0, {std::vector<std::byte>(1'000'000)}));  // too long
}

TEST_CASE("shared slots: what an owner has put there before it died stays as long as it may be read") {
  const auto slots = SharedSlots::make(2, 10);
  REQUIRE(slots);
  const auto die_after = [&](std::uint64_t mark, std::uint64_t read_up_to) {
    const test::Process owner([&] {
      const auto kept = slots->put(1, mark, read_up_to, {bytes_of(std::to_string(mark))});
      return test::Ended{0, kept ? std::to_string(slot_of(*slots, *kept)) : "none"};
    });
    return owner.join().text;
  };
  const std::string of_ten = die_after(10, 0);
  const std::string of_twenty = die_after(20, 0);
  CHECK(of_ten != of_twenty);
  CHECK(die_after(20, 0) == "none");  // the same again, perhaps with other bytes: not where it is being read
  CHECK(die_after(20, 10) == of_ten);
  CHECK(die_after(30, 20) != "none");
  slots->clear();
  for (const std::uint32_t slot : {0u, 1u}) CHECK_FALSE(slots->content(1, slot, 20, 2));
}

TEST_CASE("shared slots: memory that nobody keeps goes back, and a content that is let go is still there") {
  const auto slots = SharedSlots::make(2, std::size_t{1} << 20);
  REQUIRE(slots);
  const std::string text(500'000, 'm');
  auto kept = std::optional(put(*slots, 10, text));
  const std::uint32_t slot = slot_of(*slots, *kept);
  slots->let_go(*kept);
  CHECK(text_of(*kept) == text);
  slots->give_back(1);
  CHECK(text_of(*kept) == text);
  const std::span<const std::byte> place = *kept;
  kept.reset();
  slots->give_back(1);
  CHECK(place[0] == std::byte{0});
  CHECK_FALSE(slots->content(1, slot, 10, text.size()));
}

TEST_CASE("shared slots: where the address space is limited, there are none") {
  const test::Process limited([] {
    const rlimit limit{std::size_t{1} << 40, std::size_t{1} << 40};
    setrlimit(RLIMIT_AS, &limit);
    return test::Ended{SharedSlots::make(2, 10) ? 1 : 0, ""};
  });
  CHECK(limited.join().exit_code == 0);
}

}  // namespace hearsay::shared_slots_test
