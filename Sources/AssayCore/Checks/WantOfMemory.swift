#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A check could not be made for want of memory. It is no result: ``Ledger/settle(_:at:)`` makes an outage of it.
///
/// Swift's run time ends the process where it gets no memory, but libraries in C answer as if what they were given were
/// false: OpenSSL's `X509_verify_cert` calls a good signature bad, and swift-crypto has nothing but false to say so with.
/// What OpenSSL notes of it in its queue of errors it forgets again in places. But all of them allocate with `malloc`, which
/// leaves ENOMEM behind (POSIX.1-2024, malloc), on the thread that a check runs on from its beginning to its end.
struct WantOfMemory: CheckFinding {
    let code = "out-of-memory"
    let detail = "there was not enough memory to tell"

    /// Begins to watch the allocations of this thread.
    static func watch() { errno = 0 }

    /// Whether an allocation of this thread has failed since. Where the allocator had to ask twice it may have succeeded in
    /// the end, so that only a refusal is to be doubted for it.
    static var isFelt: Bool { errno == ENOMEM }
}
