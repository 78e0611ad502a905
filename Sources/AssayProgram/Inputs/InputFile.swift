import AssayCore
import Foundation

/// Reads an input: a file, or standard input for `-`.
enum InputFile {
    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Reads a whole file; `-` is standard input. Stops at the limit: a device or a pipe may have no end.
    ///
    /// - Parameter expected: what belongs into an empty input, for the error; nil to leave it out.
    /// - Throws: ``CommandFailure`` if the input is unreadable, empty or longer than the limit.
    static func read(_ path: String, limit: Int, expected: String? = nil) throws(CommandFailure) -> [UInt8] {
        func failure(_ text: String) -> CommandFailure { CommandFailure(.unreadable, "\(name(path)) \(text)") }
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot be read: \(SystemError.text(errno))") }
        defer { if path != "-" { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure("cannot be read: \(SystemError.text(errno))")
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw failure("has more than the \(limit) bytes that are allowed") }
        }
        guard !bytes.isEmpty else { throw failure("is empty\(expected.map { "; \($0)" } ?? "")") }
        return bytes
    }
}

/// Converts byte offsets to line numbers, for errors.
struct LineIndex {
    private let lineFeeds: [Int]

    /// Indexes the line feeds in one pass.
    init(_ bytes: [UInt8]) {
        lineFeeds = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    }

    /// The line that contains a byte, counted from 1.
    func line(of offset: Int) -> Int {
        var (low, high) = (0, lineFeeds.count)
        while low < high {
            let middle = (low + high) / 2
            if lineFeeds[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low + 1
    }
}
