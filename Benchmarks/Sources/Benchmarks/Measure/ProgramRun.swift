import Foundation

/// A program that is started, and runs to its end.
struct ProgramRun: Sendable {
    let name: String
    let path: String
    let arguments: [String]

    /// Runs it once, its output thrown away.
    /// - Returns: the seconds of processor time that it took, the system's part included.
    func processorTime() -> Double {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        require(posix_spawn(&process, path, &actions, nil, &words, environ) == 0, "\(path) cannot be started")
        var status: Int32 = 0
        var usage = rusage()
        require(wait4(process, &status, 0, &usage) == process && status == 0, "\(name) fails")
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
    }
}
