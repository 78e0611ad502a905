"""Maps the functions of a profile to the steps that `make profile` writes."""

import collections
import os
import re

# The paths whose ratios are published.
PATHS = [
    "p256-verification", "assertion", "attestation", "attestation-with-receipt", "classic-token", "standard-answer",
    "approov-hs256", "approov-es256", "signed-message", "signed-message-with-body", "json-payload",
]
# Steps of less than this share are one row.
LEAST = 0.002

REFERENCES = re.compile(r"retain|release|RefCount|isUniquelyReferenced|swift_beginAccess|swift_endAccess|AccessSet", re.I)
MEMORY = re.compile(
    r"malloc|calloc|^free$|_int_free|realloc|cfree|swift_(slow)?(alloc|dealloc)|Dealloc|deallocating|unlink_chunk|"
    r"arrayDestroy|arrayInit|_consumeAndCreateNew|createNewBuffer|^_ZdlPv|^_Znwm", re.I)
COPYING = re.compile(r"mem(cpy|move|set|cmp|chr)|bcmp|str(len|cmp)")
# A module and a type of it, in a mangled name of Swift's.
MANGLED = re.compile(r"^\$s(\d+)")
MODULES = {
    "AssayPrimitives", "AssayCore", "AppAttest", "PlayIntegrity", "Approov", "Assay", "AssayTesting", "HotPaths",
    "Crypto", "CryptoBoringWrapper",
}


def names(mangled):
    """The leading names of a mangled name: its module, and the type in it."""
    found = []
    rest = mangled[2:]
    while len(found) < 2:
        match = re.match(r"(\d+)", rest)
        if not match:
            break
        length = int(match.group(1))
        start = len(match.group(1))
        found.append(rest[start:start + length])
        rest = rest[start + length:]
    return found


def step(object_name, function, is_cryptography):
    function = function.split("'")[0]
    if is_cryptography(object_name, function):
        return "cryptography"
    if REFERENCES.search(function):
        return "counting references (Swift's runtime)"
    if MEMORY.search(function):
        return "memory (the C library, Swift's runtime)"
    if COPYING.search(function):
        return "copying and comparing bytes (the C library)"
    if MANGLED.match(function):
        found = names(function)
        if found and found[0] in MODULES:
            return ": ".join(found)
        for module in sorted(MODULES, key=len, reverse=True):
            # A function of Swift's library that is made for a type of ours, or an extension.
            match = re.search(rf"{len(module)}{module}(\d+)", function)
            if match:
                start = match.end()
                return f"{module}: {function[start:start + int(match.group(1))]}"
    library = os.path.basename(object_name)
    if library.startswith("libswift") or function.startswith(("$s", "swift_")):
        return "strings, arrays and types (Swift's library)"
    if library.startswith("libc."):
        return "the C library, besides"
    return library or "unknown"


def table(profiles, cryptography, machine):
    """The Markdown of some paths."""
    lines = [
        "# Where the instructions go", "",
        "Written by `make profile`: the instructions of one operation, counted by callgrind, by what they are spent on. A type",
        "of Assay stands for its own functions; what these call stands in rows of its own. `p256-verification` is one check of",
        "a signature by swift-crypto and nothing else: what `assertion` takes above it is all that reading and judging take.",
        "Instructions are not time: ratios of time are what `make bench` measures.", "",
        "Counted with " + ", ".join(f"{name} {value}" for name, value in machine.items() if value) + ".", "",
    ]
    for name, (costs, count) in profiles.items():
        steps = collections.Counter()
        for (object_name, function), cost in costs.items():
            steps[step(object_name, function, cryptography.includes)] += cost
        whole = sum(steps.values())
        lines += [f"## {name}", "", f"{whole / count:,.0f} instructions.", "", "| step | instructions | share |", "|---|---:|---:|"]
        rest = 0
        for label, cost in steps.most_common():
            if cost / whole < LEAST:
                rest += cost
                continue
            lines.append(f"| {label} | {cost / count:,.0f} | {cost / whole * 100:.1f} % |")
        lines += [f"| all others, each less than {LEAST * 100:.1f} % | {rest / count:,.0f} | {rest / whole * 100:.1f} % |", ""]
    return "\n".join(lines[:-1]) + "\n"
