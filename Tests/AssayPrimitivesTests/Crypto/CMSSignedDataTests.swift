import AssayCore
import AssayPrimitives
import Testing

@Suite struct CMSSignedDataTests {
    @Test("Malformed SignedData is refused with its own code")
    func refusals() {
        let data = DER.sequence(
            DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1)), DER.tagged(0xA0, DER.tagged(0x04, [1, 2, 3])))
        let empty = DER.sequence(
            [2, 1, 1], [0x31, 0], DER.sequence(DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 1))), [0x31, 0])
        let unsigned = DER.sequence(
            DER.oid(ObjectIdentifier(1, 2, 840, 113549, 1, 7, 2)), DER.tagged(0xA0, empty))
        let cases: [(String, [UInt8], [UInt8]?, String)] = [
            ("nothing", [], nil, "malformed"), ("garbage", [1, 2, 3], nil, "malformed"),
            ("plain data", data, nil, "not-signed-data"), ("bytes after it", data + [0], nil, "malformed"),
            ("no content", unsigned, nil, "detached-content"), ("no signer", unsigned, [1], "signers"),
            ("too large", Array(repeating: 0x30, count: InputLimits.receipt + 1), nil, "too-large"),
        ]
        for (name, message, content, code) in cases {
            guard case .failure(let failure) = CMSSignedData.verify(message[...], detachedContent: content) else {
                Issue.record("\(name) is accepted")
                continue
            }
            #expect(failure.code == code, "\(name): \(failure.detail)")
        }
    }
}
