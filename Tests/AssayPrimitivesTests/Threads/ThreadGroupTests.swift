import AssayPrimitives
import Foundation
import Synchronization
import Testing

@Suite("Groups of threads")
struct ThreadGroupTests {
    @Test("A thread stays in one group, and threads that run at once are in several")
    func groups() {
        let found = Mutex<Set<Int>>([])
        let hasMoved = Atomic<Bool>(false)
        let (done, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = 32
        for _ in 0..<threads {
            Thread.detachNewThread {
                // All are there before the first one ends: a name may be given to another thread afterwards.
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
