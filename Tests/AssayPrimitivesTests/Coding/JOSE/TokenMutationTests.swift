import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// Nothing at all may be changed in a token.
@Suite("Mutated JWS and JWE") struct TokenMutationTests {
    private static func opens(_ text: [UInt8], _ key: JWEKey) -> Bool {
        guard let jwe = try? CompactJWE(text, limit: InputLimits.joseText) else { return false }
        return (try? key.decrypt(jwe)) != nil
    }

    private static func verifies(_ text: [UInt8], _ key: JWSKey) -> Bool {
        guard let jws = try? CompactJWS(text, limit: InputLimits.joseText) else { return false }
        return (try? key.verify(jws)) != nil
    }

    @Test("Whatever is changed in a JWE of A256KW: rejected")
    func keyWrap() throws {
        let key = try JWEKey.a256KW(TokenFixture.wrappingKey)
        let text = try TokenFixture.encrypted(Array(#"{"a":1}"#.utf8)).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.opens(bytes, key) } == [])
    }

    @Test("Whatever is changed in a JWE of A256GCMKW: rejected")
    func gcmKeyWrap() throws {
        let key = try JWEKey.a256GCMKW(TokenFixture.wrappingKey)
        let text = try TokenFixture.gcmEncrypted(Array(#"{"a":1}"#.utf8)).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.opens(bytes, key) } == [])
    }

    @Test("Whatever is changed in a JWS of ES256: rejected")
    func es256() throws {
        let key = try JWSKey.es256(TokenFixture.verificationKey())
        let text = try TokenFixture.signed(#"{"a":1}"#).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.verifies(bytes, key) } == [])
    }

    @Test("Whatever is changed in a JWS of HS256: rejected")
    func hs256() throws {
        let key = try JWSKey.hs256(TokenFixture.wrappingKey)
        let text = TokenFixture.authenticated(#"{"a":1}"#).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.verifies(bytes, key) } == [])
    }
}
