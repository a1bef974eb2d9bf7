#pragma once

#include <QByteArray>
#include <QImage>
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace jitterscope::views {

/// A coarse fingerprint of a picture: the mean colour of 24 × 12 equal parts, as hexadecimal text. Pictures
/// of one view at different scales have nearly the same fingerprint; another font changes it little.
inline constexpr int kPrintColumns = 24, kPrintRows = 12;

inline QByteArray printOf(const QImage& picture) {
  QByteArray print;
  const QImage image = picture.convertToFormat(QImage::Format_RGB32);
  for (int row = 0; row < kPrintRows; ++row)
    for (int column = 0; column < kPrintColumns; ++column) {
      const int left = image.width() * column / kPrintColumns,
                right = image.width() * (column + 1) / kPrintColumns;
      const int top = image.height() * row / kPrintRows, bottom = image.height() * (row + 1) / kPrintRows;
      std::int64_t sum[3] = {};
      for (int y = top; y < bottom; ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        for (int x = left; x < right; ++x) {
          sum[0] += qRed(line[x]);
          sum[1] += qGreen(line[x]);
          sum[2] += qBlue(line[x]);
        }
      }
      const auto pixels = std::max<std::int64_t>(std::int64_t{right - left} * (bottom - top), 1);
      for (const auto channel : sum) print.append(static_cast<char>((channel + pixels / 2) / pixels));
    }
  return print.toHex();
}

/// Distance of two prints, in levels of 0 … 255: the mean over all parts, and the largest of one part.
struct PrintDifference {
  double mean = 255;
  double worst = 255;
};

inline PrintDifference difference(const QByteArray& a, const QByteArray& b) {
  const QByteArray one = QByteArray::fromHex(a), two = QByteArray::fromHex(b);
  constexpr qsizetype kBytes = kPrintColumns * kPrintRows * 3;
  if (one.size() != kBytes || two.size() != kBytes) return {};
  PrintDifference apart{0, 0};
  for (qsizetype i = 0; i < kBytes; i += 3) {
    double part = 0;
    for (qsizetype c = i; c < i + 3; ++c)
      part += std::abs(static_cast<unsigned char>(one[c]) - static_cast<unsigned char>(two[c])) / 3.0;
    apart.mean += part / (kPrintColumns * kPrintRows);
    apart.worst = std::max(apart.worst, part);
  }
  return apart;
}

} // namespace jitterscope::views
