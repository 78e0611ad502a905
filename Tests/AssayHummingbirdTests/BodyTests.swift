import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// Requests over sockets, as clients, proxies and attackers send them.
@Suite("Bodies of signed messages", .timeLimit(.minutes(20)))
struct BodyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The status; 0 for a connection closed without an answer.
        let status: [Int]
        /// The end of the answer.
        var ends = ""
        var endsEarly = false
        var enforcement = Enforcement.reject
        let parts: @Sendable () throws -> [String]
    }

    private static let text = "{\"hello\":\"world\"}"
    private static let signed = SignedMessage(body: Array(text.utf8))
    private static let accepted = "reject accept - \(TestAPI.deviceID)"

    private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }
    private static func head(_ length: Int, _ more: String...) throws -> String {
        try signed.head((["Content-Length: \(length)"] + more).joined(separator: "\r\n"))
    }
    private static func changed(_ change: (inout SignedMessage) -> Void) -> SignedMessage {
        var message = signed
        change(&message)
        return message
    }

    /// Cases for every mode that checks the body.
    static let cases: [Case] = [
        Case(testDescription: "the signed body", status: [200], ends: "\(accepted) 17 \(text)") {
            [try head(17), text]
        },
        Case(testDescription: "in several parts", status: [200], ends: "\(accepted) 17 \(text)") {
            [try head(17), "{\"hello", "\":", "\"world\"}"]
        },
        Case(testDescription: "chunked", status: [200], ends: "\(accepted) 17 \(text)") {
            [try signed.head("Transfer-Encoding: chunked"), chunk("{\"hello"), chunk("\":\"world\"}"), "0\r\n\r\n"]
        },
        Case(testDescription: "in chunks of a byte", status: [200], ends: "\(accepted) 17 \(text)") {
            [try signed.head("Transfer-Encoding: chunked")]
                + [text.map { chunk(String($0)) }.joined(), "0\r\n\r\n"]
        },
        Case(testDescription: "chunked with a trailer", status: [200], ends: "\(accepted) 17 \(text)") {
            [try signed.head("Transfer-Encoding: chunked"), chunk(text), "0\r\nContent-Digest: sha-256=:AA==:\r\n\r\n"]
        },
        Case(testDescription: "SHA-512", status: [200], ends: "\(accepted) 17 \(text)") {
            [try changed { $0.algorithm = .sha512 }.head("Content-Length: 17"), text]
        },
        Case(testDescription: "another body", status: [401]) { [try head(17), "{\"hello\":\"World\"}"] },
        Case(testDescription: "another last byte, late", status: [401]) {
            [try head(17), "{\"hello\":", "\"world\"", "]"]
        },
        Case(testDescription: "a longer body, as its length says", status: [401]) { [try head(18), text + " "] },
        Case(testDescription: "a shorter body, as its length says", status: [401]) {
            [try head(16), "{\"hello\":\"world\""]
        },
        Case(testDescription: "chunks with one more", status: [401]) {
            [try signed.head("Transfer-Encoding: chunked"), chunk(text), chunk(" "), "0\r\n\r\n"]
        },
        Case(testDescription: "no body, where one is signed", status: [401]) { [try signed.head("Content-Length: 0")] },
        Case(testDescription: "a body whose digest is not covered", status: [401]) {
            [try changed { $0.coversDigest = false }.head("Content-Length: 17"), text]
        },
        Case(testDescription: "a body without a digest", status: [401]) {
            [try changed { $0.body = [] }.head("Content-Length: 17"), text]
        },
        Case(testDescription: "a body that is cut", status: [0, 400, 401], endsEarly: true) {
            [try head(17), "{\"hello\":"]
        },
        Case(testDescription: "a body that never comes", status: [0, 400, 401], endsEarly: true) { [try head(17)] },
        Case(testDescription: "a chunked body that is cut", status: [0, 400, 401], endsEarly: true) {
            [try signed.head("Transfer-Encoding: chunked"), chunk("{\"hello\":"), "8\r\n\"wor"]
        },
        Case(testDescription: "a length and chunks", status: [0, 400]) {
            [try head(17, "Transfer-Encoding: chunked"), chunk(text), "0\r\n\r\n"]
        },
        Case(testDescription: "two lengths", status: [0, 400]) { [try head(17, "Content-Length: 18"), text] },
        Case(testDescription: "a negative length", status: [0, 400]) { [try head(-1), text] },
        Case(testDescription: "more than the limit, as its length says", status: [413]) {
            [try head(2000), String(repeating: "a", count: 2000)]
        },
        Case(testDescription: "more than the limit in chunks", status: [413]) {
            [try signed.head("Transfer-Encoding: chunked")]
                + (0..<20).map { _ in chunk(String(repeating: "a", count: 100)) } + ["0\r\n\r\n"]
        },
        Case(testDescription: "no signature", status: [401]) {
            ["POST /orders HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 17\r\n\r\n", text]
        },
        Case(testDescription: "another path", status: [401]) {
            [try head(17).replacing("a=%41", with: "a=A"), text]
        },
        Case(testDescription: "another method", status: [401]) {
            [try head(17).replacing("POST /orders", with: "PUT /orders"), text]
        },
        Case(
            testDescription: "no body, and none signed", status: [200], ends: "\(accepted) 0 "
        ) { [try changed { $0.body = [] }.head()] },
        Case(
            testDescription: "another body under annotate", status: [200],
            ends: " 17 {\"hello\":\"World\"}", enforcement: .annotate
        ) { [try changed { $0.coversDigest = true }.head("Content-Length: 17"), "{\"hello\":\"World\"}"] },
        Case(
            testDescription: "no signature under annotate", status: [200],
            ends: "annotate reject approov.token.decode - 17 \(text)", enforcement: .annotate
        ) { ["POST /orders HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 17\r\n\r\n", text] },
        Case(
            testDescription: "nothing looked at", status: [200], ends: "off off - - 17 \(text)", enforcement: .off
        ) { [try head(17), text] },
    ]

    static let modes: [RequestBodyMode] = [.collected(upTo: 1000), .streamed(upTo: 1000)]

    private static func application(
        _ enforcement: Enforcement, _ mode: RequestBodyMode
    ) throws -> some ApplicationProtocol {
        let live = try TestAPI.live { settings in
            settings.messageSigning = MessageSigning(signer: .installation)
            settings.enforcement = enforcement
        }
        let options = TestAPI.options(origins: try ServerOrigins("https://api.example.com")) { $0.body = mode }
        return try TestAPI.application(live, options: options)
    }

    @Test(
        "The handler gets the body that was signed, byte for byte, or no answer of its gets out", arguments: cases,
        modes)
    func body(_ one: Case, _ mode: RequestBodyMode) async throws {
        try await Self.application(one.enforcement, mode).test(.live) { client in
            let port = try #require(client.port)
            let parts = try one.parts()
            let answer = try await RawExchange.send(parts, to: port, endsEarly: one.endsEarly, waits: parts.count < 6)
            #expect(one.status.contains(RawExchange.status(answer)), "\(answer)")
            #expect(answer.contains(one.ends), "\(answer)")
            if one.status != [200] { #expect(!answer.contains(Self.accepted)) }
        }
    }

    @Test("A body that was changed makes the answer an error, also that of a handler that took no notice")
    func carelessHandler() async throws {
        let message = SignedMessage(path: "/careless", body: Array(Self.text.utf8))
        try await Self.application(.reject, .streamed(upTo: 1000)).test(.live) { client in
            let port = try #require(client.port)
            let head = try message.head("Content-Length: 17")
            let changed = try await RawExchange.send([head, "{\"hello\":\"World\"}"], to: port)
            #expect(RawExchange.status(changed) == 401)
            #expect(changed.contains("ARC: ABCDEF"))
        }
        try await Self.application(.reject, .streamed(upTo: 1000)).test(.live) { client in
            let port = try #require(client.port)
            let answer = try await RawExchange.send([message.head("Content-Length: 17"), Self.text], to: port)
            #expect(answer.hasSuffix("done"))
        }
    }

    @Test("A message is accepted once")
    func replay() async throws {
        try await Self.application(.reject, .collected()).test(.live) { client in
            let port = try #require(client.port)
            let parts = [try Self.head(17), Self.text]
            #expect(RawExchange.status(try await RawExchange.send(parts, to: port)) == 200)
            #expect(RawExchange.status(try await RawExchange.send(parts, to: port)) == 401)
        }
    }

    @Test("A client that expects 100-continue is answered once it sends its body")
    func expectations() async throws {
        try await Self.application(.reject, .collected()).test(.live) { client in
            let port = try #require(client.port)
            let head = try Self.head(17, "Expect: 100-continue")
            let answer = try await RawExchange.send([head, Self.text], to: port, waits: true)
            #expect(answer.contains(" 200 OK"), "\(answer)")
        }
    }

    struct Lines: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: [Int]
        let lines: @Sendable () throws -> [String]
    }

    @Test(
        "Fields as apps send them are accepted; repeated and malformed ones are refused",
        arguments: [
            Lines(testDescription: "as apps send them", status: [200]) {
                try SignedMessage(method: "GET", path: "/stock").fields().map { "\($0.0): \($0.1)" }
            },
            Lines(testDescription: "white space around values", status: [200]) {
                try SignedMessage(method: "GET", path: "/stock").fields().map { "\($0.0):\t \($0.1) " }
            },
            Lines(testDescription: "the token folded", status: [0, 400, 401]) {
                try SignedMessage(method: "GET", path: "/stock").fields().map {
                    $0.0 == "Approov-Token"
                        ? "\($0.0): \($0.1.prefix(20))\r\n \($0.1.dropFirst(20))" : "\($0.0): \($0.1)"
                }
            },
            Lines(testDescription: "the token twice", status: [401]) {
                let fields = try SignedMessage(method: "GET", path: "/stock").fields()
                return (fields + fields.prefix(1)).map { "\($0.0): \($0.1)" }
            },
            Lines(testDescription: "the signature twice", status: [401]) {
                let fields = try SignedMessage(method: "GET", path: "/stock").fields()
                return (fields + fields.suffix(1)).map { "\($0.0): \($0.1)" }
            },
            Lines(testDescription: "64 KiB of signature", status: [0, 400, 401, 431]) {
                let fields = try SignedMessage(method: "GET", path: "/stock").fields().dropLast()
                return fields.map { "\($0.0): \($0.1)" }
                    + ["Signature: install=:" + String(repeating: "A", count: 65536) + ":"]
            },
            Lines(testDescription: "1 MiB of token", status: [0, 400, 401, 431]) {
                ["Approov-Token: " + String(repeating: "A", count: 1 << 20)]
            },
            Lines(testDescription: "bytes that are no UTF-8 would be, in ISO 8859-1", status: [401]) {
                ["Approov-Token: \u{FFFD}\u{E9}"]
            },
        ])
    func fields(_ one: Lines) async throws {
        try await Self.application(.reject, .collected()).test(.live) { client in
            let port = try #require(client.port)
            let head = (["GET /stock HTTP/1.1", "Host: api.example.com", "Connection: close"] + (try one.lines()))
                .joined(separator: "\r\n")
            let answer = try await RawExchange.send([head + "\r\n\r\n"], to: port)
            #expect(one.status.contains(RawExchange.status(answer)), "\(answer)")
            // The server still answers the next request.
            let next = try SignedMessage(method: "GET", path: "/stock?next").head()
            #expect(RawExchange.status(try await RawExchange.send([next], to: port)) == 200)
        }
    }
}
