import Foundation

/// The limit of open files. Without a free file, Swift's runtime ends the process: clients must never hold all of them.
enum OpenFiles {
    /// Files for everything but the connections of clients: the ledger, the policy, connections to other servers, and connections
    /// beyond the limit that are open for a moment.
    private static let reserve = 256

    /// Raises the soft limit to the hard one, and divides the files between the listeners.
    ///
    /// - Parameters:
    ///   - connections: the configured limit of each listener.
    ///   - hasAdmin: whether there is a listener for operators, which gets at most an eighth of the files.
    ///   - services: how many services of the process divide its files.
    /// - Returns: the limits of connections of the two listeners, and the number of files for the service.
    static func divide(
        among connections: Int, hasAdmin: Bool, services: Int = 1
    ) -> (publicListener: Int, admin: Int, files: Int) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return (connections, connections, .max) }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { getrlimit(resource, &limit) }
        }
        let files = Int(clamping: limit.rlim_cur) / services
        let free = files - min(reserve, files / 2)
        let admin = hasAdmin ? max(1, min(connections, free / 8)) : 0
        return (max(1, min(connections, free - admin)), admin, files)
    }
}
