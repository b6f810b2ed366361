// What is compared: a problem, the programs that solve it, and what a run of one of them gives.
#pragma once

#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace peers {

// One run. CPU time is that of the integration from given initial values: assembly, or the projection of the
// initial values, is part of it; reading a model and building the system is not. Everything else is measured
// after the clock has stopped, at the final state.
struct Run {
  double seconds = 0;
  double error = std::nan("");  // at the end, as the source of the problem measures it
  double position_violation = std::nan(""), velocity_violation = std::nan("");  // largest entry
  double energy_drift = std::nan("");                                           // absolute, in J
  double steps = 0;
  double evaluations = std::nan("");  // of the derivative, or of the residual
  std::string failure;                // empty: it reached the end
};

// A method of a program on one problem. `tolerance` is whatever the program steers its error by.
struct Competitor {
  std::string program, method;
  std::vector<double> tolerances;  // from mild to tight
  std::function<Run(double tolerance)> run;
  // The user derived the equations; otherwise a model of bodies and joints is given to the program.
  bool by_hand = false;

  bool ours() const { return program == "Trammel"; }
  std::string name() const { return program + " " + method; }
};

struct Contest {
  std::string name;      // also of its figure
  std::string title;     // one line
  std::string error_is;  // what the error is an error of
  std::vector<Competitor> competitors;
  std::vector<std::string> notes;  // choices that favour one side, and how the reference was made
};

class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

// Powers of ten from 10^-first to 10^-last.
inline std::vector<double> decades(int first, int last) {
  std::vector<double> result;
  for (int digits = first; digits <= last; ++digits) result.push_back(std::pow(10.0, -digits));
  return result;
}

// Reduced to [−π, π]: programs count turns differently.
inline double angle_between(double a, double b) {
  return std::abs(std::remainder(a - b, 2 * 3.14159265358979323846));
}

Contest n_four_bar(int windows);
Contest chain(int rods);
Contest andrews();
Contest double_pendulum();
Contest pendulum();

}  // namespace peers
