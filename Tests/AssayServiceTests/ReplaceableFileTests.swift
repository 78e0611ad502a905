import AssayCore
import AssayService
import AssayTestSupport
import Foundation
import Testing

@Suite("Files of the configuration that others may write", .timeLimit(.minutes(30)))
struct ReplaceableFileTests {
    private func read(_ path: String) throws(PolicyError) {
        _ = try ServiceConfiguration(file: path, environment: [:], settings: [])
    }

    private func refusal(of path: String) -> String? {
        do { try read(path) } catch { return error.description }
        return nil
    }

    @Test("A file, a folder above it and the folder of a link are refused when every user may write them")
    func refused() throws {
        let folder = try TestFolder()
        let file = try folder.write("etc/assay/serve.yaml", "policy: p\n")
        try FileManager.default.createDirectory(atPath: folder.path("links"), withIntermediateDirectories: false)
        let link = folder.path("links/serve.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(refusal(of: file) == nil && refusal(of: link) == nil)

        for (name, mode, words) in [
            ("etc/assay/serve.yaml", mode_t(0o666), "may write the file (mode 666)"),
            ("etc/assay", 0o777, "folder \(folder.path("etc/assay")) has mode 777"), ("etc", 0o703, "has mode 703"),
        ] {
            var before = stat()
            try #require(stat(folder.path(name), &before) == 0)
            try #require(chmod(folder.path(name), mode) == 0)
            for path in [file, link] {
                #expect(
                    refusal(of: path)?.contains(words) == true, "\(name), \(path): \(refusal(of: path) ?? "accepted")")
            }
            try #require(chmod(folder.path(name), before.st_mode & 0o7777) == 0)
        }
        try #require(chmod(folder.path("links"), 0o777) == 0)
        #expect(refusal(of: file) == nil)
        #expect(refusal(of: link)?.contains(folder.path("links")) == true)
    }

    @Test("In a folder with the sticky bit only owners replace files; a group is not everybody")
    func accepted() throws {
        let folder = try TestFolder()
        let file = try folder.write("etc/serve.yaml", "policy: p\n")
        for mode in [mode_t(0o1777), 0o775] {
            try #require(chmod(folder.path("etc"), mode) == 0)
            #expect(refusal(of: file) == nil)
        }
    }

    @Test("The policy is refused at the start, and when it is read again")
    func policy() throws {
        let service = try RunningService()
        try #require(chmod(service.folder.path("policy.yaml"), 0o666) == 0)
        service.signal(SIGHUP)
        let failed = "reload failed: the policy and certificates before stay in use"
        try service.waitUntil("refused") { !service.entries(failed).isEmpty }
        let problem = service.entries(failed).first?["assay.problem"] as? String ?? ""
        #expect(problem.contains("may write the file (mode 666)"), "\(problem)")
        #expect(
            try service.send("POST", "/v1/verify", body: Evidence.attestation("a")).json["outcome"] as? String
                == "accept")
        let status = try service.folder.shell(
            "'\(BuiltProducts.url("assay").path)' serve --create-ledger --policy policy.yaml --ledger sqlite:l --listen unix:s 2>errors"
        )
        let errors = try String(contentsOfFile: service.folder.path("errors"), encoding: .utf8)
        #expect(status == 2 && errors.contains("may write the file (mode 666)"), "\(errors)")
    }
}
