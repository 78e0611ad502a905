import Assay
import AssayCapture
import AssayCore
import AssayReplay
import AssayTesting
import Foundation

extension FuzzTarget {
    /// The corpora of replays: what files hold, compressed or not, record after record.
    static let corpus = FuzzTarget(
        name: "corpus", maximumLength: 8192,
        dictionary: [
            "\n", "\r\n", "[", "]", ",", "{\"kind\":\"a\",\"evidence\":{}}", "\u{1F}\u{8B}\u{08}",
            "\"sealed\":\"AAAA\"",
        ],
        seeds: {
            [
                MintedRecords.proof, MintedRecords.proof + [0x0A] + MintedRecords.token + [0x0A],
                Array("[".utf8) + MintedRecords.proof + Array("]".utf8),
                // Empty, as gzip and zstd write it.
                [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x00, 0x01, 0x00, 0x00, 0x99, 0xE9, 0xD8, 0x51],
            ]
        },
        run: { input in
            // Where decompression stops depends on how much is asked for at once.
            if input.starts(with: [0x1F, 0x8B]) || input.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
                guard records(input, chunkSize: 7) == records(input, chunkSize: 256 * 1024) else {
                    broken("pieces of other lengths make other records")
                }
                return
            }
            let first = items(input, chunkSize: 256 * 1024)
            // However the bytes come, the records are the same.
            guard items(input, chunkSize: 7) == first else { broken("pieces of other lengths make other records") }
        })

    /// The records among what is read of some bytes.
    private static func records(_ input: [UInt8], chunkSize: Int) -> [String] {
        items(input, chunkSize: chunkSize).filter { $0.utf8.last == UInt8(ascii: "\n") }
    }

    /// What is read of some bytes, each as a text that tells everything.
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

/// A file that no disk has, of this process alone.
private final class MemoryFile: Sendable {
    static let shared = MemoryFile()

    private let path: String

    private init() {
        let isThere = FileManager.default.fileExists(atPath: "/dev/shm")
        path = "\(isThere ? "/dev/shm" : NSTemporaryDirectory())/assay-fuzz-\(getpid())"
        atexit { MemoryFile.shared.remove() }
    }

    private func remove() { unlink(path) }

    /// The path of the file, which holds some bytes now.
    func path(of bytes: [UInt8]) -> String {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count, close(descriptor) == 0 else {
            FuzzTarget.broken("no file in memory")
        }
        return path
    }
}
