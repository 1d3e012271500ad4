#include "runtime/wire/words_from_observer.hpp"

#include <algorithm>

namespace hearsay::from_observer {

namespace {

std::uint32_t encode_state(Alive::State state) {
  switch (state) {
    case Alive::State::lacks_result:
      return 0;
    case Alive::State::has_result:
      return 1;
    case Alive::State::is_busy:
      return 2;
  }
  return 0;
}

Alive::State decode_state(std::uint32_t said) {
  if (said == 0) return Alive::State::lacks_result;
  return said == 2 ? Alive::State::is_busy : Alive::State::has_result;
}

}  // namespace

void put(const Refuse& refuse, FrameHeader& header) {
  header.kind = Refuse::kind;
  header.slot = refuse.is_duplicate ? 1 : 0;
}
Refuse as_refuse(const FrameHeader& header) { return {.is_duplicate = header.slot == 1}; }

void put(const Resume& resume, FrameHeader& header) {
  header.kind = Resume::kind;
  header.iteration = resume.common;
  header.slot = resume.others_are_under_way ? 1 : 0;
}
Resume as_resume(const FrameHeader& header) {
  return {.common = header.iteration, .others_are_under_way = header.slot != 0};
}

void put(const Start& start, FrameHeader& header) {
  header.kind = Start::kind;
  header.iteration = start.iterations;
  header.due_ns = std::max(start.origin, Instant{}).time_since_epoch().count();
  header.sequence = static_cast<std::uint64_t>(start.age.count());
}
Start as_start(const FrameHeader& header) {
  return {.iterations = header.iteration,
          .origin = Instant(Duration(header.due_ns)),
          .age = Duration(std::min(header.sequence, std::uint64_t{due_limit_ns}))};
}

void put(const Verdict& verdict, FrameHeader& header) {
  header.kind = Verdict::kind;
  header.iteration = verdict.evaluated;
  header.slot = verdict.proceed ? 1 : 0;
  header.sequence = verdict.announced.checkpoint_every;
  header.degree = verdict.announced.to_next;
  header.replica_digest = verdict.announced.to_second;
}
Verdict as_verdict(const FrameHeader& header) {
  return {.evaluated = header.iteration,
          .proceed = header.slot == 1,
          .announced = {.checkpoint_every = static_cast<std::uint32_t>(header.sequence),
                        .to_next = header.degree,
                        .to_second = header.replica_digest}};
}

void put(const Alive& alive, FrameHeader& header) {
  header.kind = Alive::kind;
  header.slot = encode_state(alive.state);
  header.iteration = alive.newest_evaluation;
  put(alive.beats, header);
}
Alive as_alive(const FrameHeader& header) {
  return {
      .state = decode_state(header.slot), .newest_evaluation = header.iteration, .beats = as_beats(header)};
}

void put(const Again& again, FrameHeader& header) {
  header.kind = Again::kind;
  header.sequence = again.challenge;
}
Again as_again(const FrameHeader& header) { return {.challenge = header.sequence}; }

void put(const Bye& bye, FrameHeader& header) {
  header.kind = Bye::kind;
  header.slot = static_cast<std::uint32_t>(bye.exit_code);
}
Bye as_bye(const FrameHeader& header) {
  return {.exit_code = header.slot == 4 ? 4 : header.slot == 130 ? 130 : 0};
}

void put(const Departed& departed, FrameHeader& header) {
  header.kind = Departed::kind;
  header.slot = departed.peer;
  header.sequence = departed.incarnation;
}
Departed as_departed(const FrameHeader& header) {
  return {.peer = header.slot, .incarnation = static_cast<std::uint32_t>(header.sequence)};
}

}  // namespace hearsay::from_observer
