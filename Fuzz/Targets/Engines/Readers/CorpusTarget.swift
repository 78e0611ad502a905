import Assay
import AssayCore
import AssayReplay
import AssayTesting
import CZlib
import Foundation

extension FuzzTarget {
    /// The corpora of replays: the records of files, compressed or not.
    static let corpus = FuzzTarget(
        name: "corpus", maximumLength: 8192,
        dictionary: [
            "\n", "\r\n", "[", "]", ",", "{\"kind\":\"a\",\"evidence\":{}}", "\u{1F}\u{8B}\u{08}",
            "\"sealed\":\"AAAA\"",
        ],
        seeds: {
            [
                MintedRecords.all[0], Array(MintedRecords.all.suffix(2).joined(separator: [0x0A])),
                Array("[".utf8) + MintedRecords.all[1] + Array("]".utf8),
                gzip(MintedRecords.all[1]), zstd(MintedRecords.all[1]),
            ]
        },
        run: { input in
            // The records are the same for every chunk size.
            let (pieces, whole) = (items(input, chunkSize: 7), items(input, chunkSize: 256 * 1024))
            guard isDamaged(pieces) || isDamaged(whole) else {
                require(pieces == whole, "pieces of other lengths make other records")
                return records(whole).count == whole.count
            }
            let (before, also) = (records(pieces), records(whole))
            guard isOfZstd(input) else {
                require(before == also, "other records are read before damage")
                return false
            }
            // How many bytes zstd returns before damage depends on the size of the output buffer. If the buffer holds a
            // whole frame, zstd finds damage that it otherwise misses, such as a wrong content size, and accepts a
            // window that is too large.
            require(
                before.starts(with: also) || also.starts(with: before), "other records are read before damage")
            return false
        })

    /// One member of gzip with one stored block (RFC 1952 section 2.3, RFC 1951 section 3.2.4).
    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let length = littleEndian(bytes.count, 2)
        let checksum = crc32(0, bytes, UInt32(bytes.count))
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + length + length.map { ~$0 } + bytes
            + littleEndian(Int(checksum), 4) + littleEndian(bytes.count, 4)
    }

    /// One frame of zstd with one raw block (RFC 8878 sections 3.1.1.1 and 3.1.1.2).
    private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
        [0x28, 0xB5, 0x2F, 0xFD, 0xA0] + littleEndian(bytes.count, 4) + littleEndian(bytes.count << 3 | 1, 3) + bytes
    }

    private static func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Whether a file begins with a zstd frame, or with a skippable one (RFC 8878 sections 3.1.1 and 3.1.2).
    private static func isOfZstd(_ input: [UInt8]) -> Bool {
        input.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
            || (input.first.map { $0 & 0xF0 } == 0x50 && input.dropFirst().starts(with: [0x2A, 0x4D, 0x18]))
    }

    /// Whether the compressed data is damaged. No records follow the damage.
    private static func isDamaged(_ items: [String]) -> Bool { items.last?.contains("the compressed data") ?? false }

    /// The records among some items.
    private static func records(_ items: [String]) -> [String] { items.filter { $0.utf8.last == UInt8(ascii: "\n") } }

    /// The items read from some bytes, each as a complete text.
    private static func items(_ input: [UInt8], chunkSize: Int) -> [String] {
        var options = CorpusOptions()
        options.chunkSize = chunkSize
        let reader: CorpusReader
        do {
            reader = try CorpusReader(paths: [MemoryFile.shared.path(of: input)], options: options)
        } catch {
            broken("a file in memory is no corpus: \(error)")
        }
        var items: [String] = []
        while let batch = reader.next() {
            for item in batch.items {
                switch item.record() {
                case .success(let record): items.append("\(item.place.number) \(record.json)")
                case .failure(let failure): items.append("\(item.place.number) \(failure.description)")
                }
            }
        }
        return items
    }
}

/// A file in memory, private to this process.
private final class MemoryFile: Sendable {
    static let shared = MemoryFile()

    private let path: String

    private init() {
        let isThere = FileManager.default.fileExists(atPath: "/dev/shm")
        path = "\(isThere ? "/dev/shm" : NSTemporaryDirectory())/assay-fuzz-\(getpid())"
        atexit { MemoryFile.shared.remove() }
    }

    private func remove() { unlink(path) }

    /// Writes some bytes to the file. Returns its path.
    func path(of bytes: [UInt8]) -> String {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count, close(descriptor) == 0 else {
            FuzzTarget.broken("no file in memory")
        }
        return path
    }
}
