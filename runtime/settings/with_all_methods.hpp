#pragma once

#include <map>
#include <mutex>

#include "algorithms/methods/registry.hpp"

namespace hearsay {

/// Returns what `make`, a lambda, makes of all methods that are known now (`methods`). Each lambda is called
/// once, and once more after methods have been added.
template <class Make>
const auto& with_all_methods(const Make& make) {
  static std::map<std::size_t, decltype(make())>
      made;  // by the number of methods; a map keeps references valid
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = made.try_emplace(methods().size());
  if (is_new) place->second = make();
  return place->second;
}

}  // namespace hearsay
