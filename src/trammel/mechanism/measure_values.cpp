#include "trammel/mechanism/measure_values.h"

namespace trammel {

std::vector<int> measures_needed_by(const Elements& elements, int measure) {
  std::vector<bool> needed(elements.measures.size(), false);
  needed[static_cast<std::size_t>(measure)] = true;
  std::vector<int> result;
  // backwards, every measure comes after those that need it
  for (auto i = elements.measure_order.rbegin(); i != elements.measure_order.rend(); ++i) {
    if (!needed[static_cast<std::size_t>(*i)]) continue;
    result.push_back(*i);
    for (const int other : elements.measures[static_cast<std::size_t>(*i)].measures)
      needed[static_cast<std::size_t>(other)] = true;
  }
  return {result.rbegin(), result.rend()};
}

}  // namespace trammel
