// What the baselines call of libcbor: its decoder into a tree, which ours does not use.
#include <cbor.h>
