public import Assay
public import AssayCore
import AssayPrimitives
import NIOCore
import NIOPosix

/// Asks the hosts of `certificates` with `fetch: yes` for the certificates that they present: a service of the verifier. Trusts nothing
/// of them.
///
/// It connects to port 443 of every address of the name, with SNI, at most once in five seconds. An answer counts for a minute; while
/// no address answers, for ten, as does that of an address which is silent. A certificate that an app saw and the answer lacks is looked for again. It sends nothing before a
/// policy says `fetch: yes`.
///
///     let verifier = Verifier(policy: policy, ledger: ledger, services: [HostCertificates()])
public actor HostCertificates: PresentedLeavesSource, ReportingService {
    /// How long an answer counts.
    static let life = Duration.seconds(60)
    /// How long an answer counts while no address answers.
    static let longestLife = Duration.seconds(600)
    /// The least time between two questions to a host.
    static let spacing = Duration.seconds(5)
    /// How long the resolver, and each address, may take, in seconds.
    private static let timeout = 5.0
    private static let port = 443

    /// What the addresses of a host present, in the order of the addresses.
    package typealias Answers = [(address: String, leaf: Result<[UInt8], TLSProbeError>)]

    private struct Known {
        var leaves: PresentedLeaves?
        /// What each address presented last, and when.
        var presented: [String: (leaf: PresentedLeaves.Leaf, at: Duration)] = [:]
        /// When the leaves came, and when the last question ended.
        var (fetchedAt, askedAt) = (Duration.zero, Duration.zero)
        /// Why the last question had no answer; nil if it had one.
        var failure: HostCertificateOutage?
        /// The last sentence to the operator; nil for nothing to say.
        var report: String?
        var question: Task<Void, Never>?
    }

    private let ask: @Sendable (String) async throws(TLSProbeError) -> Answers
    private let time: ClientTime
    private var hosts: [String: Known] = [:]
    /// Sentences about hosts that do not answer, and addresses that present different certificates or none, each once.
    package nonisolated let reports: AsyncStream<String>
    private let reporting: AsyncStream<String>.Continuation

    /// Asks over the network.
    public init() {
        self.init(time: .system) { (host) throws(TLSProbeError) in
            // The first use of the group starts threads, which most policies do not need.
            let probe = TLSProbe(timeout: Self.timeout, group: MultiThreadedEventLoopGroup.singleton)
            return try await Self.ask(host, probe)
        }
    }

    /// Asks in another way.
    package init(time: ClientTime, _ ask: @escaping @Sendable (String) async throws(TLSProbeError) -> Answers) {
        (self.time, self.ask) = (time, ask)
        (reports, reporting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    package func leaves(
        of host: String, with isSeen: @escaping @Sendable (PresentedLeaves.Leaf) -> Bool
    ) async throws(HostCertificateOutage) -> PresentedLeaves {
        if let leaves = current(host, isSeen) { return leaves }
        // One question at a time: others wait for its answer.
        let question = hosts[host]?.question ?? Task { await renew(host) }
        hosts[host, default: Known()].question = question
        await question.value
        let known = hosts[host, default: Known()]
        if let leaves = known.leaves, time.uptime() - known.fetchedAt < Self.longestLife { return leaves }
        throw known.failure ?? HostCertificateOutage(.unreachable, "\(host) was not asked yet")
    }

    /// The known certificates, unless the host must be asked.
    private func current(_ host: String, _ isSeen: (PresentedLeaves.Leaf) -> Bool) -> PresentedLeaves? {
        guard let known = hosts[host], let leaves = known.leaves else { return nil }
        let now = time.uptime()
        guard now - known.fetchedAt < Self.longestLife else { return nil }
        if now - known.askedAt < Self.spacing { return leaves }
        return now - known.fetchedAt < Self.life && leaves.leaves.contains(where: isSeen) ? leaves : nil
    }

    private func renew(_ host: String) async {
        var known = hosts[host, default: Known()]
        if known.failure != nil, known.leaves == nil, time.uptime() - known.askedAt < Self.spacing {
            hosts[host]?.question = nil
            return
        }
        let result: Result<Answers, TLSProbeError>
        do throws(TLSProbeError) { result = .success(try await ask(host)) } catch { result = .failure(error) }
        known = hosts[host, default: Known()]
        known.question = nil
        known.askedAt = time.uptime()
        let answers = (try? result.get()) ?? []
        var leaves: [PresentedLeaves.Leaf] = []
        var hasAnswer = false
        for (address, answer) in answers {
            if case .success(let der) = answer, let leaf = try? PresentedLeaves.Leaf(der: der) {
                known.presented[address] = (leaf, known.askedAt)
                hasAnswer = true
            }
            // An address that is silent for a moment still has users.
            if let last = known.presented[address], known.askedAt - last.at < Self.longestLife,
                !leaves.contains(last.leaf)
            {
                leaves.append(last.leaf)
            }
        }
        known.presented = known.presented.filter { known.askedAt - $0.value.at < Self.longestLife }
        if !hasAnswer {
            known.failure = Self.outage(host, result)
        } else {
            (known.leaves, known.fetchedAt, known.failure) = (PresentedLeaves(leaves), known.askedAt, nil)
        }
        let report = known.failure?.message ?? Self.report(host, answers, differ: leaves.count > 1)
        if let report, report != known.report { reporting.yield(report) }
        known.report = report
        hosts[host] = known
    }

    private static func ask(_ host: String, _ probe: TLSProbe) async throws(TLSProbeError) -> Answers {
        let addresses = try await probe.addresses(of: host, port: port)
        return await withTaskGroup(of: (Int, Result<[UInt8], TLSProbeError>).self) { tasks in
            for (index, address) in addresses.enumerated() {
                tasks.addTask {
                    do throws(TLSProbeError) {
                        guard let leaf = try await probe.chain(of: host, at: address).first else {
                            throw .noCertificate
                        }
                        return (index, .success(leaf))
                    } catch { return (index, .failure(error)) }
                }
            }
            var found: [Int: Result<[UInt8], TLSProbeError>] = [:]
            for await (index, leaf) in tasks { found[index] = leaf }
            return addresses.indices.compactMap { index in
                found[index].map { (addresses[index].ipAddress ?? "?", $0) }
            }
        }
    }

    // MARK: Sentences

    private static func outage(_ host: String, _ result: Result<Answers, TLSProbeError>) -> HostCertificateOutage {
        let error: TLSProbeError?
        switch result {
        case .failure(let found): error = found
        case .success(let answers):
            error = answers.lazy.compactMap { if case .failure(let found) = $0.leaf { found } else { nil } }.first
        }
        let code: OutageCode =
            switch error {
            case .noAddress, .tooManyAddresses, .refused: .unreachable
            case .timeout: .timeout
            case .notTLS, .handshake, .noCertificate, .tooLarge, .unreadable, nil: .unexpectedAnswer
            }
        return HostCertificateOutage(
            code,
            "no address of \(host) presents a certificate (\(error?.description ?? "none can be read")); look at the name, the network "
                + "and the host, or give its leaves or pins in the policy in place of fetch: yes")
    }

    /// What operators must know; nil if all addresses present one certificate.
    private static func report(_ host: String, _ answers: Answers, differ: Bool) -> String? {
        let silent = answers.contains { if case .failure = $0.leaf { true } else { false } }
        guard differ || silent else { return nil }
        let all = answers.map { answer in
            switch answer.leaf {
            case .success(let der): "\(answer.address): SHA-256 \(Digest.sha256(der).hexadecimal)"
            case .failure(let error): "\(answer.address): \(error)"
            }
        }
        return "the addresses of \(host) do not present one certificate: \(all.joined(separator: "; "))"
    }
}
