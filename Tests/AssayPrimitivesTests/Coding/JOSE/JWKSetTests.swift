import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("JWK sets") struct JWKSetTests {
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    private static let point = #""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#
    private static let secret = TokenFixture.url(TokenFixture.secret)
    private static let modulus = TokenFixture.url([0xC3] + [UInt8](repeating: 0x5B, count: 255))

    private static func error(_ keys: String) -> DecodeError? {
        decodeError { _ = try JWKSet(Array("{\"keys\":[\(keys)]}".utf8)) }
    }

    @Test("A key is selected only by its ID")
    func selects() throws {
        let text = """
            {"keys":[{\(Self.point),"kid":"a","use":"sig","alg":"ES256","key_ops":["verify"],"x5c":["AA"]},
            {"kty":"RSA","n":"\(Self.modulus)","e":"AQAB","kid":"b"},
            {"kty":"OKP","crv":"Ed25519","x":"AA","kid":"c"},{"kty":"EC","crv":"P-521","x":"AA","y":"AA","kid":"d"}]}
            """
        let set = try JWKSet(Array(text.utf8))
        #expect(set.keyIDs == ["a", "b"])
        #expect(set.key("a")?.algorithm == "ES256")
        #expect(set.key("b")?.algorithm == "RS256")
        for unknown in ["", "A", "a ", "c", "d", "e"] { #expect(set.key(unknown) == nil) }
        func header(_ text: String) throws -> JOSEHeader {
            try CompactJWS(TokenFixture.compact([TokenFixture.url(text), "", ""]), limit: 1000).header
        }
        #expect(try set.key(for: header(#"{"alg":"RS256","kid":"a"}"#)).algorithm == "ES256")
        #expect(joseError { _ = try set.key(for: header(#"{"alg":"ES256"}"#)) }?.reason == .missingKeyID)
        #expect(joseError { _ = try set.key(for: header(#"{"alg":"ES256","kid":"c"}"#)) }?.reason == .unknownKeyID)
        #expect(joseError { _ = try set.key(for: header(#"{"alg":"ES256","kid":"z"}"#)) }?.reason == .unknownKeyID)
        #expect(try JWKSet(Array(#"{"keys":[]}"#.utf8)).keyIDs == [])
    }

    @Test("A token is verified with the key that it names")
    func verifies() throws {
        let text = #"{"keys":[{"kty":"oct","kid":"1","k":"\#(Self.secret)","key_ops":["sign","verify"]}]}"#
        let header = #"{"alg":"HS256","kid":"1"}"#
        let jws = try CompactJWS(
            TokenFixture.compact(TokenFixture.authenticated("{}", header: header)), limit: InputLimits.joseText)
        try JWKSet(Array(text.utf8)).key(for: jws.header).verify(jws)
    }

    @Test("A set is refused with the invalid member")
    func refuses() {
        let oct = #""kty":"oct","k":"\#(Self.secret)""#
        let rsa = #""kty":"RSA","e":"AQAB","kid":"1""#
        let short = TokenFixture.url([UInt8](repeating: 0xC3, count: 128))
        let cases: [(String, String)] = [
            ("{\(Self.point)}", "keys.0.kid"),
            ("{\(Self.point),\"kid\":7}", "keys.0.kid"),
            ("{\(Self.point),\"kid\":\"1\"},{\(Self.point),\"kid\":\"1\"}", "keys.1.kid"),
            ("{\(Self.point),\"kid\":\"1\"},{\"kty\":\"OKP\",\"kid\":\"1\"}", "keys.1.kid"),
            ("{\(Self.point),\"kid\":\"1\"},{\(oct),\"kid\":\"2\"}", "keys"),
            ("{\(Self.point),\"kid\":\"1\",\"use\":\"enc\"}", "keys.0.use"),
            ("{\(Self.point),\"kid\":\"1\",\"alg\":\"ES384\"}", "keys.0.alg"),
            ("{\(Self.point),\"kid\":\"1\",\"alg\":\"HS256\"}", "keys.0.alg"),
            ("{\(Self.point),\"kid\":\"1\",\"key_ops\":[\"sign\",\"verify\"]}", "keys.0.key_ops"),
            ("{\(Self.point),\"kid\":\"1\",\"key_ops\":[\"verify\",\"verify\"]}", "keys.0.key_ops"),
            ("{\(Self.point),\"kid\":\"1\",\"key_ops\":[]}", "keys.0.key_ops"),
            ("{\(Self.point),\"kid\":\"1\",\"key_ops\":\"verify\"}", "keys.0.key_ops"),
            ("{\(Self.point),\"kid\":\"1\",\"d\":\"AA\"}", "keys.0.d"),
            ("{\(rsa),\"n\":\"\(Self.modulus)\",\"p\":\"AA\"}", "keys.0.p"),
            ("{\(rsa),\"n\":\"\(short)\"}", "keys.0.n, e"),
            ("{\(rsa),\"n\":\"AA\(Self.modulus)\"}", "keys.0.n, e"),
            ("{\(rsa),\"n\":\"\"}", "keys.0.n, e"),
            ("{\(rsa)}", "keys.0.n"),
            ("{\"kty\":\"RSA\",\"kid\":\"1\",\"n\":\"\(Self.modulus)\",\"e\":\"AQ\"}", "keys.0.n, e"),
            ("{\"kty\":\"RSA\",\"kid\":\"1\",\"n\":\"\(Self.modulus)\",\"e\":\"AAED\"}", "keys.0.n, e"),
            ("{\"kty\":\"RSA\",\"kid\":\"1\",\"n\":\"\(Self.modulus)\",\"e\":\"Ag\"}", "keys.0.n, e"),
            ("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Self.x)\",\"y\":\"\(Self.x)\",\"kid\":\"1\"}", "keys.0.x, y"),
            ("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Self.x)\",\"y\":\"AA\",\"kid\":\"1\"}", "keys.0.x, y"),
            ("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Self.x)\",\"kid\":\"1\"}", "keys.0.y"),
            ("{\"kty\":\"EC\",\"kid\":\"1\"}", "keys.0.crv"),
            ("{\"kty\":\"oct\",\"k\":\"\(TokenFixture.url([UInt8](0..<31)))\",\"kid\":\"1\"}", "keys.0.k"),
            ("{\"kty\":\"oct\",\"k\":\"\(Self.secret)=\",\"kid\":\"1\"}", "keys.0.k"),
            ("{\(oct),\"kid\":\"1\",\"alg\":\"A256KW\"}", "keys.0.alg"),
            ("{\"kid\":\"1\"}", "keys.0.kty"),
            ("[]", "keys.0"),
        ]
        for (keys, field) in cases { #expect(Self.error(keys)?.field == field, "\(keys)") }
        for text in ["[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#] {
            #expect(throws: DecodeError.self) { try JWKSet(Array(text.utf8)) }
        }
        let sentence = Self.error("{\"kty\":\"oct\",\"k\":\"~ecret\",\"kid\":\"1\"}")?.description
        #expect(sentence?.contains("~") == false)
    }
}
