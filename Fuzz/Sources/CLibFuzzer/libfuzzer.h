#include <stddef.h>
#include <stdint.h>

// https://llvm.org/docs/LibFuzzer.html: "Using libFuzzer as a library", and custom mutators.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);
