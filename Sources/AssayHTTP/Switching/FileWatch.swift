import Assay
import AssayCore
import AssayPrimitives
import Foundation
import UnixSignals

/// Reports when files must be read again: at the start, after a change, and on SIGHUP.
package struct FileWatch: Sendable {
    /// Why files are read again.
    package enum Cause: String, Sendable {
        /// The files may have changed since they were read.
        case start = "the watch began"
        /// The content, the modification time or the mode of a file has changed.
        case change = "the file changed"
        /// The process received SIGHUP.
        case signal = "SIGHUP"
    }

    /// The last known state of the files. It stores no content, which may be a key.
    private struct State: Equatable {
        /// When content or mode changed, in seconds and nanoseconds since 1970.
        let changed: [[Int]]
        let digests: [[UInt8]?]

        init(_ paths: [String]) {
            changed = paths.map { path in
                var status = stat()
                return stat(path, &status) == 0 ? [status.st_ctim.tv_sec, status.st_ctim.tv_nsec] : []
            }
            digests = paths.map { path in
                // A larger file is none that is read.
                guard let bytes = try? TrustedFile.read(path, limit: InputLimits.policy) else { return nil }
                return bytes.withUnsafeBytes { Digest.sha256(Array($0)) }
            }
        }
    }

    private let paths: [String]
    private let interval: Duration

    /// Prepares a watch.
    ///
    /// - Parameter interval: the time between looks at the files.
    package init(_ paths: [String], interval: Duration) {
        self.paths = paths
        self.interval = interval
    }

    /// Calls `body` for each cause until the task is cancelled. The calls are sequential, so the last read file takes
    /// effect last.
    package func run(_ body: (Cause) async -> Void) async {
        let (causes, asked) = AsyncStream.makeStream(of: Cause.self, bufferingPolicy: .bufferingNewest(2))
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in signals { asked.yield(.signal) }
            }
            group.addTask { await poll(asked) }
            for await cause in causes { await body(cause) }
            group.cancelAll()
        }
    }

    /// Reports a change after it is stable for one interval: a half-written file can be a valid file with fewer
    /// demands.
    private func poll(_ asked: AsyncStream<Cause>.Continuation) async {
        var known = State(paths)
        var former = known
        asked.yield(.start)
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            let present = State(paths)
            if present != known, present == former {
                known = present
                asked.yield(.change)
            }
            former = present
        }
    }
}
