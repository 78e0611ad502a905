import AssayCore
import AssayInspection
import AssayTesting
import Foundation
import Testing

@Suite("Inspection of CMS messages")
struct CMSFormatTests {
    @Test("A receipt is shown with its chunks, certificates and signer, and its content is joined")
    func receipt() throws {
        let samples = try Samples()
        let bytes = samples.receipt
        #expect(CMSFormat.recognise(bytes)?.certainty == .certain)
        #expect(CMSFormat.violation(in: bytes) == nil)
        let contents = CMSFormat.annotate(bytes)
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
        let message = try #require(contents.annotations["CMS message", "SignedData"]).children
        #expect(
            message.map(\.name) == [
                "version", "digestAlgorithms", "encapContentInfo", "certificates", "signerInfos",
            ])
        #expect(message["digestAlgorithms", "digestAlgorithm"]?.value == "sha256")
        #expect(message["encapContentInfo", "eContentType"]?.meaning == "data")
        #expect((message["encapContentInfo", "eContent"]?.children.count ?? 0) > 1)
        #expect(message["certificates"]?.children.count == 3)
        #expect(message["certificates", "certificates[0]"]?.value?.contains("Receipt Signing") ?? false)
        let signer = try #require(message["signerInfos", "signerInfos[0]"])
        #expect(signer.meaning == "signs the content itself")
        #expect(signer.children["digestAlgorithm"]?.value == "sha256")
        #expect(signer.children["signatureAlgorithm"]?.value == "ecdsa-with-SHA256")
        #expect(signer.children["sid.issuerAndSerialNumber", "issuer"]?.value?.contains("CN=") ?? false)
        #expect(signer.children["signature", "r"] != nil)
        // BER allows indefinite lengths.
        #expect(contents.annotations.flattened.allSatisfy { $0.violation == nil })

        let content = try #require(contents.nested.first)
        #expect(content.bytes.first == 0x31)
        #expect(content.encoding.hasPrefix("OCTET STRING in"))
        #expect(CMSAnnotator.content(of: bytes) == content.bytes)
        #expect(DERFormat.violation(in: content.bytes) == nil)
    }

    @Test("Signed attributes are shown by name")
    func signedAttributes() throws {
        let authority = try TestAuthority(seed: "inspection", notBefore: Samples.time.addingTimeInterval(-86_400))
        var blueprint = ReceiptBlueprint(
            authority: authority, appID: Samples.appID, certificate: [0x30, 0x00], clientDataHash: [1, 2, 3],
            environment: .production, createdAt: Samples.time)
        blueprint.signedAttributes = .signed(Samples.time)
        blueprint.encoding = .definite
        let contents = CMSFormat.annotate(try blueprint.mint())
        let attributes = try #require(
            contents.annotations["CMS message", "SignedData", "signerInfos", "signerInfos[0]", "signedAttrs"])
        #expect(attributes.children["signingTime"]?.value == "2026-04-21T18:13:12Z")
        #expect(attributes.children["contentType"]?.value == "1.2.840.113549.1.7.1")
        #expect(attributes.children["messageDigest"]?.value?.count == 64)
        #expect(contents.nested.first?.encoding == "OCTET STRING")
    }

    @Test("The available content of a truncated message is joined")
    func cut() throws {
        let receipt = try Samples().receipt
        let bytes = Array(receipt.prefix(1200))
        let contents = CMSFormat.annotate(bytes)
        #expect(CMSFormat.recognise(bytes)?.reason.hasSuffix("breaks off") ?? false)
        #expect(CMSFormat.violation(in: bytes) != nil)
        let content = try #require(contents.nested.first)
        #expect(content.bytes.count > 1000)
        #expect(try #require(CMSAnnotator.content(of: receipt)).starts(with: content.bytes))
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
    }
}
