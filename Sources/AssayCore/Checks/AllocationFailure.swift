#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A check failed while memory was short, so its result means nothing: the verification ends with an outage.
///
/// Swift's runtime ends the process when an allocation fails, but C libraries report failure as if the input were false:
/// OpenSSL's `X509_verify_cert` rejects a good signature, and swift-crypto returns false. OpenSSL's error queue is no help,
/// since OpenSSL clears it in places. All of them allocate with `malloc`, which sets ENOMEM (POSIX.1-2024, malloc) on the
/// thread of the check; a check never changes threads.
struct AllocationFailure: CheckFinding {
    let code = "out-of-memory"
    let detail = "there was not enough memory to run the check"

    /// Starts to watch the allocations of this thread.
    static func startWatching() { errno = 0 }

    /// Whether an allocation of this thread has failed since.
    ///
    /// A retry of the allocator may have succeeded, so only a failed check is doubted for it, never a passed one.
    static var occurred: Bool { errno == ENOMEM }
}
