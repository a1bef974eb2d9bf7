#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/import/bytes/byte_stream.h"

namespace jitterscope::import {

/// Where an archive breaks off, as a copy that was interrupted leaves it.
struct ArchiveEnd {
  Error error;
  std::string within; ///< the member whose content is not whole; empty: the break lies between two
};

/// The members of a zip or (compressed) tar file on disk, one after the other: `each` gets name and content
/// and returns false to stop. Folders and links are passed over. A tar that is cut off behind its first
/// member ends there, which `end` tells. Errors: BadInput for a damaged archive, what `each` returns.
Expected<void>
for_each_member(const std::string& path,
                const std::function<Expected<bool>(const std::string& name, ByteStream& content)>& each,
                std::optional<ArchiveEnd>& end);

/// The content of one member. Errors: BadInput when the archive is damaged or has no such member.
Expected<ByteStreamPointer> open_member(const std::string& path, const std::string& member);

} // namespace jitterscope::import
