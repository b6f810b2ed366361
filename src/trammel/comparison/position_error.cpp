#include "trammel/comparison/position_error.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr Index per_body = 7, lengths_of_body = 3, parameters_of_body = 4;
constexpr double smallest_scale = 0.01;

Vector scale_of_bodies(const PositionSamples& reference, Index size) {
  double distance = 0;
  for (const Vector& p : reference.positions)
    for (Index body = 0; body + per_body <= size; body += per_body)
      distance = std::max(distance, p.segment(body, lengths_of_body).norm());
  Vector scale = Vector::Ones(size);
  for (Index body = 0; body + per_body <= size && distance > 0; body += per_body)
    scale.segment(body, lengths_of_body).setConstant(distance);
  return scale;
}

Vector scale_of_others(const PositionSamples& reference, Index size) {
  Vector scale = Vector::Zero(size);
  for (const Vector& p : reference.positions) scale = scale.cwiseMax(p.cwiseAbs());
  const double largest = size > 0 ? scale.maxCoeff() : 0;
  return largest > 0 ? Vector(scale.cwiseMax(smallest_scale * largest)) : Vector(Vector::Ones(size));
}

}  // namespace

PositionError::PositionError(PositionSamples reference) : reference_(std::move(reference)) {
  const auto size = static_cast<Index>(reference_.names.size());
  scale_ = reference_.of_bodies ? scale_of_bodies(reference_, size) : scale_of_others(reference_, size);
}

double PositionError::at(const Vector& p, const Vector& p_reference) const {
  const Vector difference = (p - p_reference).cwiseAbs().cwiseQuotient(scale_);
  if (!reference_.of_bodies) return difference.maxCoeff();
  double error = 0;
  for (Index body = 0; body + per_body <= p.size(); body += per_body) {
    const Index e = body + lengths_of_body;
    const auto parameters = p.segment(e, parameters_of_body);
    const auto parameters_reference = p_reference.segment(e, parameters_of_body);
    const double turned = (parameters + parameters_reference).cwiseAbs().maxCoeff();
    const double straight = (parameters - parameters_reference).cwiseAbs().maxCoeff();
    error =
        std::max({error, difference.segment(body, lengths_of_body).maxCoeff(), std::min(turned, straight)});
  }
  return error;
}

std::optional<PositionError::Value> PositionError::of(const PositionSamples& samples) const {
  if (samples.names != reference_.names || samples.names.empty() || samples.times.empty() ||
      samples.times.size() != reference_.times.size())
    return std::nullopt;
  Value value;
  for (std::size_t i = 0; i < samples.times.size(); ++i) {
    // the times come from the same formula, but are not worth a comparison to the last bit
    if (std::abs(samples.times[i] - reference_.times[i]) > 1e-12 * (1 + std::abs(reference_.times[i])))
      return std::nullopt;
    value.at_end = at(samples.positions[i], reference_.positions[i]);
    if (!std::isfinite(value.at_end)) return std::nullopt;
    value.largest = std::max(value.largest, value.at_end);
  }
  return value;
}

}  // namespace trammel
