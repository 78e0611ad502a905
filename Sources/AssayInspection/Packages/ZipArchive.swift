import AssayCore

/// Why a file of an app gives no build.
package struct AppFileProblem: Error, CustomStringConvertible {
    /// What was found, and what is expected.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Reads parts of a file, which may be too large for memory.
package struct AppFileBytes: Sendable {
    /// The length of the file in bytes.
    package let count: Int
    private let read: @Sendable (_ offset: Int, _ count: Int) throws -> [UInt8]

    /// - Parameter read: the bytes at an offset, all of them.
    package init(count: Int, read: @escaping @Sendable (_ offset: Int, _ count: Int) throws -> [UInt8]) {
        self.count = count
        self.read = read
    }

    /// The bytes of a range. Throws for one outside of the file, and if the file cannot be read.
    func bytes(at offset: Int, _ length: Int) throws(AppFileProblem) -> [UInt8] {
        guard offset >= 0, length >= 0, length <= count, offset <= count - length else {
            throw AppFileProblem("the file is cut off: it has \(count) bytes")
        }
        do {
            let bytes = try read(offset, length)
            guard bytes.count == length else { throw AppFileProblem("the file has become shorter") }
            return bytes
        } catch {
            throw error as? AppFileProblem ?? AppFileProblem("the file cannot be read: \(error)")
        }
    }
}

/// The entries of a zip archive (PKWARE APPNOTE 6.3), as .apk, .aab and .ipa files are. Archives in the form zip64 are refused.
struct ZipArchive {
    /// An entry of the central directory.
    struct Entry {
        let name: String
        fileprivate let method: UInt16
        fileprivate let compressedSize: Int
        /// The length of the contents in bytes, as the archive says.
        let size: Int
        fileprivate let offset: Int
    }

    /// The most bytes of the central directory, which is read as a whole.
    private static let directoryLimit = 32 << 20
    /// The most bytes of an entry's contents.
    static let contentLimit = 16 << 20

    let entries: [Entry]
    /// Where the central directory begins. The signatures of an .apk are in front of it.
    let directoryOffset: Int
    let file: AppFileBytes

    init(_ file: AppFileBytes) throws(AppFileProblem) {
        self.file = file
        // The end record has 22 bytes, and a comment of up to 65535 bytes behind it.
        let tail = try file.bytes(at: max(0, file.count - 22 - 65_535), min(file.count, 22 + 65_535))
        let starts = tail.count < 22 ? [] : (0...(tail.count - 22)).reversed()
        guard
            let end = starts.first(where: {
                tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) && $0 + 22 + Int(tail.little16($0 + 20)) == tail.count
            })
        else { throw AppFileProblem("the file is no zip archive, as .apk, .aab and .ipa files are") }
        let (count, size, offset) = (
            Int(tail.little16(end + 10)), Int(tail.little32(end + 12)), Int(tail.little32(end + 16))
        )
        guard count != 0xFFFF, size != 0xFFFF_FFFF, offset != 0xFFFF_FFFF else {
            throw AppFileProblem("the archive has the form zip64, which is not read: name the build itself")
        }
        guard size <= Self.directoryLimit else {
            throw AppFileProblem(
                "the directory of the archive has \(size) bytes, at most \(Self.directoryLimit) are allowed")
        }
        directoryOffset = offset
        entries = try Self.entries(file.bytes(at: offset, size), count)
    }

    private static func entries(_ bytes: [UInt8], _ count: Int) throws(AppFileProblem) -> [Entry] {
        var entries: [Entry] = []
        var start = 0
        for _ in 0..<count {
            guard bytes.count - start >= 46, bytes[start...].starts(with: [0x50, 0x4B, 1, 2]) else {
                throw AppFileProblem("entry \(entries.count + 1) of the archive's directory is malformed")
            }
            let lengths = [28, 30, 32].map { Int(bytes.little16(start + $0)) }
            let next = start + 46 + lengths.reduce(0, +)
            guard next <= bytes.count else {
                throw AppFileProblem("entry \(entries.count + 1) of the archive's directory is cut off")
            }
            entries.append(
                Entry(
                    name: String(decoding: bytes[(start + 46)...].prefix(lengths[0]), as: UTF8.self),
                    method: bytes.little16(start + 10), compressedSize: Int(bytes.little32(start + 20)),
                    size: Int(bytes.little32(start + 24)), offset: Int(bytes.little32(start + 42))))
            start = next
        }
        return entries
    }

    /// The only entry with a name; nil for none. Throws for two: programs differ in which one they read.
    func entry(_ name: String) throws(AppFileProblem) -> Entry? {
        let found = entries.filter { $0.name.isByteEqual(to: name) }
        guard found.count <= 1 else { throw AppFileProblem("the archive has \(found.count) entries \(name)") }
        return found.first
    }

    /// The contents of an entry, of at most ``contentLimit`` bytes.
    func contents(of entry: Entry) throws(AppFileProblem) -> [UInt8] {
        guard max(entry.size, entry.compressedSize) <= Self.contentLimit else {
            throw AppFileProblem(
                "\(entry.name.excerpt) has \(entry.size) bytes, at most \(Self.contentLimit) are allowed")
        }
        // The lengths of name and extra field may differ from those of the directory.
        let header = try file.bytes(at: entry.offset, 30)
        guard header.starts(with: [0x50, 0x4B, 3, 4]) else {
            throw AppFileProblem("\(entry.name.excerpt) is not where the archive's directory says")
        }
        let start = entry.offset + 30 + Int(header.little16(26)) + Int(header.little16(28))
        let bytes = try file.bytes(at: start, entry.compressedSize)
        let contents: [UInt8]? =
            switch entry.method {
            case 0: bytes
            case 8: Inflation.decompress(bytes, .raw, limit: entry.size)
            default: nil
            }
        guard let contents, contents.count == entry.size else {
            throw AppFileProblem(
                "\(entry.name.excerpt) cannot be decompressed (method \(entry.method)), or has another length than the archive says"
            )
        }
        return contents
    }
}

extension [UInt8] {
    /// The little-endian number at an index, which must be in range with the bytes behind it.
    func little16(_ index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }

    /// The little-endian number at an index, which must be in range with the bytes behind it.
    func little32(_ index: Int) -> UInt32 { UInt32(little16(index)) | UInt32(little16(index + 2)) << 16 }
}
