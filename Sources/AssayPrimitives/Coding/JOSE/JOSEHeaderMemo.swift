import Synchronization

/// Caches recent JWS headers by their text, which tokens of one issuer and key share. Only verified tokens add entries,
/// so unsigned tokens cannot displace any. Each ``ThreadGroup`` has its own cache. A thread that finds the lock taken
/// parses the header instead of waiting.
final class JOSEHeaderMemo: Sendable {
    /// The process-wide cache.
    static let shared = JOSEHeaderMemo()

    /// Enough for several live keys, and small enough for a linear search.
    static let capacity = 8
    /// The maximum length of a cached text in characters. Real headers that all tokens share have fewer than 100.
    static let textLimit = 256

    private struct Entry {
        let text: [UInt8]
        let header: JOSEHeader
    }

    /// The cache of one group of threads.
    private final class Slot: Sendable {
        let entries = Mutex<[Entry]>([])
        private let gap = ThreadGroup.Gap()
    }

    private let slots = (0..<ThreadGroup.count).map { _ in Slot() }

    init() {}

    /// The cached header of a text, compared byte for byte.
    func header(of text: ArraySlice<UInt8>) -> JOSEHeader? {
        let found = slots[ThreadGroup.current].entries.withLockIfAvailable { entries -> JOSEHeader? in
            for index in entries.indices where text.isByteEqual(to: entries[index].text) {
                return entries[index].header
            }
            return nil
        }
        return found ?? nil
    }

    /// Caches the header of a text, and evicts the oldest entry if the cache is full.
    func remember(_ header: JOSEHeader, of text: ArraySlice<UInt8>) {
        guard text.count <= Self.textLimit else { return }
        _ = slots[ThreadGroup.current].entries.withLockIfAvailable { entries in
            guard !entries.contains(where: { $0.text[...] == text }) else { return }
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append(Entry(text: Array(text), header: header))
        }
    }
}
