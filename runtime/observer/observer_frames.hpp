#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/wire/control_word.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// A frame to be sent by the observer.
struct ObserverFrame {
  PeerId to;
  FrameHeader header;
  SharedBytes payload;  ///< a question has the same for all peers
  /// If several processes claim to be peer `to`, the frame goes only to the process with this incarnation; if
  /// empty, to the process that has the id (`incarnation_of`).
  std::optional<std::uint32_t> only_to = {};
};

/// The frames to be sent by the observer in one run, in order.
class ObserverFrames {
 public:
  explicit ObserverFrames(std::uint32_t run_id) : run_id_(run_id) {}

  FrameHeader header_of(FrameKind kind) const {
    FrameHeader header;
    header.kind = kind;
    header.run_id = run_id_;
    return header;
  }
  /// Returns the frame, so that the caller can complete it.
  ObserverFrame& say(PeerId to, FrameKind kind, const std::string& text = {}) {
    const auto bytes = std::as_bytes(std::span(text));
    unsent_.push_back({to, header_of(kind), SharedBytes(bytes)});
    return unsent_.back();
  }
  template <ControlWord Word>
  ObserverFrame& say(PeerId to, const Word& word, const std::string& text = {}) {
    ObserverFrame& said = say(to, Word::kind, text);
    put(word, said.header);
    return said;
  }

  std::uint32_t run_id() const { return run_id_; }
  std::vector<ObserverFrame>& unsent() { return unsent_; }

 private:
  std::uint32_t run_id_;
  std::vector<ObserverFrame> unsent_;
};

}  // namespace hearsay
