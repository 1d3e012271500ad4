#pragma once

#include <concepts>

#include "runtime/wire/frame.hpp"

namespace hearsay {

// Every kind of frame but `data` is a word of the protocol. What a word says beside its payload stands in its
// header, mostly in `slot` and `sequence`, and in `iteration` if that is not the first iteration that the
// sender still needs. A word that says something there has a struct that bears its name, in to_neighbor
// (words_to_neighbor.hpp), to_observer (words_to_observer.hpp) or from_observer (words_from_observer.hpp), as
// one kind may say different things there. Stop (stop.hpp) is the same everywhere.
//
// put(word, header) writes the word's kind and fields into `header`, and leaves its other fields. as_alive
// and its like return the word that a header holds; the caller has looked at its kind, and at who sent it.
// They accept any header, since headers come from outside: the structs say what a number means that no peer
// writes.

/// A struct that says what a control frame's header holds.
template <class Word>
concept ControlWord = std::equality_comparable<Word> && requires(const Word& word, FrameHeader& header) {
  { Word::kind } -> std::convertible_to<FrameKind>;
  put(word, header);
};

}  // namespace hearsay
