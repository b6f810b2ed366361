// How well the forces of stiff elements are known. The error of a step is kept below the tolerance in
// positions and velocities; a force is inexact by its stiffness times that. What the estimated error of a
// step does to each force is compared at some steps of a run; where it is a part of the force worth
// mentioning, it is stated. So is the spring that passes through zero length, where its force turns round at once.
#pragma once

#include <string>
#include <vector>

#include "trammel/motion/mechanism_motion.h"

namespace trammel {

class ForceAccuracy {
 public:
  struct Entry {
    std::string channel;  // "bend3.force_x"
    double error = 0;     // the largest difference seen
    double largest = 0;   // the largest force seen

    void carry(Carrier& carried) { carried(error, largest); }
  };

  explicit ForceAccuracy(MechanismEquations& equations);

  // Of a spring between two points that met: its force had a direction, and then the opposite one.
  struct Passage {
    std::string force;
    double t = 0;
    double jump = 0;  // N
  };

  // Called after every accepted step, so that angles count their turns.
  void follow(double t, const Vector& x);
  // x and the same state with its estimated error.
  void compare(double t, const Vector& x, const Vector& disturbed);
  void carry(Carrier& carried);
  // Those that are inexact by more than this part of the largest force.
  std::vector<Entry> worse_than(double part) const;
  // The first of each spring.
  std::vector<Passage> passages() const;

 private:
  // A force between two points, at the end of the last step.
  struct Line {
    const ForceBlock* block;
    Index element;
    std::string name;
    double length = 0, rate = 0, tension = 0;
    double longest = 0, largest = 0;
    double passed_at = 0, jump = 0;

    void carry(Carrier& carried) { carried(length, rate, tension, longest, largest, passed_at, jump); }
  };
  void look_at_lines(double t, const Vector& x);

  void forces_at(double t, const Vector& x, std::vector<double>& out);

  // Which of the outputs of an element are forces.
  struct Element {
    const ForceBlock* block;
    Index index;
    std::size_t outputs;
    std::vector<std::size_t> forces;
  };

  std::unique_ptr<MechanismMotion> motion_;  // null if there are no forces
  std::vector<Element> elements_;
  std::vector<Entry> entries_;
  std::vector<Line> lines_;
  double lines_t_ = 0;
  bool knows_lines_ = false;
  std::vector<double> exact_, inexact_, outputs_;
};

}  // namespace trammel
