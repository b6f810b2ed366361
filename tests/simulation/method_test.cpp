// The registry of methods: every pair that is entered runs, every one that is not says why, and options are
// known where they are asked for.
#include "trammel/simulation/method.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "trammel/published/builtin.h"
#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/method_pages.h"
#include "trammel/simulation/simulation.h"

namespace trammel {
namespace {

Summary run(const char* problem, const Method& method, Options options = {}) {
  const BuiltinProblem& builtin = *find_problem(problem);
  const ProblemCase instance = builtin.make_for(method.formulation, builtin.values({}));
  options.assembly = instance.assembly;
  options.psf.enforce_invariants = instance.enforce_invariants;
  Simulation simulation(*instance.equations, method, options);
  return simulation.run(instance.x0, 0, 0.05);
}

TEST(Methods, EveryPairRuns) {
  for (const MethodDescription& entry : methods()) {
    const Summary summary = run("double-pendulum", entry.method);
    EXPECT_EQ(summary.status, Status::finished) << entry.method.name() << ": " << summary.message();
    EXPECT_FALSE(entry.when_to_use.empty()) << entry.method.name();
  }
}

TEST(Methods, PairsFitAndTheOthersSayWhyNot) {
  for (const FormulationEntry& formulation : formulations()) {
    EXPECT_FALSE(formulation.what_it_is.empty()) << formulation.name;
    for (const IntegratorEntry& integrator : integrators()) {
      const Method method{formulation.name, integrator.name};
      const std::string reason = why_no_pair(formulation, integrator);
      Method parsed;
      const Failure failure = parse_method(method.name(), parsed);
      if (find_method(method) != nullptr) {
        EXPECT_EQ(reason, "") << method.name();
        EXPECT_FALSE(failure) << failure.message;
        EXPECT_TRUE(!integrator.needs_rates || formulation.gives_rates) << method.name();
        if (integrator.needs_second_order)  // it has solves of its own
          EXPECT_TRUE(formulation.gives_second_order) << method.name();
        else
          EXPECT_TRUE(!integrator.needs_solves || formulation.gives_solves) << method.name();
        EXPECT_LE(formulation.index, integrator.highest_index) << method.name();
        EXPECT_FALSE(integrator.needs_square_systems && formulation.has_more_equations) << method.name();
      } else {
        EXPECT_GT(reason.size(), 20u) << method.name();
        EXPECT_NE(failure.message.find(reason), std::string::npos) << failure.message;
      }
    }
  }
}

TEST(Methods, NoPairIsEnteredForAnIntegratorThatThereIsNot) {
  for (const FormulationEntry& formulation : formulations())
    for (const Pairing& pairing : formulation.pairings)
      ASSERT_NE(find_integrator(pairing.integrator), nullptr)
          << formulation.name << "/" << pairing.integrator;
}

// What is refused by its numbers of unknowns is refused before the run; the rest runs, or says for itself
// that it cannot.
TEST(Methods, EquationsThatTheyCannotTreatAreRefusedInWords) {
  std::set<Trait> seen;
  for (const char* problem : {"pendulum", "rolling-contact", "force-element"}) {
    const BuiltinProblem& builtin = *find_problem(problem);
    for (const MethodDescription& entry : methods()) {
      const ProblemCase instance = builtin.make_for(entry.method.formulation, builtin.values({}));
      const Traits traits = traits_of(*instance.equations);
      const std::string reason = why_refused(entry.method, traits);
      const Summary summary = run(problem, entry.method);
      if (reason.empty()) {
        EXPECT_NE(summary.failure.reason, Reason::invalid_options)
            << problem << " " << entry.method.name() << ": " << summary.message();
        continue;
      }
      seen.insert(traits.begin(), traits.end());
      EXPECT_EQ(summary.failure.reason, Reason::invalid_options) << problem << " " << entry.method.name();
      EXPECT_NE(summary.message().find(reason), std::string::npos) << summary.message();
    }
  }
  for (const Trait trait : {Trait::constraints, Trait::auxiliary_unknowns, Trait::contact_coordinates})
    EXPECT_TRUE(seen.contains(trait)) << name(trait);
}

TEST(Options, EachIsDescribedAndBelongsToSomeone) {
  std::set<std::string> described, owned;
  for (const OptionDescription& option : option_descriptions()) {
    EXPECT_TRUE(described.insert(option.key).second) << option.key;
    EXPECT_FALSE(option.meaning.empty()) << option.key;
    EXPECT_FALSE(option.standard.empty()) << option.key;
  }
  for (const MethodDescription& entry : methods()) {
    std::set<std::string> keys;
    for (const std::string& key : options_of(entry.method)) {
      EXPECT_TRUE(keys.insert(key).second) << entry.method.name() << " has " << key << " twice";
      EXPECT_TRUE(described.contains(key)) << key;
      EXPECT_FALSE(check_option(entry.method, key)) << key;
      owned.insert(key);
    }
  }
  EXPECT_EQ(owned, described);
}

// What an option is set to is what each of its owners then has.
TEST(Options, ReachEveryOwner) {
  Options options;
  ASSERT_FALSE(set_option(options, "max_iterations", "17"));
  EXPECT_EQ(options.radau.max_newton_iterations, 17);
  EXPECT_EQ(options.sdirk.max_newton_iterations, 17);
  EXPECT_EQ(options.ida.max_newton_iterations, 17);
  ASSERT_FALSE(set_option(options, "max_steps", "3000000000"));
  EXPECT_EQ(options.cvodes.max_steps, 3000000000);
  ASSERT_FALSE(set_option(options, "algebraic", "svd"));
  EXPECT_EQ(options.geoms.algebraic, Decomposition::svd);
  ASSERT_FALSE(set_option(options, "close_constraints", "0"));
  EXPECT_FALSE(options.geoms.close_constraints);
  ASSERT_FALSE(set_option(options, "algebraic", "qr"));
  const std::vector<std::pair<std::string, std::string>> named{{"max_newton_iterations", "17"},
                                                               {"max_steps", "3000000000"},
                                                               {"close_constraints", "0"},
                                                               {"algebraic", "qr"}};
  EXPECT_EQ(options.named, named);
}

TEST(Options, WhatThereIsNotIsRefused) {
  Options options;
  const auto message = [&](const char* key, const char* value) {
    const Failure failure = set_option(options, key, value);
    EXPECT_EQ(failure.reason, Reason::invalid_options) << key;
    return failure.message;
  };
  EXPECT_NE(message("saftey", "1").find("did you mean 'safety'"), std::string::npos);
  EXPECT_NE(message("safety", "high").find("a number"), std::string::npos);
  EXPECT_NE(message("max_steps", "1.5").find("a whole number"), std::string::npos);
  EXPECT_NE(message("algebraic", "cholesky").find("lu, qr, svd"), std::string::npos);
  EXPECT_NE(message("rtol", "1e-6").find("--rtol"), std::string::npos);
  EXPECT_TRUE(options.named.empty());
}

TEST(Options, ThoseOfOtherMethodsEndARunBeforeItBegins) {
  Options options;
  ASSERT_FALSE(set_option(options, "newton_matrix_at", "2"));
  EXPECT_EQ(run("pendulum", {"psf", "radau5"}, options).status, Status::finished);
  const Summary summary = run("pendulum", {"projected", "dop853"}, options);
  EXPECT_EQ(summary.failure.reason, Reason::invalid_options);
  EXPECT_NE(summary.message().find("'projected/dop853' has no option 'newton_matrix_at'"), std::string::npos)
      << summary.message();
  EXPECT_NE(summary.message().find("*/radau5"), std::string::npos) << summary.message();
}

TEST(Options, OfAFormulationAreNotThoseOfAnotherFormOfTheSameName) {
  EXPECT_FALSE(check_option({"ggl", "radau5"}, "ggl_iteration"));
  EXPECT_FALSE(check_option({"ggl", "ida"}, "ggl_iteration"));
  // it is made by another class, which has no such iteration
  EXPECT_TRUE(check_option({"ggl", "alpha"}, "ggl_iteration"));
}

// --- documentation

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::filesystem::path docs = TRAMMEL_SOURCE_DIR "/docs";

TEST(Documentation, ListsMethodsAndOptionsAsTheyAre) {
  EXPECT_EQ(text_of(docs / "methods.md"), methods_page())
      << "write it anew: trammel methods --page > docs/methods.md";
}

// Tables "| option | default |" and "| key | default |": the first column has keys, the second their
// defaults, several of both separated by commas. An integrator's or formulation's own are on its page.
void check_table_row(const std::string& page, const std::vector<std::string>& owners,
                     const std::string& line) {
  static const std::regex row(R"(\| *((?:`[a-z0-9_]+`(?:, )?)+) *\| *([^|]*?) *\|.*)");
  static const std::regex key_of("`([a-z0-9_]+)`");
  std::smatch cells;
  if (!std::regex_match(line, cells, row)) return;
  std::vector<std::string> keys, standards;
  const std::string first = cells[1];
  for (std::sregex_iterator key(first.begin(), first.end(), key_of), end; key != end; ++key)
    keys.push_back((*key)[1]);
  std::istringstream words(std::regex_replace(cells[2].str(), std::regex("`"), ""));
  for (std::string word; std::getline(words >> std::ws, word, ',');) standards.push_back(word);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& all = option_descriptions();
    const auto option = std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.key == keys[i]; });
    ASSERT_NE(option, all.end()) << page << ": " << line;
    std::vector<std::string> right{option->standard};
    for (const auto& [owner, other] : option->other_standards)
      if (std::find(owners.begin(), owners.end(), owner) != owners.end()) right.push_back(other);
    const std::string said = standards.size() < keys.size() ? standards.at(0) : standards.at(i);
    const auto number = [](const std::string& text) {
      return text == "1/3" ? 1.0 / 3 : std::strtod(text.c_str(), nullptr);
    };
    // numbers may have words behind them
    EXPECT_TRUE(std::any_of(
        right.begin(), right.end(),
        [&](const std::string& standard) {
          const bool is_number =
              std::isdigit(static_cast<unsigned char>(standard[0])) != 0 && standard != "4/15";
          return said == standard || (is_number && std::isdigit(static_cast<unsigned char>(said[0])) != 0 &&
                                      std::abs(number(said) - number(standard)) <= 1e-5 * number(standard));
        }))
        << page << ": " << keys[i] << " is not " << said;
  }
}

TEST(Documentation, TablesOfOptionsHaveTheDefaults) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> pages = {
      {"integrators/dop853.md", {"dop853"}},
      {"integrators/sdirk.md", {"sdirk4"}},
      {"integrators/radau.md", {"radau5"}},
      {"integrators/sundials.md", {"bdf", "adams", "dirk", "erk", "ida"}},
      {"formulations/state-space.md", {"partitioned"}},
      {"formulations/projected-strangeness-free.md", {"psf"}},
      {"formulations/geoms.md", {"geoms", "radau5"}},
      {"formulations/coordinate-projection.md", {"projected"}},
      {"formulations/coordinate-splitting.md", {"cm"}},
      {"formulations/index-reduction.md", {"ggl"}},
  };
  for (const auto& [page, owners] : pages) {
    std::istringstream lines(text_of(docs / page));
    bool in_table = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("| option | default |") || line.starts_with("| key | default |")) in_table = true;
      if (!line.starts_with("|")) in_table = false;
      if (in_table) check_table_row(page, owners, line);
    }
  }
}

// Commands in the documentation: the method has the options that are given.
TEST(Documentation, CommandsSetOptionsThatHaveAnEffect) {
  std::vector<std::filesystem::path> files{docs.parent_path() / "README.md",
                                           docs.parent_path() / "examples" / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(docs))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  const std::regex command("trammel (run|problem) ([^\\n`]*)"), continued("\\\\\\n *"),
      method_of("--method ([a-z0-9]+/[a-z0-9]+)"), option_of("--option ([a-z0-9_]+)=([^ ]+)");
  int found = 0;
  for (const auto& file : files) {
    const std::string text = std::regex_replace(text_of(file), continued, "");
    for (std::sregex_iterator one(text.begin(), text.end(), command), end; one != end; ++one) {
      const std::string arguments = (*one)[2];
      if (arguments.find("[--") != std::string::npos) continue;  // a synopsis
      Method method;
      std::smatch named;
      if (std::regex_search(arguments, named, method_of)) {
        ASSERT_FALSE(parse_method(named[1], method)) << file << ": " << arguments;
      } else if (const BuiltinProblem* problem = find_problem(arguments.substr(0, arguments.find(' ')))) {
        ASSERT_FALSE(parse_method(problem->make(problem->values({})).method, method));
      }
      for (std::sregex_iterator option(arguments.begin(), arguments.end(), option_of); option != end;
           ++option) {
        Options options;
        const Failure wrong = set_option(options, (*option)[1], (*option)[2]);
        EXPECT_FALSE(wrong) << file << ": " << wrong.message;
        const Failure foreign = check_option(method, (*option)[1]);
        EXPECT_FALSE(foreign) << file << ": " << foreign.message;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 5);
}

}  // namespace
}  // namespace trammel
