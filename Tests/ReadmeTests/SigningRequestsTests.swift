import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The page for app developers has the exact bytes of a vector.
struct SigningRequestsTests {
    /// The vector `request-post` of an engine, and its signature base.
    private static func vector(_ engine: String) throws -> (
        record: EvidenceRecord, request: SignedRequest, base: [UInt8]
    ) {
        let file = TestVectors.folder.appendingPathComponent("\(engine)/minted/requests/accept.json")
        let records = RecordFile.read(Array(try Data(contentsOf: file))).compactMap { try? $0.get() }
        let record = try #require(records.first { $0.id == "request-post" })
        var members = record.evidence.members.map { ($0.name, $0.value.content) }
        members.removeAll { ["key", "decoded"].contains($0.0) }
        let request = try SignedRequest(RecordFields(RecordObject(members), path: "evidence"))
        let parts = request.parts
        let field = try #require(parts.combinedValue(of: "Signature-Input"))
        let input = try #require(SignatureInputField(field[...]).inputs.first)
        return (record, request, try SignatureBase.build(for: input, of: parts))
    }

    private static func page() throws -> Page {
        try #require(Page.all.first { $0.path.hasSuffix("SigningRequests.md") })
    }

    @Test("The example of Play Integrity is its own vector request-post, with the hash that Google has confirmed")
    func integrityExample() throws {
        let (record, request, base) = try Self.vector("play-integrity")
        let page = try Self.page()
        let blocks = page.blocks("text").map(\.text)
        #expect(blocks.contains(String(decoding: base, as: UTF8.self) + "\n"))
        #expect(blocks.contains(request.fields.map { "\($0.name): \($0.value)\n" }.joined()))
        #expect(page.text.contains("`\(request.targetURI)`"))
        let hash = Base64.encode(Digest.sha256(base), .url)
        #expect(page.text.contains("`\(hash)`") && record.json.contains(hash))
    }

    @Test("The worked example is the vector request-post: its base, its digests and its fields")
    func example() throws {
        let (_, request, base) = try Self.vector("app-attest")
        let digest = Digest.sha256(base)
        let page = try Self.page()
        let blocks = page.blocks("text").map(\.text)
        #expect(blocks.first == String(decoding: base, as: UTF8.self) + "\n")
        #expect(blocks.dropFirst().first == request.fields.map { "\($0.name): \($0.value)\n" }.joined())
        #expect(page.text.contains("`\(request.targetURI)`"))
        #expect(page.text.contains(digest.map { String(format: "%02x", $0) }.joined()))
    }
}
