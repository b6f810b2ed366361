#include "tests/random/mechanism_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/random/determined_channels.h"
#include "tests/random/mechanism_variants.h"
#include "tests/random/motion_balances.h"

namespace trammel {
namespace {

// Differences up to so many times the tolerance, as a part of what is largest of their kind, are what a user
// asks for; two tolerances may happen to give the same steps.
constexpr double asked_for = 10;

// The run at a tolerance and at a tenth of it.
struct RunPair {
  ModelRun coarse, fine;
  Samples coarse_samples, fine_samples;
  Disagreement change;  // between the two
};

class PropertyCheck {
 public:
  PropertyCheck(const Model& model, const PropertyOptions& options)
      : model_(model), options_(options), end_(model.simulation.end.value_or(1)) {
    output_ = model.simulation.output.value_or(end_ / 60);
  }

  std::vector<Finding> run() {
    for (const std::string& method : options_.methods) {
      std::optional<RunPair> pair = run_pair(method);
      if (pair) pairs_.push_back(std::move(*pair));
    }
    if (pairs_.empty()) return findings_;
    undetermined_ = undetermined_channels(model_, pairs_[0].fine);
    for (RunPair& pair : pairs_) {
      pair.coarse_samples = determined(pair.coarse);
      pair.fine_samples = determined(pair.fine);
      pair.change = disagreement(pair.fine_samples, pair.coarse_samples);
    }
    sizes_ = pairs_[0].fine_samples.sizes();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      check_accuracy(i);
      for (std::size_t j = 0; j < i; ++j) compare_methods(pairs_[j], pairs_[i]);
      if (options_.reactions_unknown.contains(pairs_[i].fine.request.method)) continue;
      for (Finding& finding : balance_findings(model_, pairs_[i].fine))
        findings_.push_back(std::move(finding));
    }
    if (options_.variants) check_variants();
    return findings_;
  }

 private:
  void report(const std::string& kind, const std::string& text) { findings_.push_back({kind, text}); }

  // Nothing if it fails, which is reported.
  std::optional<ModelRun> run_one(const Model& model, const ModelRunRequest& request,
                                  const std::string& who) {
    try {
      ModelRun run = run_model(model, request);
      if (run.out_of_time) {
        report("slow", fmt::format("{}: reached t = {:.6g} of {:.6g} in {} s", who,
                                   run.recording.times().empty() ? 0 : run.recording.times().back(),
                                   request.end, request.time_limit));
      } else if (!run.finished) {
        report("failed", fmt::format("{}: {}", who, run.message));
      } else if (check_samples(run, who)) {
        return run;
      }
    } catch (const std::exception& error) {
      report("refused", fmt::format("{}: {}", who, error.what()));
    }
    return std::nullopt;
  }

  ModelRunRequest request(const std::string& method, double rtol) const {
    return {
        .method = method, .rtol = rtol, .end = end_, .output = output_, .time_limit = options_.time_limit};
  }

  std::optional<RunPair> run_pair(const std::string& method) {
    std::optional<ModelRun> coarse =
        run_one(model_, request(method, options_.rtol), fmt::format("{} at {}", method, options_.rtol));
    std::optional<ModelRun> fine = run_one(model_, request(method, options_.rtol / 10),
                                           fmt::format("{} at {}", method, options_.rtol / 10));
    if (!coarse || !fine) return std::nullopt;
    RunPair pair;
    pair.coarse = std::move(*coarse);
    pair.fine = std::move(*fine);
    return pair;
  }

  bool check_samples(const ModelRun& run, const std::string& who) {
    for (const Channel& channel : run.recording.channels())
      for (std::size_t k = 0; k < channel.values.size(); ++k)
        if (!std::isfinite(channel.values[k])) {
          report("not-finite", fmt::format("{}: {} is {} at t = {:.6g}, though the run is finished", who,
                                           channel.name, channel.values[k], run.recording.times()[k]));
          return false;
        }
    const double allowed = 1e-5;
    if (run.violation.position > allowed || run.violation.velocity > allowed * 10)
      report("violation",
             fmt::format("{}: constraints are left by {:.2e}, their rates by {:.2e}, though the run is "
                         "finished",
                         who, run.violation.position, run.violation.velocity));
    return true;
  }

  Samples determined(const ModelRun& run) const {
    Samples samples = samples_of(run.recording);
    for (const std::string& name : undetermined_) samples.series.erase(name);
    if (options_.reactions_unknown.contains(run.request.method))
      std::erase_if(samples.series, [](const auto& entry) {
        return entry.second.kind.starts_with("reactions") || entry.first.ends_with(".effort");
      });
    return samples;
  }

  // What is small beside others of its unit is no more exact than they are: a displacement of millimetres between
  // positions of metres, an angle between Euler parameters of size one.
  double floor(const std::string& kind) const {
    const auto unit = [](const std::string& of) {
      const std::size_t at = of.rfind(" in ");
      return at == std::string::npos ? std::string() : of.substr(at + 4);
    };
    const std::string own = unit(kind);
    const bool of_motion = own == "m" || own == "m/s" || own == "rad" || own == "rad/s";
    double size = own == "rad" ? 1 : 1e-3;
    for (const auto& [other, largest] : sizes_)
      if (other == kind || (of_motion && unit(other) == own)) size = std::max(size, largest);
    return asked_for * options_.rtol / 10 * size;
  }

  // The largest of a difference up to the sample after this one.
  static double so_far(const std::vector<double>& values, std::size_t sample) {
    const std::size_t end = std::min(values.size(), sample + 2);
    return *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(end));
  }

  // What `change` says of each kind, at the time of a sample.
  double allowed(const Disagreement& change, const std::string& kind, double t) const {
    const auto found = change.kinds.find(kind);
    if (found == change.kinds.end() || change.times.empty()) return 0;
    const auto at = std::lower_bound(change.times.begin(), change.times.end(), t - 1e-9 * end_);
    const auto sample =
        std::min<std::size_t>(static_cast<std::size_t>(at - change.times.begin()), change.times.size() - 1);
    return so_far(found->second.values, sample);
  }

  // One finding for all kinds: that of the worst.
  void expect_near(const Disagreement& apart, const std::vector<const Disagreement*>& changes,
                   const std::string& finding, const std::string& who) {
    double worst = 1;
    std::string text;
    for (const auto& [kind, one] : apart.kinds)
      for (std::size_t k = 0; k < apart.times.size(); ++k) {
        double change = 0;
        for (const Disagreement* other : changes)
          change = std::max(change, allowed(*other, kind, apart.times[k]));
        const double limit = options_.factor * change + floor(kind);
        if (one.values[k] <= worst * limit) continue;
        worst = one.values[k] / limit;
        text = fmt::format(
            "{}: {} differs by {:.3e} at t = {:.6g}; largest of its kind {:.3e}; between tolerances {:.3e}",
            who, one.channels[k], one.values[k], apart.times[k], sizes_.contains(kind) ? sizes_.at(kind) : 0,
            change);
      }
    if (!text.empty()) report(finding, text);
  }

  void compare_methods(const RunPair& a, const RunPair& b) {
    const std::string who = fmt::format("{} and {}", a.fine.request.method, b.fine.request.method);
    if (a.fine.degrees_of_freedom != b.fine.degrees_of_freedom)
      report("freedom", fmt::format("{}: {} and {} degrees of freedom", who, a.fine.degrees_of_freedom,
                                    b.fine.degrees_of_freedom));
    expect_near(disagreement(a.fine_samples, b.fine_samples), {&a.change, &b.change}, "disagreement", who);
  }

  // A method whose results change with the tolerance a thousand times more than those of the others.
  void check_accuracy(std::size_t i) {
    if (pairs_.size() < 2) return;
    double worst = 1;
    std::string text;
    for (const auto& [kind, one] : pairs_[i].change.kinds)
      for (std::size_t k = 0; k < one.values.size(); ++k) {
        double others = HUGE_VAL;
        for (std::size_t j = 0; j < pairs_.size(); ++j)
          if (j != i && pairs_[j].change.kinds.contains(kind))
            others = std::min(others, so_far(pairs_[j].change.kinds.at(kind).values, k));
        if (others == HUGE_VAL) continue;
        const double size = sizes_.contains(kind) ? sizes_.at(kind) : 1;
        const double limit = 1000 * others + 1000 * options_.rtol * std::max(size, 1e-3);
        if (one.values[k] <= worst * limit) continue;
        worst = one.values[k] / limit;
        text = fmt::format(
            "{}: {} changes by {:.3e} at t = {:.6g} with the tolerance, of another method by {:.3e}; "
            "largest of its kind {:.3e}",
            pairs_[i].fine.request.method, one.channels[k], one.values[k], pairs_[i].change.times[k], others,
            size);
      }
    if (!text.empty()) report("inaccurate", text);
  }

  void check_variants() {
    RandomNumbers random(options_.seed, "variants");
    const RunPair& pair = pairs_[random.below(pairs_.size())];
    const std::string& method = pair.fine.request.method;
    const ModelRunRequest same = request(method, options_.rtol / 10);
    const auto compare = [&](const std::string& kind, const Model& model, const ModelRunRequest& asked,
                             const Samples& expected, double factor = 1) {
      const std::optional<ModelRun> run =
          run_one(model, asked, fmt::format("{} at {}, {}", method, asked.rtol, kind));
      if (!run) return;
      expect_near(disagreement(heavier_samples(determined(*run), 1 / factor), expected), {&pair.change}, kind,
                  method);
      if (kind == "finer" && !options_.reactions_unknown.contains(method)) check_momentum(*run);
    };
    const Frame by{random.vector(2), random.rotation()};
    const Samples& same_samples = pair.fine_samples;
    compare("moved", moved_model(model_, by), same, moved_samples(same_samples, model_, by));
    compare("heavier", heavier_model(model_, 2), same, same_samples, 2);
    compare("reordered", reordered_model(model_, random), same, same_samples);
    ModelRunRequest shorter = same, finer = same;
    shorter.end = 0.6 * end_;
    shorter.output = 1.5 * output_;
    compare("shorter", model_, shorter, same_samples);
    finer.output = output_ / 4;
    compare("finer", model_, finer, same_samples);
  }

  // Forces that are wrong are so at all times of output; what the rule of integration makes of peaks and jumps between
  // samples goes away with more of them, though it may fall below its own estimate at first.
  void check_momentum(const ModelRun& run) {
    constexpr int refinements = 3;
    std::vector<Finding> found = momentum_findings(model_, run);
    ModelRunRequest finer = run.request;
    for (int refinement = 0; refinement < refinements && !found.empty(); ++refinement) {
      finer.output /= 4;
      const std::optional<ModelRun> again =
          run_one(model_, finer, fmt::format("{} at {}, much finer", finer.method, finer.rtol));
      if (!again) return;
      found = momentum_findings(model_, *again);
    }
    for (Finding& finding : found) report(finding.kind, finding.text);
  }

  const Model& model_;
  const PropertyOptions& options_;
  double end_, output_;
  std::vector<RunPair> pairs_;
  std::set<std::string> undetermined_;
  std::map<std::string, double> sizes_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_properties(const Model& model, const PropertyOptions& options) {
  return PropertyCheck(model, options).run();
}

}  // namespace trammel
