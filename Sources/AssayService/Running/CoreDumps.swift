import Foundation

/// Dumps of the memory of the process, which has keys and evidence.
enum CoreDumps {
    /// Lets the system write none, also where no unit sets `LimitCORE=0`, as in a container.
    static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
