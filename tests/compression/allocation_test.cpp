// Counts every allocation of the program: a compressor may make none after its first message.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "algorithms/compression/seam/shared_selection.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/telling_host.hpp"
#include "topology/families.hpp"
#include "topology/hub_rounds.hpp"
#include "topology/participation.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment, size ? size : 1) != 0)
    throw std::bad_alloc();
  return memory;
}
}  // namespace

// All forms of new and delete that the compiler and the library use, so that each allocation meets its own
// release.
using Alignment = std::align_val_t;
void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, Alignment alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, Alignment alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, Alignment) noexcept { std::free(memory); }
void operator delete[](void* memory, Alignment) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, Alignment) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, Alignment) noexcept { std::free(memory); }

namespace hearsay::test::allocation_test {

namespace {

/// Calls one_message(iteration) for several iterations; it returns true if all went well. Only the first call
/// may allocate.
template <class OneMessage>
void check_only_the_first_allocates(std::uint64_t messages, OneMessage one_message) {
  CHECK(one_message(0));
  const long before = allocations;
  bool ok = true;
  for (std::uint64_t iteration = 1; iteration < messages; ++iteration) ok = one_message(iteration) && ok;
  const long made = allocations - before;
  CHECK(ok);
  CHECK(made == 0);
}

RandomStream stream(std::uint64_t iteration) { return {1, 0, iteration, Purpose::compression}; }

}  // namespace

TEST_CASE_TEMPLATE("compressors: no allocation per message after the first", Scalar, float, double) {
  const std::size_t d = 3001;
  const auto z = gaussian<Scalar>(d, 4);
  std::vector<Scalar> into(d, Scalar(0));
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const auto compressor = build<Scalar>(spelling, d);
    PacketPool pool;
    check_only_the_first_allocates(6, [&](std::uint64_t iteration) {
      RandomStream random = stream(iteration);
      PacketBuffer out = pool.acquire();
      PacketBuffer applied = pool.acquire();
      bool ok = compressor->encode({z, random}, out) == CodecStatus::ok;
      ok = ok && compressor->encode_and_apply({z, random}, applied, into) == CodecStatus::ok;
      const PacketRef packet = std::move(out).seal();
      return ok && compressor->accumulate(packet->bytes(), Scalar(0.5), into) == CodecStatus::ok;
    });
  }
  CHECK(allocations > 0);  // the counter works
}

TEST_CASE_TEMPLATE("compressors: no allocation after the first message, which is the shortest of all", Scalar,
                   float, double) {
  const std::size_t d = 3001;
  // From zeros only to all coordinates with all magnitudes.
  std::vector<std::vector<Scalar>> growing{std::vector<Scalar>(d, Scalar(0))};
  for (const std::size_t spacing : {3000u, 300u, 17u, 2u, 1u}) {
    auto& z = growing.emplace_back(d, Scalar(0));
    for (std::size_t i = 0; i < d; i += spacing) z[i] = std::ldexp(Scalar(1.1), static_cast<int>(i % 16));
  }
  growing.push_back(gaussian<Scalar>(d, 4));
  growing.emplace_back(d, Scalar(-0.7));
  std::vector<Scalar> into(d, Scalar(0));
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const auto sender = build<Scalar>(spelling, d);
    const auto holder = build<Scalar>(spelling, d);
    PacketPool pool;
    check_only_the_first_allocates(growing.size(), [&](std::uint64_t iteration) {
      RandomStream random = stream(iteration);
      PacketBuffer out = pool.acquire();
      const bool ok = sender->encode({growing[iteration], random}, out) == CodecStatus::ok;
      return ok && holder->accumulate(out.bytes(), Scalar(0.5), into) == CodecStatus::ok;
    });
  }
}

TEST_CASE_TEMPLATE("compressors: no allocation for a leader's choice and what follows it, after the first",
                   Scalar, float, double) {
  const std::size_t d = 3001;
  const auto z = gaussian<Scalar>(d, 4);
  std::vector<Scalar> into(d, Scalar(0));
  std::vector<std::uint32_t> indices;
  for (const char* spelling : {"leader_topk(2%)", "leader_topk(2%) | qsgdinf(8)"}) {
    CAPTURE(spelling);
    const auto compressor = build<Scalar>(spelling, d);
    SharedSelection<Scalar>& selection = *compressor->shared_selection();
    PacketPool pool;
    check_only_the_first_allocates(6, [&](std::uint64_t iteration) {
      RandomStream random = stream(iteration);
      PacketBuffer choice = pool.acquire();
      PacketBuffer values = pool.acquire();
      bool ok = selection.choose({z, random}, choice) == CodecStatus::ok;
      ok = ok && selection.read_choice(choice.bytes(), d, indices) == CodecStatus::ok;
      ok = ok && compressor->encode({z, random, {}, indices}, values) == CodecStatus::ok;
      return ok && selection.accumulate_shared(values.bytes(), indices, Scalar(0.5), into) == CodecStatus::ok;
    });
  }
}

TEST_CASE(
    "backlog: no allocation per message once every hearer was told a few times, as packets and as the "
    "vector") {
  const Index d = 500;
  // Peer 1 hears in every round, peer 2 in every third, peer 3 so seldom that it gets the whole vector.
  std::vector<std::vector<PeerId>> rounds(60);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    rounds[round].push_back(1);
    if (round % 3 == 0) rounds[round].push_back(2);
    if (round % 30 == 0) rounds[round].push_back(3);
  }
  const Hearers hearers(4, rounds);
  TellingHost<float> host(hearers);
  Backlog<float> backlog({1, 2, 3}, d);
  const auto compressor = build<float>("dither(linf, bits=8, bucket=512)", d);
  const auto change = gaussian<float>(d, 4);
  Vector<float> published = Vector<float>::Zero(d);
  Vector<float> replica = published;
  std::uint64_t heard = 0;
  PacketPool pool;
  std::size_t vectors = 0;
  const auto replay = [&](std::span<const std::byte> packet, std::uint64_t) {
    return compressor->accumulate(packet, 1, view(replica));
  };
  // A recycled buffer grows when it first has to hold a vector, and there are a few buffers.
  check_only_the_first_allocates(3, [&](std::uint64_t part) {
    bool ok = true;
    for (std::uint64_t number = 360 * part + 1; number <= 360 * part + 360; ++number) {
      RandomStream random = stream(number);
      PacketBuffer packet = pool.acquire();
      ok = ok && compressor->encode_and_apply({change, random}, packet, view(published)) == CodecStatus::ok;
      backlog.say(packet.bytes());
      backlog.tell(host.turn_to(number), published);
      if (number % 3 == 1)
        ok = ok && catch_up(host.said_to(2)->bytes(), heard, replica, replay) == CodecStatus::ok &&
             replica == published;
      vectors += host.said_to(3) && host.said_to(3)->size() == 12 + d * sizeof(float) ? 1 : 0;
    }
    return ok;
  });
  CHECK(vectors > 30);
}

TEST_CASE("schedules: the row of a round allocates nothing in memory that has held some rows") {
  const Graph ring = make_graph("ring", 9, 1);
  const Graph tree = make_graph("hub-tree(3)", 14, 1);
  const auto of = [](const std::string& kind, const Graph& graph) {
    return make_schedule(kind, graph, MixingMatrix::metropolis(graph), 1);
  };
  std::vector<std::unique_ptr<Schedule>> schedules;
  schedules.push_back(of("one-peer-exponential", make_graph("complete", 9, 1)));
  schedules.push_back(of("random-matchings", ring));
  schedules.push_back(of("dealt-links(3)", ring));
  schedules.push_back(with_participation(of("static", ring), 0.5, 7));
  schedules.push_back(hub_rounds(of("static", make_graph("star", 9, 1)), 0.5, HubData::its_own, 7));
  schedules.push_back(hub_rounds(of("static", tree), 0.4, HubData::none, 7));
  for (const auto& schedule : schedules) {
    CAPTURE(schedule->name());
    std::vector<MixingRow> rows(schedule->peer_count());
    check_only_the_first_allocates(3, [&](std::uint64_t part) {
      bool ok = true;
      for (std::uint64_t round = 100 * part; round < 100 * part + 100; ++round)
        for (PeerId peer = 0; peer < schedule->peer_count(); ++peer) {
          schedule->write_row(peer, round, rows[peer]);
          ok = ok && rows[peer].self_weight >= 0.0;
        }
      return ok;
    });
  }
}

}  // namespace hearsay::test::allocation_test
