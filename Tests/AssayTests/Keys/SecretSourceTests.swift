import Assay
import AssayTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("Sources of secrets")
struct SecretSourceTests {
    private func error(_ body: () throws -> Void) throws -> SecretSourceError {
        let error = #expect(throws: SecretSourceError.self, performing: body)
        return try #require(error)
    }

    /// The user is 1000; the last part is the change for chmod.
    static let modes: [(owner: UInt32, mode: UInt32, user: UInt32, change: String?)] = [
        (1000, 0o600, 1000, nil), (1000, 0o400, 1000, nil), (1000, 0o700, 1000, nil), (1000, 0o000, 1000, nil),
        (1000, 0o640, 1000, "600"), (1000, 0o604, 1000, "600"), (1000, 0o620, 1000, "600"), (1000, 0o610, 1000, "600"),
        (1000, 0o601, 1000, "600"), (1000, 0o644, 1000, "600"), (1000, 0o444, 1000, "600"), (1000, 0o777, 1000, "600"),
        (0, 0o600, 1000, nil), (0, 0o640, 1000, nil), (0, 0o440, 1000, nil), (0, 0o450, 1000, nil),
        (0, 0o644, 1000, "o-rwx"), (0, 0o444, 1000, "o-rwx"), (0, 0o602, 1000, "o-rwx"), (0, 0o601, 1000, "o-rwx"),
        (0, 0o660, 1000, "g-w"), (0, 0o620, 1000, "g-w"), (0, 0o666, 1000, "g-w,o-rwx"),
        (0, 0o640, 0, "600"), (0, 0o600, 0, nil), (1000, 0o640, 0, nil), (1000, 0o644, 0, "o-rwx"),
        (1000, 0o100600, 1000, nil), (1000, 0o104600, 1000, nil), (0, 0o100444, 1000, "o-rwx"),
    ]

    @Test(
        "A file with a secret may be readable only for its owner, or for the group of a foreign file",
        arguments: modes)
    func permissions(_ row: (owner: UInt32, mode: UInt32, user: UInt32, change: String?)) {
        #expect(SecretFile.objection(owner: row.owner, mode: row.mode, user: row.user) == row.change)
    }

    @Test("The command in the error fixes the mode for every file name")
    func remedy() throws {
        let folder = try KeyFolder()
        for name in ["key", "a key", "it's", "-rf", "$(touch x)", "a\"b`c", "é", "a\nb"] {
            let path = try folder.write(name, "secret", mode: 0o644)
            let error = try error { _ = try SecretSource("file:\(path)").read() }
            #expect(error.reason == .exposed)
            let command = try #require(error.message.components(separatedBy: "run: ").last)
            #expect(command.hasPrefix("chmod 600 "))
            #expect(try ProgramRun("/bin/bash", ["-c", command], in: folder.url).status == 0, "\(command)")
            #expect(try SecretSource("file:\(path)").read().testText == "secret")
        }
        let relative = try error { _ = try SecretSource.file(path: "-n").read() }
        #expect(relative.reason == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 8, "no command ran wild")
    }

    @Test("A package part may be readable for all")
    func publicPart() throws {
        let folder = try KeyFolder()
        let path = try folder.write("key", "public", mode: 0o644)
        #expect(try SecretSource("file:\(path)").read(isSecret: false).testText == "public")
    }

    @Test("A link leads to its file, whose own permissions count")
    func links() throws {
        let folder = try KeyFolder()
        for (name, mode) in [("open", 0o644), ("closed", 0o600)] {
            try folder.write(name, "secret", mode: mode)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("link-\(name)"), withDestinationPath: folder.path(name))
        }
        #expect(try SecretSource("file:\(folder.path("link-closed"))").read().testText == "secret")
        #expect(try error { _ = try SecretSource("file:\(folder.path("link-open"))").read() }.reason == .exposed)
    }

    @Test("Other than regular files are refused at once, pipes without waiting", .timeLimit(.minutes(20)))
    func notRegular() throws {
        let folder = try KeyFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        for path in [folder.path("pipe"), folder.url.path, "/dev/zero", "/dev/null"] {
            let error = try error { _ = try SecretSource.file(path: path).read() }
            #expect(error.reason == .notRegular, "\(path)")
            #expect(error.message.contains(path))
        }
    }

    @Test("A file that is missing, empty or too large is refused with its path")
    func files() throws {
        let folder = try KeyFolder()
        let table: [(path: String, limit: Int, code: SecretSourceError.Code)] = [
            (folder.path("missing"), 10, .missing), (try folder.write("f", "x") + "/x", 10, .missing),
            (try folder.write("empty", ""), 10, .empty), (try folder.write("large", "01234567890"), 10, .tooLarge),
        ]
        for (path, limit, code) in table {
            let error = try error { _ = try SecretSource.file(path: path).read(limit: limit) }
            #expect(error.reason == code)
            #expect(error.message.contains(path) && !error.message.contains("01234567890"))
        }
        let exact = try folder.write("exact", "0123456789")
        #expect(try SecretSource.file(path: exact).read(limit: 10).testText == "0123456789")
    }

    @Test("A variable holds a secret byte by byte; one that is unset, empty or too long is named")
    func environment() throws {
        let name = "ASSAY_TEST_OF_SECRET_SOURCES"
        let source = try SecretSource("env:\(name)")
        #expect(source == .environment(name: name))
        func expect(_ code: SecretSourceError.Code) throws {
            let error = try error { _ = try source.read(limit: 10) }
            #expect(error.reason == code && error.message.contains(name))
            #expect(!error.message.contains("0123"))
        }
        try expect(.missing)
        setenv(name, "", 1)
        try expect(.empty)
        setenv(name, "01234567890", 1)
        try expect(.tooLarge)
        setenv(name, " 01234567\n", 1)
        #expect(try source.read(limit: 10).testText == " 01234567\n")
        unsetenv(name)
    }

    @Test(
        "A source of neither form is refused and not shown: it may be the secret",
        arguments: [
            "hunter2hunter2", "", "FILE:x", "file", "env", "files:/x", "file:", "env:", "env:A=hunter2", "ENV:A",
        ])
    func forms(text: String) throws {
        let error = try error { _ = try SecretSource(text) }
        #expect(error.reason == .form)
        #expect(error.message.contains("file:PATH") || error.message.contains("env:NAME"))
        #expect(!error.message.contains("hunter2"))
    }

    @Test("A relative path is relative to the folder that is given")
    func relative() throws {
        #expect(try SecretSource("file:a/b", relativeTo: "/x") == .file(path: "/x/a/b"))
        #expect(try SecretSource("file:/a/b", relativeTo: "/x") == .file(path: "/a/b"))
        #expect(try SecretSource("file:a/b") == .file(path: "a/b"))
    }
}
