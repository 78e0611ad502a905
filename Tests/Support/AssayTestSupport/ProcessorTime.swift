import Foundation

/// Measures processor time. Unlike elapsed time, it does not depend on other tests or the load of the machine.
package enum ProcessorTime {
    /// The processor time that `body` takes on this thread.
    package static func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = now()
        try body()
        return now() - start
    }

    private static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
