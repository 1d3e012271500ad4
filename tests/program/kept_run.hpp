#pragma once

#include <string>

namespace hearsay::test {

/// A run that keeps the models of seven iterations.
inline std::string kept_run(const std::string& step_size) {
  return R"toml(
[run]
iterations = 60
evaluate_every = 5
keep_models = "every 10"
[data]
source = "synthetic(samples=256, features=11, classes=4)"
[topology]
peers = 4
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, bits=8, bucket=512)"
batch = "full"
step_size = )toml" +
         step_size + "\n";
}

}  // namespace hearsay::test
