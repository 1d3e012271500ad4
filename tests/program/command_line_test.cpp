#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::command_line_test {

namespace {

using Words = std::vector<std::string>;

struct Wrong {
  Words words;
  std::string sentence;
};

void check_refused(const std::vector<Wrong>& all) {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  for (const Wrong& wrong : all) {
    const ProgramEnd end = run_program(folder.path(), wrong.words);
    CHECK(end.complained == "hearsay: " + wrong.sentence + "\n");
    CHECK(end.code == 2);
    CHECK(end.said.empty());
  }
}

}  // namespace

TEST_CASE("command line: a number that is none, negative or too large is refused with its range") {
  const std::string seeds = ": expected a whole number from 0 to 9223372036854775807";
  const std::string ids = ": expected a whole number from 0 to 4294967295";
  const std::string ports = ": expected a whole number from 0 to 65535";
  check_refused({
      {{"topology", "ring(8)", "--seed", "-1"}, "--seed = -1" + seeds},
      {{"topology", "ring(8)", "--seed", "100000000000000000000000"},
       "--seed = 100000000000000000000000" + seeds},
      {{"topology", "ring(8)", "--seed", "1e3"}, "--seed = 1e3" + seeds},
      {{"topology", "ring(8)", "--participation", "half"},
       "--participation = \"half\": expected a share between 0 and 1, such as 0.01 or \"1%\""},
      {{"peer", "q.toml", "--id", "-1"}, "--id = -1" + ids},
      {{"peer", "q.toml", "--id", "99999999999"}, "--id = 99999999999" + ids},
      {{"run", "q.toml", "--live=70000"}, "--live = 70000" + ports},
      {{"run", "q.toml", "--live=abc"}, "--live = abc" + ports},
  });
  const DataFolder folder;
  CHECK(run_program(folder.path(), {"topology", "ring(8)", "--seed", "9223372036854775807"}).code == 0);
}

TEST_CASE("command line: what is unknown is named, with what was probably meant") {
  const std::string run_help = " (hearsay run --help says more)";
  check_refused({
      {{"run", "q.toml", "--overwrit"}, "run has no option --overwrit, did you mean --overwrite?" + run_help},
      {{"run", "q.toml", "--bananas=3"}, "run has no option --bananas" + run_help},
      {{"run", "q.toml", "more.toml"}, "more.toml is an argument too many for run" + run_help},
      {{"run", "q.toml", "--save", "all"}, "--save = all: expected peers"},
      {{"simulat", "q.toml"}, "simulat is no command of hearsay, did you mean simulate?"},
      {{"keys", "nwe"}, "keys has no command nwe, did you mean new? (hearsay keys --help says more)"},
      {{"--bananas"}, "hearsay has no option --bananas (hearsay --help says more)"},
  });
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd far = run_program(folder.path(), {"xyzzy"});
  CHECK(far.complained.starts_with(
      "hearsay: xyzzy is no command of hearsay; expected one of new, run, simulate, "));
}

TEST_CASE("command line: what is missing is named") {
  check_refused({
      {{"run"}, "run needs FILE: run file (TOML) (hearsay run --help says more)"},
      {{"run", "q.toml", "--output"}, "--output needs a value (hearsay run --help says more)"},
      {{"keys"}, "keys needs a command (hearsay keys --help says more)"},
      {{"peer", "q.toml"},
       "--id is missing; expected the peer of the topology that this is, 0 to 3 (HEARSAY_ID and SLURM_PROCID "
       "do not say it either)"},
  });
}

TEST_CASE("command line: an option with one value is given once, and a list or a flag as often as you like") {
  const std::string twice = " is given twice; expected it once (hearsay ";
  check_refused({
      {{"simulate", "q.toml", "--threads", "2", "--threads", "3"},
       "--threads" + twice + "simulate --help says more)"},
      {{"run", "q.toml", "--output", "a", "--output=b"}, "--output" + twice + "run --help says more)"},
      {{"run", "q.toml", "--live=1", "--live=2"}, "--live" + twice + "run --help says more)"},
      {{"topology", "ring(4)", "--seed", "1", "--seed", "1"},
       "--seed" + twice + "topology --help says more)"},
      {{"topology", "ring(4)", "--weights", "lazy", "--weights", "lazy"},
       "--weights" + twice + "topology --help says more)"},
      {{"topology", "ring(4)", "--participation", "1", "--participation", "0.5"},
       "--participation" + twice + "topology --help says more)"},
      {{"topology", "ring(4)", "ring(5)"},
       "ring(5) is an argument too many for topology (hearsay topology --help says more)"},
  });
  const DataFolder folder;
  CHECK(run_program(folder.path(),
                    {"topology", "ring(4)", "--json", "--json", "--write", "a.toml", "--write", "b.dot"})
            .code == 0);
}

TEST_CASE("text files: what is no text is called what it is, and a byte order mark is none of the text") {
  const DataFolder folder;
  folder.write_gzipped("packed.toml", quadratic_run);
  folder.write("wide.toml", std::string("\xff\xfe[\0r\0", 6));
  folder.write("nul.toml", std::string("run.seed = 1\n\0", 14));
  folder.write("latin.toml", "# caf\xe9\n");
  folder.write("marked.toml", "\xef\xbb\xbf" + quadratic_run);
  folder.write("picture.dot", "\x89PNG\r\n");
  folder.write("program.toml", std::string("\x7f"
                                           "ELF\2\1\1\0",
                                           8));
  const auto refused = [&](const std::string& command, const std::string& file) {
    const ProgramEnd end = run_program(folder.path(), {command, file});
    CHECK(end.code == 2);
    return end.complained;
  };
  CHECK(refused("check", "packed.toml") ==
        "hearsay: packed.toml is no text file: it is gzip data; gunzip it first\n");
  CHECK(refused("check", "wide.toml") ==
        "hearsay: wide.toml is no text file: it is UTF-16; save it as UTF-8\n");
  CHECK(refused("check", "nul.toml") == "hearsay: nul.toml is no text file: byte 13 is NUL\n");
  CHECK(refused("check", "latin.toml").ends_with("not UTF-8; save the file as UTF-8\n"));
  CHECK(refused("check", "program.toml") == "hearsay: program.toml is no text file: it is an ELF program\n");
  CHECK(refused("topology", "picture.dot") == "hearsay: picture.dot is no text file: it is a PNG picture\n");
  CHECK(run_program(folder.path(), {"check", "marked.toml"}).code == 0);
}

TEST_CASE("terminal: control characters of names are spelled out, letters stay") {
  const DataFolder folder;
  const ProgramEnd end = run_program(folder.path(), {"check", "caf\xc3\xa9\x1b[31m\nred\xff.toml"});
  CHECK(end.complained ==
        "hearsay: cannot read caf\xc3\xa9\\x1b[31m\\x0ared\\xff.toml: No such file or directory\n");
}

TEST_CASE("standard output: if it is full, every command says so and fails") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  for (const Words& words :
       {Words{"--help"}, Words{"run", "--help"}, Words{"--version"}, Words{"--man-page"},
        Words{"check", "q.toml"}, Words{"topology", "ring(4)", "--json"}, Words{"simulate", "q.toml"}}) {
    const ProgramEnd end =
        run_program(folder.path(), words, [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
    CAPTURE(words.front());
    CHECK(end.code == 2);
    CHECK(end.complained.find("cannot write to the standard output: No space left on device\n") !=
          std::string::npos);
  }
}

TEST_CASE(
    "run: summary.json says how long the run would have taken on an idle machine, if that can be told") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd told = run_program(folder.path(), {"run", "q.toml", "--output", "told", "--json"});
  CHECK(told.said.find("\"predicted_seconds\":0.0") != std::string::npos);
  const ProgramEnd random = run_program(
      folder.path(), {"run", "q.toml", "--output", "random", "--json", "--set", "network.jitter=1 ms"});
  CHECK(random.said.find("\"predicted_seconds\":null") != std::string::npos);
}

TEST_CASE("run files: of an empty one, run and check say that it means the built-in example") {
  const DataFolder folder;
  folder.write("empty.toml", "");
  const ProgramEnd end = run_program(folder.path(), {"simulate", "empty.toml", "--output", "out", "--set",
                                                     "model.kind=quadratic(5)", "--set", "run.iterations=2"});
  CHECK(end.complained.starts_with(
      "hearsay: empty.toml is empty: every key has its default, which is the built-in example\n"));
  CHECK(end.code == 0);
}

TEST_CASE("output: a file in its place is refused, and of a full disk no empty folder is left") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  folder.write("there", "precious");
  for (const std::string more : {"--overwrite", "--quiet"}) {
    const ProgramEnd end = run_program(folder.path(), {"simulate", "q.toml", "--output", "there", more});
    CHECK(end.code == 2);
    CHECK(end.complained.ends_with("/there: it is a file; expected a folder, new or of an earlier run\n"));
  }
  CHECK(content_of(folder.path() / "there") == "precious");
  // Where no folder can be made, that is said before anything is measured.
  const ProgramEnd nowhere = run_program(
      folder.path(), {"simulate", "q.toml", "--output", "/proc/out", "--set", "network.compute=measured"});
  CHECK(nowhere.code == 2);
  CHECK(nowhere.complained.starts_with("hearsay: run.output = /proc/out: "));
  const ProgramEnd full = run_program(folder.path(), {"simulate", "q.toml", "--output", "deep/new/out"}, [] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing{0, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &nothing);
  });
  CHECK(full.code != 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "deep"));
}

}  // namespace hearsay::test::command_line_test
