import AssayReplay
import Foundation

/// Reads the summaries of replays.
enum SummaryFile {
    /// What stands before a summary in the output of a mapper.
    static let prefix = "summary\t"

    /// The summaries of a file, one per line.
    ///
    /// - Parameter path: the file, and `-` for standard input.
    static func read(_ path: String) throws(CommandFailure) -> [ReplaySummary] {
        let name = InputFile.name(path)
        let bytes = try InputFile.read(path, limit: ReplaySummary.maximumBytes)
        var summaries: [ReplaySummary] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
            guard !isBlank else { continue }
            let json = line.starts(with: prefix.utf8) ? line.dropFirst(prefix.utf8.count) : line
            do throws(SummaryError) {
                summaries.append(try ReplaySummary(json: json))
            } catch {
                // Offsets count from the beginning of the file.
                throw CommandFailure(.unreadable, "\(name), line \(index + 1), \(error)")
            }
        }
        guard !summaries.isEmpty else { throw CommandFailure(.unreadable, "\(name) has no summary") }
        return summaries
    }
}
