// What methods are compared on: a model or a built-in problem, made ready to run by any of them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/comparison/trial.h"
#include "trammel/model/model.h"
#include "trammel/published/builtin.h"
#include "trammel/simulation/method.h"
#include "trammel/simulation/options.h"

namespace trammel {

// What holds for every run. What is absent is as the model or the problem says.
struct SubjectSettings {
  std::optional<double> end;
  std::optional<double> atol;  // otherwise it goes with rtol
  std::optional<double> h0;
  // As (key, value), of the methods that have them.
  std::vector<std::pair<std::string, std::string>> options = {};
};

struct SharedOption {
  std::string key, value;
  std::string from;  // the file that it stands in; empty: asked for
};

struct PreparedRun {
  std::shared_ptr<void> owner;  // of the equations
  EquationsOfMotion* equations = nullptr;
  Method method;
  std::optional<Method> method_when_stiff;  // of `auto`
  Options options;
  Vector x0;
  std::optional<AssemblyReport> assembly;  // of x0, if it is assembled
  double start = 0, end = 0;
  bool of_bodies = false;  // see PositionSamples
  // As in ProblemCase; may be empty.
  std::function<std::optional<double>(double t, const Vector& x)> digits;
};

class Subject {
 public:
  virtual ~Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  const std::string& name() const { return name_; }      // "andrews", "four-bar.yaml"
  const std::string& title() const { return title_; }    // for people; may be empty
  const std::string& source() const { return source_; }  // where it is published; empty for models

  // Options for every method that has them.
  virtual std::vector<SharedOption> options() const = 0;

  // Throws std::invalid_argument, and ModelError for what is wrong in a model.
  virtual PreparedRun prepare(const Trial& trial) const = 0;

 protected:
  Subject() = default;
  std::string name_, title_, source_;
};

// atol = rtol, as `trammel problem` has it.
class ProblemSubject final : public Subject {
 public:
  // `parameters` are changed ones. Throws std::invalid_argument if there are no such.
  ProblemSubject(const BuiltinProblem& problem, const std::map<std::string, double>& parameters,
                 SubjectSettings settings = {});
  std::vector<SharedOption> options() const override;
  PreparedRun prepare(const Trial& trial) const override;

 private:
  const BuiltinProblem& problem_;
  std::map<std::string, double> values_;
  SubjectSettings settings_;
};

// atol = rtol/100, or in the proportion in which the file gives them.
class ModelSubject final : public Subject {
 public:
  // The model must outlive this.
  explicit ModelSubject(const Model& model, SubjectSettings settings = {});
  std::vector<SharedOption> options() const override;
  PreparedRun prepare(const Trial& trial) const override;

 private:
  const Model& model_;
  SubjectSettings settings_;
};

// Runs it, here and now. The first run keeps positions and watches the constraints; those that are timed
// after it do nothing but integrate. Never throws: what goes wrong is in the measurement.
Measurement run_trial(const Subject& subject, const Trial& trial,
                      const std::atomic<bool>* interrupt = nullptr);

// What can be known without a run.
struct SubjectFacts {
  double start = 0, end = 0;
  Traits traits;
  bool has_published_reference = false;  // at the end
  bool large = false;
  MethodSelection usual;
};
// Throws as Subject::prepare does.
SubjectFacts facts_of(const Subject& subject);

}  // namespace trammel
