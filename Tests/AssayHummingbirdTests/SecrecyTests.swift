import Assay
import AssayHummingbird
import AssayTestSupport
import AssayTesting
import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Logs at trace level, and answers, of a server.
@Suite("Secrets in a server's log and answers")
struct SecrecyTests {
    private static let secret = ApproovTestKeys.newSecret()
    private static let session = "Bearer c2Vzc2lvbi1vZi1zb21lYm9keS13aG8taXMtbG9nZ2VkLWlu"

    @Test("No log entry and no answer has a token, what it is bound to, or the secret")
    func log() async throws {
        let log = TestLog()
        let live = try TestAPI.live(logger: log.logger, keys: [try TestAPI.key(Self.secret)]) {
            $0.binding = ["Authorization"]
            $0.failover = .reject
        }
        let options = TestAPI.options { $0.disclosure = .failedChecks }
        var claims = ApproovClaimsBlueprint(expiresAt: TestAPI.now.addingTimeInterval(300))
        claims.bind(to: [Self.session])
        let bound = [JSONItem.Member("pay", try #require(claims[.binding]))]
        let good = try TestAPI.token(bound, secret: Self.secret)
        let foreign = try TestAPI.token(bound, secret: ApproovTestKeys.newSecret())
        let app = try TestAPI.application(live, options: options, logger: log.logger)
        let (statuses, answers) = try await app.test(.live) { client in
            var statuses: [Int] = []
            var answers = ""
            for token in [good, foreign, "\(good)x", String(good.dropLast(3)), "Bearer \(good)", "x.\(good)", ""] {
                for session in [Self.session, "Bearer another-session-of-somebody-else"] {
                    let lines = [
                        "GET /stock HTTP/1.1", "Host: localhost", "Connection: close", "Approov-Token: \(token)",
                        "Authorization: \(session)",
                    ]
                    let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
                    let answer = try await RawExchange.send([head], to: #require(client.port))
                    statuses.append(RawExchange.status(answer))
                    answers += answer
                }
            }
            return (statuses, answers)
        }
        #expect(statuses.filter { $0 == 200 }.count == 1 && statuses.filter { $0 == 401 }.count == 13, "\(statuses)")
        let written = log.entries.map(\.text).joined(separator: "\n")
        #expect(written.contains("assay.failed"))
        for text in [written, answers] {
            #expect(SecretForms("the secret", bytes: Self.secret).found(in: text) == [])
            for token in [good, foreign] { #expect(SecretForms("a token", text: token).found(in: text) == []) }
            #expect(SecretForms("the session", text: Self.session).found(in: text) == [])
        }
    }
}
