import AssayPrimitives
import Foundation
import Synchronization
import Testing

@Suite("Groups of threads")
struct ThreadGroupTests {
    @Test("A thread stays in one group, and threads that run at once are in several")
    func groups() {
        let found = Mutex<Set<Int>>([])
        let (done, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = 32
        for _ in 0..<threads {
            Thread.detachNewThread {
                // All are there before the first one ends: a name may be given to another thread afterwards.
                let group = ThreadGroup.current
                found.withLock { _ = $0.insert(group) }
                done.signal()
                go.wait()
                #expect(ThreadGroup.current == group)
                done.signal()
            }
        }
        for _ in 0..<threads { done.wait() }
        for _ in 0..<threads { go.signal() }
        for _ in 0..<threads { done.wait() }
        let groups = found.withLock { $0 }
        #expect(groups.allSatisfy { (0..<ThreadGroup.count).contains($0) })
        #expect(groups.count > 4, "\(groups)")
    }
}
