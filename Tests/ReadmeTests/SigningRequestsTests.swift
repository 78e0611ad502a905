import Assay
import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// The page for app developers has the exact bytes of a vector.
struct SigningRequestsTests {
    @Test("The worked example is the vector request-post: its base, its digests and its fields")
    func example() throws {
        let file = TestVectors.folder.appendingPathComponent("app-attest/minted/requests/accept.json")
        let records = RecordFile.read(Array(try Data(contentsOf: file))).compactMap { try? $0.get() }
        let record = try #require(records.first { $0.id == "request-post" })
        var members = record.evidence.members.map { ($0.name, $0.value.content) }
        members.removeAll { $0.0 == "key" }
        let request = try SignedRequest(RecordFields(RecordObject(members), path: "evidence"))
        let parts = request.parts
        let field = try #require(parts.combinedValue(of: "Signature-Input"))
        let input = try #require(SignatureInputField(field[...]).inputs.first)
        let base = try SignatureBase.build(for: input, of: parts)
        let digest = Digest.sha256(base)

        let page = try #require(Page.all.first { $0.path.hasSuffix("SigningRequests.md") })
        let blocks = page.blocks("text").map(\.text)
        #expect(blocks.first == String(decoding: base, as: UTF8.self) + "\n")
        #expect(blocks.dropFirst().first == request.fields.map { "\($0.name): \($0.value)\n" }.joined())
        #expect(page.text.contains("`\(request.targetURI)`"))
        #expect(page.text.contains(digest.map { String(format: "%02x", $0) }.joined()))
        #expect(page.text.contains("`\(Base64.encode(digest, .url))`"))
    }
}
