import Synchronization

/// Remembers the last few headers of JWSs whose signatures were valid.
///
/// The tokens of one issuer and key have the same header, text for text, and what a text says depends on nothing else: so
/// it is read once. Reading it costs as much as all the rest of taking a token with HS256 apart.
///
/// Only who holds a key brings a header in, so that tokens that nobody signed displace none. Each group of threads
/// remembers apart; see ``ThreadGroup``. A thread that finds another one here does not wait, and reads the header by
/// itself.
final class JOSEHeaderMemo: Sendable {
    /// The memo of the process.
    static let shared = JOSEHeaderMemo()

    /// Enough for several keys that are live at once. More would make looking cost more than it saves.
    static let capacity = 8
    /// How long a text may be, in characters. Headers that are the same for all tokens have less than 100.
    static let textLimit = 256

    private struct Entry {
        let text: [UInt8]
        let header: JOSEHeader
    }

    /// What a group of threads remembers.
    private final class Slot: Sendable {
        let entries = Mutex<[Entry]>([])
        private let gap = ThreadGroup.Gap()
    }

    private let slots = (0..<ThreadGroup.count).map { _ in Slot() }

    /// Starts with nothing.
    init() {}

    /// The header of a text that is remembered, byte for byte.
    func header(of text: ArraySlice<UInt8>) -> JOSEHeader? {
        let found = slots[ThreadGroup.current].entries.withLockIfAvailable { entries -> JOSEHeader? in
            for index in entries.indices where entries[index].text[...] == text { return entries[index].header }
            return nil
        }
        return found ?? nil
    }

    /// Remembers the header of a text, in the place of the one that came first if there is no room.
    func remember(_ header: JOSEHeader, of text: ArraySlice<UInt8>) {
        guard text.count <= Self.textLimit else { return }
        _ = slots[ThreadGroup.current].entries.withLockIfAvailable { entries in
            guard !entries.contains(where: { $0.text[...] == text }) else { return }
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append(Entry(text: Array(text), header: header))
        }
    }
}
