#pragma once

#include <string>

namespace hearsay::test {

/// A run file of four peers that takes a moment.
inline const std::string quadratic_run = R"toml(
[run]
iterations = 20
evaluate_every = 5
[model]
kind = "quadratic(50)"
[topology]
peers = 4
[algorithm]
batch = "full"
[network]
compute = "1 ms"
)toml";

}  // namespace hearsay::test
