#include "runtime/survey/survey_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace hearsay {

namespace {

using Host = std::vector<PeerId>;
/// The pairs of peers of two hosts, or of one, in the order in which they take turns.
using Meeting = std::vector<SurveyedLink>;

std::vector<Host> peers_by_host(const std::vector<std::string>& hosts) {
  std::vector<Host> places;
  std::map<std::string, std::size_t> place_of;
  for (PeerId peer = 0; peer < hosts.size(); ++peer) {
    const auto [found, is_new] = place_of.emplace(hosts[peer], places.size());
    if (is_new) places.emplace_back();
    places[found->second].push_back(peer);
  }
  return places;
}

Meeting meeting_within(const Host& host) {
  Meeting pairs;
  for (std::size_t a = 0; a < host.size(); ++a)
    for (std::size_t b = a + 1; b < host.size(); ++b) pairs.push_back({host[a], host[b]});
  return pairs;
}

Meeting meeting_of(const Host& one, const Host& other) {
  Meeting pairs;
  for (const PeerId a : one)
    for (const PeerId b : other) pairs.push_back({a, b});
  return pairs;
}

/// Adds the steps of meetings that take place side by side.
void add_steps(const std::vector<Meeting>& meetings, std::vector<SurveyStep>& steps) {
  std::size_t turns = 0;
  for (const Meeting& meeting : meetings) turns = std::max(turns, meeting.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    SurveyStep there, back;
    for (const Meeting& meeting : meetings)
      if (turn < meeting.size()) {
        there.push_back(meeting[turn]);
        back.push_back({meeting[turn].to, meeting[turn].from});
      }
    steps.push_back(std::move(there));
    steps.push_back(std::move(back));
  }
}

}  // namespace

// The circle method: the last host stays, the others move on by one place in each round, and those opposite
// each other meet. If their number is odd, the place of the last host is empty.
std::vector<SurveyStep> survey_steps(const std::vector<std::string>& hosts) {
  const std::vector<Host> places = peers_by_host(hosts);
  std::vector<SurveyStep> steps;
  std::vector<Meeting> meetings;
  for (const Host& host : places) meetings.push_back(meeting_within(host));
  add_steps(meetings, steps);
  const std::size_t circle = (places.size() + 1) / 2 * 2 - 1;  // the places that move; none without hosts
  for (std::size_t round = 0; places.size() > 1 && round < circle; ++round) {
    meetings.clear();
    if (places.size() % 2 == 0) meetings.push_back(meeting_of(places[round], places.back()));
    for (std::size_t k = 1; k <= circle / 2; ++k)
      meetings.push_back(meeting_of(places[(round + k) % circle], places[(round + circle - k) % circle]));
    add_steps(meetings, steps);
  }
  return steps;
}

}  // namespace hearsay
