#include "runtime/session/greetings.hpp"

#include <doctest/doctest.h>

namespace hearsay::greetings_test {

TEST_CASE("greetings: complete when every source has called and every destination has welcomed this peer") {
  Greetings greetings({1, 4}, {4, 7});
  CHECK(greetings.first_silent() == PeerId{1});
  CHECK(greetings.called(1, 10) == Greetings::Call::first);
  CHECK(greetings.called(4, 11) == Greetings::Call::first);
  CHECK_FALSE(greetings.complete());
  CHECK(greetings.first_without_welcome() == PeerId{4});
  greetings.welcomed_by(4);
  greetings.welcomed_by(7);
  CHECK(greetings.complete());
  CHECK(Greetings({}, {}).complete());  // n = 1
}

TEST_CASE("greetings: a successor under the same name is told from the same process calling twice") {
  Greetings greetings({1}, {});
  CHECK(greetings.first_silent() == PeerId{1});
  CHECK(greetings.called(1, 10) == Greetings::Call::first);
  CHECK_FALSE(greetings.first_silent());
  CHECK(greetings.called(1, 10) == Greetings::Call::again);
  CHECK(greetings.called(1, 12) == Greetings::Call::by_successor);
  CHECK(greetings.called(1, 12) == Greetings::Call::again);
}

}  // namespace hearsay::greetings_test
