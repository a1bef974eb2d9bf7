#pragma once

#include <string>
#include <tl/expected.hpp>

namespace jitterscope {

/// Kinds of errors that callers handle differently. The command line maps them to exit codes: BadUse 1,
/// BadInput 2, Engine 3, everything else 3.
enum class ErrorKind { BadUse, BadInput, Engine, Cancelled, Io, Internal };

/// An error is a value: a sentence, where it happened and what the user can do about it.
struct Error {
  ErrorKind kind = ErrorKind::Internal;
  std::string message; ///< one sentence, no trailing full stop
  std::string file;    ///< the file concerned, empty if none
  std::string place;   ///< line, table, column or byte offset inside it, empty when unknown
  std::string hint;    ///< what to do next, empty when nothing helps
};

template <class T>
using Expected = tl::expected<T, Error>;

/// `return failure(ErrorKind::BadInput, "…", file);`
[[nodiscard]] inline tl::unexpected<Error> failure(ErrorKind kind, std::string message, std::string file = {},
                                                   std::string place = {}, std::string hint = {}) {
  return tl::unexpected<Error>(
      Error{kind, std::move(message), std::move(file), std::move(place), std::move(hint)});
}

/// Passes an error on from a function that returns another Expected.
[[nodiscard]] inline tl::unexpected<Error> forward(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

/// Moves a result to `to`, or returns its error.
template <class T>
[[nodiscard]] Expected<void> assign(auto& to, Expected<T> result) {
  if (!result) return forward(std::move(result.error()));
  to = std::move(*result);
  return {};
}

/// "bad-input" and so on, as in the JSON contract.
std::string to_string(ErrorKind kind);

/// The inverse of to_string; unknown text is Internal.
ErrorKind error_kind_from(const std::string& text);

/// "file: message (place). hint". Internal errors without a hint get advice how to report them.
std::string describe(const Error& error);

} // namespace jitterscope
