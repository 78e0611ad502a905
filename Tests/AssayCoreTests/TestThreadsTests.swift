import CTestThreads
import Dispatch
import Testing

@Suite("The threads of tests")
struct TestThreadsTests {
    @Test("A test that blocks its thread keeps no thread from the others, however few processors there are")
    func blocked() async {
        let (arrived, met) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Int(TEST_THREADS) / 2
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    arrived.signal()
                    Self.wait(met)
                }
            }
            // Ends only if all of them are on threads at once.
            group.addTask {
                for _ in 0..<count { Self.wait(arrived) }
                for _ in 0..<count { met.signal() }
            }
        }
    }

    private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
}
