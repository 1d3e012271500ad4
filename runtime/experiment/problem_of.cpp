#include "runtime/experiment/problem_of.hpp"

#include <variant>

#include "algorithms/objectives/registry.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/program/program_problem.hpp"

namespace hearsay {

bool has_programs(const RunSettings& settings) {
  return std::holds_alternative<ProgramModel>(parse_model(settings.model.kind).info->make);
}

template <class Scalar>
Problem<Scalar> problem_of(const RunSettings& settings, const Home& home, std::vector<std::string>& doubts) {
  return has_programs(settings) ? program_problem<Scalar>(settings, home, doubts)
                                : build_problem<Scalar>(settings, home);
}

template Problem<float> problem_of<float>(const RunSettings&, const Home&, std::vector<std::string>&);
template Problem<double> problem_of<double>(const RunSettings&, const Home&, std::vector<std::string>&);

}  // namespace hearsay
