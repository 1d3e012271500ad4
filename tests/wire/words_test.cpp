#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/wire/control_word.hpp"
#include "runtime/wire/optional_number.hpp"
#include "runtime/wire/pieces.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/survey_words.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_neighbor.hpp"
#include "runtime/wire/words_to_observer.hpp"

namespace hearsay::words_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t last_slot = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t last_number = std::numeric_limits<std::uint64_t>::max();
using HelloState = to_observer::Hello::State;
using AliveState = from_observer::Alive::State;

/// A header in which every field holds something.
FrameHeader full_header() {
  FrameHeader header;
  header.kind = FrameKind::data;
  header.flags = flag_remaining_hold;
  header.run_id = 11;
  header.sender = 12;
  header.incarnation = 13;
  header.iteration = 14;
  header.slot = 15;
  header.degree = 16;
  header.sequence = 17;
  header.due_ns = 18;
  header.replica_digest = 19;
  header.payload_bytes = 20;
  header.payload_checksum = 21;
  return header;
}

template <ControlWord Word>
FrameHeader header_with(const Word& word, FrameHeader header = {}) {
  put(word, header);
  return header;
}

/// What stands in the fields of which words speak.
struct Fields {
  int kind;
  std::uint64_t iteration;
  std::uint32_t slot;
  std::uint64_t sequence;
  std::uint64_t due = 0;
  bool operator==(const Fields&) const = default;
};

/// Read from the 64 bytes of a header that holds nothing but the word.
template <ControlWord Word>
Fields bytes_of(const Word& word) {
  std::array<std::byte, header_bytes> bytes;
  encode_header(header_with(word), bytes);
  const auto at = [&](std::size_t offset) { return std::span<const std::byte>(bytes).subspan(offset); };
  return {load_little_endian<std::uint8_t>(at(2)), load_little_endian<std::uint64_t>(at(16)),
          load_little_endian<std::uint32_t>(at(24)), load_little_endian<std::uint64_t>(at(32)),
          load_little_endian<std::uint64_t>(at(40))};
}

/// Calls check(words, as) for each kind of word with words of it, and with the function that reads it.
void for_each_word(const auto& check) {
  using std::vector;
  namespace neighbor = to_neighbor;
  namespace observer = to_observer;
  namespace from = from_observer;
  const ObserverContact before{}, begun{0}, without{1}, again{2}, last{last_slot - 1};
  check(vector<Stop>{{0}, {2}, {3}, {130}, {-1}}, as_stop);
  const PiecesOf model{FrameKind::evaluation, 20}, question{FrameKind::question, last_number};
  check(vector<Piece>{{},
                      {model, 64, 20},
                      {question, last_number, last_slot},
                      {{FrameKind::evaluation, 20, (1u << 24) - 1}, 64}},
        as_piece);
  check(vector<Take>{{}, {model, 64, 0, 64}, {question, last_number, last_slot, (1ull << 62) - 1}}, as_take);
  const Duration longest(due_limit_ns - 1);
  check(vector<Measure>{{}, {3, 14, 5}, {last_number, last_slot, last_slot}}, as_measure);
  check(vector<Measured>{{}, {3, 5, 1000, 1s}, {last_number, last_slot, last_number, longest}}, as_measured);
  check(vector<Allow>{{}, {3, 1000, 1024, 2}, {last_number, last_number, last_slot, last_slot}}, as_allow);
  check(vector<Load>{{}, {3, 1000, 2, 500}, {last_number, last_number, last_slot, (1ull << 62) - 1}},
        as_load);

  check(vector<neighbor::Hello>{{}, {7, false}, {last_number, true}}, neighbor::as_hello);
  check(vector<neighbor::Welcome>{{}, {7}, {last_number}}, neighbor::as_welcome);
  check(vector<neighbor::Alive>{{}, {7}, {last_number}}, neighbor::as_alive);
  check(vector<neighbor::Parted>{{}, {true}}, neighbor::as_parted);
  check(vector<neighbor::Model>{{}, {9, 0}, {last_number, last_number - 1}}, neighbor::as_model);
  check(vector<neighbor::Probe>{{}, {5, false}, {6, true}}, neighbor::as_probe);
  check(vector<neighbor::Probed>{{}, {5, false}, {6, true}}, neighbor::as_probed);

  check(
      vector<observer::Hello>{
          {}, {40, HelloState::resumes, 5}, {last_number, HelloState::is_under_way, last_number}},
      observer::as_hello);
  check(vector<observer::Ready>{{}, {true, {}}, {false, 0}, {true, last_number - 1}}, observer::as_ready);
  check(
      vector<observer::Alive>{
          {}, {before, 0}, {begun, {}}, {without, 5}, {again, 5, {1, 0}}, {last, 10, {3, last_slot}}},
      observer::as_alive);

  check(vector<from::Refuse>{{false}, {true}}, from::as_refuse);
  check(vector<from::Resume>{{}, {7, false}, {7, true}}, from::as_resume);
  check(vector<from::Start>{{}, {40, Instant(3s), 2s}, {40, {}, Duration(due_limit_ns)}}, from::as_start);
  check(vector<from::Verdict>{{}, {5, true, {}}, {last_number, false, {50, 1, last_slot}}}, from::as_verdict);
  check(
      vector<from::Alive>{{}, {AliveState::has_result, 5, {1, 0}}, {AliveState::is_busy, 0, {last_slot, 7}}},
      from::as_alive);
  check(vector<from::Again>{{}, {7}, {last_number}}, from::as_again);
  check(vector<from::Bye>{{0}, {4}, {130}}, from::as_bye);
  check(vector<from::Departed>{{}, {3, 7}, {last_slot, last_slot}}, from::as_departed);
}

}  // namespace

TEST_CASE("words: every word is read as it was put") {
  for_each_word([](const auto& words, const auto& as) {
    for (const auto& word : words) {
      CAPTURE(static_cast<int>(word.kind));
      CHECK(as(header_with(word)) == word);
      CHECK(as(header_with(word, full_header())) == word);  // whatever stood there before
    }
  });
}

TEST_CASE("words: a word changes its kind and its own fields, and nothing else of a header") {
  for_each_word([](const auto& words, const auto&) {
    for (const auto& word : words) {
      FrameHeader header = header_with(word, full_header());
      CHECK(header.kind == word.kind);
      const FrameHeader full = full_header();
      header.kind = full.kind;
      header.iteration = full.iteration;
      header.slot = full.slot;
      header.sequence = full.sequence;
      if (word.kind == FrameKind::start || word.kind == FrameKind::take || word.kind == FrameKind::measured ||
          word.kind == FrameKind::load)
        header.due_ns = full.due_ns;
      if constexpr (
          requires { word.of; } || requires { word.steps; } || requires { word.piece; })
        header.degree = full.degree;
      if constexpr (
          requires { word.beats; } || requires { word.announced; }) {
        header.degree = full.degree;
        header.replica_digest = full.replica_digest;
      }
      CHECK(header == full);
    }
  });
}

TEST_CASE("words: whatever a header holds is read as some word, which is itself read so again") {
  std::vector<std::uint64_t> numbers = {1ull << 32, (1ull << 32) + 1, 1ull << 62,      (1ull << 62) + 1,
                                        1ull << 63, last_number - 2,  last_number - 1, last_number};
  for (std::uint64_t number = 0; number < 300; ++number) numbers.push_back(number);
  std::vector<std::uint32_t> slots = {(1u << 31) - 1, 1u << 31, last_slot - 1, last_slot};
  for (std::uint32_t slot = 0; slot < 300; ++slot) slots.push_back(slot);
  for_each_word([&](const auto&, const auto& as) {
    bool same = true;
    for (const std::uint32_t slot : slots)
      for (const std::uint64_t number : numbers)
        for (const std::uint64_t iteration : {std::uint64_t{0}, number, last_number}) {
          FrameHeader header = full_header();
          header.slot = slot;
          header.sequence = number;
          header.iteration = iteration;
          header.due_ns = due_limit_ns - 1;
          const auto word = as(header);
          same = same && as(header_with(word)) == word;
        }
    CHECK(same);
  });
}

TEST_CASE("words: the bytes of every word, by hand") {
  CHECK(bytes_of(Stop{130}) == Fields{9, 0, 130, 0});
  CHECK(bytes_of(Piece{{FrameKind::evaluation, 20, 2}, 64, 3}) == Fields{26, 20, 2 * 256 + 7, 64});
  CHECK(bytes_of(Take{{FrameKind::question, 20}, 64, 8192, 72}) == Fields{27, 20, 24, 64, 72});
  CHECK(bytes_of(Measure{3, 14, 5}) == Fields{28, 3, 5, 0});
  CHECK(header_with(Measure{3, 14, 5}).degree == 14);
  CHECK(bytes_of(Measured{3, 5, 1000, 9ns}) == Fields{29, 3, 5, 1000, 9});
  CHECK(bytes_of(Allow{3, 1000, 1024, 2}) == Fields{30, 3, 2, 1000});
  CHECK(header_with(Allow{3, 1000, 1024, 2}).degree == 1024);
  CHECK(bytes_of(Load{3, 1000, 2, 500}) == Fields{31, 3, 2, 1000, 500});

  CHECK(bytes_of(to_neighbor::Hello{7, false}) == Fields{1, 0, 0, 7});
  CHECK(bytes_of(to_neighbor::Hello{7, true}) == Fields{1, 0, 1, 7});
  CHECK(bytes_of(to_neighbor::Welcome{7}) == Fields{2, 0, 0, 7});
  CHECK(bytes_of(to_neighbor::Alive{7}) == Fields{12, 0, 0, 7});
  CHECK(bytes_of(to_neighbor::Model{9, 5}) == Fields{23, 9, 0, 6});
  CHECK(bytes_of(to_neighbor::Model{9, {}}) == Fields{23, 9, 0, 0});
  CHECK(bytes_of(to_neighbor::Probe{3, false}) == Fields{16, 0, 0, 3});
  CHECK(bytes_of(to_neighbor::Probe{6, true}) == Fields{16, 0, 1, 6});
  CHECK(bytes_of(to_neighbor::Probed{3, false}) == Fields{17, 0, 0, 3});
  CHECK(bytes_of(to_neighbor::Probed{3, true}) == Fields{17, 0, 1, 3});

  CHECK(bytes_of(to_observer::Hello{40, HelloState::begins, 0}) == Fields{1, 40, 0, 0});
  CHECK(bytes_of(to_observer::Hello{40, HelloState::resumes, 0}) == Fields{1, 40, 1, 0});
  CHECK(bytes_of(to_observer::Hello{40, HelloState::is_under_way, 77}) == Fields{1, 40, 2, 77});
  CHECK(bytes_of(to_observer::Ready{false, 10}) == Fields{5, 0, 0, 11});
  CHECK(bytes_of(to_observer::Ready{true, {}}) == Fields{5, 0, 1, 0});
  CHECK(bytes_of(to_observer::Alive{{}, {}}) == Fields{12, 0, 0, 0});
  CHECK(bytes_of(to_observer::Alive{{0}, 0}) == Fields{12, 0, 1, 1});
  CHECK(bytes_of(to_observer::Alive{{1}, 5}) == Fields{12, 0, 2, 6});
  CHECK(bytes_of(to_observer::Alive{{2}, 5}) == Fields{12, 0, 3, 6});
  CHECK(header_with(to_observer::Alive{{}, {}, {7, 8}}).degree == 7);
  CHECK(header_with(to_observer::Alive{{}, {}, {7, 8}}).replica_digest == 8);
  CHECK(header_with(from_observer::Alive{AliveState::has_result, 5, {7, 8}}).degree == 7);
  CHECK(header_with(from_observer::Alive{AliveState::has_result, 5, {7, 8}}).replica_digest == 8);

  CHECK(bytes_of(from_observer::Refuse{true}) == Fields{3, 0, 1, 0});
  CHECK(bytes_of(from_observer::Resume{7, false}) == Fields{15, 7, 0, 0});
  CHECK(bytes_of(from_observer::Resume{7, true}) == Fields{15, 7, 1, 0});
  CHECK(bytes_of(from_observer::Start{40, Instant(3ns), 2ns}) == Fields{6, 40, 0, 2, 3});
  CHECK(bytes_of(from_observer::Verdict{5, true, {50}}) == Fields{8, 5, 1, 50});
  CHECK(bytes_of(from_observer::Verdict{5, false}) == Fields{8, 5, 0, 0});
  CHECK(header_with(from_observer::Verdict{5, true, {50, 3, 4}}).degree == 3);
  CHECK(header_with(from_observer::Verdict{5, true, {50, 3, 4}}).replica_digest == 4);
  CHECK(bytes_of(from_observer::Alive{AliveState::lacks_result, 5}) == Fields{12, 5, 0, 0});
  CHECK(bytes_of(from_observer::Alive{AliveState::has_result, 5}) == Fields{12, 5, 1, 0});
  CHECK(bytes_of(from_observer::Alive{AliveState::is_busy, 0}) == Fields{12, 0, 2, 0});
  CHECK(bytes_of(from_observer::Again{77}) == Fields{13, 0, 0, 77});
  CHECK(bytes_of(from_observer::Bye{4}) == Fields{11, 0, 4, 0});
  CHECK(bytes_of(from_observer::Departed{3, 77}) == Fields{19, 0, 3, 77});
}

TEST_CASE("words: a slot that no peer writes has a meaning, too") {
  for (const std::uint32_t slot : {3u, 5u, 77u, 255u, 1u << 31, last_slot}) {
    FrameHeader header;
    header.slot = slot;
    header.iteration = 9;
    CAPTURE(slot);
    CHECK_FALSE(to_neighbor::as_hello(header).edge_is_out);
    CHECK_FALSE(to_neighbor::as_probe(header).all_answers_are_here);
    CHECK_FALSE(to_neighbor::as_probed(header).refused);
    CHECK(to_observer::as_hello(header).state == HelloState::begins);
    CHECK(to_observer::as_ready(header).still_waits);
    CHECK_FALSE(from_observer::as_refuse(header).is_duplicate);
    CHECK_FALSE(from_observer::as_resume(header).checkpoint());
    CHECK_FALSE(from_observer::as_verdict(header).proceed);
    CHECK(from_observer::as_alive(header).state == AliveState::has_result);
    CHECK(from_observer::as_bye(header).exit_code == 0);
  }
  FrameHeader header;
  header.sequence = last_number;
  CHECK(from_observer::as_start(header).age == Duration(due_limit_ns));
  header.sequence = (7ull << 32) + 5;
  CHECK(from_observer::as_departed(header).incarnation == 5);
}

TEST_CASE("words: a peer begins the run with the observer, and is without it after every odd turn") {
  struct Meaning {
    std::uint32_t slot;
    bool has_begun;
    bool is_without;
    std::uint32_t turns;
  };
  for (const Meaning& meaning :
       {Meaning{0, false, false, 0}, Meaning{1, true, false, 0}, Meaning{2, true, true, 1},
        Meaning{3, true, false, 2}, Meaning{4, true, true, 3}, Meaning{5, true, false, 4},
        Meaning{last_slot, true, false, last_slot - 1}}) {
    CAPTURE(meaning.slot);
    const ObserverContact contact = decode_contact(meaning.slot);
    CHECK(contact.has_begun() == meaning.has_begun);
    CHECK(contact.is_without_observer() == meaning.is_without);
    CHECK(contact.turn_count() == meaning.turns);
  }
}

}  // namespace hearsay::words_test
