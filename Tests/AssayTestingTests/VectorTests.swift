import AssayTesting
import Foundation
import Testing

@Suite("The App Attest test vectors")
struct VectorTests {
    static let checks: Set<String> = [
        "attestation.decode", "attestation.chain", "attestation.public-key", "attestation.nonce", "attestation.key-id",
        "attestation.credential-id", "attestation.app-id", "attestation.environment", "attestation.counter",
        "attestation.receipt", "attestation.validation-category", "attestation.bundle-version",
        "attestation.os-version", "attestation.platform", "attestation.challenge", "attestation.enrolment",
        "assertion.decode", "assertion.key", "assertion.signature", "assertion.app-id", "assertion.client-data",
        "assertion.validation-category", "assertion.bundle-version", "assertion.challenge", "assertion.counter",
    ]

    @Test("Every check has a vector that fails it, every identifier is unique, and every folder has its policy")
    func completeness() throws {
        let files = try AppAttestVectors.files(authority: Fixtures.authority(), at: Fixtures.time)
        let paths = files.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(paths.contains("test-root.pem"))
        var failed: Set<String> = []
        var ids: Set<String> = []
        for file in files where file.path.hasSuffix(".json") && !file.path.hasPrefix("unreadable/") {
            let folder = file.path.split(separator: "/").dropLast().first.map { "\($0)/" } ?? ""
            #expect(paths.contains("\(folder)policy.yaml"), "\(file.path) has no policy")
            let json = try JSONSerialization.jsonObject(with: Data(file.contents.utf8))
            for record in try #require(json as? [[String: Any]]) {
                let id = try #require(record["id"] as? String)
                #expect(ids.insert(id).inserted, "\(id) is there twice")
                let expect = try #require(record["expect"] as? [String: Any])
                failed.formUnion(expect["failed"] as? [String] ?? [])
                #expect(
                    (expect["outcome"] as? String == "accept") == ((expect["failed"] as? [String])?.isEmpty == true))
            }
        }
        for check in Self.checks { #expect(failed.contains("app-attest.\(check)"), "no vector fails \(check)") }
        #expect(failed.subtracting(Self.checks.map { "app-attest.\($0)" }) == ["*"])
    }

    @Test("The keys are the same every time, so that stored key IDs stay true")
    func stability() throws {
        func ids() throws -> [String] {
            let files = try AppAttestVectors.files(
                authority: TestAuthority(notBefore: Fixtures.time), at: Fixtures.time)
            return files.flatMap {
                $0.contents.split(separator: "\n").filter { $0.contains("\"keyId\"") }.map(String.init)
            }
        }
        #expect(try ids() == ids())
    }
}
