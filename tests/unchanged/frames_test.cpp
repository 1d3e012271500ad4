#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/session/probe.hpp"
#include "runtime/wire/frame.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/dropping_runs.hpp"
#include "tests/world/faulty_cluster.hpp"

namespace hearsay::test::frames_test {

// Compares every byte that goes over the wire and to the disk with the recorded ones (README.md).

using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

const fs::path here = HEARSAY_SOURCE_DIR "/tests/unchanged";

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes the content into the folder that HEARSAY_RECORD names, if it is set.
void record(const std::string& name, const std::string& content) {
  if (const char* const folder = std::getenv("HEARSAY_RECORD"))
    std::ofstream(fs::path(folder) / name, std::ios::binary) << content;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    for (const int nibble : {std::to_integer<int>(byte) >> 4, std::to_integer<int>(byte) & 15})
      text += "0123456789abcdef"[nibble];
  return text;
}

std::string checksum_of(std::span<const std::byte> bytes) {
  std::array<std::byte, 4> word{};
  for (std::size_t k = 0; k < 4; ++k)
    word[k] = static_cast<std::byte>(payload_checksum(bytes) >> (24 - 8 * k));
  return std::to_string(bytes.size()) + " bytes, checksum " + hexadecimal(word);
}

constexpr std::array kind_names = {"0",      "hello",      "welcome", "refuse", "data",   "ready",
                                   "start",  "evaluation", "verdict", "stop",   "result", "bye",
                                   "alive",  "again",      "holds",   "resume", "probe",  "probed",
                                   "parted", "departed",   "offer",   "taken",  "join",   "model"};

/// True if the frame carries a sentence. Sentences may change, so their bytes are not compared.
bool carries_a_sentence(const FrameHeader& header) {
  return header.kind == FrameKind::refuse || header.kind == FrameKind::stop ||
         header.kind == FrameKind::alive || header.kind == FrameKind::ready ||
         (header.kind == FrameKind::probed && header.slot == 1);
}

/// All frames of a run, by sender, receiver, kind and slot.
class Conversation {
 public:
  explicit Conversation(std::string name) : name_(std::move(name)) {}

  void add(const std::string& way, FrameHeader header, std::span<const std::byte> payload) {
    const bool sentence = carries_a_sentence(header) && !payload.empty();
    if (sentence) payload = {};
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.payload_checksum = payload_checksum(payload);
    std::array<std::byte, header_bytes> head{};
    encode_header(header, head);
    Words& words = said_[{way, header.kind, header.slot}];
    if (++words.count == 1)
      words.first = hexadecimal(head) + (sentence               ? " a sentence"
                                         : payload.empty()      ? " nothing"
                                         : payload.size() <= 64 ? " " + hexadecimal(payload)
                                                                : " " + checksum_of(payload));
    words.all.insert(words.all.end(), head.begin(), head.end());
    words.all.insert(words.all.end(), payload.begin(), payload.end());
  }

  /// Records all frames of a cluster.
  void overhear(FaultyCluster& cluster, PeerId observer) {
    cluster.network().overhears = [this, observer](PeerId from, PeerId to, const FrameHeader& header,
                                                   std::span<const std::byte> payload) {
      add(from == observer ? "observer to peer"
          : to == observer ? "peer to observer"
                           : "peer to peer",
          header, payload);
    };
  }

  /// Returns one line for each kind of frame.
  std::string text() const {
    std::string text;
    for (const auto& [key, words] : said_) {
      const auto& [way, kind, slot] = key;
      text += name_ + ", " + way + ", " + kind_names[static_cast<std::size_t>(kind)] + " " +
              std::to_string(slot) + ": " + std::to_string(words.count) + " frames, " +
              checksum_of(words.all) + ", first " + words.first + "\n";
    }
    return text;
  }

  void mark_kinds(std::array<bool, kind_names.size()>& heard) const {
    for (const auto& [key, words] : said_) heard[static_cast<std::size_t>(std::get<FrameKind>(key))] = true;
  }

 private:
  struct Words {
    std::uint64_t count = 0;
    std::string first;
    std::vector<std::byte> all;
  };
  std::string name_;
  std::map<std::tuple<std::string, FrameKind, std::uint32_t>, Words> said_;
};

Experiment<double> kept_experiment() {
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "dcd-psgd", {.iterations = 40});
  experiment.settings.failure.checkpoint_every = 7;
  experiment.settings.run.evaluate_every = 3;
  return experiment;
}

/// Kills one peer and later all, while frames are lost, doubled and reordered.
Conversation crashing(const fs::path& archive) {
  Conversation conversation("crash");
  const auto experiment = kept_experiment();
  FaultyCluster cluster(experiment, 3, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02}, archive);
  conversation.overhear(cluster, 4);
  cluster.crash(2, 20ms, 30ms);
  cluster.crash_all(400ms, 420ms);
  REQUIRE(cluster.run(10min));
  return conversation;
}

/// Policy "drop": one peer is killed and joins anew, one joins later, one freezes, one edge is cut for a
/// while.
Conversation dropping_out() {
  Conversation conversation("drop");
  const auto experiment = dropping("dcd-psgd", {.family = "torus(3x3)", .peers = 9}, 1500, 50, {7});
  FaultyCluster cluster(experiment, 3, {.loss = 0.005, .repeat = 0.005, .overtake = 0.005});
  conversation.overhear(cluster, 9);
  cluster.begin_late(7, 300ms);
  cluster.replace(4, 60ms, 700ms);
  cluster.freeze(2, 900ms, 1300ms);
  cluster.cut(0, 1, 1000ms, 1500ms);
  REQUIRE(cluster.run(10min));
  return conversation;
}

/// Runs an asynchronous method.
Conversation averaging_in_pairs() {
  Conversation conversation("pairs");
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "ad-psgd", {.iterations = 20});
  experiment.settings.run.evaluate_every = 5;
  FaultyCluster cluster(experiment, 3, {});
  conversation.overhear(cluster, 4);
  REQUIRE(cluster.run(10min));
  return conversation;
}

/// Runs until the target, which the first evaluation reaches.
Conversation reaching_the_target() {
  Conversation conversation("target");
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "choco-sgd", {.iterations = 20});
  experiment.settings.run.evaluate_every = 5;
  experiment.settings.run.target_loss = 1e9;
  FaultyCluster cluster(experiment, 3, {});
  conversation.overhear(cluster, 4);
  REQUIRE(cluster.run(10min));
  return conversation;
}

Agreement agreement_with(const std::string& seed) { return {{{"protocol", "2"}, {"run.seed", seed}}}; }

/// Peer 1 tests its connection to peer 2. In the second part peer 2 has another seed.
Conversation probing() {
  Conversation conversation("probe");
  for (const std::string seed : {"1", "5"}) {
    ProbeCaller caller({1, 7, agreement_with("1")}, 2);
    ProbeServer server({2, 8, agreement_with(seed)}, {1});
    Instant now{1h};
    for (int word = 0; word < 20; ++word) {
      now += 1ms;
      const auto question = caller.tick(now);
      if (!question) break;
      conversation.add("peer to peer", question->header, question->payload);
      const auto answer = server.hear(question->header, question->payload);
      if (!answer) continue;
      conversation.add("peer to peer", answer->header, answer->payload);
      caller.hear(answer->header, answer->payload, now);
    }
  }
  return conversation;
}

/// Writes down what a session has said of refusals and of the end of a run.
void write_down(Conversation& conversation, auto& session, const std::string& way) {
  for (const auto& word : session.outbox())
    if (word.header.kind == FrameKind::refuse || word.header.kind == FrameKind::stop ||
        word.header.kind == FrameKind::departed)
      conversation.add(way, word.header, word.payload);
  session.outbox().clear();
}

/// A peer hears a hello, and its user ends the run.
void refuse_and_stop(const Experiment<double>& experiment, const FrameHeader& hello,
                     std::span<const std::byte> payload, Conversation& conversation) {
  PeerSession peer({.self = 1,
                    .incarnation = 11,
                    .agreement = agreement_of(experiment),
                    .iterations = 40,
                    .sources = {0, 2},
                    .destinations = {0, 2},
                    .addresses = {"here", "there"},
                    .same_machine = true,
                    .asynchronous = false,
                    .start_patience = 1min,
                    .heartbeat = 2s});
  peer.begin(Instant{});
  peer.hear_source(hello, payload, Instant{});
  peer.say_stop(130, "");
  write_down(conversation, peer, "peer");
}

/// Under policy "drop" the observer of a run that has begun learns that a process has ended.
void lose_a_process(Conversation& conversation) {
  const auto dropped = dropping("dcd-psgd", {.family = "ring", .peers = 4}, 40);
  Observer<double> evaluator(dropped.problem, {});
  ObserverSession observer(observer_input(dropped, 1min), evaluator, Instant{});
  for (const FrameKind kind : {FrameKind::hello, FrameKind::ready})
    for (PeerId id = 0; id < 4; ++id) {
      FrameHeader word;
      word.kind = kind;
      word.run_id = run_id(agreement_of(dropped));
      word.sender = id;
      word.incarnation = 1000 + id;
      word.iteration = kind == FrameKind::hello ? 40 : 1;
      observer.hear(
          word, kind == FrameKind::hello ? encode_agreement(agreement_of(dropped)) : std::vector<std::byte>{},
          Instant{1s});
    }
  observer.tick(Instant{2s});
  observer.lose_peer(2, Instant{}, "it was killed");
  conversation.add("observer", observer.busy_sign(), {});
  write_down(conversation, observer, "observer");
}

/// Peers with another seed are refused by a peer and by the observer. A user ends a run. A process is lost.
Conversation refusing_and_stopping() {
  Conversation conversation("refuse, stop");
  const auto experiment = kept_experiment();
  FrameHeader hello;
  hello.kind = FrameKind::hello;
  hello.run_id = run_id(agreement_with("5"));
  hello.sender = 2;
  hello.incarnation = 22;
  const std::vector<std::byte> payload = encode_agreement(agreement_with("5"));
  refuse_and_stop(experiment, hello, payload, conversation);

  Observer<double> evaluator(experiment.problem, {});
  ObserverSession observer(observer_input(experiment, 1min), evaluator, Instant{});
  observer.hear(hello, payload, Instant{1s});
  hello.run_id = run_id(agreement_of(experiment));
  hello.iteration = 40;
  observer.hear(hello, encode_agreement(agreement_of(experiment)), Instant{2s});
  observer.interrupt(Instant{3s});
  observer.tick(Instant{1min});
  write_down(conversation, observer, "observer");
  lose_a_process(conversation);
  return conversation;
}

/// Compares line by line, so that a difference is easy to see.
void check_same_lines(const std::string& now, const std::string& recorded) {
  const auto lines = [](std::string text) {
    std::map<std::string, std::string> by_name;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string line = text.substr(0, end);
      by_name[line.substr(0, line.find(':'))] = line;
      text.erase(0, end == text.npos ? end : end + 1);
    }
    return by_name;
  };
  auto expected = lines(recorded);
  for (const auto& [name, line] : lines(now)) CHECK(line == std::exchange(expected[name], ""));
  for (const auto& rest : expected) CHECK_MESSAGE(rest.second.empty(), "no longer said: ", rest.second);
}

}  // namespace

TEST_CASE("unchanged: every kind of frame, of peers and observer, has the bytes that were recorded") {
  const TemporaryFolder folder("hearsay_unchanged");
  const std::vector<Conversation> conversations = {
      crashing(folder.path()), dropping_out(), averaging_in_pairs(),
      reaching_the_target(),   probing(),      refusing_and_stopping()};
  std::array<bool, kind_names.size()> heard{};
  std::string text;
  for (const Conversation& conversation : conversations) {
    conversation.mark_kinds(heard);
    text += conversation.text();
  }
  for (std::size_t kind = 1; kind < heard.size(); ++kind)
    CHECK_MESSAGE(heard[kind], "never said: ", std::string(kind_names[kind]));
  record("frames.txt", text);
  check_same_lines(text, content_of(here / "frames.txt"));
}

TEST_CASE(
    "unchanged: a checkpoint and a packet log are written as they were recorded, and read back from there") {
  const TemporaryFolder folder("hearsay_unchanged");
  crashing(folder.path());
  const std::string checkpoint = "checkpoint-2-000000000035";
  const std::string log = "log-2-000000000035";
  for (const std::string& name : {checkpoint, log}) {
    CAPTURE(name);
    const std::string written = content_of(folder.path() / name);
    record(name, written);
    CHECK_FALSE(written.empty());
    CHECK(written == content_of(here / name));
  }
  // The copies lie in a folder of their own, since only the peer itself may change its archive.
  const TemporaryFolder recorded("hearsay_unchanged_archive");
  for (const std::string& name : {checkpoint, log}) fs::copy_file(here / name, recorded.path() / name);
  PacketPool packets;
  const auto experiment = kept_experiment();
  const RestoredPeer<double> restored = PeerArchive<double>(experiment, 2, recorded.path()).restored(packets);
  CHECK(restored.peer->iteration() == 35);
  CHECK(restored.log.size() == 10);
}

}  // namespace hearsay::test::frames_test
