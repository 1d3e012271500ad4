#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the name of an attribute as we spell it, if it is one of ours in other capitals: "latency" for
/// "Latency", "LinkSpeedRaw" for "linkspeedraw". Other names are returned as they are.
std::string attribute_name(const std::string& name);

/// True for an attribute that we read, in any capitals.
bool is_ours(const std::string& name);

/// Returns the attribute of this name, one of ours; empty if there is none. Capitals do not count, but an
/// attribute that is spelled as ours goes before one that is not: a column "Label" beside the label.
std::string attribute_of(const std::map<std::string, std::string>& attributes, const std::string& name);

/// Returns the text with LF for every CR LF and CR.
std::string with_line_feeds(std::string_view text);

}  // namespace hearsay
