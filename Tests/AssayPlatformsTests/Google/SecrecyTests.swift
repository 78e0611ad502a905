import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct SecrecyTests {
    @Test(
        "no error shows a secret, though the server repeats what it was sent",
        arguments: [
            FakeGoogle.Step.echo(400, status: "FAILED_PRECONDITION"), .echo(403, status: "PERMISSION_DENIED"),
            .echo(404, status: "NOT_FOUND"), .echo(429, status: "RESOURCE_EXHAUSTED"), .echo(500, status: "INTERNAL"),
            .echo(418, status: "TEAPOT"), .echo(401, status: "UNAUTHENTICATED"),
        ])
    func apiEcho(_ step: FakeGoogle.Step) async throws {
        try await TestClient.run { test in
            test.google.script(Array(repeating: step, count: 4))
            let outage = try #require(await test.outage())
            try SecrecyTests.check([outage.message, outage.description, String(reflecting: outage)], test)
        }
    }

    @Test("no error shows an assertion, though the token endpoint repeats it")
    func tokenEcho() async throws {
        try await TestClient.run { test in
            test.google.scriptTokens(.echo(400, status: "invalid_grant"))
            let outage = try #require(await test.outage())
            #expect(outage.message.contains("you sent"))
            let sent = try #require(test.google.tokenRequests.first?.text.split(separator: "=").last)
            for part in sent.split(separator: ".") { #expect(!outage.description.contains(part.prefix(20))) }
            try SecrecyTests.check([outage.description], test)
        }
    }

    @Test("no error of writing device recall bits shows a secret")
    func writeEcho() async throws {
        try await TestClient.run { test in
            test.google.script(.echo(400, status: "INVALID_ARGUMENT"))
            let error = await #expect(throws: DeviceRecallError.self) {
                try await test.client.writeDeviceRecall(
                    token: TestClient.token, packageName: TestClient.package, values: .init(first: true))
            }
            let text = try #require(error.map { String(describing: $0) })
            #expect(text.contains("you sent"))
            try SecrecyTests.check([text], test)
        }
    }

    @Test("descriptions and dumps of the client show no secret")
    func client() async throws {
        try await TestClient.run { test in
            _ = try await test.decode()
            var dumped = ""
            dump(test.client, to: &dumped)
            #expect(dumped.contains("circuitThreshold"), "there is something to look into")
            try SecrecyTests.check([dumped, String(describing: test.client), String(reflecting: test.client)], test)
        }
    }

    /// Searches for secrets and their usable parts.
    private static func check(_ texts: [String], _ test: TestClient) throws {
        let keyLines = TestAccount.privateKey.split(separator: "\n").dropFirst().dropLast().map(String.init)
        #expect(keyLines.count > 10)
        let secrets = test.google.tokens.map { String($0.prefix(24)) } + keyLines + ["iNtEgRiTy"]
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }
}
