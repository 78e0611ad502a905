import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// Handlers are tested without evidence: the result of the check is stated.
@Suite("Stated results for tests of handlers")
struct JudgedRequestTests {
    private struct Stated: RouterMiddleware {
        let judged: JudgedRequest

        func handle(
            _ request: Request, context: BasicEvidenceRequestContext,
            next: (Request, BasicEvidenceRequestContext) async throws -> Response
        ) async throws -> Response {
            var context = context
            context.judged = judged
            return try await next(request, context)
        }
    }

    private func answer(_ judged: JudgedRequest) async throws -> String {
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(middleware: Stated(judged: judged))
        router.get("stock") { _, context in
            "\(context.judged?.isAccepted ?? false) \(context.judged?.verdict?.approov?.deviceID ?? "-") "
                + "\(context.judged?.verdicts.count ?? 0) \(context.judged?.enforcement.rawValue ?? "-")"
        }
        return try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/stock", method: .get) { String(buffer: $0.body) }
        }
    }

    @Test("A handler sees the stated verdict, or the reason for having none")
    func stated() async throws {
        let subject = try ApproovSubject(claims: #"{"did":"h4gubfCFzJu81j/U2BJsdg==","exp":1795133040}"#)
        let accepted = try await Verdict.stub(accepting: .approovToken, subject: subject)
        #expect(try await answer(JudgedRequest(.verdict(accepted))) == "true h4gubfCFzJu81j/U2BJsdg== 1 reject")
        let rejected = try await Verdict.stub(rejecting: .approovToken, failed: [.approovTokenExpiry])
        #expect(try await answer(JudgedRequest(.verdict(rejected))) == "false - 1 annotate")
        #expect(try await answer(JudgedRequest(.off)) == "false - 0 off")
        #expect(try await answer(JudgedRequest(.pending)) == "false - 0 reject")
        #expect(try await answer(JudgedRequest(.unjudged(.badHost))) == "false - 0 annotate")
        let both = JudgedRequest(accepted, accepted)
        #expect(try await answer(both) == "true h4gubfCFzJu81j/U2BJsdg== 2 reject")
        #expect(try await answer(JudgedRequest(accepted, rejected)) == "false - 1 annotate")
    }
}
