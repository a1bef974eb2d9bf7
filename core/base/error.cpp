#include "core/base/error.h"

namespace jitterscope {

std::string to_string(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::BadUse:
    return "bad-use";
  case ErrorKind::BadInput:
    return "bad-input";
  case ErrorKind::Engine:
    return "engine";
  case ErrorKind::Cancelled:
    return "cancelled";
  case ErrorKind::Io:
    return "io";
  case ErrorKind::Internal:
    break;
  }
  return "internal";
}

ErrorKind error_kind_from(const std::string& text) {
  for (auto kind : {ErrorKind::BadUse, ErrorKind::BadInput, ErrorKind::Engine, ErrorKind::Cancelled,
                    ErrorKind::Io, ErrorKind::Internal})
    if (to_string(kind) == text) return kind;
  return ErrorKind::Internal;
}

std::string describe(const Error& error) {
  std::string text;
  if (!error.file.empty()) text += error.file + ": ";
  text += error.message;
  if (!error.place.empty()) text += " (" + error.place + ")";
  text += ".";
  if (!error.hint.empty())
    text += " " + error.hint;
  else if (error.kind == ErrorKind::Internal)
    text += " This is probably an error in Jitterscope. Please report this message, what you did, and the "
            "output of \"jitterscope --version\".";
  return text;
}

} // namespace jitterscope
