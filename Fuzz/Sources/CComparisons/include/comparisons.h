#include <stdbool.h>

/// Says whether libFuzzer is told which numbers are compared, which it then puts into inputs; it is until then. That takes a
/// fifth to a third of the time, and is of little use where an input is no text of a format. Bytes that the C library compares
/// it sees in any case.
void tellComparisons(bool told);
