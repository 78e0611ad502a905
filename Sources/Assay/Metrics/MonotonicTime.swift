import Foundation

/// The system's monotonic clock. `ContinuousClock` and `DispatchTime` read the same clock with five times as many
/// instructions.
enum MonotonicTime {
    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
