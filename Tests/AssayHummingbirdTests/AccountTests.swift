import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
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

    @Test("The log has the account of the session as the policy says", arguments: ["keep", "hash", "drop"])
    func log(_ rule: String) async throws {
        let accounts: AddressRule = rule == "keep" ? .keep : rule == "drop" ? .drop : .hashOfProcess
        var settings = ApproovConfiguration.Settings()
        settings.keys = ["now"]
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "api", try ApproovConfiguration(settings))], keys: [try TestAPI.key()],
            catalogue: Verifier.catalogue, logAccounts: accounts)
        let live = try ReloadableVerifier(
            Verifier(policy: policy, ledger: MemoryLedger()), logger: Logger(label: "test"))
        let log = TestLog()
        let router = Router(context: SessionContext.self)
        router.add(middleware: SessionMiddleware())
        router.add(middleware: try EvidenceMiddleware(live, app: "api", options: TestAPI.options()))
        router.get("stock") { _, _ in "done" }
        try await Application(router: router, logger: log.logger).test(.router) { client in
            for token in [try TestAPI.token(), try TestAPI.token(expiresIn: 0)] {
                var fields: HTTPFields = [.approovToken: token]
                fields[.session] = "bob@example"
                try await client.execute(uri: "/stock", method: .get, headers: fields)
            }
        }
        let lines = log.entries.filter { $0.text.hasPrefix("request check") }
        #expect(lines.map(\.level) == [.debug, .info])
        for line in lines.map(\.text) {
            switch rule {
            case "keep": #expect(line.contains("assay.account=bob@example"), "\(line)")
            case "drop": #expect(!line.contains("assay.account") && !line.contains("bob@example"), "\(line)")
            default: #expect(line.contains("assay.account=hmac-sha256:") && !line.contains("bob@example"), "\(line)")
            }
            #expect(line.contains("assay.arc=ABCDEF") && line.contains("assay.deviceId=\(TestAPI.deviceID)"), "\(line)")
        }
        #expect(lines.last?.text.contains(#"assay.codes=["expired"]"#) == true, "\(lines)")
    }
}

extension HTTPField.Name {
    fileprivate static let session = HTTPField.Name("Session") ?? .accept
}
