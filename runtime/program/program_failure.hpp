#pragma once

#include <stdexcept>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

/// The program of a peer could not give what it was asked for. The text is a clause: "ValueError: a bad
/// sample".
class ProgramFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The same, since it has not answered within model.answer_within.
class ProgramSilence : public ProgramFailure {
 public:
  using ProgramFailure::ProgramFailure;
};

/// A program that has not said in time what it is asked for before the run, in a sentence. The input may be
/// right, so `main` exits with 3.
class SilentStart : public Misuse {
 public:
  using Misuse::Misuse;
};

}  // namespace hearsay
