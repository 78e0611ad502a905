import Assay
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// Compressed files are recognised by their bytes. A damaged file gives the records before the damage.
@Suite("Compressed corpora")
struct CorpusCompressionTests {
    /// The installed compression programs. In CI a missing one is a failure.
    private static let tools = ["gzip", "zstd"].filter { name in
        ["/usr/bin", "/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    @Test("gzip and zstd are installed") func available() {
        #expect(Self.tools.first == "gzip")
        let isCI = ProcessInfo.processInfo.environment["CI"] == "true"
        guard Self.tools.count < 2, !isCI, !SharedFiles.isAvailable else {
            #expect(Self.tools == ["gzip", "zstd"])
            return
        }
        withKnownIssue("run `make test`, or install zstd, to test what it compresses") {
            #expect(Self.tools == ["gzip", "zstd"])
        }
    }

    @Test("Compressed lines, documents and empty files are read like uncompressed ones", arguments: tools)
    func forms(tool: String) throws {
        let folder = try TestFolder()
        let texts = [CorpusLines.lines(0..<20_000), "[\(CorpusLines.line("a")),\(CorpusLines.line("b"))]", ""]
        for (number, text) in texts.enumerated() {
            try folder.write("\(number)", text)
            try folder.shell("\(tool) -c \(number) >\(number).any")
            let plain = try CorpusRun([folder.path("\(number)")])
            let packed = try CorpusRun([folder.path("\(number).any")])
            #expect(packed.items.map { $0.record ?? $0.failure } == plain.items.map { $0.record ?? $0.failure })
            for size in [1, 3, 1000] where number > 0 {
                let run = try CorpusRun([folder.path("\(number).any")]) { $0.chunkSize = size }
                #expect(run.items == packed.items)
            }
        }
    }

    @Test("Several members or frames form one text, wherever lines are divided", arguments: tools)
    func concatenated(tool: String) throws {
        let folder = try TestFolder()
        let text = CorpusLines.lines(0..<30)
        let middle = text.utf8.count / 2 + 3
        try folder.write("a", text.utf8.prefix(middle))
        try folder.write("b", text.utf8.dropFirst(middle))
        try folder.write("e", "")
        try folder.shell("for i in e a e b e; do \(tool) -c $i; done >c")
        #expect(try CorpusRun([folder.path("c")]).records == (0..<30).map(String.init))
    }

    @Test(
        "After the maximum number of blank lines reading a file stops with an error; up to it all records are read",
        arguments: tools)
    func blankLines(tool: String) throws {
        let folder = try TestFolder()
        let lines = CorpusLines.lines(0..<2)
        let blank = String(repeating: "\n \r\n", count: 500)
        #expect(CorpusOptions().blankLineLimit == 16_777_216)
        try folder.write("a", lines + blank + lines)
        try folder.write("b", lines + blank + "\n" + lines)
        try folder.shell("for i in a b; do \(tool) -c $i >$i.any; done")
        for size in [1, 1000, 256 * 1024] {
            let fitting = try CorpusRun([folder.path("a.any")]) { ($0.blankLineLimit, $0.chunkSize) = (1000, size) }
            #expect(fitting.records == ["0", "1", "0", "1"] && fitting.failures == [])
            let beyond = try CorpusRun([folder.path("b.any")]) { ($0.blankLineLimit, $0.chunkSize) = (1000, size) }
            #expect(beyond.records == ["0", "1"])
            #expect(
                beyond.failures
                    == ["more than 1000 lines of the file are blank; nothing is read from this line on"])
        }
    }

    @Test("Skippable zstd frames are skipped, also at the beginning", .enabled(if: tools.contains("zstd")))
    func skippable() throws {
        let folder = try TestFolder()
        let skipped: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        try folder.write("s", skipped)
        try folder.write("a", CorpusLines.lines(0..<2))
        try folder.shell("(cat s; zstd -c a; cat s; zstd -c a; cat s) >c; zstd -c --no-check a >d")
        #expect(try CorpusRun([folder.path("c")]).records == ["0", "1", "0", "1"])
        #expect(try CorpusRun([folder.path("d")]).records == ["0", "1"])
        #expect(try CorpusRun([folder.path("s")]).failures == ["it is empty"])
    }

    @Test("A zstd frame that needs more than the allowed memory is reported", .enabled(if: tools.contains("zstd")))
    func window() throws {
        let folder = try TestFolder()
        // RFC 8878 section 3.1.1.1.2: a window of 2^31 bytes. A raw block follows.
        try folder.write("w", [0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 0x09, 0x00, 0x00, 0x7B])
        let failures = try CorpusRun([folder.path("w")]).failures
        #expect(failures.count == 1 && failures[0].contains("too much memory"), "\(failures)")
    }

    @Test("Bytes after compressed data are reported with the offset", arguments: tools)
    func trailing(tool: String) throws {
        let folder = try TestFolder()
        try folder.write("a", CorpusLines.lines(0..<5))
        try folder.shell("\(tool) -c a >b; (cat b; printf garbage) >c")
        let size = try Data(contentsOf: folder.url.appendingPathComponent("b")).count
        let run = try CorpusRun([folder.path("c")])
        #expect(run.records == (0..<5).map(String.init))
        #expect(run.failures.count == 1 && run.failures[0].hasPrefix("byte \(size): "), "\(run.failures), not \(size)")
        #expect(run.items.last?.place.hasSuffix("c:6") == true)
    }

    @Test("A file cut at any byte gives the records before the cut, and one error", arguments: tools)
    func truncated(tool: String) throws {
        let folder = try TestFolder()
        try folder.write("a", CorpusLines.lines(0..<200))
        try folder.shell("\(tool) -c a >b")
        let bytes = Array(try Data(contentsOf: folder.url.appendingPathComponent("b")))
        let all = (0..<200).map(String.init)
        var longest = 0
        for count in 1..<bytes.count {
            let run = try CorpusRun([folder.write("c", bytes[..<count])]) { $0.chunkSize = 512 }
            #expect(run.records == Array(all.prefix(run.records.count)), "\(count)")
            #expect(run.failures.count == 1, "\(count): \(run.failures)")
            if count > 4 {
                #expect(run.failures[0].hasPrefix("byte \(count): the compressed data end in the middle"))
                #expect(run.records.isEmpty || run.items.last?.place.hasSuffix("c:\(run.records.count + 1)") == true)
            }
            longest = max(longest, run.records.count)
        }
        #expect(longest > 100, "what could be unpacked was not read")
        #expect(try CorpusRun([folder.path("b")]).records == all)
    }

    /// RFC 1952 section 2.3: the header of a member without optional fields.
    private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    /// RFC 1951 section 3.2.3: an invalid block type.
    private static let noBlock: UInt8 = 0x06

    @Test("Records that gzip unpacks before damage are read", arguments: [7, 1000, 256 * 1024])
    func damagedBehindRecords(chunkSize: Int) throws {
        let folder = try TestFolder()
        let text = Array(CorpusLines.lines(0..<5).utf8)
        let length = UInt16(text.count)
        // RFC 1951 section 3.2.4: an uncompressed block that is not the last.
        let block = [0, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)] + text
        let run = try CorpusRun([folder.write("a", Self.gzipHeader + block + [Self.noBlock])]) {
            $0.chunkSize = chunkSize
        }
        #expect(run.records == (0..<5).map(String.init))
        #expect(
            run.failures.count == 1 && run.failures[0].contains("are damaged: invalid block type"), "\(run.failures)")
    }

    @Test("A damaged second gzip member is reported as such")
    func damagedMember() throws {
        let folder = try TestFolder()
        try folder.write("a", CorpusLines.lines(0..<5))
        try folder.write("m", Self.gzipHeader + [Self.noBlock])
        try folder.shell("gzip -c a >b; (cat b m) >c; (cat b; printf '\\037\\213G') >d")
        for name in ["c", "d"] {
            let run = try CorpusRun([folder.path(name)])
            #expect(run.records == (0..<5).map(String.init))
            #expect(run.failures.count == 1 && run.failures[0].contains("the compressed data"), "\(run.failures)")
        }
        #expect(try CorpusRun([folder.path("c")]).failures[0].contains("are damaged: invalid block type"))
    }

    @Test(
        "A file changed at any byte gives only its own records, or an error", arguments: tools)
    func damaged(tool: String) throws {
        let folder = try TestFolder()
        let text = CorpusLines.lines(0..<20)
        try folder.write("a", text)
        try folder.shell("\(tool) -c a >b")
        let bytes = Array(try Data(contentsOf: folder.url.appendingPathComponent("b")))
        let whole = try CorpusRun([folder.path("b")]).records
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x41
            let run = try CorpusRun([folder.write("c", changed)])
            // File names and times in a gzip header are ignored.
            #expect(!run.failures.isEmpty || run.records == whole, "byte \(index)")
        }
    }
}
