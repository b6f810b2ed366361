// Constants of the singly diagonally implicit methods of SDIRK4 (E. Hairer, G. Wanner, Solving Ordinary
// Differential Equations II, section IV.6): A, the embedded weights, and the weights of the continuous
// extension; everything else follows from them. For the sources of the integrator and its tests only.
#pragma once

#include <array>
#include <utility>

namespace trammel::sdirk {

inline constexpr int stages = 5;
using Row = std::array<double, stages>;

struct Coefficients {
  std::array<Row, stages> A{};  // lower triangular, γ on the diagonal; the last row is b
  Row embedded{};               // weights of order 3
  // Continuous extension of order 3: x(t + s h) = x + Σ_i b_i(s) h x'_i with b_i(s) = Σ_k dense[k][i]
  // s^(k+1).
  std::array<Row, 4> dense{};
  // Another one, for unknowns that are functions of the others and are not integrated: of order 2 for these,
  // where `dense` has order 1. It has order 3 for the others too.
  std::array<Row, 4> dense_dependent{};
  Row c{};  // nodes
  std::array<Row, stages> A_inverse{};
  std::array<Row, stages> alpha{};      // I − γ A⁻¹
  std::array<Row, stages> predictor{};  // z_i ≈ Σ_{j<i} predictor_ij z_j

  constexpr double gamma() const { return A[0][0]; }

  constexpr Coefficients(const std::array<Row, stages>& matrix, const Row& weights,
                         const std::array<Row, 4>& polynomials)
      : A(matrix), embedded(weights), dense(polynomials) {
    for (int i = 0; i < stages - 1; ++i)
      for (int j = 0; j <= i; ++j) c[i] += A[i][j];
    c[stages - 1] = 1;
    invert();
    predict();
    extend();
  }

 private:
  constexpr void invert() {
    for (int j = 0; j < stages; ++j)
      for (int i = j; i < stages; ++i) {
        double sum = i == j ? 1 : 0;
        for (int k = j; k < i; ++k) sum -= A[i][k] * A_inverse[k][j];
        A_inverse[i][j] = sum / A[i][i];
        alpha[i][j] = (i == j ? 1 : 0) - gamma() * A_inverse[i][j];
      }
  }

  static constexpr Row multiply(const std::array<Row, stages>& matrix, const Row& vector) {
    Row product{};
    for (int i = 0; i < stages; ++i)
      for (int j = 0; j < stages; ++j) product[i] += matrix[i][j] * vector[j];
    return product;
  }

  // Predictions that are right for x' = constant (c) and, from two stages, for x' linear in t (A c); the last
  // stage begins with the embedded solution. The second stage lies far out and is of no use to the fourth.
  constexpr void predict() {
    const Row Ac = multiply(A, c);
    predictor[1][0] = c[1] / c[0];
    const auto from_two = [&](int i, int second) {
      const double determinant = c[0] * Ac[second] - c[second] * Ac[0];
      predictor[i][0] = (c[i] * Ac[second] - c[second] * Ac[i]) / determinant;
      predictor[i][second] = (c[0] * Ac[i] - c[i] * Ac[0]) / determinant;
    };
    from_two(2, 1);
    from_two(3, 2);
    for (int j = 0; j < stages - 1; ++j)
      for (int i = j; i < stages; ++i) predictor[stages - 1][j] += embedded[i] * A_inverse[i][j];
  }

  // Σb = s, Σbc = s²/2, Σbc² = s³/3, ΣbAc = s³/6, and Σ b A⁻¹c² = s²: the stages of a function of x are x + z
  // put into it, so that c² of its second derivative comes without the A that the rates would bring.
  constexpr void extend() {
    Row c_squared{};
    for (int i = 0; i < stages; ++i) c_squared[i] = c[i] * c[i];
    std::array<Row, stages> condition = {Row{1, 1, 1, 1, 1}, c, c_squared, multiply(A, c),
                                         multiply(A_inverse, c_squared)};
    std::array<std::array<double, 3>, stages> powers = {
        {{1, 0, 0}, {0, 1.0 / 2, 0}, {0, 0, 1.0 / 3}, {0, 0, 1.0 / 6}, {0, 1, 0}}};
    const auto size = [](double value) { return value < 0 ? -value : value; };
    for (int k = 0; k < stages; ++k) {  // Gauss and Jordan
      int pivot = k;
      for (int i = k + 1; i < stages; ++i)
        if (size(condition[i][k]) > size(condition[pivot][k])) pivot = i;
      std::swap(condition[k], condition[pivot]);
      std::swap(powers[k], powers[pivot]);
      for (int i = 0; i < stages; ++i) {
        if (i == k) continue;
        const double factor = condition[i][k] / condition[k][k];
        for (int j = k; j < stages; ++j) condition[i][j] -= factor * condition[k][j];
        for (int j = 0; j < 3; ++j) powers[i][j] -= factor * powers[k][j];
      }
    }
    for (int i = 0; i < stages; ++i)
      for (int j = 0; j < 3; ++j) dense_dependent[j][i] = powers[i][j] / condition[i][i];
  }
};

inline constexpr Coefficients four_fifteenths{
    {{{4.0 / 15},
      {1.0 / 2, 4.0 / 15},
      {51069.0 / 144200, -7809.0 / 144200, 4.0 / 15},
      {12047244770625658.0 / 141474406359725325.0, -3057890203562191.0 / 47158135453241775.0,
       2239631894905804.0 / 28294881271945065.0, 4.0 / 15},
      {181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851, -69863904375173.0 / 23297141763930.0,
       4.0 / 15}}},
    {33665407.0 / 11668050, -2284766.0 / 15662025, 11244716.0 / 4704885, -96203066666797.0 / 23297141763930.0,
     0},
    {{{849539929.0 / 125366715, 1065780116.0 / 336559515, -2538044012.0 / 1314335763,
       -91731306444602149.0 / 15018890723813540.0, -227373.0 / 251420},
      {-7054050029.0 / 501466860, -66126791681.0 / 4711833210, 29300917481.0 / 2628671526,
       1565719960952002103.0 / 120151125790508320.0, 55235497.0 / 14079520},
      {4063087307.0 / 250733430, 36510106373.0 / 2355916605, -697702121.0 / 101102751,
       -3556701507835682257.0 / 180226688685762480.0, -8230811.0 / 1624560},
      {-75936575.0 / 11143708, -1695466275.0 / 314122214, 24861625.0 / 292074614,
       235790677266208875.0 / 24030225158101664.0, 6517125.0 / 2815904}}}};

inline constexpr Coefficients one_quarter{{{{1.0 / 4},
                                            {1.0 / 2, 1.0 / 4},
                                            {17.0 / 50, -1.0 / 25, 1.0 / 4},
                                            {371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4},
                                            {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4}}},
                                          {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0},
                                          {{{11.0 / 3, 11.0 / 2, -125.0 / 18, 0, -11.0 / 9},
                                            {-463.0 / 72, -385.0 / 16, 20125.0 / 432, -85.0 / 4, 557.0 / 108},
                                            {217.0 / 36, 661.0 / 24, -8875.0 / 216, 85.0 / 6, -359.0 / 54},
                                            {-20.0 / 9, -10, 250.0 / 27, 0, 80.0 / 27}}}};

}  // namespace trammel::sdirk
