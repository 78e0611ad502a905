import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The file always has a complete report: the new one or the old one.
@Suite("Writing reports")
struct ReportFileTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = try TestFolder()
        try body(folder.url)
        withExtendedLifetime(folder) {}
    }

    @Test("A report replaces an older one and keeps its mode, and no other file remains")
    func replaces() throws {
        try inFolder { folder in
            let file = folder.appendingPathComponent("r.html")
            try ReportFile.write("one", to: file.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            try ReportFile.write("two", to: file.path)
            #expect(try String(contentsOf: file, encoding: .utf8) == "two")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["r.html"])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("A symbolic link is followed and kept")
    func link() throws {
        try inFolder { folder in
            let (file, link) = (folder.appendingPathComponent("r.html"), folder.appendingPathComponent("latest.html"))
            try ReportFile.write("one", to: file.path)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            try ReportFile.write("two", to: link.path)
            #expect(try String(contentsOf: file, encoding: .utf8) == "two")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
        }
    }

    @Test("A full device and a missing folder are reported with file and reason")
    func failures() throws {
        try inFolder { folder in
            let full = #expect(throws: ReportFile.Failure.self) { try ReportFile.write("one", to: "/dev/full") }
            #expect(full?.description == "/dev/full cannot be written: No space left on device")
            let path = folder.path + "/none/r.html"
            let missing = #expect(throws: ReportFile.Failure.self) { try ReportFile.write("one", to: path) }
            #expect(missing?.description == "\(path) cannot be written: No such file or directory")
            let directory = #expect(throws: ReportFile.Failure.self) { try ReportFile.write("one", to: folder.path) }
            #expect(directory?.description.hasSuffix("Is a directory") == true)
        }
    }

    @Test(
        "Numbers are formatted for readers",
        arguments: [
            (NumberText.count(0), "0"), (NumberText.count(999), "999"), (NumberText.count(1000), "1,000"),
            (NumberText.count(1_234_567), "1,234,567"), (NumberText.count(-1234), "-1,234"),
            (NumberText.count(.min), "-9,223,372,036,854,775,808"), (NumberText.count(1, "record"), "1 record"),
            (NumberText.count(2, "record"), "2 records"), (NumberText.percent(1, of: 3), "33.3%"),
            (NumberText.percent(1, of: 100_000), "<0.1%"), (NumberText.percent(99_999, of: 100_000), ">99.9%"),
            (NumberText.percent(5, of: 5), "100%"), (NumberText.percent(0, of: 0), "0%"),
            (NumberText.duration(microseconds: 0), "0 µs"), (NumberText.duration(microseconds: 35), "35 µs"),
            (NumberText.duration(microseconds: 1500), "1.5 ms"),
            (NumberText.duration(microseconds: 90_000_000), "1.5 min"),
            (NumberText.duration(microseconds: 86_400_000_000 * 400), "400 d"),
        ])
    func numbers(text: String, expected: String) {
        #expect(text == expected)
    }
}
