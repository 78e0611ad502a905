import Approov
import Assay
import AssayCore
import Foundation
import Testing

/// The cache of prepared keys.
@Suite("Keys that are prepared once")
struct TokenKeysMemoTests {
    @Test("The next token releases a key that was removed from the store, on all threads")
    func removal() throws {
        let expectations = try TokenFixtures.expectations(TokenFixtures.lenient)
        let input = ApproovTokenInput(token: try TokenFixtures.token())
        @Sendable func judge(_ keys: [NamedKey]) -> Bool {
            ApproovTokenAssessor.assess(
                input, keys: keys, standings: { _ in [] }, expectations: expectations, now: TokenFixtures.now
            ).isAcceptable
        }
        weak var removed: ApproovKey?
        do {
            let keys = [try TokenFixtures.key()]
            removed = keys[0].material as? ApproovKey
            // All at once: the threads are then in several groups.
            let done = DispatchSemaphore(value: 0)
            let go = DispatchSemaphore(value: 0)
            for _ in 0..<16 {
                Thread.detachNewThread {
                    _ = judge(keys)
                    done.signal()
                    go.wait()
                    done.signal()
                }
            }
            for _ in 0..<16 { done.wait() }
            for _ in 0..<16 { go.signal() }
            for _ in 0..<16 { done.wait() }
            #expect(judge(keys))
        }
        let others = [try TokenFixtures.key("new", TokenFixtures.material(TokenFixtures.otherSecret))]
        #expect(!judge(others))
        // A thread releases its reference when it ends.
        for _ in 0..<30_000 where removed != nil { usleep(1000) }
        #expect(removed == nil)
    }

    @Test("A token is judged with the keys of its call, not with those of earlier calls on the thread")
    func change() throws {
        let expectations = try TokenFixtures.expectations(TokenFixtures.lenient)
        let input = ApproovTokenInput(token: try TokenFixtures.token())
        let other = try TokenFixtures.material(TokenFixtures.otherSecret)
        let sets = [[try TokenFixtures.key()], [try TokenFixtures.key("new", other)]]
        DispatchQueue.concurrentPerform(iterations: 2000) { index in
            let assessment = ApproovTokenAssessor.assess(
                input, keys: sets[index % 2], standings: { _ in [] }, expectations: expectations,
                now: TokenFixtures.now)
            if assessment.isAcceptable != (index % 2 == 0) { Issue.record("token \(index)") }
        }
    }
}
