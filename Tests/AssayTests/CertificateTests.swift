import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Synchronization
import Testing

/// The certificate that an app saw is compared with those of the host, and evidence of the platform covers it.
@Suite("Certificates that apps saw")
struct CertificateTests {
    private static let host = "api.example.com"
    private static let other = "other.example.com"

    /// A service that answers what the test has it present.
    private final class Hosts: PresentedLeavesSource {
        let answers = Mutex<[String: PresentedLeaves]>([:])
        let asked = Mutex<[String]>([])

        func leaves(
            of host: String, with isSeen: @escaping @Sendable (PresentedLeaves.Leaf) -> Bool
        ) async throws(HostCertificateOutage) -> PresentedLeaves {
            asked.withLock { $0.append(host) }
            guard let found = answers.withLock({ $0[host] }) else {
                throw HostCertificateOutage(.unreachable, "no address answers")
            }
            return found
        }
    }

    /// A leaf of a host, self-signed.
    private static func leaf(_ label: String) throws -> [UInt8] {
        try TestIssuer.selfSigned(
            name: DistinguishedName([.init(.commonName, label)]),
            key: TestKey(.p256, seed: "certificates", label: label),
            notBefore: Fixtures.time.addingTimeInterval(-86_400),
            notAfter: Fixtures.time.addingTimeInterval(86_400)
        ).certificate
    }

    private static func hex(_ der: [UInt8]) -> String { Digest.sha256(der).hexadecimal }

    private static func text(_ hosts: String, more: String = "", checks: String = "", section: String = "") -> String {
        """
        version: 1
        apps:
          - name: shop
            appAttest:
              appIDs: [\(Fixtures.appID)]
              environments: [production]
              challenge: ledger
              clientData: raw
              testRoots: ["file:root.pem"]
            certificates:
              hosts: { \(hosts) }
        \(section)
        \(more)
        \(checks)
        """
    }

    private static func policy(_ text: String, files: [String: String] = [:]) throws -> VerificationPolicy {
        let root = ["file:root.pem": try Fixtures.authority().rootPEM]
        return try PolicyFile.parse(
            text, file: "p.yaml", files: MemoryFiles(root.merging(files) { first, _ in first }))
    }

    /// A verifier, and the challenges and records of an app.
    private struct World {
        let ledger = MemoryLedger()
        let hosts = Hosts()
        let verifier: Verifier

        init(_ text: String, hasService: Bool = true, use: VerdictUse = .admission) throws {
            verifier = Verifier(
                policy: try CertificateTests.policy(text), ledger: ledger, services: hasService ? [hosts] : [],
                engines: .standard, use: use)
        }

        func seen(_ leaf: [UInt8]?, host: String = CertificateTests.host) async throws -> SeenCertificate {
            let challenge = try await verifier.issueChallenge(
                app: "shop", for: .appAttestAttestation, at: Fixtures.time)
            return SeenCertificate(host: host, chain: leaf.map { [$0] } ?? [], challenge: challenge.text)
        }

        /// A record with an attestation of a new key.
        func record(_ seen: SeenCertificate, covering: [UInt8]? = nil, key: String = "device") throws -> EvidenceRecord
        {
            let derived =
                covering
                ?? SeenCertificate.evidenceChallenge(
                    seen.challenge, host: seen.host, leaf: seen.chain.first ?? [])
            let minted = try AttestationBlueprint(
                authority: Fixtures.authority(), key: AttestedKey(seed: "certificates", label: key),
                appID: Fixtures.appID, clientData: .bytes(derived), issuedAt: Fixtures.time
            ).mint()
            return EvidenceRecord(
                seen, carriedBy: minted.record(id: "c", app: "shop", receivedAt: Fixtures.time))
        }

        func verify(_ record: EvidenceRecord) async throws -> Verdict {
            try await verifier.verify(record, at: Fixtures.time)
        }
    }

    @Test("An allowance of the key or the account excuses another certificate, and no other check")
    func allowance() async throws {
        let leaf = try Self.leaf("host")
        let key = AttestedKey(seed: "certificates", label: "device").keyID
        for subject in [LedgerSubject(keyID: key), LedgerSubject(.account, "tester")] {
            for (compare, check) in [("leaf", CheckID.mitmCertificateLeaf), ("pin", .mitmCertificatePin)] {
                let expected =
                    compare == "leaf"
                    ? "leaves: [\(Self.hex(leaf))]" : "pins: [\"ampqampqampqampqampqampqampqampqampqampqamo=\"]"
                let world = try World(Self.text("\(Self.host): { compare: \(compare), \(expected) }"))
                var record = try world.record(try await world.seen(try Self.leaf("proxy")))
                record.account = "tester"
                let rejected = try await world.verify(record)
                #expect(rejected.failed == [check], "\(rejected)")
                try await world.ledger.allow(
                    LedgerAllowance(
                        subject: subject, checks: [check], reason: "test device", since: Fixtures.time, until: nil))
                let excused = try await world.verify(record)
                #expect(excused.outcome == .accept && excused.annotated.contains(check), "\(subject) \(excused)")
            }
        }
    }

    // MARK: Acceptance

    @Test("Evidence that carries a certificate states its build as it does alone, and is rejected for another build")
    func builds() async throws {
        let leaf = try Self.leaf("host")
        let hosts = "\(Self.host): { leaves: [\(Self.hex(leaf))] }"
        let world = try World(Self.text(hosts, section: "    builds: { rule: reject, unstated: reject }"))
        let verdict = try await world.verify(world.record(try await world.seen(leaf)))
        #expect(verdict.failed.map(\.name) == ["builds.app-attest"], "\(verdict)")
        #expect(verdict.isProven)
    }

    @Test("A leaf that the policy names is accepted with its evidence, once; the verdict has the facts of both")
    func accepted() async throws {
        let leaf = try Self.leaf("host")
        let world = try World(Self.text("\(Self.host): { leaves: [\(Self.hex(leaf))] }"))
        let record = try world.record(try await world.seen(leaf))
        let verdict = try await world.verify(record)
        #expect(verdict.outcome == .accept, "\(verdict)")
        #expect(verdict.kind == .mitmCertificate && verdict.app == "shop")
        #expect(verdict.certificate?.host == Self.host && verdict.certificate?.leafSHA256 == Digest.sha256(leaf))
        #expect(verdict.appAttest?.keyID == AttestedKey(seed: "certificates", label: "device").keyID)
        #expect(verdict.testAuthority != nil)
        let statuses = verdict.checks.map { "\($0.check) \($0.status)" }
        #expect(statuses.first == "mitm.certificate.decode passed")
        #expect(statuses.contains("app-attest.attestation.nonce passed"))
        #expect(statuses.contains("mitm.certificate.leaf passed") && statuses.contains("mitm.certificate.pin skipped"))
        #expect(statuses.last == "app-attest.attestation.enrolment passed", "\(statuses)")
        #expect(verdict.json(id: nil).contains(#""binding":"app-attest.attestation""#))
        // Challenge and key are used up.
        let again = try await world.verify(record)
        #expect(again.outcome == .reject && again.failed.contains(.appAttestAttestationChallenge), "\(again)")
        #expect(world.hosts.asked.withLock { $0 } == [])
    }

    @Test("A file of the policy names a leaf or a key by the first certificate in it")
    func files() async throws {
        let leaf = try Self.leaf("host")
        func pem(_ der: [UInt8]) -> String {
            "-----BEGIN CERTIFICATE-----\n\(Base64.encode(der, .standard))\n-----END CERTIFICATE-----\n"
        }
        let files = ["file:chain.pem": pem(leaf) + pem(try Self.leaf("issuer"))]
        let policy = try Self.policy(
            Self.text(
                "a.example: { leaves: [\"file:chain.pem\"] }, b.example: { compare: pin, pins: [\"file:chain.pem\"] }"),
            files: files)
        let hosts = try #require(policy.apps[0].configuration(CertificateConfiguration.self)).hosts
        #expect(hosts[0].leaves == [Digest.sha256(leaf)] && hosts[0].compare == .leaf)
        #expect(hosts[1].pins == [try PresentedLeaves.Leaf(der: leaf).pin] && hosts[1].compare == .pin)
    }

    // MARK: What the evidence covers

    @Test("Evidence over another host, certificate or challenge fails the binding, and uses nothing up")
    func binding() async throws {
        let (leaf, proxy) = (try Self.leaf("host"), try Self.leaf("proxy"))
        let world = try World(Self.text("\(Self.host): { leaves: [\(Self.hex(leaf))] }, \(Self.other): { skip: yes }"))
        let seen = try await world.seen(leaf)
        let stranger = try await world.seen(leaf)
        let cases: [(String, [UInt8])] = [
            ("host", SeenCertificate.evidenceChallenge(seen.challenge, host: Self.other, leaf: leaf)),
            ("certificate", SeenCertificate.evidenceChallenge(seen.challenge, host: Self.host, leaf: proxy)),
            ("challenge", SeenCertificate.evidenceChallenge(stranger.challenge, host: Self.host, leaf: leaf)),
            ("the challenge alone", try Base64.decode(seen.challenge, .url)),
        ]
        for (name, covered) in cases {
            let verdict = try await world.verify(try world.record(seen, covering: covered))
            #expect(verdict.failed == [.mitmCertificateBinding], "\(name): \(verdict)")
            #expect(verdict.remedy == .newChallenge)
            // What the evidence does not cover is a claim.
            #expect(verdict.certificate?.host == nil && verdict.certificate?.leafSHA256 == nil)
            #expect(verdict.subject?.fields.first == SubjectField("claimedHost", .text(Self.host)))
            #expect(verdict.check(.mitmCertificateLeaf)?.because == .check(.mitmCertificateBinding))
        }
        #expect(try await world.verify(try world.record(seen)).outcome == .accept)
    }

    @Test("Under `challenge: caller` nothing in the ledger is bound to the certificate, which is refused")
    func callerChallenge() async throws {
        let leaf = try Self.leaf("host")
        let text = Self.text("\(Self.host): { leaves: [\(Self.hex(leaf))] }")
            .replacing("challenge: ledger", with: "challenge: caller")
        let world = try World(text)
        let seen = SeenCertificate(
            host: Self.host, chain: [leaf], challenge: Base64.encode([UInt8](repeating: 7, count: 32), .url))
        let verdict = try await world.verify(try world.record(seen))
        #expect(verdict.failed == [.mitmCertificateBinding], "\(verdict)")
    }

    @Test("Evidence that its own engine rejects is not compared, and no host is asked")
    func rejectedEvidence() async throws {
        let leaf = try Self.leaf("host")
        let world = try World(Self.text("\(Self.host): { fetch: yes }"))
        let seen = try await world.seen(leaf)
        let minted = try AttestationBlueprint(
            authority: Fixtures.authority(), appID: "1234567890.com.example.fake",
            clientData: .bytes(SeenCertificate.evidenceChallenge(seen.challenge, host: seen.host, leaf: leaf)),
            issuedAt: Fixtures.time
        ).mint()
        let record = EvidenceRecord(seen, carriedBy: minted.record(id: "c", app: "shop", receivedAt: Fixtures.time))
        let verdict = try await world.verify(record)
        #expect(verdict.failed.allSatisfy { $0.name.hasPrefix("app-attest.") } && verdict.outcome == .reject)
        #expect(verdict.check(.mitmCertificateLeaf)?.status == .skipped)
        #expect(world.hosts.asked.withLock { $0 } == [])
    }

    @Test(
        "A device token that the policy requires with the carried evidence, or with certificates, is required",
        arguments: ["app-attest.attestation", "mitm.certificate"])
    func deviceTokens(kind: String) async throws {
        let leaf = try Self.leaf("host")
        let world = try World(
            Self.text(
                "\(Self.host): { leaves: [\(Self.hex(leaf))] }",
                section: "    deviceCheck: { appID: \(Fixtures.appID), bits: bit0, required: [\(kind)] }"
            ))
        let verdict = try await world.verify(try world.record(try await world.seen(leaf)))
        #expect(verdict.failed == [.deviceCheckToken], "\(verdict)")
    }

    // MARK: Hosts

    @Test("A host that is skipped is named in the verdict; one that the policy does not name is rejected by name")
    func hosts() async throws {
        let proxy = try Self.leaf("proxy")
        let world = try World(Self.text("dev.example.com: { skip: yes }, \(Self.host): { fetch: yes }"))
        let skipped = try await world.verify(
            try world.record(try await world.seen(proxy, host: "dev.example.com"), key: "first"))
        #expect(skipped.outcome == .accept && skipped.annotated == [.mitmCertificateHost], "\(skipped)")
        let finding = skipped.check(.mitmCertificateHost)?.finding
        #expect(finding?.code == "host-skipped" && finding?.detail.contains("dev.example.com") == true)
        let unknown = try await world.verify(
            try world.record(try await world.seen(proxy, host: "www.example.com"), key: "second"))
        #expect(unknown.failed == [.mitmCertificateHost], "\(unknown)")
        #expect(unknown.check(.mitmCertificateHost)?.finding?.detail.contains("www.example.com") == true)
        #expect(world.hosts.asked.withLock { $0 } == [])
    }

    @Test("What the addresses present is compared; two certificates both count and are noted; another one is rejected")
    func fetched() async throws {
        let (old, new, proxy) = (try Self.leaf("old"), try Self.leaf("new"), try Self.leaf("proxy"))
        let world = try World(Self.text("\(Self.host): { fetch: yes }"))
        let both = PresentedLeaves([try .init(der: old), try .init(der: new)])
        world.hosts.answers.withLock { $0[Self.host] = both }
        for (index, leaf) in [old, new].enumerated() {
            let verdict = try await world.verify(
                try world.record(try await world.seen(leaf), key: "key \(index)"))
            #expect(verdict.outcome == .accept, "\(verdict)")
            #expect(verdict.annotated == [.mitmCertificateAddresses], "\(verdict)")
            #expect(verdict.check(.mitmCertificateAddresses)?.finding?.code == "addresses-differ")
        }
        let rejected = try await world.verify(try world.record(try await world.seen(proxy), key: "third"))
        #expect(rejected.failed == [.mitmCertificateLeaf] && rejected.remedy == .retry, "\(rejected)")
        let detail = rejected.check(.mitmCertificateLeaf)?.finding?.detail ?? ""
        #expect(detail.contains("CN=proxy") && detail.contains(Self.hex(proxy)) && detail.contains(Self.hex(old)))
    }

    @Test("A host that does not answer is an outage and never an acceptance; without a service, an error of the caller")
    func outages() async throws {
        let leaf = try Self.leaf("host")
        let text = Self.text("\(Self.host): { fetch: yes }")
        let world = try World(text)
        let record = try world.record(try await world.seen(leaf))
        let outage = await #expect(throws: VerificationError.self) { try await world.verify(record) }
        guard case .outage(let found as HostCertificateOutage)? = outage else {
            return #expect(Bool(false), "\(outage as Any)")
        }
        #expect(found.code == .unreachable)
        // Nothing was used up.
        world.hosts.answers.withLock {
            $0[Self.host] = (try? PresentedLeaves.Leaf(der: leaf)).map { PresentedLeaves([$0]) }
        }
        #expect(try await world.verify(record).outcome == .accept)
        let without = try World(text, hasService: false)
        let error = await #expect(throws: VerificationError.self) {
            try await without.verify(try without.record(try await without.seen(leaf)))
        }
        guard case .request(let request)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(request.code == "no-service" && request.message.contains("fetch: yes"))
    }

    // MARK: Captures

    @Test("A capture has what the host presented, a replay compares with that, and a request is never judged by it")
    func captures() async throws {
        let (leaf, proxy) = (try Self.leaf("host"), try Self.leaf("proxy"))
        let text = Self.text("\(Self.host): { fetch: yes }")
        let world = try World(text)
        world.hosts.answers.withLock {
            $0[Self.host] = (try? PresentedLeaves.Leaf(der: leaf)).map { PresentedLeaves([$0]) }
        }
        var record = try world.record(try await world.seen(proxy))
        let verdict = try await world.verify(record)
        #expect(verdict.failed == [.mitmCertificateLeaf])
        record.evidence = CertificateEngine.captured(record.evidence, judged: verdict)
        #expect(record.jsonLine.contains(#""presented":[{"leaf":"#))
        let replay = try World(text, hasService: false, use: .analysis)
        let replayed = try await replay.verify(record)
        #expect(replayed.failed.first == .mitmCertificateLeaf, "\(replayed)")
        let missing = await #expect(throws: VerificationError.self) {
            try await replay.verify(try world.record(try await world.seen(proxy), key: "second"))
        }
        guard case .record(let field)? = missing else { return #expect(Bool(false), "\(missing as Any)") }
        #expect(field.field == "evidence.presented")
        // A client that adds the field changes nothing.
        var forged = try world.record(try await world.seen(proxy), key: "third")
        let claim = RecordObject([
            ("leaf", .text(Base64.encode(Digest.sha256(proxy), .standard))), ("pin", .text("AAAA")),
        ])
        forged.evidence = RecordObject(
            forged.evidence.members.map { ($0.name, $0.value.content) }
                + [("presented", .array([RecordValue(.object(claim), offset: 0)]))])
        #expect(try await world.verify(forged).failed == [.mitmCertificateLeaf])
        #expect(try forged.redacted().redacted == ["evidence.binding"])
    }

    @Test("Records with the same carried evidence are judged in their order")
    func order() async throws {
        let leaf = try Self.leaf("host")
        let world = try World(Self.text("\(Self.host): { leaves: [\(Self.hex(leaf))] }"))
        let record = try world.record(try await world.seen(leaf))
        let carried = try #require(record.carried)
        #expect(carried.kind == .appAttestAttestation)
        #expect(Verifier.orderingKey(of: record) == Verifier.orderingKey(of: carried))
        #expect(Verifier.orderingKey(of: record) != nil)
    }

    // MARK: The policy

    @Test(
        "A section that cannot decide about a certificate is refused at its host",
        arguments: [
            ("API.example.com: { fetch: yes }", "lower case"), ("\"a:443\": { fetch: yes }", "without port"),
            ("a.example: { }", "nothing to compare with"), ("a.example: { compare: leaf }", "nothing to compare with"),
            ("a.example: { compare: pin }", "nothing to compare with"),
            ("a.example: { pins: [\(String(repeating: "00", count: 32))], fetch: yes }", "compare: pin"),
            ("a.example: { compare: pin, leaves: [\(String(repeating: "00", count: 32))] }", "compare: leaf"),
            ("a.example: { skip: yes, fetch: yes }", "compares nothing"), ("10.0.2.2: { fetch: yes }", "SNI"),
            ("a.example: { leaves: [\"00\"] }", "32 bytes"),
            ("a.example: { leaves: [\"file:none.pem\"] }", "no such file"),
            ("a.example: { leaf: x, fetch: yes }", "unknown field"),
        ])
    func refused(hosts: String, words: String) throws {
        let error = #expect(throws: PolicyError.self) { try Self.policy(Self.text(hosts)) }
        #expect(error?.field.hasPrefix("apps[0].certificates.hosts") == true, "\(error as Any)")
        #expect(error?.message.contains(words) == true, "\(error as Any)")
    }

    @Test("No mode switches a comparison off; `annotate` notes a difference")
    func modes() async throws {
        let (leaf, proxy) = (try Self.leaf("host"), try Self.leaf("proxy"))
        let hosts = "\(Self.host): { leaves: [\(Self.hex(leaf))] }"
        for check in ["leaf", "pin"] {
            #expect(throws: PolicyError.self) {
                try Self.policy(Self.text(hosts, checks: "checks: { mitm.certificate.\(check): off }"))
            }
        }
        let world = try World(Self.text(hosts, checks: "checks: { mitm.certificate.leaf: annotate }"))
        let verdict = try await world.verify(try world.record(try await world.seen(proxy)))
        #expect(verdict.outcome == .accept && verdict.annotated == [.mitmCertificateLeaf], "\(verdict)")
    }
}
