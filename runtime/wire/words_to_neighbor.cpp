#include "runtime/wire/words_to_neighbor.hpp"

#include "runtime/wire/optional_number.hpp"

namespace hearsay::to_neighbor {

void put(const Hello& hello, FrameHeader& header) {
  header.kind = Hello::kind;
  header.sequence = hello.next_number;
  header.slot = hello.edge_is_out ? 1 : 0;
}
Hello as_hello(const FrameHeader& header) {
  return {.next_number = header.sequence, .edge_is_out = header.slot == 1};
}

void put(const Welcome& welcome, FrameHeader& header) {
  header.kind = Welcome::kind;
  header.sequence = welcome.next_number;
}
Welcome as_welcome(const FrameHeader& header) { return {.next_number = header.sequence}; }

void put(const Alive& alive, FrameHeader& header) {
  header.kind = Alive::kind;
  header.sequence = alive.next_number;
}
Alive as_alive(const FrameHeader& header) { return {.next_number = header.sequence}; }

void put(const Parted& parted, FrameHeader& header) {
  header.kind = Parted::kind;
  header.slot = parted.leaves ? 1 : 0;
}
Parted as_parted(const FrameHeader& header) { return {.leaves = header.slot == 1}; }

void put(const Model& model, FrameHeader& header) {
  header.kind = Model::kind;
  header.iteration = model.iteration;
  header.sequence = encode_optional(model.last_verdict);
}
Model as_model(const FrameHeader& header) {
  return {.iteration = header.iteration, .last_verdict = decode_optional(header.sequence)};
}

void put(const Probe& probe, FrameHeader& header) {
  header.kind = Probe::kind;
  header.sequence = probe.number;
  header.slot = probe.all_answers_are_here ? 1 : 0;
}
Probe as_probe(const FrameHeader& header) {
  return {.number = header.sequence, .all_answers_are_here = header.slot == 1};
}

void put(const Probed& probed, FrameHeader& header) {
  header.kind = Probed::kind;
  header.sequence = probed.number;
  header.slot = probed.refused ? 1 : 0;
}
Probed as_probed(const FrameHeader& header) {
  return {.number = header.sequence, .refused = header.slot == 1};
}

}  // namespace hearsay::to_neighbor
