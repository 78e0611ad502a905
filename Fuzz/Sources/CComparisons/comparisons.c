#include "comparisons.h"

#include <stdint.h>

static bool areTold = true;

void tellComparisons(bool told) { areTold = told; }

// The linker calls these instead of libFuzzer's own functions (--wrap in Package.swift). They jump to libFuzzer's
// functions, which examine the return address. https://clang.llvm.org/docs/SanitizerCoverage.html: "Tracing data flow".
#define COMPARISON(name, type)                                                     \
    void __real___sanitizer_cov_trace_##name(type left, type right);               \
    void __wrap___sanitizer_cov_trace_##name(type left, type right);               \
    void __wrap___sanitizer_cov_trace_##name(type left, type right) {              \
        if (areTold) __real___sanitizer_cov_trace_##name(left, right);             \
    }

COMPARISON(cmp1, uint8_t)
COMPARISON(cmp2, uint16_t)
COMPARISON(cmp4, uint32_t)
COMPARISON(cmp8, uint64_t)
COMPARISON(const_cmp1, uint8_t)
COMPARISON(const_cmp2, uint16_t)
COMPARISON(const_cmp4, uint32_t)
COMPARISON(const_cmp8, uint64_t)

void __real___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);
void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);
void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) {
    if (areTold) __real___sanitizer_cov_trace_switch(value, cases);
}
