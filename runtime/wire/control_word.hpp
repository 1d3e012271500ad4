#pragma once

#include <concepts>

#include "runtime/wire/frame.hpp"

namespace hearsay {

// Every kind of frame but `data` is a word of the protocol. A word carries its fields in the header: in
// `slot` and `sequence`, and in `iteration` if that is not the first iteration of which the sender needs
// messages. A kind with such fields has a struct of its name in to_neighbor (words_to_neighbor.hpp),
// to_observer (words_to_observer.hpp) or from_observer (words_from_observer.hpp): the fields of one kind
// depend on sender and receiver. Only Stop (stop.hpp) is the same everywhere.
//
// put(word, header) writes the word's kind and fields into `header`, and leaves its other fields. as_hello
// and the other as_ functions return the word that a header holds; the caller has checked its kind and
// sender. They accept any header, since headers come from outside: each struct says how a number is read that
// no peer writes.

/// A struct of the fields that a control frame carries in its header.
template <class Word>
concept ControlWord = std::equality_comparable<Word> && requires(const Word& word, FrameHeader& header) {
  { Word::kind } -> std::convertible_to<FrameKind>;
  put(word, header);
};

}  // namespace hearsay
