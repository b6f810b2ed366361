#include "trammel/simulation/method_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trammel/simulation/formulations.h"
#include "trammel/simulation/integrators.h"
#include "trammel/simulation/method.h"

namespace trammel {

namespace {

constexpr const char* head = R"(# Methods and options

A method is a formulation with an integrator, `formulation/integrator`. This page is what `trammel methods --page` prints, and a test
compares the two. `trammel methods METHOD` tells all about one method, `trammel options METHOD` its options.

)";

// An upright bar in a cell would begin the next one.
std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.insert(i, 1, '\\');
  return text;
}

std::string refused(const FormulationEntry& entry) {
  std::vector<std::string> words;
  for (const Refusal& refusal : entry.refuses) words.emplace_back(name(refusal.trait));
  for (const Refusal& refusal : entry.rates_refuse)
    words.push_back(
        fmt::format("{} with an integrator for ordinary differential equations", name(refusal.trait)));
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

std::string formulation_table() {
  std::string text =
      "## Formulations\n\n| formulation | what it is | index | constraints held | cannot treat |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const FormulationEntry& entry : formulations())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.what_it_is, entry.index,
                        entry.holds(), refused(entry));
  return text;
}

std::string integrator_table() {
  std::string text =
      "\n## Integrators\n\n| integrator | what it is | when to use it | index up to | for ODEs only |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const IntegratorEntry& entry : integrators())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.what_it_is, entry.when_to_use,
                        entry.needs_rates ? 1 : entry.highest_index, entry.needs_rates ? "yes" : "no");
  return text;
}

std::string method_table() {
  std::string text = "\n## Methods\n\n| method | when to use it |\n| --- | --- |\n";
  for (const MethodDescription& entry : methods())
    text += fmt::format("| `{}` | {} |\n", entry.method.name(), entry.when_to_use);
  return text;
}

std::string option_table() {
  std::string text =
      "\n## Options\n\nAn option that a method does not have is an error. `*` stands for every name that "
      "gives "
      "a method.\n\n| option | values | default | meaning | methods |\n| --- | --- | --- | --- | --- |\n";
  for (const OptionDescription& option : option_descriptions()) {
    std::string standards = option.standard;
    for (const auto& [owner, standard] : option.other_standards)
      standards += fmt::format(", `{}` {}", owner, standard);
    std::string meaning = option.meaning;
    if (!option.also.empty()) meaning += fmt::format("; another name is `{}`", option.also);
    if (!option.set_by.empty()) meaning += fmt::format("; set by {}", option.set_by);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", option.key, cell(option.values), standards,
                        cell(meaning), option.methods.empty() ? "all" : fmt::format("`{}`", option.methods));
  }
  return text;
}

}  // namespace

std::string methods_page() {
  return head + formulation_table() + integrator_table() + method_table() + option_table();
}

}  // namespace trammel
