#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Where an archive is truncated, for example after an interrupted copy.
struct ArchiveEnd {
  Error error;
  std::string within; ///< the member whose content is incomplete; empty: the archive ends between two members
};

/// Calls `each` with name and content of every member of a zip or (compressed) tar file on disk, until it
/// returns false. Folders and links are skipped. If the archive is truncated after at least one complete
/// member, the iteration ends there without error and sets `end`. Errors: BadInput for a damaged archive,
/// those of `each`.
Expected<void>
for_each_member(const std::string& path,
                const std::function<Expected<bool>(const std::string& name, ByteStream& content)>& each,
                std::optional<ArchiveEnd>& end);

/// The content of one member. Errors: BadInput when the archive is damaged or has no such member.
Expected<ByteStreamPointer> open_member(const std::string& path, const std::string& member);

} // namespace jitterscope::import
