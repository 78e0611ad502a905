import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

/// Every change of a token is rejected.
@Suite("Mutated JWS and JWE") struct TokenMutationTests {
    private static func opens(_ text: [UInt8], _ key: JWEKey) -> Bool {
        guard let jwe = try? CompactJWE(text, limit: InputLimits.joseText) else { return false }
        return (try? key.decrypt(jwe)) != nil
    }

    private static func verifies(_ text: [UInt8], _ key: JWSKey) -> Bool {
        guard let jws = try? CompactJWS(text, limit: InputLimits.joseText) else { return false }
        return (try? key.verify(jws)) != nil
    }

    @Test("Every change of a JWE of A256KW is rejected")
    func keyWrap() throws {
        let key = try JWEKey.a256KW(TokenFixture.wrappingKey)
        let text = try TokenFixture.encrypted(Array(#"{"a":1}"#.utf8)).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.opens(bytes, key) } == [])
    }

    @Test("Every change of a JWE of A256GCMKW is rejected")
    func gcmKeyWrap() throws {
        let key = try JWEKey.a256GCMKW(TokenFixture.wrappingKey)
        let text = try TokenFixture.gcmEncrypted(Array(#"{"a":1}"#.utf8)).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.opens(bytes, key) } == [])
    }

    @Test("Every change of a JWS of ES256 is rejected")
    func es256() throws {
        let key = try JWSKey.es256(TokenFixture.verificationKey())
        let text = try TokenFixture.signed(#"{"a":1}"#).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.verifies(bytes, key) } == [])
    }

    @Test("Every change of a JWS of HS256 is rejected")
    func hs256() throws {
        let key = try JWSKey.hs256(TokenFixture.wrappingKey)
        let text = TokenFixture.authenticated(#"{"a":1}"#).joined(separator: ".")
        #expect(TokenMutation.accepted(text) { (bytes: [UInt8]) in Self.verifies(bytes, key) } == [])
    }
}
