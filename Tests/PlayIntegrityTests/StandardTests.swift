import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity
import Synchronization
import Testing

/// A standard token is judged by what Google answers on it, from whomever the answer comes.
@Suite("Play Integrity standard")
struct StandardTests {
    /// A decoder that returns given answers and records its requests.
    private final class Decoder: IntegrityTokenDecoder {
        let answer: Result<String, IntegrityDecoderOutage>
        let asked = Mutex<[String]>([])

        init(_ answer: Result<String, IntegrityDecoderOutage>) { self.answer = answer }

        func decode(
            token: String, packageName: String, form: IntegrityTokenForm
        ) async throws(IntegrityDecoderOutage) -> [UInt8] {
            asked.withLock { $0.append("\(token) \(packageName) \(form)") }
            return Array(try answer.get().utf8)
        }
    }

    private static func body(_ payload: JSON) -> String { "{\"tokenPayloadExternal\":\(payload.rendered)}" }

    private func input(_ token: String = "opaque") -> StandardIntegrityInput {
        StandardIntegrityInput(
            packageName: Fixtures.packageName, requestHash: Fixtures.requestHash, evidence: .token(token))
    }

    @Test("A token is sent to the call of the app's platform, and the answer is judged without a remark")
    func decoded() async throws {
        for (payload, rules, form) in [
            (Fixtures.standard, Fixtures.rules(), "android"), (Fixtures.pc, nil, "pc"),
        ] as [(JSON, PlayIntegrityConfiguration.AndroidRules?, String)] {
            let decoder = Decoder(.success(Self.body(payload)))
            let verifier = try Fixtures.verifier(Fixtures.configuration(android: rules), services: [decoder])
            let verdict = try await verifier.verifyStandardIntegrityToken(input(), at: Fixtures.now)
            #expect(verdict.outcome == .accept)
            #expect(verdict.result(PlayIntegrityCheck.decode)?.finding == nil)
            #expect(verdict.playIntegrity?.key == nil)
            #expect(decoder.asked.withLock { $0 } == ["opaque com.example.shop \(form)"])
        }
    }

    @Test("A token is accepted once, for every second answer of Google; another token is accepted")
    func singleUse() async throws {
        let verifier = try Fixtures.verifier(services: [Decoder(.success(Self.body(Fixtures.standard)))])
        #expect(try await verifier.verifyStandardIntegrityToken(input(), at: Fixtures.now).outcome == .accept)
        #expect(
            try await verifier.verifyStandardIntegrityToken(input(), at: Fixtures.now).failed
                == [PlayIntegrityCheck.challenge])
        #expect(try await verifier.verifyStandardIntegrityToken(input("b"), at: Fixtures.now).outcome == .accept)
    }

    @Test("A token without a service is a wrong call; an outage of the service is one of the verifier")
    func services() async throws {
        let alone = await #expect(throws: VerificationError.self) {
            try await Fixtures.verifier().verifyStandardIntegrityToken(input(), at: Fixtures.now)
        }
        guard case .request(let request)? = alone else {
            Issue.record("expected a wrong call")
            return
        }
        #expect(request.reason == .noService)
        let decoder = Decoder(.failure(IntegrityDecoderOutage(.quota, "no more today")))
        let out = await #expect(throws: VerificationError.self) {
            try await Fixtures.verifier(services: [decoder]).verifyStandardIntegrityToken(input(), at: Fixtures.now)
        }
        guard case .outage(let outage)? = out else {
            Issue.record("expected an outage")
            return
        }
        #expect(outage.code.name == "quota")
    }

    @Test("Google's refusal is a rejection with its status and message")
    func refused() async throws {
        let json =
            #"{"error":{"code":400,"message":"Integrity token cannot be decrypted\u000a","status":"INVALID_ARGUMENT"}}"#
        for evidence in [input(), Fixtures.answer(json: json)] {
            let verdict = try await Fixtures.verifier(services: [Decoder(.success(json))])
                .verifyStandardIntegrityToken(evidence, at: Fixtures.now)
            #expect(verdict.failed == [PlayIntegrityCheck.decode])
            #expect(verdict.code(PlayIntegrityCheck.decode) == "google-refused")
            let detail = verdict.result(PlayIntegrityCheck.decode)?.finding?.detail ?? ""
            #expect(detail.contains("400 INVALID_ARGUMENT"))
            #expect(detail.hasSuffix(#"Integrity token cannot be decrypted\n"#))
            #expect(verdict.result(PlayIntegrityCheck.challenge)?.because == .check(PlayIntegrityCheck.decode))
        }
    }

    @Test("A refusal that quotes the token or the credential is reported without them")
    func refusedWithEcho() async throws {
        let (token, credential) = (String(repeating: "tok3n", count: 20), String(repeating: "ya29.", count: 20))
        let json = """
            {"error":{"code":400,"message":"Invalid value: \(token) (Bearer \(credential))","status":"INVALID_ARGUMENT"}}
            """
        let verdict = try await Fixtures.verifier().verifyStandardIntegrityToken(
            Fixtures.answer(json: json), at: Fixtures.now)
        let detail = verdict.result(PlayIntegrityCheck.decode)?.finding?.detail ?? ""
        #expect(detail.hasSuffix("(400 INVALID_ARGUMENT): Invalid value: (...) (Bearer (...)"), "\(detail)")
        #expect(!detail.contains("tok3n") && !detail.contains("ya29"))
    }

    @Test(
        "An answer of another form fails to decode",
        arguments: [
            ("", "truncated"), ("<html>", "malformed"), ("[]", "unexpected-type"), ("{}", "missing"),
            (#"{"tokenPayloadExternal":[]}"#, "unexpected-type"),
            (#"{"tokenPayloadExternal":null}"#, "unexpected-type"),
            (#"{"error":"no"}"#, "unexpected-type"), (#"{"error":{}}"#, "google-refused"),
            (#"{"error":{},"tokenPayloadExternal":{}}"#, "unexpected"),
            (#"{"tokenPayloadExternal":{},"tokenPayloadExternal":{}}"#, "duplicate-key"),
            ("{\"requestDetails\":{}}", "missing"), ("\u{FEFF}{\"tokenPayloadExternal\":{}}", "malformed"),
            (Self.body(Fixtures.standard) + "x", "trailing-bytes"),
            (String(Self.body(Fixtures.standard).dropLast(30)), "truncated"),
            (String(repeating: " ", count: 300_000), "too-large"),
        ])
    func otherForms(json: String, code: String) async throws {
        let verdict = try await Fixtures.verifier().verifyStandardIntegrityToken(
            Fixtures.answer(json: json), at: Fixtures.now)
        #expect(verdict.failed == [PlayIntegrityCheck.decode])
        #expect(verdict.code(PlayIntegrityCheck.decode) == code)
        #expect(verdict.subject == nil)
    }

    @Test("A payload that is no payload fails the payload check, and names its byte in the answer")
    func payload() async throws {
        let json = #"{"tokenPayloadExternal":{"requestDetails":{"requestHash":1}}}"#
        let verdict = try await Fixtures.verifier().verifyStandardIntegrityToken(
            Fixtures.answer(json: json), at: Fixtures.now)
        #expect(verdict.failed == [PlayIntegrityCheck.payload])
        let error = verdict.result(PlayIntegrityCheck.payload)?.finding as? DecodeError
        #expect(error?.offset == 57)
        #expect(error?.field == "requestDetails.requestHash")
    }

    @Test("A request hash is compared byte by byte, and an empty one matches nothing")
    func requestHashes() async throws {
        for (sent, given, isAccepted) in [
            ("\u{E9}", "\u{E9}", true), ("\u{E9}", "e\u{301}", false), ("a", "a ", false), ("", "", false),
            ("K", "\u{212A}", false), ("aGVsbG8", "aGVsbG8=", false),
        ] {
            var payload = Fixtures.standard
            payload["requestDetails.requestHash"] = .text(sent)
            let input = StandardIntegrityInput(
                packageName: Fixtures.packageName, requestHash: given, evidence: Fixtures.answer(payload).evidence)
            let verdict = try await Fixtures.verifier().verifyStandardIntegrityToken(input, at: Fixtures.now)
            #expect(verdict.failed == (isAccepted ? [] : [PlayIntegrityCheck.requestHash]))
        }
    }
}
