#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace hearsay::test {

/// Returns the record that a program has printed. It must have ended well.
inline nlohmann::json record_of(const ProgramEnd& end) {
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  return nlohmann::json::parse(end.said);
}

}  // namespace hearsay::test
