# Removes the empty base class of the option types in HEADER: designated initialisers of a type with a base class cause
# warnings about a missing initialiser.
file(READ ${HEADER} text)
string(REPLACE " : public flatbuffers::NativeTable" "" text "${text}")
file(WRITE ${HEADER} "${text}")
