import Assay
import AssayTestSupport
import Foundation
import Testing

/// Files end by size and age, and the oldest are removed.
@Suite("Rotation of captures")
struct RotationTests {
    private let lineLength = Fixtures.record("0").jsonLine.utf8.count + 1

    private func capture(
        _ folder: TestFolder, _ change: (inout CaptureOptions) -> Void
    ) throws -> RecordCapture {
        var options = CaptureOptions()
        change(&options)
        return try RecordCapture(folder: folder.path("c"), options: options)
    }

    private func sizes(_ folder: TestFolder) throws -> [Int] {
        try Captured.files(folder.path("c")).map {
            try Data(contentsOf: folder.url.appendingPathComponent("c/\($0)")).count
        }
    }

    @Test("No file is larger than is allowed, unless a single record is")
    func size() throws {
        let folder = try TestFolder()
        let capture = try capture(folder) { $0.maximumBytes = 3 * lineLength }
        for number in 0..<7 { try capture.append(Fixtures.record("\(number)"), at: Fixtures.time) }
        #expect(try sizes(folder) == [3 * lineLength, 3 * lineLength, lineLength])
        try capture.append(Fixtures.record("8", payload: String(repeating: "x", count: 10_000)), at: Fixtures.time)
        try capture.append(Fixtures.record("9"), at: Fixtures.time)
        #expect(try sizes(folder).count == 5)
        #expect(try Captured.records(folder.path("c")).count == 9)
    }

    @Test("A file takes no record after its time, and names go on in the order of time")
    func age() throws {
        let folder = try TestFolder()
        let capture = try capture(folder) { $0.maximumAge = 60 }
        for seconds in [0, 59.9, 60, 119, 121, 100_000] as [Double] {
            try capture.append(Fixtures.record("\(seconds)"), at: Fixtures.time.addingTimeInterval(seconds))
        }
        let names = try Captured.files(folder.path("c")).map { $0.prefix(25) }
        #expect(
            names == [
                "captures-20260421T181312Z", "captures-20260421T181412Z", "captures-20260421T181513Z",
                "captures-20260422T215952Z",
            ])
        let records = try Captured.records(folder.path("c")).compactMap(\.id)
        #expect(records == ["0.0", "59.9", "60.0", "119.0", "121.0", "100000.0"])
    }

    @Test("The oldest capture files of all processes are deleted, and no other files")
    func retention() throws {
        let folder = try TestFolder()
        for name in ["captures-19990101T000000Z-1-000001.ndjson.gz", "captures-notes.txt", "records.ndjson"] {
            try folder.write("c/\(name)", "x")
        }
        let capture = try capture(folder) { options in
            options.maximumBytes = lineLength
            options.maximumFiles = 3
        }
        for number in 0..<6 { try capture.append(Fixtures.record("\(number)"), at: Fixtures.time) }
        let files = try Captured.files(folder.path("c"))
        #expect(files.count == 5)
        #expect(files.suffix(2) == ["captures-notes.txt", "records.ndjson"])
        let kept = try files.prefix(3).map { name in
            String(decoding: try Data(contentsOf: folder.url.appendingPathComponent("c/\(name)")), as: UTF8.self)
        }
        #expect(kept == (3..<6).map { Fixtures.record("\($0)").jsonLine + "\n" })
    }

    @Test("Old files have no more bytes together than are allowed")
    func totalBytes() throws {
        let folder = try TestFolder()
        let capture = try capture(folder) { options in
            options.maximumBytes = lineLength
            options.maximumTotalBytes = 2 * lineLength
        }
        for number in 0..<6 { try capture.append(Fixtures.record("\(number)"), at: Fixtures.time) }
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["3", "4", "5"])
    }

    @Test("Records are kept for a time, also without a next record")
    func keepFor() throws {
        let folder = try TestFolder()
        let capture = try capture(folder) { options in
            options.maximumAge = 3600
            options.keepFor = 86_400
        }
        try folder.write("c/captures-19990101T000000Z-1-000001.ndjson.zst", "x")
        for seconds in [0, 43_200, 86_399, 90_000] {
            try capture.append(
                Fixtures.record("\(seconds)"), at: Fixtures.time.addingTimeInterval(Double(seconds)))
        }
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["43200", "86399", "90000"])
        try capture.tidy(at: Fixtures.time.addingTimeInterval(43_200 + 86_401))
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["86399", "90000"])
        try capture.tidy(at: Fixtures.time.addingTimeInterval(300_000))
        #expect(try Captured.files(folder.path("c")) == [])
        try capture.append(Fixtures.record("next"), at: Fixtures.time.addingTimeInterval(300_001))
        #expect(try Captured.records(folder.path("c")).map(\.id) == ["next"])
        var options = CaptureOptions()
        options.keepFor = 0
        #expect(throws: CaptureError.self) { try RecordCapture(folder: folder.path("d"), options: options) }
    }

    @Test("Two captures in one folder write to files of their own")
    func sharedFolder() throws {
        let folder = try TestFolder()
        let captures = try (0..<3).map { _ in try capture(folder) { _ in } }
        for (number, capture) in captures.enumerated() {
            try capture.append(Fixtures.record("\(number)"), at: Fixtures.time)
        }
        #expect(try Captured.files(folder.path("c")).count == 3)
        #expect(try Captured.records(folder.path("c")).count == 3)
    }
}
