import AssayCore
import AssayPrimitives
import Testing

@Suite("Compact JWS and JWE") struct CompactTokenTests {
    @Test("A token like Google's is decrypted and verified with its two keys")
    func opensNestedToken() throws {
        let inner = TokenFixture.compact(try TokenFixture.signed(#"{"nonce":"x"}"#))
        let token = TokenFixture.compact(try TokenFixture.encrypted(inner))
        let jwe = try CompactJWE(token, limit: InputLimits.joseText)
        let key = try JWEKey.a256KW(TokenFixture.wrappingKey)
        let plaintext = try key.decrypt(jwe)
        #expect(plaintext == inner)
        let jws = try CompactJWS(plaintext, limit: InputLimits.joseText)
        try JWSKey.es256(TokenFixture.verificationKey()).verify(jws)
        #expect(jws.payload == Array(#"{"nonce":"x"}"#.utf8))
        #expect(jws.header.algorithm == "ES256")
        #expect(jwe.header.encryption == "A256GCM")
        #expect(key.algorithm == "A256KW")
    }

    @Test("The JWS of RFC 7515 appendix A.1 verifies with its key, and not with another")
    func rfc7515HMAC() throws {
        let text =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
            + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let secret = try Base64.decode(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow", .url)
        let jws = try CompactJWS(Array(text.utf8), limit: InputLimits.joseText)
        #expect(jws.header.type == "JWT")
        try JWSKey.hs256(SecretBytes(secret)).verify(jws)
        let other = try JWSKey.hs256(SecretBytes(secret.reversed()))
        #expect(joseError { try other.verify(jws) }?.reason == .signatureInvalid)
    }

    @Test("The JWS of RFC 7515 appendix A.3 verifies with its key, and not with another algorithm")
    func rfc7515ECDSA() throws {
        let text =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
            + "Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let x = try Base64.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", .url)
        let y = try Base64.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", .url)
        let jws = try CompactJWS(Array(text.utf8), limit: InputLimits.joseText)
        try JWSKey.es256(ECDSAPublicKey(x963: [4] + x + y, curve: .p256)).verify(jws)
        let other = try JWSKey.hs256(SecretBytes([4] + x + y))
        #expect(joseError { try other.verify(jws) }?.reason == .algorithmNotAllowed)
    }
}
