import AssayCore
import Foundation

/// Detects changes of files: of their content, and of their time of modification.
struct FileWatch {
    private struct State: Equatable {
        let modified: [Date?]
        let contents: [Data?]

        init(_ paths: [String]) {
            modified = paths.map {
                (try? FileManager.default.attributesOfItem(atPath: $0))?[.modificationDate] as? Date
            }
            contents = paths.map { path in
                let file = FileHandle(forReadingAtPath: path)
                defer { try? file?.close() }
                return file.flatMap { try? $0.readToEnd() ?? Data() }
            }
        }
    }

    private let paths: [String]
    private var known: State
    private var former: State

    init(_ paths: [String]) {
        self.paths = paths
        known = State(paths)
        former = known
    }

    /// Whether the files have changed since this was last true, and are as they were at the last look: half a file may be a valid one.
    mutating func hasChanged() -> Bool {
        let present = State(paths)
        defer { former = present }
        guard present != known, present == former else { return false }
        known = present
        return true
    }
}
