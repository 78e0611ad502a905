#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Assigns threads to a fixed number of groups, each with its own copy of a cache. With one shared copy, threads would
/// contend for its lock and its reference counts. The group is a hash of the thread's identity: two threads can share a
/// group.
package enum ThreadGroup {
    /// The number of groups: a power of two.
    package static let count = 1 << bits
    private static let bits: UInt64 = 4

    /// The group of the current thread: less than ``count``.
    package static var current: Int {
        // pthread_self() is an address: addresses of threads differ from the middle bits upwards.
        #if canImport(Glibc)
            let name = UInt64(pthread_self())
        #else
            let name = unsafe UInt64(UInt(bitPattern: pthread_self()))
        #endif
        return Int(truncatingIfNeeded: (name &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits))
    }

    /// Padding of one cache line: prevents false sharing with the next object.
    package struct Gap: Sendable {
        private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

        package init() {}
    }
}
