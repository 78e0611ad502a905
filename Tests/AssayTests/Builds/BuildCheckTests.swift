import AndroidKey
import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTestSupport
import AssayTesting
import AssayVectors
import Foundation
import PlayIntegrity
import Testing

@Suite("Checks of admitted builds")
struct BuildCheckTests {
    /// Evidence of an engine that states a build, and the build.
    struct Sample: CustomTestStringConvertible, Sendable {
        let engine: String
        let file: String
        let id: String
        let check: CheckID

        var testDescription: String { id }
    }

    static let samples = [
        Sample(
            engine: "app-attest", file: "attestation-accept.json", id: "ios-27-flags-c0", check: .buildsAppAttest),
        Sample(
            engine: "play-integrity", file: "standard-accept.json", id: "standard-genuine", check: .buildsPlayIntegrity),
        Sample(
            engine: "play-integrity", file: "classic-accept.json", id: "classic-genuine", check: .buildsPlayIntegrity),
        Sample(engine: "android-key", file: "attestation-accept.json", id: "factory", check: .buildsAndroidKey),
    ]

    private static func policy(
        _ engine: String, _ rule: BuildsConfiguration.Rule, unstated: BuildsConfiguration.Unstated = .annotate,
        modes: [CheckID: CheckMode] = [:]
    ) throws -> VerificationPolicy {
        let policy = try MintedVectors.committed(engine).policy()
        let apps = policy.apps.map { app in
            PolicyApp(
                name: app.name,
                configurations: app.configurations + [BuildsConfiguration(rule, unstated: unstated)],
                statedRules: app.statedRules)
        }
        return try VerificationPolicy(apps: apps, keys: policy.keys, modes: modes, catalogue: Verifier.catalogue)
    }

    private static func verdict(
        _ sample: Sample, _ rule: BuildsConfiguration.Rule, admitting builds: [(build: AppBuild, end: Double?)] = [],
        modes: [CheckID: CheckMode] = [:], use: VerdictUse = .admission, allowing: Bool = false
    ) async throws -> Verdict {
        let file = try #require(try MintedVectors.committed(sample.engine).files.first { $0.path == sample.file })
        let records = try RecordFile.read(Array(file.contents.utf8)).map { try $0.get() }
        let record = try #require(records.first { $0.id == sample.id })
        let time = try #require(record.receivedAt)
        let ledger = MemoryLedger()
        if !builds.isEmpty {
            let admissions = builds.map { build, end in
                AdmittedBuild(
                    build, reason: "release", admittedAt: time - 7200, admittedBy: "ci", until: end.map { time + $0 })
            }
            _ = try await LedgerRegister<AdmittedBuilds>(in: ledger).admit(admissions, by: "ci", at: time - 7200).get()
        }
        var judged = record
        if allowing {
            judged.account = "tester"
            try await ledger.allow(
                LedgerAllowance(
                    subject: LedgerSubject(.account, "tester"), checks: [sample.check], reason: "test device",
                    since: time, until: nil))
        }
        let verifier = Verifier(
            policy: try policy(sample.engine, rule, modes: modes), ledger: ledger, engines: .standard, use: use)
        return try await verifier.verify(judged, at: time)
    }

    private static func build(of verdict: Verdict, later: Int64 = 0, certificate: [UInt8]? = nil) throws -> AppBuild {
        if let apple = verdict.appAttest {
            let (app, version) = (try #require(apple.appID), try #require(apple.bundleVersion))
            return try AppBuild(.apple, app: app, version: later == 0 ? version : "\(version).\(later)")
        }
        if let play = verdict.playIntegrity?.payload.appIntegrity {
            let (app, version) = (try #require(play.packageName), try #require(play.versionCode))
            return try AppBuild(.android, app: app, version: "\(version + later)", certificate: certificate)
        }
        let package = try #require(verdict.androidKey?.packages.first)
        return try AppBuild(
            .android, app: package.name, version: "\(package.version + later)", certificate: certificate)
    }

    private static func result(_ verdict: Verdict, _ check: CheckID) -> (status: CheckResult.Status, code: String?)? {
        verdict.checks.first { $0.check == check }.map { ($0.status, $0.finding?.code) }
    }

    @Test(
        "Only an admitted build passes, until the end of its admission, and the rule says what becomes of another one",
        .produces("builds.app-attest", "build-not-admitted", "build-ended"),
        .produces("builds.play-integrity", "build-not-admitted", "build-ended"),
        .produces("builds.android-key", "build-not-admitted", "build-ended"), arguments: samples)
    func admission(_ sample: Sample) async throws {
        let plain = try await Self.verdict(sample, .off)
        #expect(plain.outcome == .accept && Self.result(plain, sample.check) == nil)
        let build = try Self.build(of: plain)
        let cases: [([(build: AppBuild, end: Double?)], String?)] = [
            ([(build, nil)], nil), ([(build, 1)], nil), ([(build, 0)], "build-ended"), ([], "build-not-admitted"),
            ([(try Self.build(of: plain, later: 1), nil)], "build-not-admitted"),
            ([(try Self.build(of: plain, later: 1), nil), (build, nil)], nil),
        ]
        for (builds, code) in cases {
            let verdict = try await Self.verdict(sample, .reject, admitting: builds)
            #expect(verdict.outcome == (code == nil ? .accept : .reject), "\(builds)")
            #expect(verdict.failed == (code == nil ? [] : [sample.check]), "\(builds)")
            #expect(Self.result(verdict, sample.check)?.code == code, "\(builds)")
            if code != nil { #expect(verdict.remedy == .updateApp) }
            let annotated = try await Self.verdict(sample, .annotate, admitting: builds)
            #expect(annotated.outcome == .accept)
            #expect(Self.result(annotated, sample.check)?.status == (code == nil ? .passed : .annotated), "\(builds)")
        }
    }

    @Test("A build with a certificate is another build under another certificate", arguments: samples.dropFirst())
    func certificates(_ sample: Sample) async throws {
        let plain = try await Self.verdict(sample, .off)
        let digests =
            try plain.androidKey?.certificateDigests
            ?? plain.playIntegrity?.payload.appIntegrity.certificateSha256Digest?.map {
                try CertificateDigestText.decode($0)
            }
        let own = try #require(digests?.first)
        for (certificate, isAdmitted) in [(own, true), ([UInt8](repeating: 1, count: 32), false)] {
            let build = try Self.build(of: plain, certificate: certificate)
            let verdict = try await Self.verdict(sample, .reject, admitting: [(build, nil)])
            #expect(verdict.outcome == (isAdmitted ? .accept : .reject))
        }
    }

    @Test("Of packages that share a user ID, each that the policy names must be admitted, and the others do not count")
    func sharedUserID() async throws {
        let time = Date(timeIntervalSince1970: 1_795_132_800)
        let authority = try AndroidKeyTestAuthority(seed: "builds", notBefore: time.addingTimeInterval(-400 * 86_400))
        let roots = try authority.rootCertificates.map { try Certificate(der: $0[...]) }
        let digest = [UInt8](repeating: 7, count: 32)
        let (shop, lite, neighbour) = ("com.example.shop", "com.example.lite", "com.example.neighbour")
        let configuration = try AndroidKeyConfiguration(
            packages: [shop, lite], certificateDigests: [digest], challenge: .caller, statusList: .none
        ) { $0.testRoots = roots }
        for (named, admitted, failed) in [
            ([neighbour, shop], [neighbour], [CheckID.buildsAndroidKey]), ([neighbour, shop], [shop], []),
            ([shop, lite], [shop], [.buildsAndroidKey]), ([shop, lite], [lite], [.buildsAndroidKey]),
            ([shop, lite], [lite, shop], []), ([neighbour], [shop], [.buildsAndroidKey]),
            ([neighbour], [neighbour], []),
        ] as [([String], [String], [CheckID])] {
            var blueprint = try AndroidKeyAttestationBlueprint(
                authority: authority, key: AndroidAttestedKey(.p256, seed: "builds", label: "device"),
                packageName: shop,
                certificateDigest: digest, versionCode: 42, device: .factory, challenge: [1], issuedAt: time)
            blueprint.description.softwareEnforced[.attestationApplicationID] = .octets(
                ApplicationIDBlueprint(packages: named.map { .init($0, version: 42) }, digests: [digest]).encoded)
            let ledger = MemoryLedger()
            let admissions = try admitted.map { package in
                AdmittedBuild(
                    try AppBuild(.android, app: package, version: "42"), reason: "release", admittedAt: time - 60,
                    admittedBy: "ci", until: nil)
            }
            _ = try await LedgerRegister<AdmittedBuilds>(in: ledger).admit(admissions, by: "ci", at: time - 60).get()
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: "shop", configurations: [configuration, BuildsConfiguration(.reject)])],
                modes: [.androidKeyAttestationApplication: .annotate], catalogue: Verifier.catalogue)
            let minted = try blueprint.mint()
            let verdict = try await Verifier(policy: policy, ledger: ledger, engines: .standard, use: .admission)
                .verify(
                    KeyAttestationInput(certificates: minted.certificates, challenge: minted.challenge), at: time)
            #expect(verdict.failed == failed, "\(named), \(admitted)")
        }
    }

    @Test("`checks` can relax or switch off the check, and an allowance excuses its failure", arguments: samples)
    func relaxed(_ sample: Sample) async throws {
        for (mode, status) in [(.annotate, .annotated), (.off, .skipped)] as [(CheckMode, CheckResult.Status)] {
            let verdict = try await Self.verdict(sample, .reject, modes: [sample.check: mode])
            #expect(verdict.outcome == .accept && Self.result(verdict, sample.check)?.status == status)
        }
        let excused = try await Self.verdict(sample, .reject, allowing: true)
        #expect(excused.outcome == .accept && Self.result(excused, sample.check)?.status == .annotated)
    }

    /// A replay of captures has no register: it must not reject everything.
    @Test(
        "An analysis without a register of builds does not compare them",
        .produces("builds.app-attest", "builds-unknown"), .produces("builds.play-integrity", "builds-unknown"),
        .produces("builds.android-key", "builds-unknown"), arguments: samples)
    func analysis(_ sample: Sample) async throws {
        let verdict = try await Self.verdict(sample, .reject, use: .analysis)
        #expect(verdict.outcome == .accept)
        let result = try #require(Self.result(verdict, sample.check))
        #expect(result.status == .skipped && result.code == "builds-unknown")
    }

    @Test(
        "`unstated` decides on evidence that states no build",
        .produces("builds.app-attest", "build-unstated"), .produces("builds.play-integrity", "build-unstated"),
        .produces("builds.android-key", "build-unstated"),
        arguments: [
            ("app-attest", CheckID.buildsAppAttest), ("play-integrity", .buildsPlayIntegrity),
            ("android-key", .buildsAndroidKey),
        ])
    func unstated(_ engine: String, _ check: CheckID) async throws {
        let vectors = try MintedVectors.committed(engine)
        for (unstated, status) in [(.accept, .skipped), (.annotate, .annotated), (.reject, .failed)]
            as [(BuildsConfiguration.Unstated, CheckResult.Status)]
        {
            let policy = try Self.policy(engine, .reject, unstated: unstated)
            var statuses: Set<CheckResult.Status> = []
            for file in vectors.files where file.path.hasSuffix(".json") && file.folder.isEmpty {
                let verifier = Verifier(policy: policy, ledger: MemoryLedger(), engines: .standard)
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    guard let verdict = try? await verifier.verify(record, at: try #require(record.receivedAt)),
                        let found = Self.result(verdict, check), found.code == "build-unstated"
                    else { continue }
                    statuses.insert(found.status)
                }
            }
            #expect(statuses == [status], "\(unstated)")
        }
    }

    @Test("A change is in force in another process within two seconds, and an outage keeps the last state")
    func otherProcesses() async throws {
        let sample = Self.samples[1]
        let file = try #require(try MintedVectors.committed(sample.engine).files.first { $0.path == sample.file })
        let record = try #require(try RecordFile.read(Array(file.contents.utf8)).map { try $0.get() }.first)
        let time = try #require(record.receivedAt)
        let build = try Self.build(of: try await Self.verdict(sample, .off))
        let ledger = FaultyLedger(MemoryLedger())
        let verifier = Verifier(
            policy: try Self.policy(sample.engine, .annotate), ledger: ledger, engines: .standard, use: .admission)
        // The evidence may be used once: an assessment commits nothing.
        func isAdmitted() async throws -> Bool {
            let assessment = try await verifier.assess(record, ledger: ledger, at: time)
            return assessment.checks.first { $0.check == sample.check }?.status == .passed
        }
        #expect(try await !isAdmitted())
        let admission = AdmittedBuild(build, reason: "release", admittedAt: time, admittedBy: "ci", until: nil)
        _ = try await LedgerRegister<AdmittedBuilds>(in: ledger).admit([admission], by: "ci", at: time).get()
        while try await !isAdmitted() { try await Task.sleep(for: .milliseconds(50)) }
        ledger.follow { operation, _ in operation == .document ? .outage() : nil }
        while !ledger.history.contains(where: { $0.operation == .document }) {
            #expect(try await isAdmitted())
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await isAdmitted())
    }
}
