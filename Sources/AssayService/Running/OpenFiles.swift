import Foundation

/// How many files the process may open. Without a free one, the runtime of Swift ends the process: clients must not hold all of them.
enum OpenFiles {
    /// What the process needs besides connections of clients: ledger, policy, connections to other servers.
    private static let reserve = 256

    /// Raises the limit as far as the system allows, and divides the files among the listeners.
    ///
    /// - Parameters:
    ///   - connections: the most connections of each listener.
    ///   - hasAdmin: whether there is a listener of operators. It gets at most an eighth.
    /// - Returns: the most connections of the public listener and of that of operators, at least one each.
    static func divide(
        among connections: Int, hasAdmin: Bool
    ) -> (publicListener: Int, admin: Int, files: Int) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return (connections, connections, .max) }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { getrlimit(resource, &limit) }
        }
        let files = Int(clamping: limit.rlim_cur)
        let free = files - min(reserve, files / 2)
        let admin = hasAdmin ? max(1, min(connections, free / 8)) : 0
        return (max(1, min(connections, free - admin)), admin, files)
    }
}
