#pragma once

#include <functional>
#include <string>

#include "core/import/input/byte_stream.h"

namespace jitterscope::import {

/// The members of a zip or (compressed) tar file on disk, one after the other: `each` gets name and content
/// and returns false to stop. Folders and links are passed over. Errors: BadInput for a damaged archive, what
/// `each` returns.
Expected<void>
for_each_member(const std::string& path,
                const std::function<Expected<bool>(const std::string& name, ByteStream& content)>& each);

/// The content of one member. Errors: BadInput when the archive is damaged or has no such member.
Expected<ByteStreamPointer> open_member(const std::string& path, const std::string& member);

} // namespace jitterscope::import
