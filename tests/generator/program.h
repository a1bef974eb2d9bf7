#pragma once

#include <vector>

#include "tests/generator/model.h"
#include "tests/generator/random.h"

namespace jitterscope::generator {

/// The kernels of the simulated program and their configurations: kernel k has rows 4k … 4k + 3.
std::vector<KernelModel> make_kernels(int count, Random& random);
std::vector<Configuration> make_configurations(const std::vector<KernelModel>& kernels);

} // namespace jitterscope::generator
