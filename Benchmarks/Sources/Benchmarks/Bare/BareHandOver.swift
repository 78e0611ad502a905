import Dispatch
import Synchronization

/// Tasks that wait for answers which another thread gives to all of them together, and for nothing else. A group commit cannot do
/// without this: each writer is a task that waits until the disk has confirmed the transaction of its group.
final class BareHandOver: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    private let queue = DispatchQueue(label: "answers")

    /// Does so many steps, by writers of which each waits for its own. A group has one step of each writer.
    func step(_ count: Int, writers: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<writers {
                group.addTask {
                    for _ in 0..<count / writers { await self.step(inGroupOf: writers) }
                }
            }
            await group.waitForAll()
        }
    }

    private func step(inGroupOf writers: Int) async {
        await withCheckedContinuation { continuation in
            let group: [CheckedContinuation<Void, Never>] = waiting.withLock { waiting in
                waiting.append(continuation)
                guard waiting.count == writers else { return [] }
                defer { waiting = [] }
                return waiting
            }
            guard !group.isEmpty else { return }
            queue.async { for writer in group { writer.resume() } }
        }
    }
}
