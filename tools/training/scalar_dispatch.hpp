#pragma once

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Calls `action.operator()<Scalar>()` with the Scalar that run.scalar names.
template <class Action>
auto with_scalar(ScalarKind kind, const Action& action) {
  return kind == ScalarKind::float32 ? action.template operator()<float>()
                                     : action.template operator()<double>();
}

}  // namespace hearsay
