#include "trammel/motion/sizes.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

namespace trammel {

Layout::Layout(const Sizes& sizes) : invariants(sizes.invariants), normalizations(sizes.normalizations) {
  const Index velocities = sizes.velocities == Sizes::same_as_positions ? sizes.positions : sizes.velocities;
  auto append = [this](Index size, const char* what) {
    if (size < 0) throw std::invalid_argument(fmt::format("the number of {} is negative ({})", what, size));
    const Block block{total, size};
    total += size;
    return block;
  };
  p = append(sizes.positions, "positions");
  v = append(velocities, "velocities");
  r = append(sizes.force_states, "force states");
  w = append(sizes.auxiliaries, "auxiliary variables");
  s = append(sizes.contacts, "contact coordinates");
  lambda = append(sizes.holonomic, "holonomic constraints");
  mu = append(sizes.nonholonomic, "nonholonomic constraints");
  if (invariants < 0) throw std::invalid_argument("the number of invariants is negative");
  if (normalizations < 0) throw std::invalid_argument("the number of normalizations is negative");
  if (total == 0) throw std::invalid_argument("the equations of motion have no unknowns");
}

namespace {

void fill(std::vector<std::string>& names, Index size, std::string_view letter) {
  if (static_cast<Index>(names.size()) > size)
    throw std::invalid_argument(fmt::format("{} names are given for {} of '{}'", names.size(), size, letter));
  for (Index i = static_cast<Index>(names.size()); i < size; ++i)
    names.push_back(size == 1 && letter.size() > 1 ? std::string(letter)
                                                   : fmt::format("{}{}", letter, i + 1));
}

}  // namespace

void Names::complete(const Layout& layout) {
  // velocities and multipliers take over the names of their positions and constraints
  if (v.empty() && !p.empty() && layout.v.size == layout.p.size)
    for (const std::string& position : p) v.push_back("v_" + position);
  if (lambda.empty())
    for (const std::string& constraint : g) lambda.push_back("lambda_" + constraint);
  if (mu.empty())
    for (const std::string& constraint : h) mu.push_back("mu_" + constraint);
  fill(p, layout.p.size, "p");
  fill(v, layout.v.size, "v");
  fill(r, layout.r.size, "r");
  fill(w, layout.w.size, "w");
  fill(s, layout.s.size, "s");
  fill(lambda, layout.lambda.size, "lambda");
  fill(mu, layout.mu.size, "mu");
  fill(g, layout.lambda.size, "g");
  fill(h, layout.mu.size, "h");
  fill(c, layout.s.size, "c");
  fill(d, layout.w.size, "d");
  fill(e, layout.invariants, "e");
  fill(n, layout.normalizations, "n");
}

std::string Names::variable(const Layout& layout, Index i) const {
  const std::pair<const Block&, const std::vector<std::string>&> blocks[] = {
      {layout.p, p}, {layout.v, v},           {layout.r, r},  {layout.w, w},
      {layout.s, s}, {layout.lambda, lambda}, {layout.mu, mu}};
  for (const auto& [block, names] : blocks)
    if (i >= block.begin && i < block.end()) return names[static_cast<std::size_t>(i - block.begin)];
  return fmt::format("x{}", i + 1);
}

}  // namespace trammel
