#pragma once

#include <string>
#include <string_view>

namespace hearsay {

/// Returns the name of an attribute as we spell it, if it is one of ours in other capitals: "latency" for
/// "Latency", "LinkSpeedRaw" for "linkspeedraw". Other names are returned as they are.
std::string attribute_name(const std::string& name);

/// True for an attribute that we read, in our spelling.
bool is_ours(std::string_view name);

/// Returns the text with LF for every CR LF and CR.
std::string with_line_feeds(std::string_view text);

}  // namespace hearsay
