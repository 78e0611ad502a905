import AssayTestSupport
import Foundation
import Testing

@Suite("assay verify, raw tokens of Assay")
struct VerifyRawAssayTokenTests {
    @Test("A token is verified with the issuer's key set, and compared with the options")
    func bearer() throws {
        let scratch = try Scratch()
        let folder = TestVectors.folder.appendingPathComponent("assay/minted")
        let vectors = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.appendingPathComponent("optional/bearer.json")))
        let records = try #require(vectors as? [[String: Any]])
        let evidence = try #require(records.first { $0["id"] as? String == "bearer" }?["evidence"] as? [String: Any])
        let headers = try #require(evidence["headers"] as? [[String]])
        let field = try #require(headers.first { $0.first == "Authorization" }?.last)
        try scratch.write("token.txt", Data(field.dropFirst("Bearer ".count).utf8))
        try scratch.write("jwks.json", try Data(contentsOf: folder.appendingPathComponent("issuer.jwks")))
        let table: [(change: [String: String], status: Int32, words: String)] = [
            ([:], 0, "assay.token.signature"),
            (["--app": "other"], 1, "rejected because: assay.token.claims:"),
            (["--issuer": "https://attest.example.com/x"], 1, "rejected because: assay.token.claims:"),
            (["--audience": "https://other.example.com"], 1, "rejected because: assay.token.audience:"),
            (["--at": "2026-09-21T13:00:00Z"], 1, "rejected because: assay.token.expiry:"),
            (["--bound": "required"], 1, "rejected because: assay.token.binding:"),
        ]
        for entry in table {
            let options = [
                "--app": "vectors", "--key-set": "file:jwks.json", "--issuer": "https://attest.example.com",
                "--audience": "https://api.example.com", "--at": "2026-09-21T12:00:00Z",
            ].merging(entry.change) { $1 }
            let run = try scratch.run(
                ["verify", "--kind", "assay.token", "token.txt"]
                    + options.sorted { $0.key < $1.key }.flatMap { [$0, $1] })
            #expect(run.status == entry.status, "\(entry.change): \(run.errors)\(run.output)")
            #expect(run.output.contains(entry.words), "\(entry.change): \(run.output)")
        }
    }
}
