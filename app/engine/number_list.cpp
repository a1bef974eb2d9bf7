#include "app/engine/number_list.h"

#include <QString>
#include <QStringList>

namespace jitterscope::app {

Expected<std::vector<std::int64_t>> parse_numbers(const std::string& text, const std::string& option) {
  constexpr std::size_t kMaxNumbers = 1'000'000;
  std::vector<std::int64_t> numbers;
  for (const auto& part : QString::fromStdString(text).split(',')) {
    const auto ends = part.split('-');
    bool first_good = false, last_good = false;
    const std::int64_t first = ends.front().trimmed().toInt(&first_good),
                       last = ends.back().trimmed().toInt(&last_good);
    if (ends.size() > 2 || !first_good || !last_good || last < first ||
        static_cast<std::size_t>(last - first) >= kMaxNumbers - numbers.size())
      return failure(ErrorKind::BadUse, "\"" + text + "\" is not a list of numbers", {}, option,
                     "Example: 0-3,7");
    for (auto number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

} // namespace jitterscope::app
