#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/seam/iteration.hpp"

namespace hearsay {

/// The random numbers of C for two messages that belong to one iteration of the paper's box, but are sent in
/// two, so that a gradient hides both. The second one draws behind the first one, as if they were sent one
/// after the other: it is the same message, bit for bit.
template <class Scalar>
class SplitStream {
 public:
  /// The stream of iteration `number`, for its first message.
  RandomStream& begin(const Iteration<Scalar>& it, std::uint64_t number) {
    number_ = number;
    return stream_.emplace(it.seed(), it.draws_as(), number, Purpose::compression);
  }

  /// What the first message of iteration `number` has left of it. If this peer was restored since, or there
  /// was no first message, that is what a message of zeros leaves: how much C draws depends on no coordinate.
  /// Overwrites `scratch` then.
  RandomStream& go_on(Iteration<Scalar>& it, std::uint64_t number, Compressor<Scalar>& compressor,
                      Vector<Scalar>& scratch) {
    if (stream_ && number_ == number) return *stream_;
    begin(it, number);
    scratch.setZero();
    PacketBuffer unsent = it.new_packet();
    it.report(compressor.encode({view(std::as_const(scratch)), *stream_}, unsent));
    return *stream_;
  }

 private:
  std::optional<RandomStream> stream_;  // no state: it can be made again
  std::uint64_t number_ = 0;            // the iteration that it is of
};

}  // namespace hearsay
