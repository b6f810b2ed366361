// One axis of a plot: its range, its ticks, and where a value lies on it.
#pragma once

#include <string>
#include <vector>

namespace trammel {

// Multiples of 1, 2 or 5 times a power of ten between low and high, as close together as at_most of them
// allow.
std::vector<double> nice_ticks(double low, double high, int at_most);

// Powers of ten between low and high, every second, fifth, tenth ... of them if at_most asks for it.
std::vector<double> decade_ticks(double low, double high, int at_most);

// "10⁻³"
std::string power_of_ten(int exponent);

// A plot draws values up to this size: their differences and products are finite.
constexpr double largest_plotted = 1e300;
bool can_plot(double value, bool logarithmic);

class PlotAxis {
 public:
  struct Tick {
    double value = 0;
    std::string label;
  };
  enum class Scale { linear, padded, logarithmic, padded_logarithmic };

  // Holds low and high. A padded axis leaves a margin around them, a logarithmic one goes to the next
  // decades; both must be positive for logarithms.
  PlotAxis(double low, double high, Scale scale, int at_most);

  double low() const { return low_; }
  double high() const { return high_; }
  bool logarithmic() const { return scale_ == Scale::logarithmic || scale_ == Scale::padded_logarithmic; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  // Grid lines without a label.
  const std::vector<double>& minor_ticks() const { return minor_ticks_; }
  // The labels are to be multiplied with this; empty if with one.
  const std::string& factor() const { return factor_; }

  // 0 at low, 1 at high.
  double fraction(double value) const;

 private:
  void set_linear_range(double low, double high);
  void set_linear_ticks(int at_most);
  void set_logarithmic_range(double low, double high);
  void set_logarithmic_ticks(int at_most);

  Scale scale_;
  double low_ = 0, high_ = 1;
  std::vector<Tick> ticks_;
  std::vector<double> minor_ticks_;
  std::string factor_;
};

}  // namespace trammel
