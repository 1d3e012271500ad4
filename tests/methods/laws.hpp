#pragma once

#include <span>
#include <string>

#include "algorithms/seam/method.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// What must stay true of a method, whatever it is called. Empty where it does, else a sentence with the
/// quantities.
using Violation = std::string;

struct Law {
  std::string claim;
  Violation (*in_float)(const MethodInfo&, const World&);
  Violation (*in_double)(const MethodInfo&, const World&);
};

/// All of them, in the order of the columns of the method x law matrix:
///
///  1  the distributed run equals the matrix recursion of the whole network, with full gradients and with
///     minibatches
///  2  any order of delivery, with gradients of any duration, gives the same bits
///  3  any emulated network gives the same bits
///  4  with compressor none, started at the common minimiser of all peers, it stays, bit for bit
///  5  the same with any compressor
///  6  with compressor none the mean moves by -eta times the mean gradient (push-sum: the mean of the sums)
///  7  the same with the method's own compressor
///  8  every replica equals its owner's published vector, bit for bit, after every iteration, with any
///     compressor; where links change, what it was when the two last met
///  9  all models are equal, bit for bit, after every iteration
/// 10  one peer alone, compressor none, is plain SGD, bit for bit
/// 11  the same to rounding
/// 12  n peers that hear nobody (W = I) are n runs of one peer, bit for bit
/// 13  with compressor none it is D-PSGD, to rounding
/// 14  one packet is encoded per iteration and slot, and shared by all its receivers; where links change, by
///     all those whose replicas are equally far behind
/// 15  saved at any boundary and restored, all peers together or one alone with what it heard since, it goes
///     on with the same bits, with any compressor and any options
///
/// Where plain gradient steps are spoken of, in 6, 7, 10, 11 and 13, a method that has momentum runs without.
std::span<const Law> laws();

}  // namespace hearsay::test
