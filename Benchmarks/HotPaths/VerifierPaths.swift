import AndroidKey
import AppAttest
import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import CoreMetrics
import Foundation
import PlayIntegrity

/// What a service does: a verification with keys looked up, a ledger in memory, and a verdict. Where the ledger uses
/// something up, each verification has evidence of its own.
enum VerifierPaths {
    private static let now = AppAttestPaths.now

    static var appAttest: [HotPath] {
        [
            HotPath("verify-attestation", count: 5, prepare: attestations),
            HotPath("verify-assertion", count: 50) { try assertions($0) },
            HotPath("verify-assertion-counted", count: 50) { try counted(assertions)($0) },
        ]
    }

    static var androidKey: [HotPath] {
        [
            HotPath("verify-key-attestation", count: 5, prepare: keyAttestations),
            HotPath("verify-key-request", count: 50) { try keyRequests($0, .p256) },
            HotPath("verify-key-request-rsa", count: 50) { try keyRequests($0, .rsa2048) },
        ]
    }

    static var tokens: [HotPath] {
        [
            HotPath("verify-token", count: 100) { total in try tokens(total) { try TokenPaths.bearer($0) } },
            HotPath("verify-bound-token", count: 50) { total in
                try tokens(total) { try TokenPaths.blueprint($0).mint().request }
            },
        ]
    }

    static var playIntegrity: [HotPath] {
        [
            HotPath("verify-classic-token", count: 30, prepare: classicTokens),
            HotPath("verify-standard-answer", count: 200, prepare: standardAnswers),
        ]
    }

    static var approov: [HotPath] {
        [
            HotPath("verify-approov-token", count: 500) { try approovTokens($0) },
            HotPath("verify-approov-token-counted", count: 500) { try counted(approovTokens)($0) },
            HotPath("verify-signed-message", count: 30, prepare: signedMessages),
        ]
    }

    /// What the engines share.
    static var common: [HotPath] {
        [
            HotPath("verify-record", count: 30, prepare: records),
            HotPath("verdict-json", count: 300, prepare: verdictJSON),
        ]
    }

    /// Hands out evidence, each piece once, to a verification that has to accept it.
    private static func each<Evidence>(
        _ evidence: [Evidence], _ verify: @escaping (Evidence) async throws -> Verdict
    ) -> HotPath.Work {
        var next = 0
        return { count in
            for _ in 0..<count {
                let verdict = try await verify(evidence[next])
                try require(verdict.outcome == .accept, "rejected: \(verdict.json(id: nil))")
                next += 1
            }
        }
    }

    private static func verifier(
        _ configuration: any EngineConfiguration, keys: [NamedKey] = [], ledger: MemoryLedger = MemoryLedger()
    ) throws -> Verifier {
        let app = PolicyApp(name: "shop", configuration)
        return Verifier(
            policy: try VerificationPolicy(apps: [app], keys: keys, catalogue: Verifier.catalogue), ledger: ledger)
    }

    /// The same work with metrics, also of distinct devices.
    private static func counted(
        _ prepare: @escaping (_ total: Int, _ prepared: (Verifier) -> Void) throws -> HotPath.Work
    ) -> (Int) throws -> HotPath.Work {
        { total in
            var verifier: Verifier?
            let work = try withMetricsFactory(CountingFactory()) { try prepare(total) { verifier = $0 } }
            let made = verifier
            var isReady = false
            return { count in
                if !isReady { await made?.refreshMetrics(at: now) }
                isReady = true
                try await work(count)
            }
        }
    }

    /// A challenge like no other.
    private static func challenge(_ number: Int) -> [UInt8] {
        Digest.sha256(Array("challenge \(number)".utf8))
    }

    /// Issues challenges before the first round.
    private static func issuing(
        _ total: Int, for kind: EvidenceKind, to ledger: MemoryLedger, then work: @escaping HotPath.Work
    ) -> HotPath.Work {
        var isIssued = false
        return { count in
            if !isIssued {
                for number in 0..<total {
                    let challenge = IssuedChallenge(
                        value: challenge(number), app: "shop", purpose: ChallengePurpose(kind), issuedAt: now,
                        expiresAt: now + 300)
                    try await ledger.issue(challenge, at: now)
                }
                isIssued = true
            }
            try await work(count)
        }
    }

    private static func attestations(_ total: Int) throws -> HotPath.Work {
        let authority = try AppAttestPaths.authority()
        let ledger = MemoryLedger()
        let verifier = try verifier(AppAttestPaths.configuration(authority, challenge: .ledger), ledger: ledger)
        let inputs = try (0..<total).map {
            try AppAttestPaths.mintAttestation(authority, device: $0, challenge: challenge($0))
        }
        return issuing(
            total, for: EvidenceKind.appAttestAttestation, to: ledger,
            then: each(inputs) { try await verifier.verify($0, at: now) })
    }

    private static func keyAttestations(_ total: Int) throws -> HotPath.Work {
        let authority = try AndroidKeyPaths.authority()
        let ledger = MemoryLedger()
        let verifier = try verifier(AndroidKeyPaths.configuration(authority, challenge: .ledger), ledger: ledger)
        let inputs = try (0..<total).map {
            try AndroidKeyPaths.input(
                AndroidKeyPaths.blueprint(authority, .remote, device: $0, challenge: challenge($0)))
        }
        return issuing(
            total, for: .androidKeyAttestation, to: ledger,
            then: each(inputs) { try await verifier.verify($0, at: now) })
    }

    /// Requests that one enrolled key has signed.
    private static func keyRequests(_ total: Int, _ algorithm: AndroidAttestedKey.Algorithm) throws -> HotPath.Work {
        let authority = try AndroidKeyPaths.authority()
        let verifier = try verifier(AndroidKeyPaths.configuration(authority, challenge: .caller))
        let blueprint = try AndroidKeyPaths.blueprint(authority, .factory, device: 0, algorithm)
        let attestation = try AndroidKeyPaths.input(blueprint)
        let requests = try (0..<total).map { number in
            var request = SignedRequestBlueprint(
                method: "POST", targetURI: "https://api.example.com/v1/orders?id=\(1000 + number)",
                evidence: .androidKey(blueprint.key), createdAt: now)
            request.body = Array(#"{"amount":42}"#.utf8)
            let minted = try request.mint()
            return SignedRequest(
                method: minted.method, targetURI: minted.targetURI,
                fields: minted.headers.map { SignedRequest.Field($0.name, $0.value) }, body: .bytes(minted.body))
        }
        var isEnrolled = false
        let work = each(requests) { try await verifier.verifyAndroidKeyRequest($0, at: now) }
        return { count in
            if !isEnrolled {
                let verdict = try await verifier.verify(attestation, at: now)
                try require(verdict.outcome == .accept, "rejected: \(verdict.json(id: nil))")
                isEnrolled = true
            }
            try await work(count)
        }
    }

    private static func assertions(
        _ total: Int, _ prepared: (Verifier) -> Void = { _ in }
    ) throws -> HotPath.Work {
        let configuration = try AppAttestConfiguration(
            appIDs: [AppAttestPaths.appID], environments: [.production], challenge: .caller, clientData: .none)
        let verifier = try verifier(configuration)
        prepared(verifier)
        let key = AttestedKey(seed: AppAttestPaths.seed, label: "device")
        let inputs = try (1...total).map {
            try AppAttestPaths.input(AppAttestPaths.mintAssertion(key, counter: UInt32($0)))
        }
        // The ledger in memory enrols the key of the first one.
        let supplied = AssertionKeys.Supplied(publicKey: key.publicPoint, counter: 0)
        var isEnrolled = false
        return each(inputs) { input in
            let verdict = try await verifier.verify(input, suppliedKey: isEnrolled ? nil : supplied, at: now)
            isEnrolled = true
            return verdict
        }
    }

    private static func tokens(_ total: Int, _ mint: (Int) throws -> SignedRequest) throws -> HotPath.Work {
        let configuration = TokenConfiguration(issuer: TokenPaths.issuer, audiences: [TokenPaths.audience]) {
            $0.key = .optional
        }
        let verifier = try verifier(configuration, keys: TokenPaths.keys())
        return each(try (0..<total).map(mint)) { try await verifier.verifyTokenRequest($0, at: now) }
    }

    private static func classicTokens(_ total: Int) throws -> HotPath.Work {
        let ledger = MemoryLedger()
        let verifier = try verifier(
            PlayIntegrityPaths.configuration(challenge: .ledger), keys: PlayIntegrityPaths.keys(), ledger: ledger)
        let inputs = try (0..<total).map { try PlayIntegrityPaths.mintClassic(nonce: challenge($0)) }
        return issuing(
            total, for: EvidenceKind.playIntegrityClassic, to: ledger,
            then: each(inputs) { try await verifier.verify($0, at: now) })
    }

    private static func standardAnswers(_ total: Int) throws -> HotPath.Work {
        let verifier = try verifier(PlayIntegrityPaths.configuration(challenge: .caller))
        let answers = (0..<total).map { number in
            (
                hash: "request-\(1000 + number)",
                body: PlayIntegrityPaths.mintAnswer(requestHash: "request-\(1000 + number)")
            )
        }
        return each(answers) { answer in
            let input = StandardIntegrityInput(
                packageName: PlayIntegrityPaths.packageName, requestHash: answer.hash,
                evidence: .decoded(IntegrityAnswer(json: answer.body)))
            return try await verifier.verify(input, at: now)
        }
    }

    private static func approovTokens(
        _ total: Int, _ prepared: (Verifier) -> Void = { _ in }
    ) throws -> HotPath.Work {
        let keys = try ApproovPaths.keys()
        let verifier = try verifier(ApproovPaths.configuration(), keys: ApproovPaths.namedKeys(keys))
        prepared(verifier)
        let tokens = try (0..<64).map {
            ApproovTokenInput(token: try ApproovPaths.mintToken(keys, .signed, device: $0))
        }
        return each((0..<total).map { tokens[$0 % tokens.count] }) {
            try await verifier.verify($0, at: now)
        }
    }

    private static func signedMessages(_ total: Int) throws -> HotPath.Work {
        let keys = try ApproovPaths.keys()
        let token = try ApproovPaths.mintToken(keys, .signed, allowsMessages: true)
        let verifier = try verifier(
            ApproovPaths.configuration(messages: MessageSigning(signer: .installation, replay: .ledger)),
            keys: ApproovPaths.namedKeys(keys))
        let inputs = try (0..<total).map {
            try ApproovPaths.mintMessage(keys, token: token, number: 1000 + $0, body: Array("{\"count\":2}".utf8))
        }
        return each(inputs) { try await verifier.verify($0, at: now) }
    }

    /// As the command line and replays do it: from the text of a record.
    private static func records(_ total: Int) throws -> HotPath.Work {
        let configuration = try AppAttestConfiguration(
            appIDs: [AppAttestPaths.appID], environments: [.production], challenge: .caller, clientData: .none)
        let verifier = try verifier(configuration)
        let key = AttestedKey(seed: AppAttestPaths.seed, label: "device")
        let texts = try (1...total).map { number in
            let minted = try AppAttestPaths.mintAssertion(key, counter: UInt32(number))
            let record = minted.record(
                id: "device-\(1000 + number)", receivedAt: now, storedCounter: number == 1 ? 0 : nil)
            return Array(record.jsonLine.utf8)
        }
        return each(texts) { text in
            guard let record = try RecordFile.read(text).first?.get() else {
                throw Unexpected(description: "no record")
            }
            return try await verifier.verify(record, at: now)
        }
    }

    private static func verdictJSON(_ total: Int) throws -> HotPath.Work {
        let verifier = try verifier(
            PlayIntegrityPaths.configuration(challenge: .caller), keys: PlayIntegrityPaths.keys())
        let input = try PlayIntegrityPaths.mintClassic(nonce: challenge(0))
        var verdict: Verdict?
        return { count in
            if verdict == nil { verdict = try await verifier.verify(input, at: now) }
            for _ in 0..<count {
                let json = verdict?.json(id: "record") ?? ""
                try require(json.utf8.count > 1000, "the verdict's JSON: \(json)")
            }
        }
    }
}
