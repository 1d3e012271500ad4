#include "tools/report/page.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"
#include "tools/report/http_server.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::report_page_test {

using Json = nlohmann::ordered_json;

namespace {

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

/// Returns what a browser takes for the data. A browser does not parse JSON: it ends the element at the first
/// end tag.
std::string data_in(const std::string& html) {
  const std::string tag = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = html.find(tag) + tag.size();
  return html.substr(begin, html.find("</script", begin) - begin);
}

const std::string library = "// a library\n";

/// Writes the output of a run into the folder.
void write_run(const DataFolder& folder) {
  folder.write("run.toml",
               "[run]\niterations = 4\n[model]\nkind = \"quadratic(8)\"\n[algorithm]\nbatch = \"full\"\n");
  REQUIRE(run_program(folder.path(), {"simulate", "run.toml", "--quiet", "--output", "run"}).code == 0);
}

}  // namespace

TEST_CASE("page: no string of the data can end the element that holds it, or begin another") {
  for (const char* hostile : {"</script><img src=x onerror=alert(1)>", "<!--<script>", "{{script}}", "\xff<",
                              "&lt;/script&gt;", "]]>", "\"};alert(1);//"}) {
    CAPTURE(hostile);
    const Json data = {{"title", hostile}, {"groups", Json::array()}, {"lines", {hostile}}};
    const std::string html = page(PageKind::file, data, library);
    CHECK(times_in(html, "<script") == times_in(page(PageKind::file, {{"title", ""}}, library), "<script"));
    CHECK(times_in(html, "<img") == 0);
    const std::string found = data_in(html);
    CHECK(found.find('<') == found.npos);
    if (std::string(hostile) != "\xff<") CHECK(Json::parse(found) == data);
  }
}

TEST_CASE("page: it holds all it needs, and only a live one may ask for anything") {
  const Json data = {{"title", "a < b & c"}};
  const std::string html = page(PageKind::file, data, library);
  CHECK(html.starts_with(page_mark));
  CHECK(html.find("<title>a &lt; b &amp; c") != html.npos);
  CHECK(html.find(library) != html.npos);
  CHECK(html.find("default-src 'none'") != html.npos);
  CHECK(html.find("connect-src 'none'") != html.npos);
  CHECK(html.find("src=\"http") == html.npos);
  CHECK(times_in(html, "<link") == 1);  // the icon, which is empty data
  CHECK(page(PageKind::live, data, library).find("connect-src 'self'") != html.npos);
}

TEST_CASE("page: without Chart.js the package to install is named") {
  CHECK_THROWS_WITH_AS(chart_library("/nowhere/chart.min.js"), doctest::Contains("libjs-chart.js"), Misuse);
  const DataFolder folder;
  folder.write("chart.min.js", "\"</script>\"");
  CHECK_THROWS_WITH_AS(chart_library(folder.path() / "chart.min.js"), doctest::Contains("no Chart.js"),
                       Misuse);
}

TEST_CASE("report: the page is written whole, and replaces nothing but an earlier report, when told to") {
  const DataFolder folder;
  write_run(folder);
  const auto report = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"report", "run"});
    return run_program(folder.path(), more);
  };
  REQUIRE(report({}).code == 0);
  const std::string first = content_of(folder.path() / "report.html");
  CHECK(first.starts_with(page_mark));
  CHECK(first.ends_with("</html>\n"));
  CHECK(Json::parse(data_in(first))["groups"][0]["points"][0]["status"] == "done");

  const ProgramEnd again = report({});
  CHECK(again.code == 2);
  CHECK(again.complained.find("--overwrite") != std::string::npos);
  CHECK(report({"--overwrite"}).code == 0);
  CHECK(content_of(folder.path() / "report.html") == first);

  folder.write("letter.html", "<p>Dear all");
  const ProgramEnd foreign = report({"--output", "letter.html", "--overwrite"});
  CHECK(foreign.code == 2);
  CHECK(foreign.complained.find("no report of hearsay") != std::string::npos);
  CHECK(content_of(folder.path() / "letter.html") == "<p>Dear all");
  CHECK(report({"--output", "run", "--overwrite"}).code == 2);
  CHECK(report({"--output", "nowhere/report.html"}).code == 2);
}

TEST_CASE("report: what cannot be reported leaves no file behind") {
  const DataFolder folder;
  const ProgramEnd end = run_program(folder.path(), {"report", "."});
  CHECK(end.code == 2);
  CHECK(end.complained.find("expected the output directory") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "report.html"));
}

namespace {

/// Makes of `clone` a fresh clone as far as a script of bench/ knows it, whose sweeps are small ones, each
/// with `more` at its end.
void make_clone(const DataFolder& clone, const std::string& script, const std::string& more) {
  namespace fs = std::filesystem;
  for (const char* folder : {"bench", "bench/sweeps", "bench/papers", "tools", "build"})
    fs::create_directories(clone.path() / folder);
  fs::copy(HEARSAY_SOURCE_DIR "/bench/" + script, clone.path() / "bench" / script);
  fs::copy(HEARSAY_SOURCE_DIR "/bench/papers/README.md", clone.path() / "bench/papers/README.md");
  fs::create_symlink(HEARSAY_PROGRAM, clone.path() / "build/hearsay");
  for (const char* empty : {"tools/setup.sh", "tools/build.sh"}) {
    clone.write(empty, "#!/bin/sh\n");
    fs::permissions(clone.path() / empty, fs::perms::owner_all);
  }
  int figures = 0;
  for (const std::string folder : {"bench/sweeps", "bench/papers"})
    for (const auto& entry : fs::directory_iterator(HEARSAY_SOURCE_DIR "/" + folder)) {
      if (entry.path().extension() != ".toml") continue;
      ++figures;
      clone.write(folder + "/" + entry.path().filename().string(), R"toml(
run.iterations = 2
model.kind = "quadratic(8)"
topology.peers = 3
algorithm.batch = "full"
[sweep]
"algorithm.kind" = ["d-psgd", "d2"]
)toml" + more);
    }
  REQUIRE(figures >= 40);
}

/// Returns the exit code of the script; what it said is in CLONE/said.
int run_script(const DataFolder& clone, const std::string& script) {
  const std::string command = "env -u HEARSAY_DATA_DIR sh '" + (clone.path() / "bench" / script).string() +
                              "' > '" + (clone.path() / "said").string() + "' 2>&1";
  return WEXITSTATUS(std::system(command.c_str()));
}

}  // namespace

// The script once looked for the folders of its sweeps in a wrong place, a quarter of an hour after its
// start.
TEST_CASE("report.sh: what its sweeps leave behind is where its report looks, from a fresh clone") {
  const DataFolder clone;
  make_clone(clone, "report.sh", "");
  CHECK_MESSAGE(run_script(clone, "report.sh") == 0, content_of(clone.path() / "said"));
  CHECK(content_of(clone.path() / "report.html").starts_with(page_mark));
}

TEST_CASE("papers.sh: one page of all papers, and exit code 5 with their names if a claim does not hold") {
  const std::string claim =
      "[[sweep.variant]]\nname = \"A\"\n[[sweep.claim]]\nsays = \"so\"\n"
      "figure = \"iterations\"\nascending = [\"A\", ";
  for (const int code : {0, 5}) {
    const std::string bound = code == 0 ? "3]\n" : "2]\n";
    CAPTURE(code);
    const DataFolder clone;
    make_clone(clone, "papers.sh", claim + bound);
    CHECK_MESSAGE(run_script(clone, "papers.sh") == code, content_of(clone.path() / "said"));
    CHECK(content_of(clone.path() / "papers.html").starts_with(page_mark));
    const std::string said = content_of(clone.path() / "said");
    CHECK((said.find("Claims do not hold in: epoch-time loss-per-epoch low-bits") != std::string::npos) ==
          (code == 5));
    CHECK(said.find("beer-a9a") == std::string::npos);
    CHECK(said.find("== ad-psgd") < said.find("== quantizers"));  // the order of the README's tables
    CHECK(said.find("== quantizers") < said.find("== chb"));
    CHECK(said.find("== chb") != std::string::npos);
  }
}

TEST_CASE("run.sh: it ends with the table and a page of pictures, and says where the page lies") {
  namespace fs = std::filesystem;
  const DataFolder clone;
  for (const char* folder : {"tools", "tools/examples", "build"})
    fs::create_directories(clone.path() / folder);
  fs::copy(HEARSAY_SOURCE_DIR "/tools/run.sh", clone.path() / "tools/run.sh");
  fs::create_symlink(HEARSAY_PROGRAM, clone.path() / "build/hearsay");
  for (const char* script : {"tools/setup.sh", "tools/build.sh"}) {
    clone.write(script, "#!/bin/sh\n");
    fs::permissions(clone.path() / script, fs::perms::owner_all);
  }
  clone.write(
      "tools/examples/quickstart.toml",
      "[run]\nname = \"first\"\niterations = 2\n[model]\nkind = \"quadratic(8)\"\n[algorithm]\nbatch = "
      "\"full\"\n[topology]\npeers = 3\n[sweep]\n\"algorithm.kind\" = [\"d-psgd\", \"d2\"]\n");
  const auto run = [&](const std::string& more) {
    const std::string command = "sh '" + (clone.path() / "tools/run.sh").string() +
                                "' --set sweep.driver=simulate " + more + " > '" +
                                (clone.path() / "said").string() + "' 2> /dev/null";
    return std::system(command.c_str());
  };
  REQUIRE(run("") == 0);
  const fs::path page = clone.path() / "runs/first.html";
  CHECK(content_of(page).starts_with(page_mark));
  const std::string said = content_of(clone.path() / "said");
  CHECK(said.find("d-psgd") < said.find(page.string()));
  CHECK(run("") == 0);  // again: what it made is replaced
  CHECK(run("--json") == 0);
  CHECK(Json::parse(content_of(clone.path() / "said"), nullptr, false).is_object());
  CHECK(run("--set run.iterations=0") != 0);
}

TEST_CASE("live: nothing is served unless it is asked for") {
  const DataFolder folder;
  write_run(folder);
  const ProgramEnd end = run_program(folder.path(), {"run", "run.toml", "--output", "dark"});
  CHECK(end.code == 0);
  CHECK(end.complained.find("live") == std::string::npos);
}

TEST_CASE("live: a run whose page nobody looks at ends by itself, and says where the page was") {
  const DataFolder folder;
  write_run(folder);
  const ProgramEnd end = run_program(folder.path(), {"run", "run.toml", "--live", "--output", "live"});
  CHECK(end.code == 0);
  CHECK(end.complained.find("live at http://127.0.0.1:") != std::string::npos);
  CHECK(content_of(folder.path() / "live/model.npy") == content_of(folder.path() / "run/model.npy"));
  const ProgramEnd refused = run_program(folder.path(), {"run", "run.toml", "--live=65536", "--output", "x"});
  CHECK(refused.code == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "x"));
}

TEST_CASE("live: a sweep whose page nobody looks at ends by itself, and leaves no process behind") {
  const DataFolder folder;
  folder.write("sweep.toml",
               "[run]\niterations = 4\n[model]\nkind = \"quadratic(8)\"\n[algorithm]\nbatch = \"full\"\n"
               "[sweep]\n\"algorithm.kind\" = [\"d-psgd\", \"d2\"]\n");
  Program sweep(folder.path(), {"sweep", "sweep.toml", "--live", "--output", "out"});
  CHECK(sweep.wait() == 0);
  CHECK(sweep.everyone_ended());
  CHECK(sweep.complained().find("live at http://127.0.0.1:") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path() / "out/sweep.json"));
}

TEST_CASE("live: a sweep that is killed takes its page along") {
  const DataFolder folder;
  folder.write(
      "sweep.toml",
      "[run]\niterations = 1000000\n[model]\nkind = \"quadratic(8)\"\n[algorithm]\nbatch = \"full\"\n"
      "[network]\ncompute = \"10 ms\"\n[sweep]\n\"algorithm.kind\" = [\"d-psgd\", \"d2\"]\n");
  Program sweep(folder.path(), {"sweep", "sweep.toml", "--live", "--output", "out"});
  REQUIRE(sweep.wait_until([&] {
    return std::filesystem::exists(folder.path() / "out/algorithm.kind=d-psgd/metrics.jsonl") ||
           sweep.complained().find(" loss ") != std::string::npos;
  }));
  kill(sweep.process(), SIGKILL);
  sweep.wait();
  CHECK(sweep.everyone_ended());
}

TEST_CASE("live: a port that is taken is refused before a sweep begins") {
  const DataFolder folder;
  folder.write("sweep.toml",
               "[run]\niterations = 4\n[model]\nkind = \"quadratic(8)\"\n[algorithm]\nbatch = \"full\"\n"
               "[sweep]\n\"algorithm.kind\" = [\"d-psgd\", \"d2\"]\n");
  const HttpServer occupied({}, {});
  const std::string port = std::to_string(occupied.port());
  const ProgramEnd refused =
      run_program(folder.path(), {"sweep", "sweep.toml", "--live=" + port, "--output", "x"});
  CHECK(refused.code == 2);
  CHECK(refused.complained.find("--live = 127.0.0.1:" + port + ": nothing can listen there") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "x"));
}

}  // namespace hearsay::test::report_page_test
