import Assay
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The forms of files, and their unreadable parts.
@Suite("Forms of corpora")
struct CorpusFormTests {
    private let one = CorpusLines.line("a")
    private let two = CorpusLines.line("b")

    private func read(_ bytes: some Sequence<UInt8>, _ change: (inout CorpusOptions) -> Void = { _ in }) throws
        -> CorpusRun
    {
        let folder = try TestFolder()
        var run = try CorpusRun([folder.write("x", bytes)], change: change)
        run.items = run.items.map {
            CorpusRun.Item(
                place: $0.place.replacing(folder.path("x"), with: "x"), record: $0.record, failure: $0.failure)
        }
        return run
    }

    @Test("Lines, a document and an array give the same records, with their positions")
    func forms() throws {
        let lines = [
            "\(one)\n\(two)", "\(one)\n\(two)\n", "\(one)\r\n\(two)\r\n", " \(one)\n\t\(two) \n",
        ]
        for text in lines { #expect(try read(text.utf8).items.map(\.description) == ["x:1: a", "x:2: b"], "\(text)") }
        #expect(try read("\n \r\n\(one)\n\n\t\n\(two)\n\n".utf8).items.map(\.description) == ["x:3: a", "x:6: b"])
        for text in ["[\(one),\(two)]", "\n [\n\(one)\n,\n\(two)\n]\n"] {
            #expect(try read(text.utf8).items.map(\.description) == ["x: record 1: a", "x: record 2: b"], "\(text)")
        }
        let pretty = "{\n\"id\": \"a\",\n\"kind\": \"k\",\n\"evidence\": {}\n}\n"
        #expect(try read(pretty.utf8).items.map(\.description) == ["x: record 1: a"])
    }

    @Test("A broken first or last line does not hide the others")
    func brokenLines() throws {
        for broken in 0..<3 {
            let lines = (0..<3).map { $0 == broken ? #"{"id":"x","kind":}"# : CorpusLines.line("\($0)") }
            let run = try read(lines.joined(separator: "\n").utf8)
            #expect(run.records == (0..<3).filter { $0 != broken }.map(String.init))
            #expect(run.items[broken].place == "x:\(broken + 1)")
            #expect(
                run.failures.count == 1 && run.failures[0].hasPrefix("byte 17: expected a value"), "\(run.failures)")
        }
    }

    @Test("An unreadable record has its name if that can be read")
    func names() throws {
        let folder = try TestFolder()
        let path = try folder.write("x", #"{"id":"name","kind":1,"evidence":{}}"# + "\n\(one)\n")
        let reader = try CorpusReader(paths: [path])
        let items = try #require(reader.next()).items
        #expect(items.count == 2)
        guard case .failure(let failure) = items[0].record() else { return #expect(Bool(false), "a record") }
        #expect(failure.id == "name")
        #expect(failure.message == "byte 20, field kind: expected a string, found a number")
    }

    @Test(
        "An empty file is reported",
        arguments: [("", "it is empty"), (" \r\n\n", "it is empty but for white space")])
    func empty(text: String, words: String) throws {
        #expect(try read(text.utf8).items.map(\.description) == ["x: \(words)"])
    }

    @Test("Text that is not UTF-8 is reported by its apparent encoding")
    func encodings() throws {
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32BigEndian] {
            let bytes = try #require("\(one)\n\(two)\n".data(using: encoding))
            let failures = try read(bytes).failures
            #expect(failures.count == 1 && failures[0].hasPrefix("it looks like UTF-16 or UTF-32"), "\(encoding)")
        }
        // A document whose first line is a brace.
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            for text in ["{\n\(one.dropFirst())", "[\n\(one)\n]", "{\n", "{"] {
                let failures = try read(try #require(text.data(using: encoding))).failures
                #expect(failures.count == 1 && failures[0].hasPrefix("it looks like UTF-16"), "\(encoding) \(text)")
            }
        }
        // A byte order mark is enough.
        for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
            for rest: [UInt8] in [[], [0x0A], [0x0A, 0x00], [0x00, 0x0A]] {
                let failures = try read(mark + rest).failures
                #expect(failures.count == 1 && failures[0].contains("it looks like UTF-16"), "\(mark + rest)")
            }
        }
        // UTF-16 between lines in UTF-8.
        let mixed = Array("\(one)\n".utf8) + Array(try #require(two.data(using: .utf16LittleEndian))) + [0x0A]
        let run = try read(mixed + Array(one.utf8))
        #expect(run.records == ["a", "a"])
        #expect(run.failures.count == 1 && run.failures[0].contains("it looks like UTF-16"))
        // A Latin-1 umlaut, a byte order mark, and a NUL.
        let latin = try read(Array(#"{"id":""#.utf8) + [0xE4] + Array("\"}\n\(one)".utf8))
        #expect(latin.failures == ["byte 7: not valid UTF-8"])
        #expect(latin.records == ["a"])
        let marked = try read("\u{FEFF}\(one)\n\(two)".utf8)
        #expect(marked.failures == ["byte 0: a byte order mark is not allowed in JSON"])
        #expect(marked.records == ["b"])
        let null = try read("\(one)\n\0\n\(two)".utf8)
        #expect(null.failures == ["byte 0: expected a value, found byte 0"])
        #expect(null.records == ["a", "b"])
    }

    @Test("A first line of garbage hides no later record, whatever the chunk size")
    func firstLine() throws {
        let bytes = [0x26, 0x1F, 0x0A] + [UInt8](repeating: 0, count: 40) + Array("\n\(one)\n".utf8)
        for size in [7, 256 * 1024] {
            let run = try read(bytes) { $0.chunkSize = size }
            #expect(run.records == ["a"], "pieces of \(size) bytes")
            #expect(run.failures.count == 2, "pieces of \(size) bytes")
        }
    }

    @Test("Binary garbage gives only unreadable lines")
    func garbage() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 1...2000, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let run = try read(bytes)
            #expect(run.records == [])
            // Also if the bytes look compressed or are white space.
            #expect(!run.failures.isEmpty)
        }
        #expect(try read(String(repeating: "[", count: 100_000).utf8).failures.count == 1)
        #expect(try read("not JSON\nat all\n".utf8).items.map(\.place) == ["x:1", "x:2"])
    }

    @Test("A line over the limit is reported with its length, and the others are read", arguments: [1, 7, 64, 4096])
    func longLine(chunkSize: Int) throws {
        let limit = one.utf8.count
        let long = String(repeating: "x", count: limit + 1)
        let text = "\(one)\n\(long)\n\(two)\n\(long + long)\n\(one)"
        let run = try read(text.utf8) { options in
            options.chunkSize = chunkSize
            options.recordLimit = limit
        }
        #expect(
            run.items.map(\.description) == [
                "x:1: a", "x:2: the line has \(limit + 1) bytes, at most \(limit) are allowed", "x:3: b",
                "x:4: the line has \(2 * limit + 2) bytes, at most \(limit) are allowed", "x:5: a",
            ])
        let last = try read("\(one)\n\(long)".utf8) { options in
            options.chunkSize = chunkSize
            options.recordLimit = limit
        }
        #expect(last.failures == ["the line has \(limit + 1) bytes, at most \(limit) are allowed"])
    }

    @Test("Nothing is read after a line of more than four times the limit", arguments: [1, 7, 64, 4096])
    func endlessLine(chunkSize: Int) throws {
        let limit = one.utf8.count
        func items(_ length: Int) throws -> [String] {
            try read("\(one)\n\(String(repeating: "x", count: length))\n\(two)".utf8) { options in
                options.chunkSize = chunkSize
                options.recordLimit = limit
            }.items.map(\.description)
        }
        let skipped = "x:2: the line has \(4 * limit) bytes, at most \(limit) are allowed"
        #expect(try items(4 * limit) == ["x:1: a", skipped, "x:3: b"])
        let refused = "x:2: the line has more than \(4 * limit) bytes; nothing is read from this line on"
        #expect(try items(4 * limit + 1) == ["x:1: a", refused])
    }

    @Test("An array over the limit is reported; a record on several lines is then read as lines")
    func largeDocuments() throws {
        let array = try read("[\(one),\(two)]".utf8) { $0.recordLimit = 60 }
        #expect(array.items.map(\.place) == ["x"])
        #expect(array.failures == ["a JSON array has at most 60 bytes; write one record per line instead"])
        let broken = "{\n" + (0..<10).map { CorpusLines.line("\($0)") }.joined(separator: "\n")
        let lines = try read(broken.utf8) { $0.recordLimit = 60 }
        #expect(lines.failures.count == 1)
        #expect(lines.records == (0..<10).map(String.init))
    }

    @Test("The chunk size and the batch size do not affect the result")
    func pieces() throws {
        let texts = [
            "\n\(one)\r\n{broken\n\n\(two)\n\(String(repeating: "y", count: 100))\n\(one)", "[\(one),\n\(two)]",
            "{\n\(one)\n\(two)\n", "{\n\"id\":\"a\",\"kind\":\"k\",\n\"evidence\":{}}", " \n ",
        ]
        for text in texts {
            let folder = try TestFolder()
            let path = try folder.write("x", text)
            let whole = try CorpusRun([path]) { $0.recordLimit = 90 }
            for size in 1..<text.utf8.count {
                for batchSize in size < 40 ? [1, 3] : [2] {
                    let run = try CorpusRun([path]) { options in
                        options.recordLimit = 90
                        options.chunkSize = size
                        options.batchSize = batchSize
                    }
                    #expect(run.items == whole.items, "\(size)")
                    #expect(run.batches.allSatisfy { (1...batchSize).contains($0) })
                }
            }
        }
    }

    @Test("Every vector file gives the same records as when read as a document")
    func vectors() throws {
        for file in try TestVectors.recordFiles() {
            let bytes = Array(try Data(contentsOf: file))
            let expected = RecordFile.read(bytes).map { (try? $0.get())?.jsonLine }
            let found = try Self.lines(of: [file.path])
            #expect(found == expected, "\(file.path)")
        }
    }

    static func lines(of paths: [String]) throws -> [String?] {
        let reader = try CorpusReader(paths: paths)
        var found: [String?] = []
        while let batch = reader.next() { found += batch.items.map { (try? $0.record().get())?.jsonLine } }
        return found
    }

    @Test("If every line is a record, no file counts as a document, as empty or as another encoding")
    func linesOnly() throws {
        for (text, items) in [
            ("[\(one)]\n", ["x:1: byte 0: "]), ("[]\n\(one)", ["x:1: byte 0: ", "x:2: a"]),
            ("{\n\"id\":\"a\",\"kind\":\"k\",\n", ["x:1: byte 1: ", "x:2: byte 4: "]), ("", []), ("\n \n", []),
            ("{\0\n\(one)\n", ["x:1: byte 1: ", "x:2: a"]),
        ] {
            let found = try read(text.utf8) { $0.isLines = true }.items.map(\.description)
            #expect(found.count == items.count && zip(found, items).allSatisfy { $0.hasPrefix($1) }, "\(found)")
        }
    }
}
