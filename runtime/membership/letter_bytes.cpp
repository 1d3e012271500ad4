#include "runtime/membership/letter_bytes.hpp"

#include <algorithm>
#include <utility>

#include "runtime/foundation/byte_stream.hpp"

namespace hearsay::membership {

namespace {

void write(const Ballot& ballot, ByteWriter& out) {
  out.number(ballot.round);
  out.number(ballot.proposer);
}

void write(const Member& member, ByteWriter& out) {
  out.number(member.id);
  out.number(member.incarnation);
}

void write(const std::vector<Member>& members, ByteWriter& out) {
  out.number(static_cast<std::uint32_t>(members.size()));
  for (const Member& member : members) write(member, out);
}

void write(const Decision& decision, ByteWriter& out) {
  out.number(decision.next.number);
  out.number(decision.next.casts);
  write(decision.next.members, out);
  out.number(decision.cut.completed);
  out.number(decision.cut.giver);
}

void write(const Standing& standing, ByteWriter& out) {
  out.number(static_cast<std::uint8_t>(standing.presence));
  out.number(standing.completed);
  out.number(static_cast<std::uint32_t>(standing.suspects.size()));
  for (const PeerId suspect : standing.suspects) out.number(suspect);
  write(standing.joiners, out);
}

struct Writer {
  ByteWriter& out;

  void operator()(const Wish&) {}
  void operator()(const Freeze& freeze) { write(freeze.ballot, out); }
  void operator()(const Promise& promise) {
    write(promise.ballot, out);
    write(promise.standing, out);
    out.number(static_cast<std::uint8_t>(promise.accepted ? 1 : 0));
    if (!promise.accepted) return;
    write(promise.accepted->ballot, out);
    write(promise.accepted->decision, out);
  }
  void operator()(const Propose& propose) {
    write(propose.ballot, out);
    write(propose.decision, out);
  }
  void operator()(const Accept& accept) { write(accept.ballot, out); }
  void operator()(const Refusal& refusal) { write(refusal.promised, out); }
  void operator()(const Decided& decided) { write(decided.decision, out); }
  void operator()(const Noted&) {}
};

Ballot read_ballot(ByteReader& in) {
  const auto round = in.number<std::uint32_t>();
  return {round, in.number<PeerId>()};
}

/// A list whose items take so many bytes at least; fails if the rest is too short for it.
std::uint32_t read_length(std::size_t item_bytes, ByteReader& in) {
  const auto length = in.number<std::uint32_t>();
  if (length > in.left() / item_bytes) in.fail();
  return in.failed() ? 0 : length;
}

/// Members of a view have ascending ids, each once.
std::vector<Member> read_members(ByteReader& in) {
  std::vector<Member> members(read_length(8, in));
  for (Member& member : members) {
    member.id = in.number<PeerId>();
    member.incarnation = in.number<std::uint32_t>();
  }
  const auto is_out_of_order = [](const Member& a, const Member& b) { return a.id >= b.id; };
  if (std::ranges::adjacent_find(members, is_out_of_order) != members.end()) in.fail();
  return members;
}

Decision read_decision(ByteReader& in) {
  Decision decision;
  decision.next.number = in.number<std::uint32_t>();
  decision.next.casts = in.number<PeerId>();
  decision.next.members = read_members(in);
  decision.cut.completed = in.number<std::uint64_t>();
  decision.cut.giver = in.number<PeerId>();
  if (decision.next.members.empty()) in.fail();
  return decision;
}

Standing read_standing(ByteReader& in) {
  Standing standing;
  const auto presence = in.number<std::uint8_t>();
  if (presence > static_cast<std::uint8_t>(Presence::has_lost)) in.fail();
  standing.presence = static_cast<Presence>(presence);
  standing.completed = in.number<std::uint64_t>();
  standing.suspects.resize(read_length(sizeof(PeerId), in));
  for (PeerId& suspect : standing.suspects) suspect = in.number<PeerId>();
  standing.joiners = read_members(in);
  return standing;
}

Promise read_promise(ByteReader& in) {
  Promise promise{read_ballot(in), read_standing(in)};
  const auto has_accepted = in.number<std::uint8_t>();
  if (has_accepted > 1) in.fail();
  if (has_accepted == 0) return promise;
  const Ballot ballot = read_ballot(in);
  promise.accepted = Accepted{ballot, read_decision(in)};
  return promise;
}

}  // namespace

std::vector<std::byte> encode(const Letter& letter) {
  ByteWriter out;
  out.number(letter.view);
  out.number(static_cast<std::uint8_t>(letter.word.index()));
  std::visit(Writer{out}, letter.word);
  return std::move(out).take();
}

std::optional<Letter> decode_letter(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  Letter letter{in.number<std::uint32_t>()};
  switch (in.number<std::uint8_t>()) {
    case 0:
      letter.word = Wish{};
      break;
    case 1:
      letter.word = Freeze{read_ballot(in)};
      break;
    case 2:
      letter.word = read_promise(in);
      break;
    case 3: {
      const Ballot ballot = read_ballot(in);
      letter.word = Propose{ballot, read_decision(in)};
      break;
    }
    case 4:
      letter.word = Accept{read_ballot(in)};
      break;
    case 5:
      letter.word = Refusal{read_ballot(in)};
      break;
    case 6:
      letter.word = Decided{read_decision(in)};
      break;
    case 7:
      letter.word = Noted{};
      break;
    default:
      in.fail();
  }
  return in.read_whole() ? std::optional(std::move(letter)) : std::nullopt;
}

}  // namespace hearsay::membership
