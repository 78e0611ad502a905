import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Accounts of requests")
struct AccountTests {
    /// A context whose account an earlier middleware has found out.
    private struct SessionContext: EvidenceRequestContext {
        var coreContext: CoreRequestContextStorage
        let remoteAddress: SocketAddress?
        var judged: JudgedRequest?
        var account: String?

        init(source: Source) {
            coreContext = CoreRequestContextStorage(source: source)
            remoteAddress = source.channel.remoteAddress
        }
    }

    private struct SessionMiddleware: RouterMiddleware {
        func handle(
            _ request: Request, context: SessionContext, next: (Request, SessionContext) async throws -> Response
        ) async throws -> Response {
            var context = context
            context.account = request.headers[.session]
            return try await next(request, context)
        }
    }

    @Test("A request in the session of a blocked account is refused, and others are not")
    func blocked() async throws {
        let ledger = MemoryLedger()
        try await ledger.block(
            LedgerBlock(subject: LedgerSubject(.account, "alice"), reason: "fraud", since: TestAPI.now, until: nil))
        let live = try TestAPI.live(ledger: ledger)
        let router = Router(context: SessionContext.self)
        router.add(middleware: SessionMiddleware())
        router.add(middleware: try EvidenceMiddleware(live, app: "api", options: TestAPI.options()))
        router.get("stock") { _, context in context.judged?.verdict?.failed.first?.name ?? "-" }
        try await Application(router: router).test(.router) { client in
            for (account, status) in [
                ("alice", 403), ("bob", 200), (nil, 200), (String(repeating: "a", count: 256), 500),
            ]
                as [(String?, Int)]
            {
                var fields: HTTPFields = [.approovToken: try TestAPI.token()]
                fields[.session] = account
                try await client.execute(uri: "/stock", method: .get, headers: fields) { response in
                    #expect(response.status.code == status, "\(account?.prefix(9) ?? "no account")")
                }
            }
        }
    }
}

extension HTTPField.Name {
    fileprivate static let session = HTTPField.Name("Session") ?? .accept
}
