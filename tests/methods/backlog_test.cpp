#include "algorithms/methods/parts/backlog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "tests/support/telling_host.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::backlog_test {

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    for (const int nibble : {std::to_integer<int>(byte) >> 4, std::to_integer<int>(byte) & 15})
      text += "0123456789abcdef"[nibble];
  return text;
}

/// Returns the packets in a message to a hearer that has heard `heard` packets, each with its number. Or
/// "dense", or "malformed".
std::string read(const PacketRef& message, std::uint64_t heard, Index dimension) {
  Vector<float> replica = Vector<float>::Zero(dimension);
  std::string text;
  const CodecStatus status = catch_up(message->bytes(), heard, replica,
                                      [&](std::span<const std::byte> packet, std::uint64_t number) {
                                        text += std::to_string(number) + ":";
                                        for (const std::byte byte : packet) text += static_cast<char>(byte);
                                        text += " ";
                                        return CodecStatus::ok;
                                      });
  if (status == CodecStatus::malformed) return "malformed";
  return replica.isZero(0) ? text : "dense";
}

/// Returns the memory that the packets of a backlog take.
template <class Scalar>
std::size_t memory_bytes(Backlog<Scalar>& backlog) {
  struct Measure : StateVisitor<Scalar> {
    void state(std::string_view, Vector<Scalar>&) override {}
    void published(std::string_view, Vector<Scalar>&) override {}
    void replica(std::string_view, PeerId, Vector<Scalar>&) override {}
    void scratch(std::string_view, Vector<Scalar>&) override {}
    void bytes(std::string_view, std::vector<std::byte>& bytes) override { memory += bytes.capacity(); }
    std::size_t memory = 0;
  };
  Measure measure;
  backlog.visit(measure);
  return measure.memory;
}

/// A vector takes 16 bytes, and 4 for its length. A packet of one byte takes 5, so four packets fit.
constexpr Index dimension = 4;

/// Peer 0 of 8, with a backlog for the hearers 1, 2 and 3.
struct Teller {
  using Rounds = std::vector<std::vector<PeerId>>;
  explicit Teller(const Rounds& rounds) : hearers(8, rounds), host(hearers), backlog({1, 2, 3}, dimension) {}

  void say(const std::string& packet) { backlog.say(bytes_of(packet)); }
  void tell(std::uint64_t iteration) { backlog.tell(host.turn_to(iteration), published); }

  Hearers hearers;
  TellingHost<float> host;
  Backlog<float> backlog;
  Vector<float> published = Vector<float>::Constant(dimension, 1.5f);
};

}  // namespace

TEST_CASE("backlog: a hearer gets all packets that it missed, in their order, and each once") {
  Teller teller(Teller::Rounds{{1}, {2}, {1, 2}, {}, {1}});
  teller.say("a");
  teller.tell(1);
  CHECK(read(teller.host.said_to(1), 0, dimension) == "1:a ");
  teller.say("bb");
  teller.tell(2);
  CHECK(read(teller.host.said_to(2), 0, dimension) == "1:a 2:bb ");
  teller.say("c");
  teller.tell(3);
  CHECK(read(teller.host.said_to(1), 1, dimension) == "2:bb 3:c ");
  CHECK(read(teller.host.said_to(2), 2, dimension) == "3:c ");
  teller.tell(4);
  teller.tell(5);
  CHECK(teller.host.said_to(1)->size() == 8);  // nothing new, and yet a message
  CHECK(read(teller.host.said_to(1), 3, dimension) == "");
}

TEST_CASE("backlog: hearers that missed the same share one packet, others do not") {
  Teller teller(Teller::Rounds{{1}, {1, 2, 3}});
  teller.say("a");
  teller.tell(1);
  teller.say("b");
  teller.tell(2);
  CHECK(teller.host.said_to(2) == teller.host.said_to(3));
  CHECK_FALSE(teller.host.said_to(1) == teller.host.said_to(2));
}

TEST_CASE(
    "backlog: what takes more than the vector comes as the vector, in full precision, what takes as much "
    "does not") {
  Teller teller(Teller::Rounds{{1}, {2, 3}});
  for (const char* packet : {"a", "b", "c", "d"}) teller.say(packet);  // 4 x 5 bytes = 4 + 16
  teller.tell(1);
  CHECK(read(teller.host.said_to(1), 0, dimension) == "1:a 2:b 3:c 4:d ");
  teller.say("e");
  teller.tell(2);
  CHECK(read(teller.host.said_to(2), 0, dimension) == "dense");
  CHECK(teller.host.said_to(2) == teller.host.said_to(3));
  CHECK(teller.host.said_to(2)->size() == 8 + 4 + 16);
  Vector<float> replica = Vector<float>::Zero(dimension);
  std::uint64_t heard = 0;
  const auto never = [](std::span<const std::byte>, std::uint64_t) { return CodecStatus::malformed; };
  CHECK(catch_up(teller.host.said_to(2)->bytes(), heard, replica, never) == CodecStatus::ok);
  CHECK(replica == teller.published);
  CHECK(heard == 5);
}

TEST_CASE(
    "backlog: what all have heard is forgotten, so who meets everyone each time keeps a single packet") {
  Teller teller({{1, 2, 3}});
  for (std::uint64_t t = 1; t <= 10; ++t) {
    teller.say("a");
    CHECK(memory_bytes(teller.backlog) == 5);
    teller.tell(t);
  }
}

TEST_CASE("backlog: a packet longer than the vector is never kept") {
  Teller teller(Teller::Rounds{{1}, {1}});
  teller.say(std::string(17, 'x'));
  CHECK(memory_bytes(teller.backlog) == 0);
  teller.tell(1);
  CHECK(read(teller.host.said_to(1), 0, dimension) == "dense");
  teller.say("y");
  teller.tell(2);
  CHECK(read(teller.host.said_to(1), 1, dimension) == "2:y ");
}

TEST_CASE("backlog: begun anew, everyone gets the vector, and packets count from 1 again") {
  Teller teller(Teller::Rounds{{1}, {1, 2}, {1}});
  teller.say("a");
  teller.tell(1);
  teller.backlog.begin_anew();
  teller.tell(2);
  CHECK(read(teller.host.said_to(1), 1, dimension) == "dense");
  CHECK(read(teller.host.said_to(2), 0, dimension) == "dense");
  teller.say("b");
  teller.tell(3);
  CHECK(read(teller.host.said_to(1), 0, dimension) == "1:b ");
}

TEST_CASE("backlog: two messages in hex") {
  Teller teller(Teller::Rounds{{1}, {2}});
  teller.say("ab");
  teller.say("c");
  teller.tell(1);
  CHECK(hexadecimal(teller.host.said_to(1)->bytes()) ==
        "0200000000000000"
        "020000006162"
        "0100000063");
  teller.say("defghijklmno");
  teller.tell(2);
  CHECK(hexadecimal(teller.host.said_to(2)->bytes()) ==
        "0300000000000000"
        "ffffffff"
        "0000c03f0000c03f0000c03f0000c03f");
}

TEST_CASE(
    "backlog: a truncated, lengthened or damaged message, and one of another history, are malformed, never a "
    "crash") {
  Teller teller(Teller::Rounds{{1}, {2}});
  teller.say("ab");
  teller.say("c");
  teller.tell(1);
  const PacketRef packets = teller.host.said_to(1);
  for (int k = 0; k < 4; ++k) teller.say("d");
  teller.tell(2);
  const PacketRef dense = teller.host.said_to(2);
  const std::size_t vector_bytes = dimension * sizeof(float);
  for (const PacketRef& message : {packets, dense}) {
    const std::vector<std::byte> whole(message->bytes().begin(), message->bytes().end());
    REQUIRE(BacklogMessage::parse(whole, 0, vector_bytes));
    for (std::size_t length = 0; length < whole.size(); ++length)
      CHECK_FALSE(BacklogMessage::parse(std::span(whole).first(length), 0, vector_bytes));
    for (const std::size_t more : {1, 4, 5, 9}) {
      std::vector<std::byte> longer = whole;
      longer.insert(longer.end(), more, std::byte{0});
      CHECK_FALSE(BacklogMessage::parse(longer, 0, vector_bytes));
    }
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::vector<std::byte> damaged = whole;
      damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      const auto parsed = BacklogMessage::parse(damaged, 0, vector_bytes);
      // What stands in front counts the packets; only a damaged packet, or vector, can pass for a whole one.
      const bool counted = bit < 64 && message == packets;
      if (counted) CHECK_FALSE(parsed);
      if (parsed) CHECK(parsed->dense.has_value() == (message == dense));
    }
  }
  for (const std::uint64_t heard : {1, 2, 3})
    CHECK_FALSE(BacklogMessage::parse(packets->bytes(), heard, vector_bytes));
  CHECK_FALSE(BacklogMessage::parse(dense->bytes(), 0, vector_bytes + 4));
}

TEST_CASE("backlog: a vector that is not finite is said to be so") {
  Teller teller(Teller::Rounds{{1}});
  teller.published[2] = std::numeric_limits<float>::quiet_NaN();
  teller.backlog.begin_anew();
  teller.tell(1);
  Vector<float> replica = Vector<float>::Zero(dimension);
  std::uint64_t heard = 0;
  const auto never = [](std::span<const std::byte>, std::uint64_t) { return CodecStatus::malformed; };
  CHECK(catch_up(teller.host.said_to(1)->bytes(), heard, replica, never) == CodecStatus::not_finite);
}

TEST_CASE("backlog: replicas are exact at every meeting, whoever meets when, in the memory of one vector") {
  const Index d = 700;
  for (const char* spelling : {"topk(5%)", "dither(linf, bits=4, bucket=512)", "sign", "natural", "none"}) {
    CAPTURE(std::string(spelling));
    std::vector<std::vector<PeerId>> rounds;
    RandomStream chance(3, 0, 0, Purpose::network);
    for (int round = 0; round < 120; ++round) {
      rounds.emplace_back();
      for (PeerId hearer = 1; hearer < 6; ++hearer)
        if (chance.below(std::uint64_t{1} << hearer) == 0) rounds.back().push_back(hearer);
    }
    const Hearers hearers(6, rounds);
    TellingHost<double> host(hearers);
    Backlog<double> backlog({1, 2, 3, 4, 5}, d);
    SegmentTable segments{{"all", 0, d}};
    const auto compressor = make_compressor<double>(spelling, segments);
    PacketPool packets;
    Vector<double> published = normal_vector<double>(d, 1, 0);
    std::vector<Vector<double>> replicas(6, published);
    std::vector<std::uint64_t> heard(6, 0);
    std::size_t dense = 0, longest = 0;
    for (std::uint64_t t = 1; t <= rounds.size(); ++t) {
      PacketBuffer packet = packets.acquire();
      const Vector<double> change = normal_vector<double>(d, 2, static_cast<PeerId>(t));
      RandomStream random(5, 0, t, Purpose::compression);
      REQUIRE(compressor->encode_and_apply({view(change), random}, packet, view(published)) ==
              CodecStatus::ok);
      backlog.say(packet.bytes());
      backlog.tell(host.turn_to(t), published);
      for (const PeerId hearer : rounds[t - 1]) {
        const std::uint64_t before = heard[hearer];
        std::size_t count = 0;
        const auto replay = [&](std::span<const std::byte> bytes, std::uint64_t number) {
          CHECK(number == before + ++count);
          return compressor->accumulate(bytes, 1, view(replicas[hearer]));
        };
        REQUIRE(catch_up(host.said_to(hearer)->bytes(), heard[hearer], replicas[hearer], replay) ==
                CodecStatus::ok);
        CHECK(heard[hearer] == t);
        CHECK(replicas[hearer] == published);
        longest = std::max(longest, count);
        dense += count == 0 ? 1 : 0;
      }
      CHECK(memory_bytes(backlog) <= 4 + d * sizeof(double));
    }
    // Both ways were taken, but for sign, whose packets are short, and none, whose packets are as long as the
    // vector.
    CHECK((std::string(spelling) == "sign" || dense > 0));
    CHECK((std::string(spelling) == "none" ? longest == 1 : longest > 2));
  }
}

}  // namespace hearsay::test::backlog_test
