import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct GrantTests {
    @Test("the grant is an RS256 assertion of the account for the token endpoint, valid for an hour")
    func assertion() async throws {
        try await TestClient.run { test in
            _ = try await test.decode()
            let assertion = try #require(test.google.assertions.first)
            let parts = assertion.split(separator: ".").map(String.init)
            let header = try JSONReader.readObject(Base64.decode(parts[0], .url), limit: 1024)
            #expect(header.texts == ["alg": "RS256", "typ": "JWT", "kid": TestAccount.keyID])
            let claims = try JSONReader.readObject(Base64.decode(parts[1], .url), limit: 1024)
            #expect(
                claims.texts == [
                    "iss": TestAccount.email, "aud": test.google.tokenURL,
                    "scope": "https://www.googleapis.com/auth/playintegrity", "iat": "1776794400",
                    "exp": "1776798000",
                ])
        }
    }

    @Test("openssl verifies the signature of the grant")
    func signature() async throws {
        try await TestClient.run { test in
            _ = try await test.decode()
            let parts = try #require(test.google.assertions.first).split(separator: ".").map(String.init)
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (key, signature) = (folder.appendingPathComponent("key"), folder.appendingPathComponent("signature"))
            try TestAccount.openssl(["pkey", "-pubout"], input: TestAccount.privateKey)
                .write(to: key, atomically: true, encoding: .utf8)
            try Data(Base64.decode(parts[2], .url)).write(to: signature)
            let said = try TestAccount.openssl(
                ["dgst", "-sha256", "-verify", key.path, "-signature", signature.path],
                input: "\(parts[0]).\(parts[1])")
            #expect(said == "Verified OK\n")
        }
    }

    @Test("a token serves until shortly before it expires")
    func cache() async throws {
        try await TestClient.run { test in
            for _ in 0..<3 { _ = try await test.decode() }
            #expect(test.google.tokenRequests.count == 1)
            test.time.pass(.seconds(3539))
            _ = try await test.decode()
            #expect(test.google.tokenRequests.count == 1)
            test.time.pass(.seconds(1))
            _ = try await test.decode()
            #expect(test.google.tokenRequests.count == 2)
            #expect(test.google.apiRequests.last?.fields["authorization"] == "Bearer \(test.google.tokens[1])")
        }
    }

    @Test("a token that lasts for a short time serves for most of it")
    func shortLife() async throws {
        try await TestClient.run { test in
            test.google.setLifetime(20)
            for _ in 0..<3 { _ = try await test.decode() }
            test.time.pass(.seconds(17))
            _ = try await test.decode()
            #expect(test.google.tokenRequests.count == 1)
            test.time.pass(.seconds(1))
            _ = try await test.decode()
            #expect(test.google.tokenRequests.count == 2)
        }
    }

    @Test("50 callers at once need one token")
    func sharedRefresh() async throws {
        try await TestClient.run { test in
            test.google.scriptTokens(.slowly(.milliseconds(200), .serve))
            let bodies = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await test.decode() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(bodies == Array(repeating: FakeGoogle.payload, count: 50))
            #expect(test.google.tokenRequests.count == 1)
            #expect(test.google.apiRequests.count == 50)
        }
    }

    @Test("a caller that is cancelled while it waits leaves the token to the others")
    func cancelledWaiter() async throws {
        try await TestClient.run { test in
            let gate = Gate()
            test.google.scriptTokens(.held(gate, .serve))
            let first = Task { await test.outage() }
            try await test.tokenRequest()
            async let second = test.outage()
            first.cancel()
            #expect(await first.value?.code == .cancelled)
            gate.open()
            #expect(await second == nil)
            #expect(test.google.tokenRequests.count == 1)
        }
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [FakeGoogle.Step]
        let code: OutageCode
        let requests: Int
        var testDescription: String { name }
    }

    @Test(
        "a token endpoint without a token is an outage, and the API is not called",
        arguments: [
            Failure(
                name: "refused", steps: [.answer(400, #"{"error":"invalid_grant","error_description":"Bad."}"#)],
                code: .notAuthorised, requests: 1),
            Failure(
                name: "unknown client", steps: [.answer(401, #"{"error":"invalid_client"}"#)], code: .notAuthorised,
                requests: 1),
            Failure(
                name: "503 for ever", steps: Array(repeating: .answer(503, "busy"), count: 4), code: .serverError,
                requests: 4),
            Failure(name: "429", steps: Array(repeating: .answer(429, ""), count: 4), code: .quota, requests: 4),
            Failure(name: "HTML", steps: [.answer(200, "<html>")], code: .unexpectedAnswer, requests: 1),
            Failure(name: "HTML with 400", steps: [.answer(400, "<html>")], code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "redirect", steps: [.answer(302, "", fields: ["Location": "/other"])], code: .unexpectedAnswer,
                requests: 1),
            Failure(
                name: "another type",
                steps: [.answer(200, #"{"access_token":"abc","expires_in":3600,"token_type":"mac"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "no expires_in", steps: [.answer(200, #"{"access_token":"abc","token_type":"Bearer"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "expires_in as text",
                steps: [.answer(200, #"{"access_token":"abc","expires_in":"3600","token_type":"Bearer"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "negative expires_in",
                steps: [.answer(200, #"{"access_token":"abc","expires_in":-1,"token_type":"Bearer"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "a token that would end its header field",
                steps: [.answer(200, #"{"access_token":"abc\r\nX: y","expires_in":3600,"token_type":"Bearer"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "no token", steps: [.answer(200, #"{"expires_in":3600,"token_type":"Bearer"}"#)],
                code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "two tokens",
                steps: [
                    .answer(200, #"{"access_token":"a","access_token":"b","expires_in":3600,"token_type":"Bearer"}"#)
                ], code: .unexpectedAnswer, requests: 1),
            Failure(name: "cut", steps: [.cut], code: .unexpectedAnswer, requests: 1),
            Failure(
                name: "closed", steps: Array(repeating: .close, count: 4), code: .unreachable, requests: 4),
        ])
    func failures(_ failure: Failure) async throws {
        try await TestClient.run { test in
            for step in failure.steps { test.google.scriptTokens(step) }
            let outage = await test.outage()
            #expect(outage?.code == failure.code)
            #expect(outage?.message.contains("127.0.0.1") == true)
            #expect(test.google.tokenRequests.count == failure.requests)
            #expect(test.google.apiRequests.isEmpty)
            #expect(await test.outage() == nil, "the next call asks anew")
        }
    }

    @Test("the token type is compared without regard to case")
    func tokenTypeCase() async throws {
        try await TestClient.run { test in
            test.google.scriptTokens(.answer(200, #"{"access_token":"abc","expires_in":3600,"token_type":"bearer"}"#))
            test.google.script(.answer(200, FakeGoogle.payload))
            #expect(await test.outage() == nil)
            #expect(test.google.apiRequests.last?.fields["authorization"] == "Bearer abc")
        }
    }

    @Test("a token that the API refuses is dropped, and the call tried once anew")
    func revoked() async throws {
        try await TestClient.run { test in
            _ = try await test.decode()
            test.google.revokeTokens()
            #expect(await test.outage() == nil)
            #expect(test.google.tokens.count == 2)
            #expect(test.google.apiRequests.count == 3)
            #expect(test.time.waits.isEmpty)
        }
    }

    @Test("a second token that is refused is no accident")
    func revokedTwice() async throws {
        try await TestClient.run { test in
            let refusal = FakeGoogle.Step.answer(401, FakeGoogle.error(401, "UNAUTHENTICATED", "No."))
            test.google.script(refusal, refusal)
            let outage = await test.outage()
            #expect(outage?.code == .notAuthorised)
            #expect(test.google.tokens.count == 2)
            #expect(test.google.apiRequests.count == 2)
        }
    }
}

extension RecordObject {
    /// The members that are text or numbers.
    fileprivate var texts: [String: String] {
        var texts: [String: String] = [:]
        for member in members {
            switch member.value.content {
            case .text(let text), .number(let text): texts[member.name] = text
            default: texts[member.name] = member.value.kindName
            }
        }
        return texts
    }
}
