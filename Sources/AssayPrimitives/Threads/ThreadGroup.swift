#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Threads in a few groups, for what is kept from one request to the next: a copy for each group.
///
/// A single one would be in the way of threads that are at work at once: one finds the lock taken, and all contend for
/// counting the references to what is kept. Which group a thread is in depends on who it is; two seldom share one.
package enum ThreadGroup {
    /// How many groups there are: a power of two.
    package static let count = 1 << bits
    private static let bits: UInt64 = 4

    /// Which group this thread is in: less than ``count``.
    package static var current: Int {
        // A thread is named by an address. Those of different threads differ in bits from the middle upwards.
        #if canImport(Glibc)
            let name = UInt64(pthread_self())
        #else
            let name = unsafe UInt64(UInt(bitPattern: pthread_self()))
        #endif
        return Int(truncatingIfNeeded: (name &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits))
    }

    /// Keeps what stands before it in one object and what stands behind it in the next from sharing a line of the
    /// processor's cache.
    package struct Gap: Sendable {
        private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

        package init() {}
    }
}
