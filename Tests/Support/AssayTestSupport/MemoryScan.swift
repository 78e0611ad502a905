import Foundation

/// Searches the memory of a child process that is waiting for input.
package enum MemoryScan {
    /// Why memory could not be read.
    package struct Unreadable: Error, CustomStringConvertible {
        /// What happened.
        package let description: String
    }

    /// Counts the occurrences of each needle in writable memory: heap, stacks and data. Leaves out absent needles.
    ///
    /// Skips read-only file mappings, because a process cannot copy data into them.
    package static func counts(of secrets: [SecretForms], in process: Int32) throws -> [String: Int] {
        let search = NeedleSearch(secrets.flatMap(\.needles))
        var counts: [String: Int] = [:]
        var searched = 0
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw Unreadable(description: String(cString: strerror(errno))) }
        defer { close(memory) }
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 2, fields[1].hasPrefix("rw") else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2 else { throw Unreadable(description: "no range of memory: \(line)") }
            let bytes = read(memory, ends[0]..<ends[1])
            searched += bytes.count
            counts.merge(search.counts(in: bytes)) { $0 + $1 }
        }
        guard searched > 0 else { throw Unreadable(description: "nothing of process \(process) can be read") }
        return counts
    }

    /// The readable bytes of a mapping. Skips pages that were unmapped meanwhile.
    private static func read(_ memory: Int32, _ range: Range<UInt64>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(range.upperBound - range.lowerBound)) { buffer, filled in
            while filled < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let count = pread(memory, rest.baseAddress, rest.count, off_t(range.lowerBound) + off_t(filled))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                filled += count
            }
        }
    }
}
