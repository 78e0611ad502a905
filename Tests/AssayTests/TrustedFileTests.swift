import Assay
import AssayCore
import AssayTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One function opens every file that decides what is accepted.
@Suite("Files that decide what is accepted", .timeLimit(.minutes(30)))
struct TrustedFileTests {
    /// Why a file is refused; nil if it is read.
    private func refusal(_ path: String, limit: Int = 1024, isSecret: Bool = false) -> SecretSourceError? {
        do throws(SecretSourceError) {
            _ = try TrustedFile.read(path, limit: limit, isSecret: isSecret)
            return nil
        } catch { return error }
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func setMode(_ mode: mode_t, _ path: String) throws { try #require(chmod(path, mode) == 0) }

    @Test("A file that every user may write is refused; the group of a file is its owner's choice")
    func modes() throws {
        let folder = try TestFolder()
        let file = try folder.write("policy.yaml", "x")
        for (mode, isRefused) in [(mode_t(0o644), false), (0o664, false), (0o600, false), (0o646, true), (0o666, true)]
        {
            try setMode(mode, file)
            let found = refusal(file)
            #expect((found?.code == "exposed") == isRefused, "\(String(mode, radix: 8)): \(String(describing: found))")
            if isRefused { #expect(found?.message.contains("chmod o-w") == true) }
        }
    }

    @Test("Every folder and every link on the way counts: those of the path, of a link, and of a link within a link")
    func ways() throws {
        let folder = try TestFolder()
        try folder.write("real/deep/file", "x")
        for name in ["open", "links"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false)
        }
        // direct -> open/middle -> real/deep/file, and a folder whose link is in `open`.
        try link(folder.path("open/middle"), to: folder.path("real/deep/file"))
        try link(folder.path("links/direct"), to: folder.path("open/middle"))
        try link(folder.path("open/folder"), to: "../real/deep")
        try link(folder.path("links/config"), to: "../open/folder")
        let ways = ["links/direct", "links/config/file", "open/../real/deep/file", "open/folder/file"]
        for way in ways { #expect(refusal(folder.path(way)) == nil, "\(way)") }
        try setMode(0o777, folder.path("open"))
        for way in ways {
            let found = refusal(folder.path(way))
            #expect(
                found?.code == "exposed" && found?.message.contains(folder.path("open")) == true,
                "\(way): \(String(describing: found))")
        }
        #expect(refusal(folder.path("real/deep/file")) == nil)
        try setMode(0o755, folder.path("open"))
        try setMode(0o777, folder.path("real"))
        for way in ways { #expect(refusal(folder.path(way))?.code == "exposed", "\(way)") }
    }

    @Test("A relative path is below the working directory, and links in a circle end")
    func relative() throws {
        let folder = try TestFolder()
        try link(folder.path("a"), to: "b")
        try link(folder.path("b"), to: "a")
        #expect(refusal(folder.path("a"))?.code == "unreadable")
        #expect(refusal("no-such-file-of-this-test")?.code == "missing")
        #expect(refusal("")?.code == "missing")
        let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }
        let file = try folder.write("file", "x")
        #expect(refusal(up.joined(separator: "/") + file) == nil)
    }

    @Test("In a folder with the sticky bit, what another user has put there is refused", .enabled(if: geteuid() == 0))
    func sticky() throws {
        let folder = try TestFolder()
        let file = try folder.write("shared/file", "x")
        try folder.write("shared/folder/file", "x")
        try folder.write("own", "x")
        try link(folder.path("shared/link"), to: folder.path("own"))
        try setMode(0o1777, folder.path("shared"))
        let paths = [file, folder.path("shared/folder/file"), folder.path("shared/link")]
        for path in paths { #expect(refusal(path) == nil, "\(path)") }
        for name in ["file", "folder", "link"] {
            try #require(lchown(folder.path("shared/\(name)"), 65_534, 0) == 0)
        }
        for path in paths {
            let found = refusal(path)
            #expect(
                found?.code == "exposed" && found?.message.contains("belongs to user 65534") == true,
                "\(path): \(String(describing: found))")
        }
        // The owner of the folder may replace what is in it in any case.
        try #require(chown(folder.path("shared"), 65_534, 0) == 0)
        for path in paths { #expect(refusal(path) == nil, "\(path)") }
        // Without the right of others to write, nobody else can have put it there.
        try setMode(0o755, folder.path("shared"))
        try #require(chown(folder.path("shared"), 0, 0) == 0)
        for path in paths { #expect(refusal(path) == nil, "\(path)") }
    }

    @Test(
        "A pipe, a socket, a device, a folder and an open descriptor are refused at once, and a pipe keeps its contents"
    )
    func kinds() throws {
        let folder = try TestFolder()
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        try link(folder.path("link"), to: "pipe")
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("line\n".utf8))
        let number = pipe.fileHandleForReading.fileDescriptor
        for path in [
            folder.path("pipe"), folder.path("link"), folder.url.path, "/", "/dev/zero", "/dev/null",
            "/proc/self/fd/\(number)", "/dev/fd/\(number)",
        ] {
            let found = refusal(path)
            #expect(found?.code == "not-regular", "\(path): \(String(describing: found))")
        }
        #expect(try pipe.fileHandleForReading.read(upToCount: 5) == Data("line\n".utf8))
        let file = try folder.write("file", "x")
        #expect(refusal(file + "/x")?.code == "missing" && refusal(folder.path("pipe/x"))?.code == "missing")
    }

    @Test("The size is limited, and an empty file is read")
    func sizes() throws {
        let folder = try TestFolder()
        #expect(refusal(try folder.write("exact", "12345"), limit: 5) == nil)
        #expect(refusal(try folder.write("large", "123456"), limit: 5)?.code == "too-large")
        #expect(refusal(try folder.write("empty", ""), limit: 5) == nil)
    }

    @Test("A secret below a folder that every user may write is refused, as any file")
    func secrets() throws {
        let folder = try TestFolder()
        let file = try folder.write("etc/secret", "x")
        try setMode(0o600, file)
        #expect(refusal(file, isSecret: true) == nil)
        try setMode(0o777, folder.path("etc"))
        #expect(refusal(file, isSecret: true)?.code == "exposed")
    }

    /// A field that names a file, and the contents of the file.
    static let named: [(policy: String, contents: String)] = [
        (
            """
            apps:
              - name: i
                appAttest:
                  appIDs: [1234567890.com.example.shop]
                  environments: [production]
                  challenge: ledger
                  clientData: raw
                  testRoots: ["file:named"]
            """, "pem"
        ),
        (
            """
            keys: [{ name: k, use: assay-token, keySet: "file:named" }]
            apps: [{ name: i, tokens: { issuer: "https://a.example.com", audiences: ["https://b.example.com"] } }]
            """, "{}"
        ),
        (
            """
            apps:
              - name: i
                androidKey:
                  packages: [com.example.app]
                  certificateDigests: ["\(String(repeating: "a", count: 64))"]
                  challenge: ledger
                  statusList: "file:named"
            """, "{}"
        ),
        ("keys: [{ name: k, use: approov, secret: \"file:named\" }]\napps: [{ name: a, approov: { keys: [k] } }]", "x"),
        ("addresses: { hash: \"file:named\" }\napps: [{ name: a, approov: {} }]", "x"),
    ]

    @Test("The rules hold for each file that a policy names, and for the policy", arguments: named)
    func policies(_ each: (policy: String, contents: String)) throws {
        let folder = try TestFolder()
        let policy = try folder.write("policy.yaml", "version: 1\n\(each.policy)\n")
        func error() -> String {
            do throws(PolicyError) {
                _ = try PolicyFile.load(path: policy)
                return ""
            } catch { return error.description }
        }
        try folder.write("named", each.contents)
        try setMode(0o666, folder.path("named"))
        #expect(
            error().contains("every user of this machine may write") || error().contains("others may read or replace"),
            "\(error())")
        try FileManager.default.removeItem(atPath: folder.path("named"))
        try #require(mkfifo(folder.path("named"), 0o600) == 0)
        #expect(error().contains("no regular file"), "\(error())")
        try setMode(0o666, policy)
        #expect(error().contains("every user of this machine may write the file (mode 666)"), "\(error())")
    }
}
