import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// Files that change during reading, and sealed records.
@Suite("Corpora in use")
struct CorpusChangeTests {
    private func append(_ text: String, to path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private func names(_ batch: CorpusBatch?) -> [String] {
        batch?.items.compactMap { try? $0.record().get().id } ?? []
    }

    @Test("A file that grows is read up to its size at opening")
    func growing() throws {
        let folder = try TestFolder()
        let path = try folder.write("x", CorpusLines.lines(0..<100))
        var options = CorpusOptions()
        options.chunkSize = 100
        let reader = try CorpusReader(paths: [path], options: options)
        var found = names(reader.next())
        while let batch = reader.next() {
            found += names(batch)
            // The file grows during reading.
            try append(CorpusLines.lines(100..<110), to: path)
        }
        #expect(found == (0..<100).map(String.init))
    }

    @Test("An unfinished last line is read to its end if that is there, and no line after it")
    func lineBeingWritten() throws {
        let line = CorpusLines.line("last")
        for chunkSize in [10, 100, 100_000] {
            let folder = try TestFolder()
            let path = try folder.write("x", CorpusLines.lines(0..<10) + line.prefix(20))
            var options = CorpusOptions()
            options.chunkSize = chunkSize
            options.batchSize = 1
            let reader = try CorpusReader(paths: [path], options: options)
            var found = names(reader.next())
            try append(line.dropFirst(20) + "\n" + CorpusLines.lines(100..<110), to: path)
            while let batch = reader.next() { found += names(batch) }
            #expect(found == (0..<10).map(String.init) + ["last"], "\(chunkSize)")
        }
        let folder = try TestFolder()
        let path = try folder.write("x", CorpusLines.lines(0..<2) + line.prefix(20))
        let run = try CorpusRun([path])
        #expect(run.records == ["0", "1"])
        #expect(run.failures.count == 1, "a torn last line is one unreadable record")
    }

    @Test("A file that shrinks ends early")
    func shrinking() throws {
        let folder = try TestFolder()
        let path = try folder.write("x", CorpusLines.lines(0..<1000))
        var options = CorpusOptions()
        options.chunkSize = 50
        let reader = try CorpusReader(paths: [path], options: options)
        var found = names(reader.next())
        #expect(truncate(path, 0) == 0)
        while let batch = reader.next() { found += names(batch) }
        #expect(!found.isEmpty && found.count < 200)
        #expect(found == (0..<found.count).map(String.init))
    }

    @Test("Sealed records are opened with their key, and reported as sealed without it")
    func sealed() throws {
        let folder = try TestFolder()
        let key = try CapturePrivateKey.make()
        let records = try RecordFile.read(Array(CorpusLines.lines(0..<3).utf8)).map { try $0.get() }
        let lines = try records.map { try $0.sealedLine(for: key.publicKey) } + [CorpusLines.line("clear")]
        let path = try folder.write("x", lines.joined(separator: "\n"))
        #expect(try CorpusRun([path], opening: key).records == ["0", "1", "2", "clear"])
        let closed = try CorpusRun([path])
        #expect(closed.records == ["clear"])
        #expect(closed.failures.count == 3)
        #expect(closed.failures.allSatisfy { $0.hasPrefix("the record is sealed") && $0.contains("--capture-key") })
        let wrong = try CorpusRun([path], opening: CapturePrivateKey.make())
        #expect(wrong.failures.count == 3 && wrong.failures.allSatisfy { $0.contains("another key") })
        let item = try #require(try CorpusReader(paths: [path]).next()?.items.first)
        guard case .failure(let failure) = item.record() else { return #expect(Bool(false), "it was opened") }
        #expect(failure.id == "0")
    }

    @Test("Captured files form a corpus")
    func captured() throws {
        let folder = try TestFolder()
        var options = CaptureOptions()
        options.maximumBytes = 1000
        let capture = try RecordCapture(folder: folder.path("c"), options: options)
        let now = Date(timeIntervalSince1970: 1_776_795_192)
        for number in 0..<100 {
            let record = EvidenceRecord(
                id: "\(number)", kind: EvidenceKind("k"), app: nil, receivedAt: now, evidence: RecordObject([]),
                expect: nil)
            try capture.append(record, at: now)
        }
        #expect(try CorpusRun([folder.path("c")]).records == (0..<100).map(String.init))
    }
}
