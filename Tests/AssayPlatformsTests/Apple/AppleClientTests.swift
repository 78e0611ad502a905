import AppAttest
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import AssayTesting
import Foundation
import Synchronization
import Testing

@Suite("The client of Apple's services")
struct ClientTests {
    private static func tokens(_ test: TestApple) -> [String] {
        test.script.requests.compactMap { $0.fields["authorization"]?.replacing("Bearer ", with: "") }
    }

    private static func validate(_ test: TestApple) async -> DeviceCheckError? {
        do {
            try await test.client.validate(
                [1, 2, 3], appID: TestApple.appID, app: TestApple.app, environment: .production)
            return nil
        } catch {
            return error
        }
    }

    @Test("One token serves all requests for 45 minutes, and both services")
    func token() async throws {
        try await TestApple.run { test in
            test.standIn.addDevice(token: [1, 2, 3])
            let minted = try test.mint(AttestedKey(seed: "client", label: "token"))
            test.standIn.attest(minted, appID: TestApple.appID, environment: .production)
            #expect(await Self.validate(test) == nil)
            let answer = try await test.client.exchange(
                try #require(minted.receipt), environment: .production, appID: TestApple.appID, app: TestApple.app)
            guard case .receipt = answer else {
                Issue.record("no receipt: \(answer)")
                return
            }
            test.time.pass(.seconds(2699))
            #expect(await Self.validate(test) == nil)
            #expect(Set(Self.tokens(test)).count == 1 && Self.tokens(test).count == 3)
            test.time.pass(.seconds(1))
            #expect(await Self.validate(test) == nil)
            #expect(Set(Self.tokens(test)).count == 2)
            // The bare token for receipts, a scheme for DeviceCheck.
            let fields = test.script.requests.compactMap { $0.fields["authorization"] }
            #expect(fields.map { $0.hasPrefix("Bearer ") } == [true, false, true, true])
        }
    }

    @Test("After a refusal a token is made once more; after two, the key pauses for an hour")
    func refusals() async throws {
        try await TestApple.run { test in
            test.standIn.addDevice(token: [1, 2, 3])
            test.script.script([.answer(401, "Unable to verify authorization token")])
            #expect(await Self.validate(test) == nil, "the second token is taken")
            #expect(test.script.requests.count == 2)
            test.script.script(
                [ScriptedServer.Step](repeating: .answer(401, "Unable to verify authorization token"), count: 2))
            guard case .outage(let outage) = await Self.validate(test) else {
                Issue.record("a refused key gives a result")
                return
            }
            #expect(outage.code == "not-authorised" && outage.message.contains("ABC123DEFG"))
            #expect(test.script.requests.count == 4)
            #expect(await Self.validate(test) != nil && test.script.requests.count == 4, "nothing is sent meanwhile")
            test.time.pass(.seconds(3601))
            #expect(await Self.validate(test) == nil)
            let sent = Set(Self.tokens(test))
            #expect(!sent.contains { outage.message.contains($0) }, "no message shows a token")
        }
    }

    @Test("After five failures in a row nothing is sent for a minute, and the rate is limited")
    func limits() async throws {
        try await TestApple.run { test in
            test.standIn.addDevice(token: [1, 2, 3])
            test.script.script([ScriptedServer.Step](repeating: .answer(500, ""), count: 5))
            for _ in 0..<5 { #expect(await Self.validate(test) != nil) }
            guard case .outage(let outage) = await Self.validate(test) else {
                Issue.record("a call passes an open circuit")
                return
            }
            #expect(outage.code == "circuit-open" && outage.retryAt == test.time.now.addingTimeInterval(60))
            #expect(test.script.requests.count == 5)
            test.time.pass(.seconds(60))
            #expect(await Self.validate(test) == nil)

            var settings = try TestApple.settings(test.server)
            settings.requestRate = 2
            let client = AppleServicesClient(keys: test.keys, settings: settings, time: test.time.client)
            for _ in 0..<6 {
                try await client.validate(
                    [1, 2, 3], appID: TestApple.appID, app: TestApple.app, environment: .production)
            }
            #expect(test.time.waits == [Duration](repeating: .seconds(0.5), count: 4), "two at once, then two a second")
            await client.shutdown()
        }
    }

    @Test("Without a key of the team nothing is sent")
    func noKey() async throws {
        try await TestApple.run { test in
            let client = AppleServicesClient(
                keys: StaticKeyStore([]), settings: try TestApple.settings(test.server), time: test.time.client)
            await #expect(throws: DeviceCheckError.self) {
                try await client.validate(
                    [1], appID: TestApple.appID, app: TestApple.app, environment: .production)
            }
            await client.shutdown()
            #expect(test.script.requests.isEmpty)
        }
    }

    @Test("The bits of a device are read, set one by one, and belong to its token")
    func bits() async throws {
        try await TestApple.run { test in
            let client = test.client
            let token: [UInt8] = [7, 7, 7]
            func bits() async throws(DeviceCheckError) -> DeviceBits {
                try await client.bits(
                    of: token, appID: TestApple.appID, app: TestApple.app, environment: .production)
            }
            func set(_ first: Bool?, _ second: Bool?, _ token: [UInt8]) async throws(DeviceCheckError) {
                try await client.setBits(
                    of: token, first: first, second: second, appID: TestApple.appID, app: TestApple.app,
                    environment: .production)
            }
            test.standIn.addDevice(token: token)
            #expect(try await bits() == DeviceBits(first: false, second: false, changedIn: nil), "never set")
            try await set(true, nil, token)
            try await set(nil, true, token)
            try await set(false, nil, token)
            #expect(try await bits() == DeviceBits(first: false, second: true, changedIn: "2026-04"))
            await #expect(throws: DeviceCheckError.badToken("Bad Device Token")) { try await set(true, nil, [8]) }
            // Queries are answered for forged tokens too; updates and validations are not.
            test.standIn.addDevice(token: [9], isForged: true)
            #expect(
                try await client.bits(
                    of: [9], appID: TestApple.appID, app: TestApple.app, environment: .production
                ).changedIn == nil)
            await #expect(throws: DeviceCheckError.self) { try await set(true, nil, [9]) }
        }
    }

    /// An answer to a query; whether it rejects the token, gives bits, or is an outage.
    static let answers: [(Int, String, String)] = [
        (200, "Bit State Not Found", "bits"), (200, " failed to find BIT STATE\n", "bits"),
        (200, #"{"bit0":true,"bit1":false,"last_update_time":"2026-04"}"#, "bits"),
        (200, #"{"bit0":1,"bit1":0,"last_update_time":"2026-04"}"#, "unexpected-answer"),
        (200, #"{"bit0":true,"bit0":false,"bit1":false,"last_update_time":"2026-04"}"#, "unexpected-answer"),
        (200, "", "unexpected-answer"), (200, "<html></html>", "unexpected-answer"),
        (200, "Bad Device Token", "unexpected-answer"), (302, "", "unexpected-answer"),
        (400, "Bad Device Token", "token"), (400, "Missing or incorrectly formatted device token payload", "token"),
        (400, "Missing or incorrectly formatted bits", "refused-request"),
        (400, "Missing or incorrectly formatted time stamp", "refused-request"),
        (400, "Missing or badly formatted authorization token", "refused-request"),
        (400, "something new", "token"), (400, "", "token"), (413, "Payload Too Large", "token"), (413, "", "token"),
        (400, "Missing or incorrectly formatted transaction ID", "refused-request"),
        (404, "", "unexpected-answer"), (405, "Method Not Allowed", "unexpected-answer"),
        (429, "Too Many Requests", "quota"), (500, "Server Error", "server-error"),
        (503, "Service Unavailable", "server-error"),
    ]

    @Test("Each answer of DeviceCheck is read by its status, then by its words", arguments: answers.indices)
    func answer(_ index: Int) async throws {
        let (status, text, expected) = Self.answers[index]
        try await TestApple.run { test in
            test.script.script([.answer(status, text)])
            let found: String
            do throws(DeviceCheckError) {
                _ = try await test.client.bits(
                    of: [1], appID: TestApple.appID, app: TestApple.app, environment: .production)
                found = "bits"
            } catch {
                switch error {
                case .badToken: found = "token"
                case .outage(let outage): found = outage.code.name
                }
            }
            #expect(found == expected, "HTTP \(status) \(text)")
        }
    }

    @Test("Answers that a device token may have brought about stop no other request")
    func chosenByClient() async throws {
        try await TestApple.run { test in
            for status in [400, 413, 403, 404, 415, 422, 431] {
                test.script.script((0..<6).map { _ in .answer(status, "something new") })
                for _ in 0..<6 { _ = await Self.validate(test) }
            }
            test.standIn.addDevice(token: [7])
            _ = try await test.client.bits(
                of: [7], appID: TestApple.appID, app: TestApple.app, environment: .production)
        }
    }

    @Test("A text where an update documents none is an outage, and so is a long answer")
    func faults() async throws {
        try await TestApple.run { test in
            for step in [ScriptedServer.Step.answer(200, "Bad Device Token"), .announced(50_000_000), .cut, .close] {
                test.script.script([step])
                guard case .outage = await Self.validate(test) else {
                    Issue.record("\(step) gives a result")
                    return
                }
            }
        }
    }

    @Test("No message shows what an intermediary repeats: the token of the account, a device token or a receipt")
    func echo() async throws {
        try await TestApple.run { test in
            let key = AttestedKey(seed: "client", label: "echo")
            let receipt = try #require(try await test.attest(key).minted.receipt)
            for status in [200, 302, 400, 401, 404, 429, 500] {
                let seen = Mutex<[String]>([])
                test.server.respond { request in
                    seen.withLock { $0.append(request.fields["authorization"]?.replacing("Bearer ", with: "") ?? "") }
                    return .answer(status, "Bad Device Token \(request.fields) \(request.text)")
                }
                var messages = ["\(String(describing: await Self.validate(test)))"]
                do {
                    _ = try await test.client.exchange(
                        receipt, environment: .production, appID: TestApple.appID, app: TestApple.app)
                } catch {
                    messages.append("\(error)")
                }
                let tokens = seen.withLock { $0 }
                #expect(!tokens.isEmpty && tokens.allSatisfy { $0.utf8.count > 100 })
                for secret in tokens + [
                    Base64.encode([1, 2, 3], .standard), String(Base64.encode(receipt, .standard).prefix(40)),
                ] {
                    #expect(!messages.contains { $0.contains(secret) }, "HTTP \(status): \(messages)")
                }
                test.time.pass(TestApple.hour * 2)
            }
        }
    }

    @Test("A key needs a private key of P-256 in PKCS #8, and identifiers of ten capital letters and digits")
    func keys() throws {
        let good = TestKey(.p256, seed: "client", label: "key").pem
        func problem(_ pem: String, _ keyID: String = "ABC123DEFG", _ team: String = "1234567890") -> String? {
            do throws(KeyError) {
                _ = try AppleServicesKey.reading(
                    ["privateKey": pem, "keyID": keyID, "teamID": team].mapValues { SecretBytes($0.utf8) })
                return nil
            } catch {
                return error.part
            }
        }
        #expect(problem(good) == nil && problem("\n\(good)\n") == nil)
        #expect(problem(good, "abc123defg") == "keyID" && problem(good, "ABC123DEFG", "12345") == "teamID")
        let other = TestKey(.p384, seed: "client", label: "key").pem
        for pem in [
            "", "key", other, good + good, String(good.dropLast(40)), good.replacing("PRIVATE", with: "PUBLIC"),
        ] {
            #expect(problem(pem) == "privateKey")
        }
    }
}
