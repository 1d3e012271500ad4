#include "runtime/session/probe_verdict.hpp"

#include <algorithm>

namespace hearsay {

namespace {

std::string no_way_out(const EdgeEvidence& seen) {
  if (!seen.handshake.empty()) return seen.handshake;
  if (seen.called && seen.called->trains)
    return "a run is under way there: it says hello, as hearsay peer does and hearsay check --connect does "
           "not";
  if (seen.caller->answered_once()) return "it answered, but no longer does";
  if (seen.tcp.empty())
    return "something listens there but does not answer: is it hearsay check --connect, or a run under way?";
  return seen.tcp;
}

std::string no_way_in(const EdgeEvidence& seen) {
  if (seen.called->called) return "its questions come here, but it does not confirm the answers";
  if (seen.called->trains)
    return "a run is under way there: it says hello, as hearsay peer does and hearsay check --connect does "
           "not";
  return "it does not reach this peer at " + seen.own_address +
         ": does it look for it elsewhere, or expect another key?";
}

std::string what_is_wrong(const CheckedEdge& edge, const EdgeEvidence& seen) {
  if (edge.works()) return {};
  if (seen.called && !seen.called->complaint.empty()) return seen.called->complaint;
  if (seen.caller && !seen.caller->complaint().empty()) return seen.caller->complaint();
  if (edge.out.value_or(true)) return no_way_in(seen);
  const bool one_way = edge.in.has_value() && seen.called->called;
  return no_way_out(seen) + (one_way ? "; it does reach this peer" : "");
}

}  // namespace

CheckedEdge judge_edge(std::string who, std::string address, const EdgeEvidence& evidence) {
  CheckedEdge edge;
  edge.who = std::move(who);
  edge.address = std::move(address);
  if (evidence.caller) {
    edge.out = evidence.caller->satisfied() && evidence.caller->complaint().empty();
    edge.round_trips = evidence.caller->round_trips();
    std::ranges::sort(edge.round_trips);
  }
  if (evidence.called) edge.in = evidence.called->satisfied;
  edge.wrong = what_is_wrong(edge, evidence);
  return edge;
}

CheckedEdge judge_observer(std::string address, const ProbeServer& observer) {
  CheckedEdge edge;
  edge.who = "all peers";
  edge.address = std::move(address);
  std::string missing;
  for (const PeerId id : observer.undecided())
    missing += (missing.empty() ? "peer " : ", peer ") + std::to_string(id);
  edge.in = missing.empty() && observer.first_complaint().empty();
  if (!observer.first_complaint().empty())
    edge.wrong = observer.first_complaint();
  else if (!missing.empty())
    edge.wrong = "did not reach the observer here: " + missing;
  return edge;
}

}  // namespace hearsay
