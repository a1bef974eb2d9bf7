# cmake -DLIST=FILE -DROOT=FOLDER -DOUTPUT=FILE -P readers_version.cmake: writes a C++ source with the SHA-256 of the files
# that LIST names, one path per line, relative to ROOT.
file(STRINGS ${LIST} sources)
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} sum)
  string(APPEND sums "${source} ${sum}\n")
endforeach()
string(SHA256 version "${sums}")
file(WRITE ${OUTPUT} "#include \"core/import/readers_version.h\"

namespace jitterscope::import {
std::string_view readers_version() {
  return \"${version}\";
}
} // namespace jitterscope::import
")
