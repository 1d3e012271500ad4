// Writes the seeds that cannot be typed into FOLDER/TARGET: well-formed inputs, from which the fuzzers start.
//
//     build/tests/fuzz/fuzz_seeds tests/fuzz/corpus
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "algorithms/methods/registry.hpp"
#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/foundation/little_endian.hpp"
#include "runtime/membership/letter_bytes.hpp"
#include "runtime/record/json.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/wire/frame.hpp"
#include "tests/fuzz/choice.hpp"
#include "tests/support/compressor_spellings.hpp"
#include "tests/support/temporary_folder.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

namespace fs = std::filesystem;

template <class Number>
std::string little_endian(Number number) {
  std::array<std::byte, sizeof(Number)> bytes;
  store_little_endian(number, std::span<std::byte>(bytes));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, const std::string& input) const {
    fs::create_directories(folder_ / target);
    std::ofstream out(folder_ / target / name, std::ios::binary);
    out << input;
    ensure(out.good(), "a seed can be written");
  }

 private:
  fs::path folder_;
};

void add_frames(const Corpus& corpus) {
  const std::array payload{std::byte{1}, std::byte{2}, std::byte{3}};
  for (int kind = 1; kind <= 35; ++kind) {
    FrameHeader header;
    header.kind = static_cast<FrameKind>(kind);
    header.run_id = 0x12345678;
    header.sender = 3;
    header.iteration = 7;
    header.due_ns = 5'000'000;
    header.payload_bytes = payload.size();
    header.payload_checksum = payload_checksum(payload);
    std::array<std::byte, header_bytes> bytes;
    encode_header(header, bytes);
    corpus.add("wire", "kind-" + std::to_string(kind), '\1' + text_of(bytes) + text_of(payload));
    if (header.kind != FrameKind::evaluation) continue;
    header.payload_bytes = 0x300000003;  // of which three are there
    encode_header(header, bytes);
    corpus.add("wire", "long", '\3' + text_of(bytes) + text_of(payload));
  }
}

void add_letters(const Corpus& corpus) {
  using namespace membership;
  const Decision decision{{5, {{1, 100}, {4, 7}}, 4}, {30, 1}};
  const Standing standing{.completed = 30, .suspects = {2}, .joiners = {{6, 9}}};
  const auto add = [&](const std::string& name, const Letter& letter) {
    corpus.add("letter", name, text_of(encode(letter)));
  };
  add("wish", {4, Wish{}});
  add("freeze", {4, Freeze{{3, 1}}});
  add("promise", {4, Promise{{3, 1}, standing, Accepted{{2, 0}, decision}}});
  add("propose", {4, Propose{{3, 1}, decision}});
  add("decided", {4, Decided{decision}});
}

void add_agreements(const Corpus& corpus) {
  const Agreement agreed{{{"algorithm.kind", "dcd-psgd"}, {"run.seed", "1"}}};
  Agreement other = agreed;
  other.settings[0].value = "d-psgd";
  corpus.add("handshake", "agreed", text_of(encode_agreement(agreed)));
  corpus.add("handshake", "another-method", text_of(encode_agreement(other)));
  corpus.add("handshake", "empty", text_of(encode_agreement({})));
}

void add_records(const Corpus& corpus) {
  PeerOutcome outcome;
  corpus.add("records", "outcome", '\0' + text_of(encode_outcome(outcome)));
  outcome.iterations = 20;
  outcome.digests.published = 1;
  outcome.digests.replicas = {{1, 2}, {2, 3}};
  outcome.digests.told = {{1, 2}};
  outcome.divergence = Divergence{3, "the model left the finite range", false};
  corpus.add("records", "diverged-outcome", '\0' + text_of(encode_outcome(outcome)));
  corpus.add("records", "float-snapshot",
             '\1' + text_of(encode_snapshot<float>(PeerMeters{}, Vector<float>::Ones(3))));
  corpus.add("records", "double-snapshot",
             '\2' + text_of(encode_snapshot<double>(PeerMeters{}, Vector<double>::Ones(3))));

  // Steps as observer.cpp reads them: hello, ready; evaluations in their turn; results.
  const auto step = [](int what, int sender, int iteration = 0, const std::string& more = {}) {
    return static_cast<char>(what + 8 * sender) + more + static_cast<char>(iteration) + '\0';
  };
  const std::string start = '\0' + step(0, 0) + step(0, 1) + step(1, 0) + step(1, 1);
  std::string whole = start;
  for (const int iteration : {5, 10, 15, 20})
    whole += step(2, 0, iteration, "\1") + step(2, 1, iteration, "\1");
  corpus.add("observer", "whole-run", whole + step(3, 0) + step(3, 1));
  // Two peers that claim to have computed for 292 years, and models that are not finite.
  const std::string meters = std::string(1, '\0') + little_endian(std::uint64_t{0}) +
                             little_endian(~std::uint64_t{0} >> 1) + std::string(16, '\xff');
  corpus.add("observer", "durations-whose-sum-overflows",
             start + step(2, 0, 5, meters + std::string(24, '\xff')) +
                 step(2, 1, 5, meters + std::string(24, '\xff')));
  corpus.add("observer", "interrupted", start + '\7' + "\5\3" + step(3, 0) + "\5\xff" + '\6');
  const std::string result = text_of(encode_outcome(outcome));
  corpus.add("observer", "diverged",
             start + "\4\x09" + little_endian(static_cast<std::uint16_t>(result.size())) + result +
                 std::string(2, '\0') + "\5\xff\6\5\xff");
  corpus.add("observer", "strangers",
             '\0' + step(0, 3) + step(1, 0) + step(2, 1, 5, "\1") + step(3, 2) + "\5\xff");
  // Policy "drop": a process that replaces peer 1 joins, and evaluates with the other peer.
  const auto anew = [](int kind, int iteration) {
    return std::string{4 + 8 * 1, static_cast<char>(kind - 1), 0, 0, static_cast<char>(iteration), 64};
  };
  corpus.add("observer", "joins",
             '\1' + start.substr(1) + step(2, 0, 5, "\1") + std::string{0 + 8 * 1, 0, 64} + anew(22, 7) +
                 step(2, 0, 10, "\1") + step(2, 1, 10, "\1") + anew(22, 30) + step(3, 0) + step(3, 1));
}

/// Adds steps as peer_session.cpp reads them.
void add_sessions(const Corpus& corpus) {
  const auto frame = [](int step, int kind, int sender, int iteration, int sequence) {
    return std::string{static_cast<char>(step),
                       static_cast<char>(kind - 1),
                       static_cast<char>(sender),
                       0,
                       static_cast<char>(iteration),
                       static_cast<char>(sequence),
                       0};
  };
  const auto hello = [](int sender, int iteration) {
    return std::string{0, static_cast<char>(sender), 0, static_cast<char>(iteration), 0};
  };
  // Both sources call, both destinations welcome, the observer starts a run of 100 iterations.
  const std::string up =
      hello(1, 1) + hello(2, 1) + frame(2, 2, 1, 1, 0) + frame(10, 2, 3, 1, 0) + frame(3, 6, 0, 100, 0);
  const std::string sent = "\5\1\5\1";
  const std::string heard = frame(1, 4, 1, 1, 0) + frame(1, 4, 2, 1, 0) + frame(1, 4, 1, 2, 1);
  const std::string over = frame(3, 8, 0, 10, 0) + frame(3, 11, 0, 0, 0);
  corpus.add("peer_session", "whole-run", '\0' + up + sent + heard + over);
  corpus.add("peer_session", "whole-asynchronous-run", '\2' + up + sent + heard + over);
  // A frame is missing; a hearer asks for another hello and is welcomed again; a source was started anew.
  corpus.add("peer_session", "mended",
             '\0' + up + sent + frame(1, 4, 1, 2, 1) + frame(10, 13, 3, 1, 0) + frame(10, 2, 3, 1, 2) +
                 frame(1, 1, 65, 1, 0) + "\4\x40\4\x40" + over);
  corpus.add("peer_session", "nobody-comes", std::string("\0\4\x40\4\x40\4\x40", 7));
  // Between hosts: an observer that claims to have started 292 years ago.
  corpus.add("peer_session", "start-292-years-ago",
             std::string("\1\3\5\x80\0", 5) + little_endian(std::uint64_t{100}) +
                 little_endian(std::uint64_t{1} << 63) + std::string(9, '\0'));
}

/// Adds sessions under policy "drop".
void add_joining_sessions(const Corpus& corpus) {
  const auto reply = [](int from, int kind, int iteration, int sequence, const std::string& payload = {}) {
    return std::string{static_cast<char>(from == 1 ? 2 : 10),
                       static_cast<char>(kind - 1),
                       static_cast<char>(from),
                       0,
                       static_cast<char>(iteration),
                       static_cast<char>(sequence),
                       static_cast<char>(payload.size())} +
           payload;
  };
  const std::string model(4, '\1');
  const std::string start{3, 6 - 1, 0, 0, 100, 0, 0};
  // Both neighbors have parted. The first is silent, the second sends its model. Then an edge is offered and
  // accepted.
  const std::string joined =
      '\4' + reply(1, 18, 9, 0) + reply(2, 18, 9, 0) + "\4\xff" + reply(2, 23, 9, 1, model) + start;
  corpus.add("peer_session", "joins", joined + reply(1, 2, 10, 0) + "\x1f\0" + reply(1, 21, 12, 0));
  corpus.add("peer_session", "is-told-models-of-another-size",
             '\4' + reply(1, 18, 9, 0) + reply(1, 23, 9, 1, "short") + reply(1, 23, 200, 1, model));
  // A process that the peer does not know asks it for its model.
  corpus.add("peer_session", "is-asked", joined + std::string{1, 22 - 1, 65, 0, 1, 0, 0} + "\x1f\0");
}

void add_backlogs(const Corpus& corpus) {
  const std::array numbers{1.f, 2.f, 3.f, 4.f, 5.f};
  const std::string vector = text_of(std::as_bytes(std::span(numbers)));
  const auto packet = little_endian(static_cast<std::uint32_t>(vector.size())) + vector;
  corpus.add("backlog", "two-packets", '\3' + little_endian(std::uint64_t{5}) + packet + packet);
  corpus.add("backlog", "nothing-new", '\3' + little_endian(std::uint64_t{3}));
  corpus.add("backlog", "dense",
             '\3' + little_endian(std::uint64_t{9}) + little_endian(~std::uint32_t{0}) + vector);
  corpus.add("backlog", "vector", '\0' + vector.substr(1));
}

std::string file_name(std::string spelling) {
  for (char& letter : spelling)
    if (std::string_view("(){}|,.=% ^").find(letter) != std::string_view::npos) letter = '-';
  return spelling;
}

/// Adds packets, and edits of them, for every registered name. Scalar types and dimensions take turns.
void add_packets(const Corpus& corpus) {
  char options = 0;
  for (const CompressorName& entry : compressor_names()) {
    const std::string number = little_endian(fuzz::Circle::digest(std::string(entry.example)));
    options = static_cast<char>(options % 12 + 5);
    corpus.add("compressor", file_name(std::string(entry.name)), number + options + std::string("\7\0\1", 3));
  }
}

/// Adds edits of packets that are read near a vector, for every spelling and dimension; scalar types take
/// turns.
void add_near_packets(const Corpus& corpus) {
  for (char spelling = 0; spelling < 3; ++spelling)
    for (char dimension = 0; dimension < 4; ++dimension) {
      const char options = static_cast<char>(16 * spelling + 4 * dimension + (spelling + dimension) % 2);
      const std::string name = std::to_string(spelling) + "-" + std::to_string(dimension);
      corpus.add("near", name, std::string(1, options));
      corpus.add("near", name + "-edited", options + std::string("\7\0\1", 3));
    }
}

void add_runs(const Corpus& corpus) {
  for (const MethodInfo& method : methods())
    for (const char* const way : {"static", "varying"}) {
      const std::string number = little_endian(fuzz::Circle::digest(method.name));
      // Two messages unchanged, one damaged, one replaced, one doubled.
      const std::string damage{0, 0, 3, 0, 5, 0, 64, 0, 4, 2, 1, 1, 6};
      corpus.add("peer", method.name + "-" + way, number + (way[0] == 's' ? '\0' : '\1') + damage);
      // Questions, and packets in place of copies; the answers come after them.
      if (way[0] == 's')
        corpus.add("peer", method.name + "-resynced",
                   number + '\0' + std::string("\0\5\0\xfe\5\0\xff\5\0\xfe\5\1\xff\5\1\xfe", 16));
    }
}

void add_answers(const Corpus& corpus) {
  const auto answer = [](std::uint32_t outcome, std::uint32_t flags, std::uint64_t hits,
                         const std::string& text) {
    return little_endian(std::uint64_t{7}) + little_endian(outcome) + little_endian(flags) +
           little_endian(std::bit_cast<std::uint64_t>(0.25)) + little_endian(hits) +
           little_endian(std::uint64_t{4}) + text;
  };
  corpus.add("program", "score", answer(0, 1, 3, ""));
  corpus.add("program", "failure", answer(1, 0, 0, "ValueError: a bad\nsample"));
  corpus.add("program", "more-hits-than-judged", answer(0, 0, 5, ""));
}

void add_saved_state(const Corpus& corpus) {
  PacketPool packets;
  const PacketRef packet = packets.acquire().seal();
  const CheckpointOwner owner{.run_id = 1, .peer = 3, .peer_count = 8, .scalar_bytes = 4, .dimension = 5};
  const Checkpoint checkpoint{.iteration = 7,
                              .image = std::vector{std::byte{1}, std::byte{2}},
                              .meters = std::vector{std::byte{3}},
                              .retained = {{2, {7, 0, 3}, packet}, {4, {7, 0, 3}, packet}}};
  corpus.add("checkpoint", "two-messages", '\1' + text_of(encode_checkpoint(owner, checkpoint)));
  corpus.add("checkpoint", "nothing-retained", '\1' + text_of(encode_checkpoint(owner, Checkpoint{})));
  CheckpointOwner other = owner;
  other.peer = 2;
  corpus.add("checkpoint", "of-another-peer", '\0' + text_of(encode_checkpoint(other, checkpoint)));

  const TemporaryFolder folder("fuzz-seeds");
  PacketLog log(folder.path(), {.run_id = 1, .peer = 3});
  ensure(!log.begin(100, 100), "a log can be begun");
  const auto content = [&] {
    std::ifstream in(log_path(folder.path(), 3, 100), std::ios::binary);
    return '\1' + std::string{std::istreambuf_iterator<char>(in), {}};
  };
  corpus.add("packet_log", "empty", content());
  ensure(
      !log.append({101, 0, 2}, packet) && !log.append_verdict(90, true) && !log.append({101, 1, 4}, packet),
      "a log can be written");
  corpus.add("packet_log", "three-records", content());
  corpus.add("packet_log", "torn", content().substr(0, 130));

  for (const MethodInfo& method : methods())
    if (!method.asynchronous)
      corpus.add("peer_image", method.name,
                 little_endian(fuzz::Circle::digest(method.name)) + std::string("\0\x50\0\1", 4));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const Corpus corpus(arguments[1]);
  add_frames(corpus);
  add_letters(corpus);
  add_agreements(corpus);
  add_records(corpus);
  add_sessions(corpus);
  add_joining_sessions(corpus);
  add_backlogs(corpus);
  add_packets(corpus);
  add_near_packets(corpus);
  add_runs(corpus);
  add_saved_state(corpus);
  add_answers(corpus);
  return 0;
}
