import Foundation

/// What something costs the processor. Other tests, and a busy machine, make it take longer on a clock, and cost no more.
package enum ProcessorTime {
    /// How long this thread computes for something that it does itself.
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
