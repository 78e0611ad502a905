#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A check that failed on a thread that ran out of memory has no result: the verification ends with an outage.
///
/// C libraries report a failed allocation as a false result: OpenSSL's `X509_verify_cert` rejects a good signature,
/// swift-crypto returns false, and OpenSSL clears its error queue in places. All of them call `malloc`, which sets
/// ENOMEM (POSIX.1-2024, malloc) on the thread of the check. A check never changes threads.
struct AllocationFailure: CheckFinding {
    let code = "out-of-memory"
    let detail = "there was not enough memory to run the check"

    /// Starts to watch the allocations of this thread.
    static func startWatching() { errno = 0 }

    /// Whether an allocation of this thread has failed since ``startWatching()``. Ask only after a failed check: a
    /// retry of the allocator may have succeeded, so a passed check stays valid.
    static var occurred: Bool { errno == ENOMEM }
}
