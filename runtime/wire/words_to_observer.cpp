#include "runtime/wire/words_to_observer.hpp"

#include "runtime/wire/optional_number.hpp"

namespace hearsay::to_observer {

namespace {

std::uint32_t encode_state(Hello::State state) {
  switch (state) {
    case Hello::State::begins:
      return 0;
    case Hello::State::resumes:
      return 1;
    case Hello::State::is_under_way:
      return 2;
  }
  return 0;
}

Hello::State decode_state(std::uint32_t said) {
  if (said == 1) return Hello::State::resumes;
  return said == 2 ? Hello::State::is_under_way : Hello::State::begins;
}

}  // namespace

void put(const Hello& hello, FrameHeader& header) {
  header.kind = Hello::kind;
  header.iteration = hello.iterations;
  header.slot = encode_state(hello.state);
  header.sequence = hello.challenge;
}
Hello as_hello(const FrameHeader& header) {
  return {.iterations = header.iteration, .state = decode_state(header.slot), .challenge = header.sequence};
}

void put(const Ready& ready, FrameHeader& header) {
  header.kind = Ready::kind;
  header.slot = ready.still_waits ? 1 : 0;
  header.sequence = encode_optional(ready.last_verdict);
}
Ready as_ready(const FrameHeader& header) {
  return {.still_waits = header.slot != 0, .last_verdict = decode_optional(header.sequence)};
}

void put(const Alive& alive, FrameHeader& header) {
  header.kind = Alive::kind;
  header.slot = encode_contact(alive.contact);
  header.sequence = encode_optional(alive.last_verdict);
  put(alive.beats, header);
}
Alive as_alive(const FrameHeader& header) {
  return {.contact = decode_contact(header.slot),
          .last_verdict = decode_optional(header.sequence),
          .beats = as_beats(header)};
}

}  // namespace hearsay::to_observer
