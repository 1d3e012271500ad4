// The session of one peer, whose neighbors and observer send anything. The input is a list of steps: a byte
// that says what happens, and its arguments. Byte 0 says whether the method is asynchronous, whether all
// peers share a clock, whether the run goes on without lost peers and lets peers join, whether long messages
// wait for their receiver, and whether this peer takes them in piece by piece.
#include "runtime/session/peer_session.hpp"

#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;
using namespace std::chrono_literals;

namespace {

const Agreement& agreement() {
  static const Agreement agreed{{{"run.seed", "1"}}};
  return agreed;
}

/// Takes in every other piece that it is offered, and each in its place.
struct Hearer final : PieceHearer {
  bool hear_piece(const MessageKey& message, std::size_t from, std::span<const std::byte> bytes) override {
    if (!(may_take = !may_take)) return false;
    std::size_t& taken = ends[{message.sender, message.iteration, message.slot}];
    if (from == 0) taken = 0;  // it was forgotten, and is sent anew
    ensure(from == taken, "pieces are offered in order");
    taken += bytes.size();
    return true;
  }
  bool may_take = false;
  std::map<std::tuple<PeerId, std::uint64_t, Slot>, std::size_t> ends;
};

class Scene {
 public:
  explicit Scene(fuzz::Input input) : input_(input) {}

  void play() {
    if (shape_ / 16 % 2 == 1 && !drops_) session_.hand_pieces_to(hearer_);
    session_.begin(now_);
    std::size_t retained = 0;
    while (!input_.empty()) {
      retained += step();
      // At most a welcome, a hello, an alive or a stop to each partner, and all retained messages, which may
      // be announced and sent in three pieces. Two sources are told what they may send of each message.
      constexpr std::size_t permissions = 2 * ArrivingMessages::most_incomplete;
      ensure(session_.outbox().size() <= 16 + 4 * retained + permissions, "a step makes a peer say little");
      // At most the start of the run, and each neighbor that is gone by then, or the messages that wait.
      ensure(session_.events().size() <= 4 + permissions, "a step is few events");
      for (const SocketEvent& event : session_.events()) judge(event);
      session_.outbox().clear();
      session_.events().clear();
    }
  }

 private:
  /// A message that has come in pieces was taken in whole.
  void judge(const SocketEvent& event) const {
    const auto* const data = std::get_if<DataArrived>(&event);
    if (!data || data->metadata.taken_bytes == 0) return;
    const MessageKey& key = data->key;
    ensure(hearer_.ends.at({key.sender, key.iteration, key.slot}) == data->metadata.taken_bytes,
           "a message is over when its last piece is taken in");
  }

  /// Does one step. Returns how many messages were sent.
  std::size_t step() {
    const auto what = input_.take<std::uint8_t>();
    switch (what % 8) {
      case 0: {
        static const auto hello = encode_agreement(agreement());
        session_.hear_source(header(FrameKind::hello), hello, Instant{});
        return 0;
      }
      case 1: {
        const FrameHeader head = header(kind());
        const auto bytes = payload();
        const bool is_whole = session_.hear_source(head, bytes, Instant{}) == FrameUse::data &&
                              head.kind == FrameKind::message_piece;
        if (is_whole)
          ensure(session_.take_whole().packet->size() <= 3 * piece_bytes, "no message is too long");
        return 0;
      }
      case 2: {
        const FrameHeader head = header(kind());
        session_.hear_destination(what / 8 % 2 == 0 ? 1 : other_, head, payload());
        return 0;
      }
      case 3: {
        const FrameHeader head = header(kind());
        session_.hear_observer(head, payload(), now_);
        return 0;
      }
      case 4:
        now_ += 100ms * input_.take<std::uint8_t>();
        session_.offer_pieces();
        ensure(session_.tick(now_) > now_, "a peer wants to be called again in the future");
        return 0;
      case 5:
        iteration_ += input_.take<std::uint8_t>() % 4;
        session_.send({1, {iteration_, 0, 0}, packet()}, now_);
        session_.send({other_, {iteration_, 0, 0}, packet()}, now_);
        return 2;
      case 6:
        session_.tell_observer({FrameKind::evaluation, iteration_, {}});
        return 0;
      default:
        if (drops_ && what / 8 % 2 == 1) {
          wish(what / 16 % 4);
          return 0;
        }
        session_.say_stop(input_.take<std::uint8_t>(), "it is over");
        return 0;
    }
  }

  /// The peer wants an edge removed; or one offered, or in again, that it has removed.
  void wish(int number) {
    const PeerId neighbor = input_.take<std::uint8_t>() % 2 == 0 ? 1 : 2;
    const auto what = static_cast<EdgeRequest::What>(number);
    const bool removes = what == EdgeRequest::What::part || what == EdgeRequest::What::leave;
    if (removes || removed_.contains(neighbor)) session_.send_edge_request({what, neighbor, iteration_ + 2});
    if (removes) removed_.insert(neighbor);
    if (what == EdgeRequest::What::take) removed_.erase(neighbor);
    session_.give({neighbor, {iteration_, {}}, number == 0 ? PacketRef() : packets_.acquire().seal()});
  }

  /// Returns a packet of none to three pieces.
  PacketRef packet() { return packet_with(std::vector<std::byte>(iteration_ * 5 % (3 * piece_bytes + 1))); }
  FrameKind kind() { return static_cast<FrameKind>(1 + input_.take<std::uint8_t>() % 34); }
  std::vector<std::byte> payload() { return input_.take_bytes(input_.take<std::uint8_t>()); }

  /// Returns a header with small numbers, or with any.
  FrameHeader header(FrameKind kind) {
    FrameHeader header;
    header.kind = kind;
    const auto shape = input_.take<std::uint8_t>();
    header.sender = shape % 4;
    header.run_id = run_id(agreement()) + (shape / 4 % 16 == 15 ? 1 : 0);
    header.incarnation = shape / 64 % 2;
    header.slot = input_.take<std::uint8_t>();
    header.degree = header.slot / 16;
    const bool any = shape >= 128;
    header.iteration = any ? input_.take<std::uint64_t>() : input_.take<std::uint8_t>();
    header.sequence = any ? input_.take<std::uint64_t>() : input_.take<std::uint8_t>();
    header.due_ns = any ? input_.take<std::int64_t>() & (due_limit_ns - 1) : 0;
    return header;
  }

  static constexpr std::size_t piece_bytes = 8;

  fuzz::Input input_;
  Instant now_{1h};
  std::uint64_t iteration_ = 1;
  std::set<PeerId> removed_;
  PacketPool packets_;
  Hearer hearer_;
  std::uint8_t shape_ = input_.take<std::uint8_t>();
  const bool drops_ = shape_ / 4 % 2 == 1;
  const PeerId other_ = drops_ ? 2 : 3;
  PeerSession session_{{.self = 4,
                        .incarnation = 70,
                        .agreement = agreement(),
                        .iterations = 100,
                        .sources = {1, 2},
                        .destinations = {1, other_},
                        .addresses = {"tcp://there", "tcp://elsewhere"},
                        .same_machine = shape_ % 2 == 0,
                        .asynchronous = shape_ / 2 % 2 == 1,
                        .start_patience = 10s,
                        .heartbeat = 2s,
                        .holds = {},
                        .model_bytes = drops_ ? std::optional<std::size_t>(4) : std::nullopt,
                        .piece_bytes = piece_bytes,
                        .paced_by_receiver = shape_ / 8 % 2 == 1,
                        .longest_message_bytes = 3 * piece_bytes,
                        .packets = &packets_}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Scene(fuzz::Input(data, size)).play();
  return 0;
}
