#include <stdbool.h>

/// Sets whether libFuzzer receives the compared numbers, which it then inserts into inputs. The default is true.
/// Receiving them takes a fifth to a third of the time, and helps little if the input is not text of a format.
/// libFuzzer always sees the bytes that the C library compares.
void tellComparisons(bool told);
