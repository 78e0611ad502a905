import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Operators block an account or a key while the body of a request still arrives.
@Suite("Blocks between the first and the last byte of a request", .timeLimit(.minutes(30)))
struct LateBlockTests {
    /// What is blocked meanwhile, and the options of `assay ledger block`.
    static let subjects: [(name: String, options: [String])] = [
        ("nothing", []), ("the account", ["--account", "alice"]), ("another account", ["--account", "bob"]),
        ("the key", ["--key-id", Base64.encode(Evidence.key.keyID, .standard)]),
    ]

    private static func ledger(_ service: RunningService) -> String {
        "sqlite:\(service.folder.path("ledger.sqlite"))"
    }

    /// Sends a request in two parts, between which a subject is blocked. Returns the answer. The block is lifted afterwards.
    private static func send(
        _ head: [String], _ body: String, to service: RunningService, blocking options: [String]
    ) throws -> HTTPAnswer {
        let connection = try service.connect()
        let lines = head + ["Content-Length: \(body.utf8.count)", "Connection: close"]
        let begun = String(body.prefix(body.count / 2))
        connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n" + begun)
        // What can be judged without the rest is judged meanwhile.
        usleep(300_000)
        if !options.isEmpty {
            let block = try service.run(
                ["ledger", "block", "--reason", "test", "--ledger", ledger(service)] + options)
            try #require(block.status == 0, "\(block)")
        }
        connection.write(String(body.dropFirst(begun.count)))
        let answer = HTTPAnswer(connection.readToEnd())
        if !options.isEmpty {
            let lifted = try service.run(["ledger", "unblock", "--ledger", ledger(service)] + options)
            try #require(lifted.status == 0, "\(lifted)")
        }
        return answer
    }

    @Test("Forward auth refuses a request whose account or key is blocked while its body arrives")
    func forwardAuth() throws {
        let service = try GuardedService.start("envoy", ["authorize.bodies=forwarded"])
        try GuardedService.enrol(service)
        for (index, (name, options)) in Self.subjects.enumerated() {
            let fields = try GuardedService.signed("POST", "/orders", counter: UInt32(index + 1), body: "0123456789")
            let head = ["POST /v1/authorize/shop/orders HTTP/1.1", "Host: api.example.com"] + fields
            let answer = try Self.send(head, "0123456789", to: service, blocking: options)
            #expect(answer.status == (["the account", "the key"].contains(name) ? 403 : 200), "\(name): \(answer)")
        }
    }

    @Test("A record, and a line of a stream, is rejected whose account or key is blocked while it arrives")
    func verify() throws {
        let service = try RunningService()
        try GuardedService.enrol(service)
        var counter: UInt32 = 0
        for (name, options) in Self.subjects {
            for type in ["application/json", "application/x-ndjson"] {
                counter += 1
                let record = try Evidence.assertion("late", counter: counter)
                let head = ["POST /v1/verify HTTP/1.1", "Host: localhost", "Content-Type: \(type)"]
                let answer = try Self.send(head, record + "\n", to: service, blocking: options)
                let isBlocked = ["the account", "the key"].contains(name)
                #expect(answer.status == 200, "\(answer)")
                #expect(answer.body.contains(#""outcome":"\#(isBlocked ? "reject" : "accept")""#), "\(name): \(answer)")
                #expect(answer.body.contains(#"-blocked""#) == (name == "the account"), "\(name): \(answer)")
            }
        }
    }

    @Test("No token is issued for evidence whose account is blocked while the request arrives")
    func tokens() throws {
        let service = try TokenTests.start("testAuthorities: allow, key: optional")
        for (name, options) in Self.subjects.filter({ $0.name != "the key" }) {
            let issued = try service.send(
                "POST", "/v1/challenges", body: #"{"app":"bank","kind":"app-attest.attestation"}"#)
            let challenge = try #require(issued.json["challenge"] as? String, "\(issued)")
            let derived = Digest.sha256(Array("assay-token\n\(challenge)\n\(TokenTests.audience)\n\n".utf8))
            let record = try Evidence.attestation(
                "late", app: "bank", challenge: derived, key: AttestedKey(seed: "assay service", label: name)
            ).replacingOccurrences(of: #"{"evidence""#, with: #"{"account":"alice","evidence""#)
            try #require(record.contains(#""account":"alice""#))
            let body =
                #"{"record":\#(record),"challenge":"\#(challenge)","audience":"\#(TokenTests.audience)"}"#
            let head = ["POST /v1/tokens HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
            let answer = try Self.send(head, body, to: service, blocking: options)
            if name == "the account" {
                #expect(answer.status == 403 && answer.body.contains("account-blocked"), "\(name): \(answer)")
            } else {
                #expect(answer.status == 201 && answer.json["token"] != nil, "\(name): \(answer)")
            }
        }
    }
}
