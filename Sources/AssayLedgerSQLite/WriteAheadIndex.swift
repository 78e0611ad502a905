import GRDBSQLite
import Synchronization

/// The beginning of the index of the write-ahead log, which all processes with the file share in memory. Each commit of any of them
/// changes it before it is answered, so that what was read stays true as long as it stays the same.
///
/// <https://www.sqlite.org/walformat.html#the_wal_index_header>
struct WriteAheadIndex {
    /// The header: counters of commits and frames, sizes, and checksums of all frames.
    struct State: Equatable {
        private let words: (SIMD4<UInt64>, SIMD2<UInt64>)

        fileprivate init(_ start: UnsafeRawPointer) {
            words = (
                start.loadUnaligned(as: SIMD4<UInt64>.self),
                start.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self)
            )
        }

        /// A counter of commits, from 0 in a new index.
        fileprivate var commits: UInt32 { UInt32(truncatingIfNeeded: words.0[1]) }

        static func == (one: State, other: State) -> Bool { one.words == other.words }
    }

    private static let headerLength = 48
    /// The length of the part that SQLite maps at once.
    private static let partLength: Int32 = 32_768
    private let start: UnsafeRawPointer

    /// - Parameter connection: one that has read the file. The index must not be used after it is closed.
    /// - Returns: nil without an index, as in other modes of the journal.
    init?(of connection: OpaquePointer) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var part: UnsafeMutableRawPointer?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2, let map = methods.xShmMap,
            map(file, 0, Self.partLength, 0, &part) == SQLITE_OK, let part
        else { return nil }
        start = UnsafeRawPointer(part)
    }

    /// The present state; nil while a process changes it, and while nothing was written since it was made anew: such an index of another
    /// file content could be equal.
    var state: State? {
        // A writer changes the copy behind it first, and SQLite reads in this order too.
        let state = State(start)
        atomicMemoryFence(ordering: .acquiring)
        return State(start + Self.headerLength) == state && state.commits != 0 ? state : nil
    }
}
