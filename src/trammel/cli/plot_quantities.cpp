#include "trammel/cli/plot_quantities.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <stdexcept>

#include "trammel/numerics/nearest_name.h"
#include "trammel/result/terminal_text.h"

namespace trammel {

namespace {

constexpr std::string_view steps_prefix = "steps.";

// How people call channels of the steps.
std::string_view pattern_of_steps(std::string_view wanted) {
  if (wanted == "step size" || wanted == "step_size") return "h";
  if (wanted == "violations") return "*_violation";
  if (wanted == "steps") return "*";
  if (wanted.starts_with(steps_prefix)) wanted.remove_prefix(steps_prefix.size());
  return wanted;
}

std::vector<Quantity> those_of(const ChannelTable& table, const std::function<bool(const Channel&)>& fits) {
  std::vector<Quantity> quantities;
  for (const Channel& channel : table.channels())
    if (fits(channel)) quantities.push_back({&channel, &table});
  return quantities;
}

// The first way to understand the word that finds something.
std::vector<Quantity> understood(const Recording& recording, const std::string& wanted) {
  if (const Channel* channel = recording.find(wanted)) return {{channel, &recording.samples}};
  const auto in_group = [&](const Channel& channel) { return !wanted.empty() && channel.group == wanted; };
  if (std::vector<Quantity> found = those_of(recording.samples, in_group); !found.empty()) return found;
  const auto like = [](std::string_view pattern) {
    return [pattern](const Channel& channel) { return fits_pattern(channel.name, pattern); };
  };
  std::vector<Quantity> found = those_of(recording.samples, like(wanted));
  // "*" is all of the samples; what is over the steps has other times
  if (!found.empty()) return found;
  return those_of(recording.steps, like(pattern_of_steps(wanted)));
}

[[noreturn]] void refuse_quantity(const Recording& recording, const std::string& wanted) {
  std::vector<std::string> names = recording.groups();
  std::erase(names, "");
  const char* no_groups = names.empty() && !recording.channels().empty() ? ", CSV has no groups" : "";
  for (const Quantity& quantity : all_quantities(recording)) names.push_back(quantity.channel->name);
  if (!recording.steps.channels().empty()) names.insert(names.end(), {"step size", "violations", "steps"});
  const std::string near = printable(nearest_name(wanted, names), false);
  throw std::invalid_argument(fmt::format("there is no quantity '{}'{}; --list shows all{}", wanted,
                                          near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                                          no_groups));
}

}  // namespace

bool fits_pattern(std::string_view text, std::string_view pattern) {
  // back to the last star, which then takes one character more, as long as there are any
  std::size_t i = 0, j = 0, star = std::string_view::npos, taken = 0;
  while (i < text.size()) {
    if (j < pattern.size() && pattern[j] == '*') {
      star = j++;
      taken = i;
    } else if (j < pattern.size() && (pattern[j] == '?' || pattern[j] == text[i])) {
      ++i;
      ++j;
    } else if (star != std::string_view::npos) {
      j = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  while (j < pattern.size() && pattern[j] == '*') ++j;
  return j == pattern.size();
}

std::vector<Quantity> all_quantities(const Recording& recording) {
  const auto any = [](const Channel&) { return true; };
  std::vector<Quantity> quantities = those_of(recording.samples, any);
  const std::vector<Quantity> steps = those_of(recording.steps, any);
  quantities.insert(quantities.end(), steps.begin(), steps.end());
  return quantities;
}

std::vector<Quantity> choose_quantities(const Recording& recording, const std::vector<std::string>& wanted) {
  std::vector<Quantity> chosen;
  std::set<const Channel*> seen;
  for (const std::string& word : wanted) {
    const std::vector<Quantity> found = understood(recording, word);
    if (found.empty()) refuse_quantity(recording, word);
    for (const Quantity& quantity : found)
      if (seen.insert(quantity.channel).second) chosen.push_back(quantity);
  }
  return chosen;
}

}  // namespace trammel
