import AssayInspection
import AssayTesting
import Testing

@Suite("Inspection of JWS, JWE and claims")
struct JOSEFormatTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("A JWS is shown with its header explained, and its payload nested")
    func jws() throws {
        let token = bytes(try Samples().token)
        #expect(JWSFormat.recognise(token)?.certainty == .certain)
        #expect(JWSFormat.violation(in: token) == nil)
        #expect(JWEFormat.recognise(token) == nil)
        let contents = JWSFormat.annotate(token)
        #expect(AnnotationRules.problems(contents, of: token) == [])
        #expect(
            contents.annotations["protected header", "alg"]?.meaning
                == "HMAC with SHA-256: the key that verifies also signs")
        #expect(contents.annotations["protected header", "kid"]?.value == "\"key-1\"")
        #expect(contents.annotations["signature"]?.meaning == "32 bytes")
        #expect(contents.unknown.first?.contains("key-1") ?? false)
        let payload = try #require(contents.nested.first)
        #expect(JWTClaims.recognise(payload.bytes) != nil)
        #expect(contents.annotations.flattened.allSatisfy { $0.violation == nil })
    }

    @Test(
        "Text around a token, and missing parts, are reported",
        arguments: [
            ("\"TOKEN\"", "in quotes", false), ("Bearer TOKEN\n", "after the word Bearer", false),
            ("TOKEN.AAAA", "the form has 3 parts", true), ("TOKEN=", "padding, which base64url is seldom", true),
            ("CUT", "it is missing", true), ("HEAD\nTAIL", "line breaks or spaces inside", true),
        ])
    func irregular(form: String, expected: String, isViolation: Bool) throws {
        let token = try Samples().token
        let text = form.replacing("TOKEN", with: token)
            .replacing("CUT", with: token.prefix(upTo: try #require(token.lastIndex(of: "."))))
            .replacing("HEAD", with: token.prefix(60)).replacing("TAIL", with: token.dropFirst(60))
        let contents = JWSFormat.annotate(bytes(text))
        #expect(JWSFormat.recognise(bytes(text)) != nil)
        #expect(contents.annotations.shown.contains(expected))
        #expect(contents.nested.contains { $0.name == "payload of the JWS" })
        if isViolation { #expect(JWSFormat.violation(in: bytes(text)) != nil) }
        #expect(AnnotationRules.problems(contents, of: bytes(text)) == [])
    }

    @Test("A signature of the wrong length is marked, and alg none is explained")
    func signatures() throws {
        var blueprint = JWSBlueprint(payload: bytes("{}"), signer: .es256(TestKey(.p256)))
        blueprint.changeSignature = { Array($0.dropLast()) }
        let short = JWSFormat.annotate(bytes(try blueprint.mint()))
        #expect(short.annotations["signature"]?.violation == "63 bytes, 64 expected for the algorithm")
        let unsigned = JWSFormat.annotate(bytes(try JWSBlueprint(payload: bytes("{}"), signer: .none).mint()))
        #expect(unsigned.annotations["protected header", "alg"]?.meaning?.hasPrefix("not signed at all") ?? false)
        #expect(unsigned.unknown == ["Who wrote it: it is not signed."])
    }

    @Test("A JWE is shown with the lengths of its parts; the ciphertext is marked as unknown")
    func jwe() throws {
        let text =
            "eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoieCJ9."  // {"alg":"A256KW","enc":"A256GCM","kid":"x"}
            + String(repeating: "A", count: 54) + "." + String(repeating: "A", count: 16) + ".AAAA."
            + String(repeating: "A", count: 22)
        let token = bytes(text)
        #expect(JWEFormat.recognise(token)?.certainty == .certain)
        #expect(JWSFormat.recognise(token) == nil)
        #expect(JWEFormat.violation(in: token) == nil)
        let contents = JWEFormat.annotate(token)
        #expect(
            contents.annotations["protected header", "alg"]?.meaning == "AES key wrap with a shared key of 256 bits")
        #expect(contents.annotations["protected header", "enc"]?.meaning == "AES-GCM with 256 bits")
        #expect(
            contents.annotations.dropFirst().map { $0.meaning ?? "" } == [
                "40 bytes", "12 bytes", "3 bytes", "16 bytes",
            ])
        #expect(contents.annotations.flattened.allSatisfy { $0.violation == nil })
        #expect(contents.unknown.first?.contains("key x") ?? false)

        // The tag is missing, and the vector is short.
        let cut = bytes(text.split(separator: ".").prefix(2).joined(separator: ".") + ".AAAA")
        #expect(JWEFormat.recognise(cut)?.certainty == .structure)
        let parts = JWEFormat.annotate(cut).annotations
        #expect(parts["initialization vector"]?.violation == "3 bytes, 12 expected for the algorithm")
        #expect(parts["authentication tag"]?.violation == "it is missing; a JWE has five parts")
    }

    @Test("A key in a header is not shown")
    func keyInHeader() throws {
        var blueprint = JWSBlueprint(payload: bytes("{}"), signer: .hs256([1]))
        blueprint.header = ["alg": "HS256", "jwk": ["kty": "oct", "k": "5ecret5ecret"]]
        let contents = JWSFormat.annotate(bytes(try blueprint.mint()))
        #expect(!contents.annotations.shown.contains("5ecret"))
        #expect(contents.secrets.count == 1)
        #expect(contents.annotations["protected header", "jwk"]?.meaning?.contains("never uses") ?? false)
    }

    @Test(
        "Claims are shown with times as text",
        arguments: [
            (
                #"{"exp": 1776795192.5}"#,
                "not valid from then on: 2026-04-21T18:13:12.500Z, Tuesday 21 April 2026, 18:13:12 UTC (seconds since 1970)"
            ),
            (
                #"{"exp": 1776795192153}"#,
                "not valid from then on: seconds since 1970, beyond all calendars; more likely 2026-04-21T18:13:12.153Z, Tuesday 21 April 2026, 18:13:12 UTC (milliseconds since 1970)"
            ),
            (#"{"exp": 1e400, "iat": 1}"#, "not valid from then on: seconds since 1970, beyond all calendars"),
            (#"{"exp": "soon", "iat": 1}"#, "not valid from then on; it should be a number"),
            (
                #"{"exp": -1}"#,
                "not valid from then on: 1969-12-31T23:59:59Z, Wednesday 31 December 1969, 23:59:59 UTC (seconds since 1970)"
            ),
        ])
    func claims(text: String, expected: String) {
        #expect(JWTClaims.recognise(bytes(text)) != nil)
        #expect(JWTClaims.annotate(bytes(text)).annotations["document", "exp"]?.meaning == expected)
    }

    @Test("Objects without claims are not recognised as claims")
    func notClaims() {
        #expect(JWTClaims.recognise(bytes(#"{"id": "x", "sub": 1}"#)) == nil)
        #expect(JWTClaims.recognise(bytes("[1]")) == nil)
    }

    @Test("Text with dots that is no token is not recognised as one")
    func notTokens() {
        for text in ["com.example.shop", "1.2.3", "a.b.c.d.e", "www.example.org/path", "....."] {
            #expect(JWSFormat.recognise(bytes(text)) == nil)
            #expect(JWEFormat.recognise(bytes(text)) == nil)
            #expect(JWSFormat.annotate(bytes(text)).annotations.isEmpty == false)
        }
    }
}
