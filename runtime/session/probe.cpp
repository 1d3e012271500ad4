#include "runtime/session/probe.hpp"

#include <algorithm>

#include "runtime/wire/control_word.hpp"
#include "runtime/wire/words_to_neighbor.hpp"

namespace hearsay {

namespace {

FrameHeader header_of(const Prober& self, const ControlWord auto& word) {
  FrameHeader header;
  put(word, header);
  header.run_id = run_id(self.agreement);
  header.sender = self.id;
  header.incarnation = self.incarnation;
  return header;
}

}  // namespace

ProbeCaller::ProbeCaller(const Prober& self, PeerId server)
    : self_(self), server_(server), agreement_(encode_agreement(self.agreement)) {}

std::optional<ProbeWord> ProbeCaller::tick(Instant now) {
  if (!complaint_.empty() || now < next_) return std::nullopt;
  asked_ = now;
  next_ = now + patience;
  ++askings_;
  return ProbeWord{header_of(self_, to_neighbor::Probe{number_, satisfied()}), agreement_};
}

void ProbeCaller::hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
  if (header.kind != FrameKind::probed || satisfied()) return;
  if (header.sender != server_) {
    complaint_ =
        "peer " + std::to_string(header.sender) + " listens there, not peer " + std::to_string(server_);
    return;
  }
  const to_neighbor::Probed answer = to_neighbor::as_probed(header);
  if (answer.refused) {
    complaint_ = printable_text(payload);
    return;
  }
  if (answer.number != number_ || askings_ == 0) return;  // an answer to an earlier question
  // A repeated question is not measured: it is unknown which asking the answer belongs to. The first question
  // is not measured either: it waited for the connection.
  if (number_ > 0 && askings_ == 1) round_trips_.push_back(now - asked_);
  ++number_;
  askings_ = 0;
  next_ = now;
}

ProbeServer::ProbeServer(const Prober& self, const std::vector<PeerId>& callers) : self_(self) {
  for (const PeerId id : callers) callers_[id];
}

std::optional<ProbeWord> ProbeServer::hear(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto caller = callers_.find(header.sender);
  const bool expected = caller != callers_.end();
  if (expected && header.kind == FrameKind::hello) caller->second.trains = true;
  if (header.kind != FrameKind::probe) return std::nullopt;
  const to_neighbor::Probe probe = to_neighbor::as_probe(header);
  const HelloVerdict verdict = judge_hello(self_.agreement, self_.id, payload, header.sender, expected);
  if (expected) {
    caller->second.called = true;
    caller->second.complaint = verdict.for_me;  // replaced: the peer may have been restarted with right input
    caller->second.satisfied = verdict.welcome() && probe.all_answers_are_here;
  }
  if (verdict.welcome()) {
    if (probe.all_answers_are_here) return std::nullopt;
    return ProbeWord{header_of(self_, to_neighbor::Probed{.number = probe.number}), {}};
  }
  const auto reason = std::as_bytes(std::span(verdict.for_the_caller));
  return ProbeWord{header_of(self_, to_neighbor::Probed{.number = probe.number, .refused = true}),
                   {reason.begin(), reason.end()}};
}

std::vector<PeerId> ProbeServer::undecided() const {
  std::vector<PeerId> ids;
  for (const auto& [id, caller] : callers_)
    if (!caller.decided()) ids.push_back(id);
  return ids;
}

std::string ProbeServer::first_complaint() const {
  for (const auto& [id, caller] : callers_)
    if (!caller.complaint.empty()) return caller.complaint;
  return {};
}

}  // namespace hearsay
