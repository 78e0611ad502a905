import Assay
import AssayReplay
import AssayTestSupport
import Foundation
import Testing

/// The files that are read in a folder, and their order.
@Suite("Folders of corpora")
struct CorpusFolderTests {
    private func names(_ run: CorpusRun) -> [String] { run.records }

    @Test("Files are read in the byte order of their paths, including folders; other files are ignored")
    func order() throws {
        let folder = try TestFolder()
        let paths = [
            "a-b.json", "a.json", "a/b/c.jsonl", "a/z.ndjson", "a0.json", "B.json", "b.json", "ä.json", "a/policy.yaml",
            "readme.txt", "x.json.bak", "json", "a/.ndjson",
        ]
        for path in paths { try folder.write(path, CorpusLines.line(path)) }
        let expected = [
            "B.json", "a-b.json", "a.json", "a/.ndjson", "a/b/c.jsonl", "a/z.ndjson", "a0.json", "b.json", "ä.json",
        ]
        #expect(try CorpusRun([folder.url.path]).records == expected)
        #expect(try CorpusRun(["\(folder.url.path)/"]).records == expected)
        #expect(
            try CorpusRun([folder.path("readme.txt"), folder.path("a")]).records == [
                "readme.txt", "a/.ndjson", "a/b/c.jsonl", "a/z.ndjson",
            ])
        let run = try CorpusRun([folder.path("a"), folder.path("a")])
        #expect(run.records.count == 6, "what is named twice is read twice")
    }

    @Test("A file states its folder and the argument that led to it")
    func files() throws {
        let folder = try TestFolder()
        try folder.write("c/d/x.json", CorpusLines.line("x"))
        let reader = try CorpusReader(paths: [folder.path("c")])
        let file = try #require(reader.next()).file
        #expect(file.name == folder.path("c/d/x.json"))
        #expect(file.folder == folder.path("c/d"))
        #expect(file.root == folder.path("c"))
    }

    @Test("Links are followed, but not in circles, and each folder is read once")
    func links() throws {
        let folder = try TestFolder()
        try folder.write("c/a/x.json", CorpusLines.line("x"))
        try folder.write("elsewhere/y.json", CorpusLines.line("y"))
        try folder.shell("ln -s .. c/a/up; ln -s a c/b; ln -s ../elsewhere c/e; ln -s ../elsewhere/y.json c/y.json")
        try folder.shell("ln -s nowhere c/gone.json; ln -s nowhere c/gone.txt; ln -s loop.json c/loop.json")
        let run = try CorpusRun([folder.path("c")])
        #expect(run.records == ["x", "y", "y"])
        #expect(run.notes.count == 2 && run.notes.allSatisfy { $0.hasSuffix("links lead to the same folder twice") })
        #expect(
            run.items.filter { $0.record == nil }.map(\.description)
                == ["gone.json", "loop.json"].map { "\(folder.path("c/\($0)")): it is a link that leads nowhere" })
    }

    @Test("Sockets, pipes and devices in a folder are skipped and reported, without blocking")
    func others() throws {
        let folder = try TestFolder()
        try folder.write("c/a.json", CorpusLines.line("a"))
        try folder.write("c/z.json", CorpusLines.line("z"))
        try folder.shell("mkfifo c/f.json; ln -s /dev/zero c/null.json")
        let socket = try UnixSocket(folder.path("c/s.json"))
        let run = try CorpusRun([folder.path("c")])
        #expect(run.records == ["a", "z"])
        #expect(run.failures == [])
        #expect(
            run.notes
                == ["f", "null", "s"].map {
                    "\(folder.path("c/\($0).json")) is passed over: it is a socket, a pipe or a device"
                })
        // A socket given by its own path is a file that cannot be opened.
        let named = try CorpusRun([folder.path("c/s.json"), folder.path("c/a.json")])
        #expect(named.records == ["a"])
        #expect(named.failures.count == 1 && named.failures[0].hasPrefix("it cannot be opened"))
        _ = socket
    }

    @Test("A folder without records is an error, and others are read")
    func nothing() throws {
        let folder = try TestFolder()
        try folder.write("c/d/a.txt", CorpusLines.line("a"))
        try folder.write("z/a.json", CorpusLines.line("a"))
        let run = try CorpusRun([folder.path("c"), folder.path("z")])
        #expect(run.records == ["a"] && run.notes == [])
        #expect(run.failures.count == 1 && run.failures[0].hasPrefix("the folder has no records in it: "))
    }

    @Test("A named pipe is read to its end")
    func pipe() throws {
        let folder = try TestFolder()
        try folder.write("x", CorpusLines.lines(0..<1000))
        try folder.shell("mkfifo f")
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "cat x >f"]
        writer.currentDirectoryURL = folder.url
        try writer.run()
        let reader = try CorpusReader(paths: [folder.path("f")])
        #expect(reader.totalBytes == nil)
        #expect(try CorpusRun([folder.path("f")]).records.count == 1000)
        try writer.end()
    }

    @Test("Missing files are reported, and the others are read")
    func missing() throws {
        let folder = try TestFolder()
        try folder.write("a.json", CorpusLines.line("a"))
        let run = try CorpusRun([folder.path("none"), folder.path("a.json"), folder.path("a.json/b")])
        #expect(
            run.items.map(\.description) == [
                "\(folder.path("none")): it cannot be opened: No such file or directory",
                "\(folder.path("a.json")):1: a",
                "\(folder.path("a.json/b")): it cannot be opened: Not a directory",
            ])
        try FileManager.default.createDirectory(atPath: folder.path("empty"), withIntermediateDirectories: false)
        #expect(try CorpusRun([folder.path("empty")]).failures.count == 1)
    }

    @Test("Missing, empty, repeated and invalid paths of a corpus are refused")
    func arguments() {
        for paths in [[], [""], ["a", ""], ["-", "a", "-"], ["a\0b"]] {
            #expect(throws: CorpusError.self) { try CorpusReader(paths: paths) }
        }
    }

    @Test("The total number of bytes is known before reading, and equals the number read")
    func progress() throws {
        let folder = try TestFolder()
        try folder.write("c/a.ndjson", CorpusLines.lines(0..<5000))
        try folder.write("c/b.json", "[]")
        try folder.write("c/c.txt", "other")
        try folder.shell("gzip -k c/a.ndjson")
        let reader = try CorpusReader(paths: [folder.path("c")])
        let total = try #require(reader.totalBytes)
        #expect(
            total
                == (try ["a.ndjson", "a.ndjson.gz", "b.json"].reduce(0) {
                    $0 + (try Data(contentsOf: folder.url.appendingPathComponent("c/\($1)")).count)
                }))
        var last = 0
        while reader.next() != nil {
            #expect((last...total).contains(reader.bytesRead))
            last = reader.bytesRead
        }
        #expect(reader.bytesRead == total)
        #expect(try CorpusReader(paths: [folder.path("c"), "-"]).totalBytes == nil)
    }
}

/// A socket in a folder.
private final class UnixSocket {
    private let descriptor: Int32

    init(_ path: String) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try withUnsafeMutableBytes(of: &address.sun_path) { name in
            try #require(path.utf8.count < name.count)
            name.copyBytes(from: path.utf8)
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(descriptor) }
}
