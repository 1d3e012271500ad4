#include "tests/house/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hearsay {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view trimmed_line(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? std::string_view{} : line.substr(begin);
}

/// True if the ' at `position` separates the digits of a number.
bool is_digit_separator(std::string_view text, std::size_t position) {
  std::size_t begin = position;
  while (begin > 0 && (is_name_character(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  return begin < position && std::isdigit(static_cast<unsigned char>(text[begin]));
}

/// Returns the position after the literal that opens with the quote at `begin`, or the end of the text.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  if (text[begin] == '"' && begin > 0 && text[begin - 1] == 'R') {
    const std::size_t parenthesis = std::min(text.find('(', begin), text.size());
    const std::string close = ")" + std::string(text.substr(begin + 1, parenthesis - begin - 1)) + "\"";
    const std::size_t end = text.find(close, parenthesis);
    return end == text.npos ? text.size() : end + close.size();
  }
  std::size_t k = begin + 1;
  while (k < text.size() && text[k] != text[begin] && text[k] != '\n') k += text[k] == '\\' ? 2 : 1;
  return std::min(k + 1, text.size());
}

}  // namespace

bool SourceFile::is_product() const {
  return begins_with_any(path, {"topology/", "algorithms/", "runtime/", "tools/"});
}

bool SourceFile::is_build_file() const {
  return path.ends_with("CMakeLists.txt") || path.ends_with(".cmake") || path.ends_with(".sh") ||
         path == "CMakePresets.json" || path.starts_with(".ci/");
}

std::string included_by(std::string_view line) {
  line = trimmed_line(line);
  if (!line.starts_with("#")) return {};
  line = trimmed_line(line.substr(1));
  if (!line.starts_with("include")) return {};
  line = trimmed_line(line.substr(std::string_view("include").size()));
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::string(line);
  const std::size_t end = line.find(line.front() == '<' ? '>' : '"', 1);
  return std::string(line.substr(0, end == line.npos ? end : end + 1));
}

bool mentions(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_character(word.front()) || !is_name_character(line[at - 1]);
    const bool ends = end == line.size() || !is_name_character(word.back()) || !is_name_character(line[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string{} : std::string(path.substr(0, slash));
}

std::string layer_of(std::string_view path) { return std::string(path.substr(0, path.find('/'))); }

bool begins_with_any(std::string_view text, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& beginning) { return text.starts_with(beginning); });
}

std::string strip_comments_and_literals(std::string_view text) {
  std::string code(text);
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      if (code[k] != '\n') code[k] = ' ';
  };
  std::size_t line_begin = 0;
  for (std::size_t k = 0; k < text.size();) {
    std::size_t end = k + 1;
    if (text[k] == '\n') {
      line_begin = end;
    } else if (text.substr(k, 2) == "//") {
      end = std::min(text.find('\n', k), text.size());
      blank(k, end);
    } else if (text.substr(k, 2) == "/*") {
      const std::size_t close = text.find("*/", k + 2);
      end = close == text.npos ? text.size() : close + 2;
      blank(k, end);
    } else if (text[k] == '"' || (text[k] == '\'' && !is_digit_separator(text, k))) {
      end = end_of_literal(text, k);
      if (included_by(text.substr(line_begin, end - line_begin)).empty()) blank(k + 1, end - 1);
    }
    k = end;
  }
  return code;
}

SourceFile source_file(std::string path, std::string_view text) {
  SourceFile file{.path = std::move(path), .lines = split_lines(text), .code = {}};
  file.ends_with_newline = text.empty() || text.back() == '\n';
  if (file.is_cpp()) file.code = split_lines(strip_comments_and_literals(text));
  return file;
}

SourceTree read_source_tree(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  // What .gitignore names, and git's own folder.
  const auto ignored = [](const std::string& name) {
    return name == ".git" || name.starts_with("build") || name == "runs" || name == "scratch" ||
           name == "report.html" || name == "papers.html" || name == ".cache" || name == ".pytest_cache" ||
           name == "compile_commands.json";
  };
  const std::array text_endings = {".hpp",  ".cpp", ".inl",     ".txt",  ".cmake", ".sh", ".md", ".toml",
                                   ".json", ".dot", ".graphml", ".html", ".css",   ".js", ".py"};
  const auto is_text = [&](const fs::path& path) {
    return path.parent_path().filename() == ".ci" ||
           std::any_of(text_endings.begin(), text_endings.end(),
                       [&](const char* ending) { return path.extension() == ending; });
  };

  SourceTree tree;
  const auto read = [&](const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    tree.files.push_back(source_file(path.lexically_relative(root).generic_string(), text));
  };
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (ignored(name)) continue;
    tree.top_level.push_back(name);
    if (entry.is_regular_file() && is_text(entry.path())) read(entry.path());
    if (!entry.is_directory()) continue;
    fs::recursive_directory_iterator below(entry.path());
    for (const fs::recursive_directory_iterator end; below != end; ++below) {
      if (below->path().filename() == "node_modules")
        below.disable_recursion_pending();
      else if (below->is_regular_file() && is_text(below->path()))
        read(below->path());
    }
  }
  std::sort(tree.top_level.begin(), tree.top_level.end());
  std::sort(tree.files.begin(), tree.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return tree;
}

}  // namespace hearsay
