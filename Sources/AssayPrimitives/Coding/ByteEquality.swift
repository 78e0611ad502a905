#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Inlinable: lets the calling module specialise them.

extension StringProtocol {
    /// Whether two texts have the same bytes in UTF-8.
    ///
    /// Never compare or hash input as `String`: canonically equivalent texts would be equal, and sorting the combining
    /// marks of a character takes time quadratic in their number.
    @inlinable
    package func isByteEqual(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Whether two texts have the same bytes in UTF-8; the faster overload for `String`.
    @inlinable
    @inline(__always)
    package func isByteEqual(to other: String) -> Bool {
        // Inlined up to here: most texts that differ have different lengths.
        utf8.count == other.utf8.count && holdsBytes(of: other)
    }

    /// Whether two texts of the same length have the same bytes.
    // Read-only: the caller need not count references to the texts around the call.
    @usableFromInline
    @_effects(readonly)
    func holdsBytes(of other: String) -> Bool {
        // Native strings are contiguous; strings bridged on Darwin may not be.
        let isEqual = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in unsafe holdSame(left, right) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension ArraySlice<UInt8> {
    /// Whether two slices hold the same bytes, by `memcmp`. Not for secrets: the time depends on the first difference.
    package func isByteEqual(to other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBufferPointer { left in
            unsafe other.withUnsafeBufferPointer { right in unsafe holdSame(left, right) }
        }
    }

    /// Whether a slice and an array hold the same bytes. Not for secrets.
    package func isByteEqual(to other: [UInt8]) -> Bool { isByteEqual(to: other[...]) }

    /// Whether a slice holds a text in UTF-8. Not for secrets.
    package func isByteEqual(to text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        return unsafe withUnsafeBufferPointer { left in
            unsafe text.utf8.withContiguousStorageIfAvailable { right in unsafe holdSame(left, right) }
        } ?? elementsEqual(text.utf8)
    }
}

/// Whether two pieces of memory of the same length hold the same bytes.
@usableFromInline
func holdSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
    return unsafe leftStart == rightStart || memcmp(leftStart, rightStart, left.count) == 0
}

extension Sequence where Element: StringProtocol {
    /// Whether one of these texts has the same bytes in UTF-8 as `text`.
    @inlinable
    package func containsBytes(of text: some StringProtocol) -> Bool {
        contains { $0.isByteEqual(to: text) }
    }
}

extension Sequence<String> {
    /// Whether one of these texts has the same bytes in UTF-8 as `text`; the faster overload for `String`.
    @inlinable
    package func containsBytes(of text: String) -> Bool {
        contains { $0.isByteEqual(to: text) }
    }
}
