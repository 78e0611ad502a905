import AssayCore
import AssayPrimitives
import Testing

@Suite struct CMSSignedDataTests {
    /// Removes each NULL that follows an object identifier in a SEQUENCE of two, and writes the lengths anew. `kept` stays as it is.
    private static func withoutParameters(_ der: [UInt8], keeping kept: [UInt8]) throws -> [UInt8] {
        var reader = DERReader(der[...])
        var result: [UInt8] = []
        while !reader.isAtEnd {
            let element = try reader.read()
            let bytes = Array(element.bytes)
            guard element.tag.isConstructed, bytes != kept else {
                result += bytes
                continue
            }
            var children: [[UInt8]] = []
            var inner = element.reader
            while !inner.isAtEnd { children.append(Array(try inner.read().bytes)) }
            if children.count == 2, children[0].first == 0x06, children[1] == [0x05, 0x00] { children.removeLast() }
            result += DER.tagged(bytes[0], try children.flatMap { try withoutParameters($0, keeping: kept) })
        }
        return result
    }

    @Test(
        "An RSA signer's algorithms without parameters count as those with NULL (RFC 4055 section 5)",
        .enabled(if: OpenSSLTool.isAvailable, "the openssl command is not there"))
    func absentParameters() throws {
        let tool = try OpenSSLTool()
        try tool.write(Array("content".utf8), to: "content")
        _ = try tool.run(
            "req -x509 -newkey rsa:2048 -nodes -subj /CN=signer -keyout key.pem -days 30", to: "cert.pem")
        let message = try tool.run(
            "cms -sign -binary -nodetach -nosmimecap -signer cert.pem -inkey key.pem -in content -outform DER",
            to: "cms.der")
        let parsed = try SignedDataMessage(message[...])
        // The certificate is signed, and stays as it is: only the algorithms of the message change.
        let changed = try Self.withoutParameters(message, keeping: Array(try #require(parsed.certificates.first)))
        // At least the signer's algorithm; versions of OpenSSL differ in whether digest algorithms have NULL.
        #expect(changed.count <= message.count - 2)
        let original = try CMSSignedData.verify(message[...]).get()
        let verified = try CMSSignedData.verify(changed[...]).get()
        #expect(verified.content == Array("content".utf8) && verified.signer == original.signer)
        let read = try SignedDataMessage(changed[...])
        #expect(read.signer.signatureAlgorithm == parsed.signer.signatureAlgorithm)
        #expect(read.signer.digestAlgorithm == parsed.signer.digestAlgorithm)
    }

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
