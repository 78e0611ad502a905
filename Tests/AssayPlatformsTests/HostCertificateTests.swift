import Assay
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Synchronization
import Testing

/// When hosts are asked for their certificates, and what counts if they do not answer.
@Suite("Certificates of hosts", .timeLimit(.minutes(5)))
struct HostCertificateTests {
    private static func leaf(_ label: String) throws -> [UInt8] {
        try TestIssuer.selfSigned(
            name: DistinguishedName([.init(.commonName, label)]),
            key: TestKey(.p256, seed: "hosts", label: label), notBefore: Date(timeIntervalSince1970: 1_776_000_000),
            notAfter: Date(timeIntervalSince1970: 1_790_000_000)
        ).certificate
    }

    /// A host whose answers the test writes.
    private final class Host: Sendable {
        private let state = Mutex<(answer: Result<HostCertificates.Answers, TLSProbeError>, asked: Int)>(
            (.success([]), 0))

        var asked: Int { state.withLock { $0.asked } }

        /// Every address presents one of the leaves, or does not answer.
        func present(_ leaves: [UInt8]?...) {
            let answers = leaves.enumerated().map { index, leaf in
                (
                    address: "192.0.2.\(index)",
                    leaf: leaf.map { Result<[UInt8], TLSProbeError>.success($0) } ?? .failure(.refused("refused"))
                )
            }
            state.withLock { $0.answer = .success(answers) }
        }

        func fail(_ error: TLSProbeError) { state.withLock { $0.answer = .failure(error) } }

        func answer() throws(TLSProbeError) -> HostCertificates.Answers {
            let answer = state.withLock { state in
                state.asked += 1
                return state.answer
            }
            return try answer.get()
        }
    }

    private struct World {
        let time = TestTime()
        let host = Host()
        let client: HostCertificates

        init() {
            client = HostCertificates(time: time.client) { [host] (_) throws(TLSProbeError) in try host.answer() }
        }

        /// The digests that the client knows for an app that saw a leaf.
        func leaves(seen leaf: [UInt8]) async throws -> [[UInt8]] {
            let digest = Digest.sha256(leaf)
            return try await client.leaves(of: "api.example.com") { $0.digest == digest }.leaves.map(\.digest)
        }
    }

    @Test("An answer counts for a minute, and is one for all addresses with one certificate")
    func fresh() async throws {
        let (world, leaf) = (World(), try Self.leaf("a"))
        world.host.present(leaf, leaf, leaf)
        for _ in 0..<3 { #expect(try await world.leaves(seen: leaf) == [Digest.sha256(leaf)]) }
        #expect(world.host.asked == 1)
        world.time.pass(.seconds(59))
        _ = try await world.leaves(seen: leaf)
        #expect(world.host.asked == 1)
        world.time.pass(.seconds(2))
        _ = try await world.leaves(seen: leaf)
        #expect(world.host.asked == 2)
    }

    @Test("A certificate that an app saw and the answer lacks is looked for again, at most once in five seconds")
    func changed() async throws {
        let (world, old, new) = (World(), try Self.leaf("old"), try Self.leaf("new"))
        world.host.present(old)
        _ = try await world.leaves(seen: old)
        world.host.present(old, new)
        for _ in 0..<3 { #expect(try await world.leaves(seen: new) == [Digest.sha256(old)]) }
        #expect(world.host.asked == 1)
        world.time.pass(.seconds(5))
        #expect(try await world.leaves(seen: new) == [Digest.sha256(old), Digest.sha256(new)])
        #expect(world.host.asked == 2)
        // What no address presents stays missing.
        let proxy = try Self.leaf("proxy")
        #expect(try await world.leaves(seen: proxy).count == 2 && world.host.asked == 2)
    }

    @Test(
        "What an address presented counts for ten minutes while it is silent, and not once it presents another certificate"
    )
    func silentAddress() async throws {
        let (world, old, new) = (World(), try Self.leaf("old"), try Self.leaf("new"))
        world.host.present(old, new)
        _ = try await world.leaves(seen: old)
        world.host.present(old, nil)
        world.time.pass(.seconds(61))
        #expect(try await world.leaves(seen: new) == [Digest.sha256(old), Digest.sha256(new)])
        world.time.pass(.seconds(540))
        #expect(try await world.leaves(seen: new) == [Digest.sha256(old)])
        world.host.present(new, new)
        world.time.pass(.seconds(61))
        #expect(try await world.leaves(seen: new) == [Digest.sha256(new)])
    }

    @Test("While no address answers, the last answer counts for ten minutes; then there is an outage")
    func stale() async throws {
        let (world, leaf) = (World(), try Self.leaf("a"))
        world.host.present(leaf)
        _ = try await world.leaves(seen: leaf)
        world.host.present(nil, nil)
        world.time.pass(.seconds(599))
        #expect(try await world.leaves(seen: leaf) == [Digest.sha256(leaf)])
        #expect(world.host.asked == 2)
        world.time.pass(.seconds(2))
        await #expect(throws: HostCertificateOutage.self) { try await world.leaves(seen: leaf) }
        world.host.present(leaf)
        world.time.pass(.seconds(6))
        #expect(try await world.leaves(seen: leaf) == [Digest.sha256(leaf)])
    }

    @Test(
        "Without an answer there is an outage that names the host, and the next question comes after five seconds",
        arguments: [
            (TLSProbeError.noAddress("unknown name"), OutageCode.unreachable), (.timeout(5), .timeout),
            (.tooManyAddresses(99), .unreachable), (.notTLS, .unexpectedAnswer),
        ])
    func outages(error: TLSProbeError, code: OutageCode) async throws {
        let (world, leaf) = (World(), try Self.leaf("a"))
        // At the start of the clock nothing was asked.
        world.time.pass(.seconds(60))
        world.host.fail(error)
        for _ in 0..<2 {
            let outage = await #expect(throws: HostCertificateOutage.self) { try await world.leaves(seen: leaf) }
            #expect(outage?.code == code && outage?.message.contains("api.example.com") == true)
        }
        #expect(world.host.asked == 1)
        world.host.present([1, 2, 3])
        world.time.pass(.seconds(5))
        let outage = await #expect(throws: HostCertificateOutage.self) { try await world.leaves(seen: leaf) }
        #expect(outage?.code == .unexpectedAnswer)
    }

    @Test("Many callers ask once")
    func together() async throws {
        let (world, leaf) = (World(), try Self.leaf("a"))
        world.host.present(leaf)
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<50 { tasks.addTask { try await world.leaves(seen: leaf).count } }
            for try await count in tasks { #expect(count == 1) }
        }
        #expect(world.host.asked == 1)
    }

    @Test("Operators learn once that addresses differ or do not answer, with each address")
    func reports() async throws {
        let (world, old, new) = (World(), try Self.leaf("old"), try Self.leaf("new"))
        var reports = world.client.reports.makeAsyncIterator()
        let expected: [([[UInt8]?], [String])] = [
            ([old, new], ["192.0.2.0: SHA-256 \(Digest.sha256(old).hexadecimal)", "192.0.2.1: SHA-256"]),
            ([old, new], []), ([new, nil], ["192.0.2.1: no connection: refused"]), ([new, new], []),
            ([old, new], ["api.example.com"]),
        ]
        for (leaves, words) in expected {
            if leaves.count == 2 { world.host.present(leaves[0], leaves[1]) }
            world.time.pass(.seconds(61))
            _ = try await world.leaves(seen: old)
            guard !words.isEmpty else { continue }
            let report = await reports.next() ?? ""
            for word in words { #expect(report.contains(word), "\(report)") }
        }
    }
}
