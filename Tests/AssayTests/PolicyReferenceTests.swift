import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Files of a policy and files that it refers to, on a disk.
@Suite("Files of a policy")
struct PolicyReferenceTests {
    private func load(_ roots: String, files: [String: [UInt8]] = [:]) throws -> VerificationPolicy {
        let temporary = try TestFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.url
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("roots"), withIntermediateDirectories: true)
        for (name, contents) in files { try Data(contents).write(to: folder.appendingPathComponent(name)) }
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [1234567890.com.example.shop]
                  environments: [production]
                  challenge: caller
                  clientData: none
                  testRoots: \(roots.replacingOccurrences(of: "FOLDER", with: folder.path))
            """
        let path = folder.appendingPathComponent("policy.yaml").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return try PolicyFile.load(path: path)
    }

    @Test(
        "References are relative to the policy, or absolute",
        arguments: ["file:roots/r.pem", "file:./roots/../roots/r.pem", "file:FOLDER/roots/r.pem"])
    func references(reference: String) throws {
        let policy = try load("[\"\(reference)\"]", files: ["roots/r.pem": Array(Fixtures.authority().rootPEM.utf8)])
        #expect(policy.apps.first?.configuration(AppAttestConfiguration.self)?.testRoots.count == 1)
    }

    @Test("A file that is missing, no PEM, or holds a private key is refused at the line that names it")
    func wrongFiles() throws {
        let pem = try Array(Fixtures.authority().rootPEM.utf8)
        let key = try Array(Fixtures.authority().root.key.pem.utf8)
        let cases: [(String, [UInt8], String)] = [
            ("[file:roots/missing.pem]", [], "missing.pem: the file cannot be read"),
            ("[file:roots]", [], "cannot be read"),
            ("[r.pem]", pem, "expected file:PATH, found \"r.pem\""), ("[\"file:\"]", pem, "expected file:PATH"),
            ("[\"https://example.com/r.pem\"]", pem, "expected file:PATH"), ("[file:r.pem]", [], "PEM certificates"),
            ("[file:r.pem]", Array("hello".utf8), "PEM certificates"), ("[file:r.pem]", [0xFF, 0xFE], "not UTF-8"),
            ("[file:r.pem]", pem + key, "only CERTIFICATE blocks"), ("[file:r.pem]", key, "only CERTIFICATE blocks"),
            ("[file:r.pem]", Array(pem.dropLast(30)), "does not end"),
            ("[file:r.pem]", [UInt8](repeating: 0x20, count: InputLimits.policy + 1), "more than the 1048576 bytes"),
        ]
        for (roots, contents, words) in cases {
            let error = #expect(throws: PolicyError.self) { try load(roots, files: ["r.pem": contents]) }
            #expect(error?.line == 9)
            #expect(error?.field == "apps[0].appAttest.testRoots[0]")
            #expect(error?.message.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
            #expect(error?.message.contains("PRIVATE KEY-----\n") == false)
        }
    }

    @Test("A policy that is missing, a folder, too large or no text is refused with its path")
    func wrongPolicies() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path("policy.yaml")
        func expect(_ path: String, _ words: String) {
            let error = #expect(throws: PolicyError.self) { try PolicyFile.load(path: path) }
            #expect(error?.file == path)
            #expect(error?.message.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
        }
        expect(path, "cannot be read")
        expect("/", "cannot be read")
        for (contents, words) in [
            ([UInt8](repeating: 0x23, count: InputLimits.policy + 1), "more than the 1048576 bytes"),
            ([0xFF, 0x00, 0x80], "not UTF-8"), ([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0x00], "not YAML"), ([], "empty"),
        ] as [([UInt8], String)] {
            try Data(contents).write(to: URL(fileURLWithPath: path))
            expect(path, words)
        }
    }
}
