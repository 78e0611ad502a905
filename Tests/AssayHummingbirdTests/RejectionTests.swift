import Approov
import Assay
import AssayHummingbird
import AssayTesting
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Answers to requests")
struct RejectionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let failed: String?
        var arc: String?
        let fields: @Sendable () throws -> HTTPFields
    }

    private static func one(_ token: @autoclosure () throws -> String) rethrows -> HTTPFields {
        [.approovToken: try token()]
    }

    static let cases: [Case] = [
        Case(testDescription: "a good token", status: 200, failed: nil) { try one(TestAPI.token()) },
        Case(testDescription: "no token", status: 401, failed: "approov.token.decode") { [:] },
        Case(testDescription: "an empty one", status: 401, failed: "approov.token.decode") { one("") },
        Case(testDescription: "a status word", status: 401, failed: "approov.token.decode") { one("NO_NETWORK") },
        Case(testDescription: "Bearer in front", status: 401, failed: "approov.token.decode") {
            try one("Bearer " + TestAPI.token())
        },
        Case(testDescription: "64 KiB", status: 401, failed: "approov.token.decode") {
            one(String(repeating: "a", count: 65536))
        },
        Case(testDescription: "the same token twice", status: 401, failed: "approov.token.decode") {
            var fields = HTTPFields()
            for _ in 0..<2 { fields.append(HTTPField(name: .approovToken, value: try TestAPI.token())) }
            return fields
        },
        Case(testDescription: "a good token and an empty one", status: 401, failed: "approov.token.decode") {
            var fields = try one(TestAPI.token())
            fields.append(HTTPField(name: .approovToken, value: ""))
            return fields
        },
        Case(
            testDescription: "another secret, as after a failed attestation", status: 401,
            failed: "approov.token.signature", arc: "ABCDEF"
        ) { try one(TestAPI.token(secret: [UInt8](repeating: 1, count: 64))) },
        Case(testDescription: "expired", status: 401, failed: "approov.token.expiry", arc: "ABCDEF") {
            try one(TestAPI.token(expiresIn: 0))
        },
        Case(
            testDescription: "a device that the policy refuses", status: 403, failed: "approov.token.annotations",
            arc: "ABCDEF"
        ) { try one(TestAPI.token([JSONItem.Member("anno", .array(["rooted"]))])) },
        Case(
            testDescription: "an audience that is not the policy's", status: 403, failed: "approov.token.audience",
            arc: "ABCDEF"
        ) { try one(TestAPI.token([JSONItem.Member("aud", "others")])) },
    ]

    private static func rooted(_ settings: inout ApproovConfiguration.Settings) {
        settings.annotations = AnnotationRules(reject: ["rooted"])
    }

    @Test("A rejection has its status, and what support needs of authentic and of rejected tokens", arguments: cases)
    func rejection(_ one: Case) async throws {
        let live = try TestAPI.live(Self.rooted)
        try await TestAPI.application(live).test(.router) { client in
            try await client.execute(uri: "/stock", method: .get, headers: one.fields()) { response in
                #expect(response.status.code == one.status)
                #expect(response.headers[.arc] == one.arc)
                #expect(response.headers[.errorDevice] == one.arc.map { _ in TestAPI.deviceID })
                #expect(response.headers.contains(.wwwAuthenticate) == (one.status == 401))
                let body = String(buffer: response.body)
                #expect(!body.contains("approov.token."), "the names of checks are for those who ask for them")
                #expect(body.contains("ABCDEF") == (one.arc != nil))
                #expect(one.status == 200 || response.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("Under annotate every request goes on, with its verdict", arguments: cases)
    func annotated(_ one: Case) async throws {
        let live = try TestAPI.live { settings in
            Self.rooted(&settings)
            settings.enforcement = .annotate
        }
        try await TestAPI.application(live).test(.router) { client in
            try await client.execute(uri: "/stock", method: .get, headers: one.fields()) { response in
                #expect(response.status == .ok)
                let outcome = one.status == 200 ? "accept" : "reject"
                #expect(String(buffer: response.body).hasPrefix("annotate \(outcome) \(one.failed ?? "-")"))
            }
        }
    }

    @Test("Failed checks are disclosed only with the option, and keys never")
    func disclosure() async throws {
        let options = TestAPI.options { $0.disclosure = .failedChecks }
        try await TestAPI.application(try TestAPI.live(), options: options).test(.router) { client in
            let fields = try Self.one(TestAPI.token(secret: [1]))
            try await client.execute(uri: "/stock", method: .get, headers: fields) { response in
                #expect(String(buffer: response.body).hasSuffix(#""failed":["approov.token.signature"]}"#))
            }
        }
    }

    @Test("The log says which check failed and why, and shows no token")
    func log() async throws {
        let log = TestLog()
        let token = try TestAPI.token(expiresIn: 0)
        try await TestAPI.application(try TestAPI.live(), logger: log.logger).test(.router) { client in
            for text in ["MITM_DETECTED", token] {
                try await client.execute(uri: "/stock", method: .get, headers: Self.one(text))
            }
        }
        let texts = log.entries.map(\.text)
        #expect(
            texts.contains { $0.contains(#"assay.failed=["approov.token.decode"]"#) && $0.contains("MITM_DETECTED") })
        #expect(texts.contains { $0.contains(#"assay.failed=["approov.token.expiry"]"#) && $0.contains("expired at") })
        #expect(!texts.contains { $0.contains(token) })
    }

    @Test("A request without a token and one with an empty token are told apart, and from one with two")
    func absence() async throws {
        let log = TestLog()
        var twice = HTTPFields()
        for _ in 0..<2 { twice.append(HTTPField(name: .approovToken, value: "a.b.c")) }
        let requests = [HTTPFields(), Self.one(""), twice]
        try await TestAPI.application(try TestAPI.live(), logger: log.logger).test(.router) { client in
            for fields in requests {
                try await client.execute(uri: "/stock", method: .get, headers: fields)
            }
        }
        let texts = log.entries.map(\.text)
        for part in [
            "has no field Approov-Token", "Approov-Token has no value", "has the field Approov-Token several times",
        ] {
            #expect(texts.contains { $0.contains(part) }, "\(part): \(texts)")
        }
    }

    @Test("Claims of unauthentic tokens reach fields and JSON only in plain characters")
    func claims() async throws {
        try await TestAPI.application(try TestAPI.live()).test(.router) { client in
            for text in ["a\"b", "a\r\nX-Injected: 1", "ä", String(repeating: "A", count: 65), ""] {
                let payload = JSONItem.object([JSONItem.Member("arc", .text(text)), JSONItem.Member("exp", 1)])
                let token = try JWSBlueprint(payload: payload.encoded, signer: .hs256([1])).mint()
                try await client.execute(uri: "/stock", method: .get, headers: [.approovToken: token]) { response in
                    #expect(response.status == .unauthorized)
                    #expect(!response.headers.contains(.arc))
                    let body = #"{"error":"approov-rejected","remedy":"contact-support"}"#
                    #expect(String(buffer: response.body) == body)
                }
            }
        }
    }

    struct Binding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let values: [String]
        let status: Int
    }

    @Test(
        "A bound token is accepted only with its bound value, present once",
        arguments: [
            Binding(testDescription: "the value", values: ["Bearer myauth_token"], status: 200),
            Binding(testDescription: "another", values: ["Bearer other"], status: 401),
            Binding(testDescription: "none", values: [], status: 401),
            Binding(testDescription: "an empty one", values: [""], status: 401),
            Binding(
                testDescription: "the value twice", values: ["Bearer myauth_token", "Bearer myauth_token"], status: 401
            ),
            Binding(testDescription: "the value and another", values: ["Bearer myauth_token", "x"], status: 401),
        ])
    func binding(_ one: Binding) async throws {
        let live = try TestAPI.live { settings in
            settings.binding = ["Authorization"]
            settings.failover = .reject
        }
        let digest = Base64Text.sha256("Bearer myauth_token")
        try await TestAPI.application(live).test(.router) { client in
            var fields = try Self.one(TestAPI.token([JSONItem.Member("pay", .text(digest))]))
            for value in one.values { fields.append(HTTPField(name: .authorization, value: value)) }
            try await client.execute(uri: "/stock", method: .get, headers: fields) { response in
                #expect(response.status.code == one.status)
            }
        }
    }
}
