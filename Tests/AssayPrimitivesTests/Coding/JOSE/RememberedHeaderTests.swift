import AssayCore
import AssayPrimitives
import Testing

/// Reading a cached header again must have no visible effect.
@Suite struct RememberedHeaderTests {
    private static let secret = [UInt8](repeating: 0x42, count: 32)

    private static func token(_ header: String, valid: Bool = true) -> [UInt8] {
        let input = "\(Base64.encode(Array(header.utf8), .url)).\(Base64.encode(Array("{}".utf8), .url))"
        var code = HMAC.sha256(key: secret, Array(input.utf8))
        if !valid { code[0] ^= 1 }
        return Array("\(input).\(Base64.encode(code, .url))".utf8)
    }

    @Test("A token has the same claims and outcome each time, independent of earlier tokens")
    func repeated() throws {
        let key = try JWSKey.hs256(SecretBytes(Self.secret))
        // More headers than the cache holds, some that differ in one character, and one that is too long for it.
        let long = String(repeating: "k", count: 400)
        let keyIDs = (0..<20).map { "key-\($0)" } + ["", long]
        for _ in 0..<3 {
            for keyID in keyIDs {
                let header = #"{"alg":"HS256","kid":"\#(keyID)"}"#
                for isValid in [false, true, false, true] {
                    let jws = try CompactJWS(Self.token(header, valid: isValid), limit: 4096)
                    #expect(jws.header.algorithm == "HS256")
                    #expect(jws.header.keyID == keyID)
                    #expect(jws.header.type == nil)
                    #expect(jws.header.object.members.map(\.name) == ["alg", "kid"])
                    #expect(jws.header.object.members.map(\.offset) == [1, 15])
                    #expect(Self.outcome(key, jws) == (isValid ? nil : .signatureInvalid))
                }
            }
        }
    }

    @Test("A remembered header is refused with another key or another algorithm")
    func otherKeys() throws {
        let key = try JWSKey.hs256(SecretBytes(Self.secret))
        let other = try JWSKey.hs256(SecretBytes([UInt8](repeating: 0x43, count: 32)))
        let jws = try CompactJWS(Self.token(#"{"alg":"HS256","typ":"other"}"#), limit: 4096)
        let named = try CompactJWS(Self.token(#"{"alg":"HS512","typ":"other"}"#), limit: 4096)
        for _ in 0..<3 {
            #expect(Self.outcome(key, jws) == nil)
            #expect(Self.outcome(other, jws) == .signatureInvalid)
            #expect(Self.outcome(key, named) == .algorithmNotAllowed)
        }
    }

    @Test("After a remembered header, payload and signature are read as strictly, with the same offsets")
    func strictness() throws {
        let key = try JWSKey.hs256(SecretBytes(Self.secret))
        let header = #"{"alg":"HS256","typ":"strict"}"#
        let token = Self.token(header)
        try key.verify(CompactJWS(token, limit: 4096))
        let payloadStart = try #require(token.firstIndex(of: 0x2E)) + 1
        var broken = token
        broken[payloadStart] = 0x2B
        #expect {
            _ = try CompactJWS(broken, limit: 4096)
        } throws: {
            let error = $0 as? DecodeError
            return error?.reason == .invalidText && error?.offset == payloadStart && error?.field == "JWS payload"
        }
        // The same characters inside a longer text: offsets are indices of the slice.
        let padded = [0x2E, 0x2E] + token
        let jws = try CompactJWS(padded.dropFirst(2), limit: 4096)
        #expect(jws.signingInput.startIndex == 2)
        #expect(Self.outcome(key, jws) == nil)
    }

    private static func outcome(_ key: JWSKey, _ jws: CompactJWS) -> JOSEError.Code? {
        do {
            try key.verify(jws)
            return nil
        } catch {
            return error.reason
        }
    }
}
