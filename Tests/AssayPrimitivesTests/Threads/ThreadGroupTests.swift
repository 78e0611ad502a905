import AssayPrimitives
import Foundation
import Synchronization
import Testing

@Suite("Groups of threads")
struct ThreadGroupTests {
    @Test("A thread stays in one group; concurrent threads are in several groups")
    func groups() {
        let found = Mutex<Set<Int>>([])
        let hasMoved = Atomic<Bool>(false)
        let (done, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = 32
        for _ in 0..<threads {
            Thread.detachNewThread {
                // All threads start before the first one ends: the system may reuse the identity of an ended thread.
                let group = ThreadGroup.current
                found.withLock { _ = $0.insert(group) }
                done.signal()
                go.wait()
                if ThreadGroup.current != group { hasMoved.store(true, ordering: .relaxed) }
                done.signal()
            }
        }
        for _ in 0..<threads { done.wait() }
        for _ in 0..<threads { go.signal() }
        for _ in 0..<threads { done.wait() }
        let anyMoved = hasMoved.load(ordering: .relaxed)
        #expect(!anyMoved)
        let groups = found.withLock { $0 }
        #expect(groups.allSatisfy { (0..<ThreadGroup.count).contains($0) })
        #expect(groups.count > 1)
    }
}
