// Constants of Radau IIA with three stages (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II,
// section IV.8). For the sources of the integrator only.
#pragma once

#include <cmath>
#include <complex>

namespace trammel::radau {

// Constants of the method and of the transformation T that splits A⁻¹ into a real and a complex eigenvalue.
struct RadauCoefficients {
  const double sq6 = std::sqrt(6.0);
  const double c1 = (4.0 - sq6) / 10.0, c2 = (4.0 + sq6) / 10.0;
  const double c1m1 = c1 - 1.0, c2m1 = c2 - 1.0, c1mc2 = c1 - c2;
  const double e1 = -(13.0 + 7.0 * sq6) / 3.0, e2 = (-13.0 + 7.0 * sq6) / 3.0, e3 = -1.0 / 3.0;
  double gamma;                     // real eigenvalue of A⁻¹
  std::complex<double> alpha_beta;  // complex eigenvalue of A⁻¹
  static constexpr double T[3][3] = {
      {9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2},
      {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
      {0.96604818261509293619, 1.0, 0.0}};
  static constexpr double Tinv[3][3] = {
      {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
      {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
      {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

  RadauCoefficients() {
    const double cube9 = std::cbrt(9.0), cube81 = std::cbrt(81.0);
    gamma = 30.0 / (6.0 + cube81 - cube9);
    const double alpha = (12.0 - cube81 + cube9) / 60.0;
    const double beta = (cube81 + cube9) * std::sqrt(3.0) / 60.0;
    const double square = alpha * alpha + beta * beta;
    alpha_beta = {alpha / square, beta / square};
  }
  double node(int stage) const { return stage == 1 ? c1 : stage == 2 ? c2 : stage == 3 ? 1.0 : 0.0; }
};
inline const RadauCoefficients method;

}  // namespace trammel::radau
