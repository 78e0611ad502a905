import AppAttest
import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import AssayTesting
import Foundation
import Synchronization

/// Apple's services with a server in the place of Apple's, and clocks that only the test advances.
struct TestApple: Sendable {
    static let team = "1234567890"
    static let appID = "\(team).com.example.shop"
    static let app = "shop"
    static let hour = Duration.seconds(3600)
    static let day = Duration.seconds(86_400)

    /// What the server does. Without a step it answers as Apple does.
    final class Script: Sendable {
        private let state = Mutex<(steps: [ScriptedServer.Step], requests: [ScriptedServer.Request])>(([], []))

        var requests: [ScriptedServer.Request] { state.withLock { $0.requests } }
        func script(_ steps: [ScriptedServer.Step]) { state.withLock { $0.steps = steps } }

        func receive(_ request: ScriptedServer.Request) -> ScriptedServer.Step? {
            state.withLock { state in
                state.requests.append(request)
                return state.steps.isEmpty ? nil : state.steps.removeFirst()
            }
        }
    }

    let server: ScriptedServer
    let script = Script()
    let time = TestTime()
    let ledger: any LedgerAdministration
    let authority: TestAuthority
    let standIn: TestAppleServices
    let keys: StaticKeyStore
    let masterKey: MasterKey
    let apple: AppleServices
    let client: AppleServicesClient
    let verifier: Verifier
    let log: Log

    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Runs a test with a ledger in memory or another one.
    static func run(
        keep: AppAttestConfiguration.ReceiptKeeping? = .plain, maximum: Int? = 10, age: Double? = 30 * 86_400,
        environment: AttestEnvironment = .production, deviceCheck: DeviceCheckConfiguration? = nil,
        modes: [CheckID: CheckMode] = [:], ledger: any LedgerAdministration = MemoryLedger(),
        _ body: (TestApple) async throws -> Void
    ) async throws {
        let test = try await TestApple(keep, maximum, age, environment, deviceCheck, modes, ledger)
        let result: Result<Void, any Error>
        do { result = .success(try await body(test)) } catch { result = .failure(error) }
        await test.apple.shutdown()
        await test.client.shutdown()
        try await test.server.close()
        try result.get()
    }

    private init(
        _ keep: AppAttestConfiguration.ReceiptKeeping?, _ maximum: Int?, _ age: Double?,
        _ environment: AttestEnvironment, _ deviceCheck: DeviceCheckConfiguration?, _ modes: [CheckID: CheckMode],
        _ ledger: any LedgerAdministration
    ) async throws {
        server = try await ScriptedServer()
        self.ledger = ledger
        log = Log()
        authority = try TestAuthority(seed: "apple services", notBefore: time.now.addingTimeInterval(-86_400))
        let account = TestKey(.p256, seed: "apple services", label: "account")
        standIn = TestAppleServices(
            authority: authority, teamID: Self.team, keyID: "ABC123DEFG", publicPoint: account.publicPoint)
        keys = StaticKeyStore([try Self.key(account)])
        masterKey = try MasterKey(text: SecretBytes(String(repeating: "5a", count: 32).utf8))
        let log = log
        apple = AppleServices(
            ledger: ledger, masterKey: masterKey, settings: try Self.settings(server), interval: 3 * 86_400,
            time: time.client, holder: "first")
        apple.setLog { log.add($0) }
        client = AppleServicesClient(keys: keys, settings: try Self.settings(server), time: time.client)
        let root = try Certificate(der: authority.rootCertificate[...])
        let configuration = try AppAttestConfiguration(
            appIDs: [Self.appID], environments: [environment], challenge: .caller, clientData: .raw
        ) {
            $0.reattestation = .refresh
            $0.receipt = .init(maximumRiskMetric: maximum, maximumRiskMetricAge: age, keep: keep)
            $0.testRoots = [root]
        }
        verifier = Verifier(
            policy: try VerificationPolicy(
                apps: [
                    PolicyApp(
                        name: Self.app, configurations: [configuration] + (deviceCheck.map { [$0] } ?? []))
                ],
                modes: modes.merging([.appAttestAssertionRiskMetric: .annotate]) { $1 }, catalogue: Verifier.catalogue),
            ledger: ledger, keyStores: [keys], services: [apple])
        let (script, standIn, time) = (script, standIn, time)
        server.respond { request in
            if let step = script.receive(request) { return step }
            let isDevelopment = request.path.hasPrefix("/development")
            let answer = standIn.answer(
                to: .init(
                    path: String(request.path.dropFirst(isDevelopment ? 12 : 11)),
                    authorization: request.fields["authorization"], body: request.body, isDevelopment: isDevelopment,
                    time: time.now))
            return .answer(answer.status, answer.body)
        }
    }

    static func key(_ account: TestKey, name: String = "apple") throws -> NamedKey {
        let parts = ["privateKey": account.pem, "keyID": "ABC123DEFG", "teamID": team]
        return NamedKey(
            name: name, material: try AppleServicesKey.reading(parts.mapValues { SecretBytes($0.utf8) }))
    }

    static func settings(_ server: ScriptedServer) throws -> AppleServicesSettings {
        var settings = AppleServicesSettings()
        let (production, development) = (
            try ServerURL("\(server.url)/production"), try ServerURL("\(server.url)/development")
        )
        (settings.appAttest, settings.deviceCheck) = (production, production)
        (settings.appAttestDevelopment, settings.deviceCheckDevelopment) = (development, development)
        settings.requestRate = 1000
        // The real clock limits connections: a busy machine must not fail a test.
        settings.connectTime = .seconds(600)
        return settings
    }

    /// Mints an attestation.
    func mint(_ key: AttestedKey, environment: AttestEnvironment = .production) throws -> MintedAttestation {
        try AttestationBlueprint(
            authority: authority, key: key, appID: Self.appID, environment: environment,
            clientData: .bytes(Array("challenge".utf8)), issuedAt: time.now
        ).mint()
    }

    /// Attests a key, and judges the attestation.
    @discardableResult
    func attest(
        _ key: AttestedKey, environment: AttestEnvironment = .production
    ) async throws -> (minted: MintedAttestation, verdict: Verdict) {
        let minted = try mint(key, environment: environment)
        standIn.attest(minted, appID: Self.appID, environment: environment)
        return (minted, try await verifier.verify(minted.record(id: "attestation"), at: time.now))
    }

    /// Judges an assertion.
    func assert(_ key: AttestedKey, counter: UInt32) async throws -> Verdict {
        let minted = try AssertionBlueprint(
            key: key, appID: Self.appID, counter: counter, clientData: .bytes(Array("challenge".utf8))
        ).mint()
        let record = minted.record(id: "assertion", receivedAt: time.now, challenge: Array("challenge".utf8))
        return try await verifier.verify(record, at: time.now)
    }

    /// The stored receipt of a key.
    func kept(_ key: AttestedKey) async throws -> KeptReceipt? {
        try await ledger.task(key.keyID, in: KeptReceipt.queue).map { try KeptReceipt(task: $0) }
    }

    /// Another process with the same ledger.
    func another(_ holder: String, masterKey: MasterKey? = nil) throws -> AppleServices {
        AppleServices(
            ledger: ledger, masterKey: masterKey ?? self.masterKey, settings: try Self.settings(server),
            interval: 3 * 86_400, time: time.client, holder: holder)
    }
}
