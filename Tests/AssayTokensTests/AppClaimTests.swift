import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import Testing

/// Claims of the app: only those that the policy allows, only if the evidence covers them, and never in the place of the issuer's.
struct AppClaimTests {
    private static let client = TestKey(.p256, seed: "claim tests", label: "client")
    private static let schema =
        "testAuthorities: allow, claims: { tier: text 8, note: text, level: number, beta: flag }"

    private static func request(_ world: TokenWorld, _ claims: String?, covering: String?) async throws -> TokenRequest
    {
        let thumbprint = JWKThumbprint.p256(client.publicPoint)
        let request = try await world.attestation(
            client: client,
            evidence: {
                TokenRequest.evidenceChallenge(
                    $0, audiences: [TokenWorld.audience], keyThumbprint: thumbprint, claims: covering)
            })
        return TokenRequest(
            record: request.record, challenge: request.challenge, audiences: [TokenWorld.audience],
            publicKey: client.publicPoint, claims: claims)
    }

    /// The payload of the token, or the code of the refusal.
    private static func ask(
        _ world: TokenWorld, _ claims: String?, covering: String?? = .none
    ) async throws -> (payload: [String: Any], code: String) {
        let request = try await request(world, claims, covering: covering ?? claims)
        do {
            guard case .issued(let grant, _) = try await world.verifier.issueToken(request, at: TokenWorld.now) else {
                return ([:], "rejected")
            }
            let text = try #require(grant.tokens.first?.text)
            let payload = try CompactJWS(Array(text.utf8), limit: TokenClaims.maximumLength).payload
            return (try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] ?? [:], "")
        } catch VerificationError.request(let error) { return ([:], error.code) }
    }

    @Test("Allowed claims stand in one claim of the token, which every reader of tokens still accepts")
    func allowed() async throws {
        let world = try await TokenWorld(tokens: Self.schema)
        let text = #"{"tier":"gold","level":-1.5e3,"beta":true,"note":"\u00e9 \" \\ \ud83d\ude00"}"#
        let answer = try await Self.ask(world, text)
        let claims = try #require(answer.payload["claims"] as? [String: Any], "\(answer)")
        #expect(claims["tier"] as? String == "gold" && claims["level"] as? Double == -1500)
        #expect(claims["beta"] as? Bool == true && claims["note"] as? String == "\u{E9} \" \\ \u{1F600}")
        #expect(answer.payload["app"] as? String == "shop")
        #expect(try await Self.ask(world, "{}").payload["claims"] as? [String: String] == [:])
        #expect(try await Self.ask(world, nil).payload["claims"] == nil)
        // The longest claims leave the token readable.
        let wide = try await TokenWorld(
            tokens: "testAuthorities: allow, claims: { a: text 255, b: text 255 }")
        let long = #"{"a":"\#(String(repeating: "x", count: 255))","b":"\#(String(repeating: "y", count: 242))"}"#
        let widest = try await Self.ask(wide, long)
        #expect(long.utf8.count == 512 && widest.code.isEmpty, "\(long.utf8.count) \(widest)")
        guard
            case .issued(let grant, _) = try await world.verifier.issueToken(
                Self.request(world, text, covering: text), at: TokenWorld.now)
        else { return #expect(Bool(false), "no token") }
        let judged = try await world.judge(grant.tokens[0].text, client: Self.client)
        #expect(judged.outcome == .accept, "\(judged.failed)")
        // Who verifies the token reads them.
        let read = try #require(judged.assayToken?.claims)
        let object = try JSONSerialization.jsonObject(with: Data(read.utf8)) as? [String: Any]
        #expect(
            object?["tier"] as? String == "gold" && object?["note"] as? String == "\u{E9} \" \\ \u{1F600}", "\(read)")
        #expect(judged.json(id: nil).contains(#""claims":"{\"tier\":\"gold\""#), "\(judged.json(id: nil))")
    }

    @Test("Claims of another form, as another issuer may write them, are not read, and refuse no token")
    func foreign() throws {
        func claims(_ member: String) throws -> String? {
            try TokenSubject(
                claims:
                    #"{"iss":"i","aud":"a","iat":1,"exp":2,"jti":"j","app":"shop","att":{"kind":"k","at":1,"annotated":[]}\#(member)}"#
            ).claims
        }
        #expect(try claims("") == nil)
        #expect(try claims(#","claims":{"tier":"gold","level":7}"#) == #"{"tier":"gold","level":7}"#)
        for other in [#""gold""#, "[]", "null", #"{"list":[1]}"#, #"{"more":{}}"#] {
            #expect(try claims(#","claims":\#(other)"#) == nil, "\(other)")
        }
    }

    @Test("The evidence covers the text of the claims, byte for byte")
    func covered() async throws {
        let world = try await TokenWorld(tokens: Self.schema)
        for (claims, covering) in [
            (#"{"tier":"gold"}"#, .some(#"{"tier":"free"}"#)), (#"{"tier":"gold"}"#, nil), (nil, #"{"tier":"gold"}"#),
            (#"{"tier":"gold"}"#, #"{"tier": "gold"}"#), ("{}", nil),
        ] as [(String?, String?)] {
            let answer = try await Self.ask(world, claims, covering: .some(covering))
            #expect(answer.code == "evidence-not-bound", "\(claims ?? "nil") \(answer)")
        }
    }

    @Test(
        "BAD_PAYLOAD: every JSON that is no object of allowed claims",
        arguments: [
            "", " ", "null", "true", "7", "\"text\"", "[]", "[{}]", "{", "{}}", "{} {}", "{'tier':1}", "{\"tier\"}",
            #"{"tier":"gold",}"#, #"{"tier":"a","tier":"b"}"#, "\u{FEFF}{}", "{\"tier\":\"a\u{0}\"}",
            "{\"tier\":\"a\nb\"}",
            #"{"tier":"123456789"}"#, #"{"tier":null}"#, #"{"tier":7}"#, #"{"tier":["gold"]}"#, #"{"tier":{"a":1}}"#,
            #"{"tier":"a\u0000"}"#, #"{"tier":"a\nb"}"#, #"{"tier":"\ud800"}"#, #"{"level":"7"}"#, #"{"level":true}"#,
            #"{"level":01}"#, #"{"level":NaN}"#, #"{"level":1000000000000000000000000}"#, #"{"beta":1}"#,
            #"{"beta":"true"}"#, #"{"other":1}"#, #"{"exp":1}"#, #"{"sub":"x"}"#, #"{"Tier":"a"}"#, #"{"":"a"}"#,
            #"{"note":"\#(String(repeating: "x", count: 65))"}"#, String(repeating: " ", count: 512) + "{}",
            String(repeating: "[", count: 500),
        ])
    func refused(_ text: String) async throws {
        let world = try await TokenWorld(tokens: Self.schema)
        #expect(try await Self.ask(world, text).code == "invalid-claims", "\(text)")
    }

    @Test("Without a schema, and in other formats, no claims are taken")
    func unscheduled() async throws {
        for tokens in [
            "testAuthorities: allow",
            "testAuthorities: allow, claims: { tier: text }, format: oauth-client-attestation, clientID: c",
        ] {
            #expect(try await Self.ask(TokenWorld(tokens: tokens), #"{"tier":"gold"}"#).code == "invalid-claims")
        }
    }

    @Test(
        "Schemas that cannot be",
        arguments: [
            "[]", "{}", "text", "{ tier: string }", "{ tier: text 0 }", "{ tier: text 256 }", "{ tier: text 08 }",
            "{ tier: { text: 8 } }", "{ \"a b\": text }", "{ \"\": text }",
            "{ \(String(repeating: "a", count: 65)): text }",
            "{ \((0..<17).map { "a\($0): flag" }.joined(separator: ", ")) }",
        ])
    func schemas(_ text: String) async throws {
        await #expect(throws: PolicyError.self) {
            try await TokenWorld(tokens: "testAuthorities: allow, claims: \(text)")
        }
    }
}
