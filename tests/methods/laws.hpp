#pragma once

#include <span>
#include <string>

#include "algorithms/seam/method.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// A sentence with the quantities if a method breaks a law. Empty if the law holds.
using Violation = std::string;

struct Law {
  std::string claim;
  Violation (*in_float)(const MethodInfo&, const World&);
  Violation (*in_double)(const MethodInfo&, const World&);
};

/// All laws, in the order of the columns of the matrix of methods and laws:
///
///  1  the distributed run equals the matrix recursion of the whole network, with full gradients and with
///     minibatches
///  2  any order of delivery, with gradients of any duration, gives the same bits
///  3  any emulated network gives the same bits
///  4  with compressor none, started at the common minimiser of all peers, the method stays, bit for bit
///  5  the same with any compressor
///  6  with compressor none the mean moves by -eta times the mean gradient (push-sum: the mean of the sums)
///  7  the same with the method's own compressor
///  8  every replica equals its owner's published vector, bit for bit, after every iteration, with any
///     compressor; if links change, the owner's vector as of their last meeting
///  9  all models are equal, bit for bit, after every iteration
/// 10  one peer alone, compressor none, is plain SGD, bit for bit
/// 11  the same to rounding
/// 12  n peers that hear nobody (W = I) are n runs of one peer, bit for bit
/// 13  with compressor none the method is D-PSGD, to rounding
/// 14  one packet is encoded per iteration and slot, and shared by all its receivers; if links change, by
///     all receivers whose replicas are equally far behind
/// 15  saved at any boundary and restored, all peers together or one alone with the messages it has heard
///     since, a method continues with the same bits, with any compressor and any options
///
/// Laws 6, 7, 10, 11 and 13 are about plain gradient steps: a method with momentum runs without it there, and
/// a method with local steps takes one.
std::span<const Law> laws();

}  // namespace hearsay::test
