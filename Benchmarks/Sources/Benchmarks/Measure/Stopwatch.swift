import Foundation

/// One operation, done a number of times.
typealias Batch = (_ count: Int) -> Void

/// How long something took, in seconds.
enum Stopwatch {
    /// This thread's processor time: what others do on a shared machine does not count.
    static func thread(_ body: () -> Void) -> Double {
        let start = seconds(CLOCK_THREAD_CPUTIME_ID)
        body()
        return seconds(CLOCK_THREAD_CPUTIME_ID) - start
    }

    /// The process's processor time, for work that may go from thread to thread.
    static func process(_ body: () async throws -> Void) async rethrows -> Double {
        let start = seconds(CLOCK_PROCESS_CPUTIME_ID)
        try await body()
        return seconds(CLOCK_PROCESS_CPUTIME_ID) - start
    }

    /// Wall time, for work on several threads.
    static func wall(_ body: () -> Void) -> Double {
        let start = seconds(CLOCK_MONOTONIC)
        body()
        return seconds(CLOCK_MONOTONIC) - start
    }

    /// Wall time of work that waits.
    static func wall(_ body: () async throws -> Void) async rethrows -> Double {
        let start = seconds(CLOCK_MONOTONIC)
        try await body()
        return seconds(CLOCK_MONOTONIC) - start
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
