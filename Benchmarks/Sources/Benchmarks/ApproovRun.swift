import Foundation

/// Holds the verification of Approov tokens against other implementations, which verify the same tokens in the same run
/// by turns. Processor time, one thread each.
struct ApproovRun {
    let subject: ApproovTokenSubject
    private let rounds = 15
    private let count = 20_000
    private let peerCount = 2_000
    private let targets: [(library: TokenPeer.Library, factor: Double)] = [(.joserfc, 5), (.pyjwt, 10)]

    /// Prints how many times as many tokens are verified as by each of the others, and whether that is enough.
    func reachesTargets() async throws -> Bool {
        print("tokens with HS256: how many times as many as others verify; one thread, processor time")
        let peer: TokenPeer
        do {
            peer = try TokenPeer(secret: subject.secret, tokens: subject.tokens)
        } catch let failure as TokenPeer.Failure {
            print("NOT SHOWN: \(failure)")
            return false
        }
        var assessing: [Double] = []
        var verifying: [Double] = []
        var others: [TokenPeer.Library: [Double]] = [:]
        subject.assess(count)
        await subject.verify(count)
        for library in TokenPeer.Library.allCases { _ = try peer.time(library, count: peerCount) }
        for _ in 0..<rounds {
            assessing.append(Stopwatch.cpu { subject.assess(count) } / Double(count))
            verifying.append(await Stopwatch.process { await subject.verify(count) } / Double(count))
            for library in TokenPeer.Library.allCases {
                others[library, default: []].append(try peer.time(library, count: peerCount) / Double(peerCount))
            }
        }
        var isReached = true
        for (name, times) in [("assessment", assessing), ("whole verification", verifying)] {
            for (library, factor) in targets {
                isReached = report("\(name) / \(library.rawValue)", times, others[library] ?? [], factor) && isReached
            }
        }
        return isReached
    }

    private func report(_ name: String, _ ours: [Double], _ theirs: [Double], _ target: Double) -> Bool {
        let ratios = zip(ours, theirs).map { $1 / $0 }
        let value = median(ratios)
        print(
            "\(padded(name)) \(format(value, 1))  [\(format(ratios.min() ?? 0, 1)), \(format(ratios.max() ?? 0, 1))]  "
                + "target \(format(target, 0)), \(value >= target ? "reached" : "MISSED")  "
                + "(\(format(median(ours) * 1e6, 2)) us against \(format(median(theirs) * 1e6, 1)) us)")
        return value >= target
    }
}
