// Trammel beside other programs on the same mechanisms: Simbody, SUNDIALS used by hand, MuJoCo; those of them
// that were found. Work against precision, in one process on one machine. benchmarks/README.md says how fair
// it is and how to read it.
//
//   peers [--problems LIST] [--four-bars LIST] [--chains LIST] [--repeats N] [--enough S] [--longest S]
//         [--json FILE] [--figures FOLDER] [--markdown FILE] [--compare FILE]
//
//   --problems LIST   of four-bars, chain, andrews, double-pendulum, pendulum (default: all)
//   --four-bars LIST  values of N (default 1,2,3,4,5,6,7,8,9,10,40)
//   --chains LIST     numbers of rods (default 5)
//   --repeats N       of every run; the fastest counts (default 7; measurement.h)
//   --enough S        no more repeats of a run than this takes, but three, or two of long ones (default 0.5)
//   --longest S       a method's ladder ends with the first run that takes longer (default 10)
//   --json FILE       everything
//   --figures FOLDER  a plot of every problem
//   --markdown FILE   the times to given errors; in place of what stands between the marks that
//                     benchmarks/README.md has, if the file has them
//   --compare FILE    with the JSON of an earlier run: exit code 1 if a ratio changed by more than 20 %
//
// Methods take turns at each tolerance, and all of that is repeated, so that a busy machine meets all alike.
// CPU time is of the process, and begins with given initial values: assembling or projecting them is part of
// it, building the system is not.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "changes.h"
#include "claims.h"
#include "report.h"
#include "table_file.h"

namespace {

using namespace peers;

constexpr double allowed_change = 0.2;

struct Arguments {
  std::vector<std::string> problems = {"four-bars", "chain", "andrews", "double-pendulum", "pendulum"};
  std::vector<int> four_bars = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 40};
  std::vector<int> chains = {5};
  Effort effort;
  std::string json, figures, markdown, compare;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) result.push_back(word);
  return result;
}

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> result;
  for (const std::string& one : words_of(list)) {
    result.push_back(std::stoi(one));
    if (result.back() < 1) throw std::runtime_error(list + ": numbers from 1 on are needed");
  }
  return result;
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  const std::map<std::string, std::function<void(const std::string&)>> known = {
      {"--problems", [&](const std::string& value) { arguments.problems = words_of(value); }},
      {"--four-bars", [&](const std::string& value) { arguments.four_bars = numbers_of(value); }},
      {"--chains", [&](const std::string& value) { arguments.chains = numbers_of(value); }},
      {"--repeats", [&](const std::string& value) { arguments.effort.repeats = numbers_of(value).at(0); }},
      {"--enough", [&](const std::string& value) { arguments.effort.enough = std::stod(value); }},
      {"--longest", [&](const std::string& value) { arguments.effort.longest = std::stod(value); }},
      {"--json", [&](const std::string& value) { arguments.json = value; }},
      {"--figures", [&](const std::string& value) { arguments.figures = value; }},
      {"--markdown", [&](const std::string& value) { arguments.markdown = value; }},
      {"--compare", [&](const std::string& value) { arguments.compare = value; }}};
  for (int i = 1; i < argc; i += 2) {
    const auto found = known.find(argv[i]);
    if (found == known.end()) throw std::runtime_error(std::string("unknown argument ") + argv[i]);
    if (i + 1 >= argc) throw std::runtime_error(std::string(argv[i]) + " needs a value");
    found->second(argv[i + 1]);
  }
  return arguments;
}

std::vector<std::function<Contest()>> contests(const Arguments& arguments) {
  std::vector<std::function<Contest()>> result;
  for (const std::string& problem : arguments.problems) {
    if (problem == "four-bars")
      for (const int windows : arguments.four_bars)
        result.push_back([windows] { return n_four_bar(windows); });
    else if (problem == "chain")
      for (const int rods : arguments.chains) result.push_back([rods] { return chain(rods); });
    else if (problem == "andrews")
      result.push_back(andrews);
    else if (problem == "double-pendulum")
      result.push_back(double_pendulum);
    else if (problem == "pendulum")
      result.push_back(pendulum);
    else
      throw std::runtime_error("there is no problem " + problem);
  }
  return result;
}

// What the earlier file holds is read before the run: a wrong name should not cost ten minutes, and the file
// may be the one that is written.
nlohmann::ordered_json earlier_run(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  return nlohmann::ordered_json::parse(in);
}

// Whether it agrees with an earlier run, if there is one.
bool run(const Arguments& arguments) {
  nlohmann::ordered_json earlier;
  if (!arguments.compare.empty()) earlier = earlier_run(arguments.compare);
  const std::string day = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  const std::string heading =
      fmt::format("{}, {}, the fastest of {} samples", day, machine(), arguments.effort.repeats);
  std::cout << heading << "\n";
  nlohmann::ordered_json all = {{"date", day}, {"machine", machine()}, {"repeats", arguments.effort.repeats}};
  std::string tables = "CPU time to a given error; " + heading +
                       ".\nRatio: the fastest method of Trammel (from a model, if this one is) over this "
                       "one, below 1 where Trammel is faster.\n";
  std::vector<Result> results;
  for (const auto& make : contests(arguments)) {
    results.push_back(hold(make(), arguments.effort));
    const Result& result = results.back();
    std::cout << table(result) << std::flush;
    all["problems"].push_back(json(result));
    tables += markdown(result);
    if (arguments.figures.empty()) continue;
    std::filesystem::create_directories(arguments.figures);
    write_file(arguments.figures + "/" + result.contest.name + ".svg", figure(result));
  }
  const std::vector<Claim> claimed = claims(results);
  std::cout << table(claimed);
  all["claims"] = json(claimed);
  tables += markdown(claimed);
  if (!arguments.json.empty()) write_file(arguments.json, all.dump(2) + "\n");
  if (!arguments.markdown.empty()) write_table(arguments.markdown, "table", tables);
  if (arguments.compare.empty()) return true;
  const Changes found = changes(earlier, all);
  std::cout << "\nChanges of ratios since " << arguments.compare << "\n" << found.report;
  return found.worst <= allowed_change;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(read_arguments(argc, argv)) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
