import Foundation

/// The state machine with its storage: each change is stored before the actions that follow from it are given out.
struct StoredModel {
    private(set) var model: ClientModel
    private let storage: any StateStorage
    private let name: StateName
    /// What is known to be stored.
    private var stored: ClientRecord
    private var version: String?

    /// Reads the state.
    ///
    /// - Throws: ``StorageFailure``, or what the storage throws.
    init(storage: any StateStorage, name: StateName, process: String, keysADay: Int) throws {
        let entry = try storage.read(name)
        stored = Self.record(entry)
        version = entry?.version
        model = ClientModel(record: stored, process: process, keysADay: keysADay)
        self.storage = storage
        self.name = name
    }

    /// A record that cannot be read is one of a later version, or damaged: begin anew and replace it.
    private static func record(_ entry: StoredState?) -> ClientRecord {
        entry?.data.flatMap { try? ClientRecord(json: $0) } ?? ClientRecord()
    }

    /// Takes an event, and stores what it changes.
    ///
    /// - Returns: the actions that may be executed.
    mutating func step(_ event: ClientModel.Event, now: Int, jitter: Int) -> [ClientModel.Action] {
        var event = event
        var result: [ClientModel.Action] = []
        // Each turn of the loop is one write that another process has overtaken.
        for _ in 0..<8 {
            let actions = model.step(event, now: now, jitter: jitter)
            switch save() {
            case .saved: return result + actions
            case .overtaken(let record):
                result += actions.filter { !$0.isOfEnrolment }
                event = .reload(record)
            case .failed:
                result += actions.filter { !$0.needsStorage }
                // Without calls there is nothing to take back; the next event stores the record.
                guard actions.contains(where: { $0.isTakenBack }) else { return result }
                event = .storageFailed()
            }
        }
        let actions = model.step(.storageFailed(), now: now, jitter: jitter)
        return result + actions.filter { !$0.needsStorage }
    }

    /// Takes over what another process has stored.
    ///
    /// - Throws: what the storage throws.
    mutating func refresh(now: Int, jitter: Int) throws -> [ClientModel.Action] {
        let entry = try storage.read(name)
        guard entry?.version != version else { return [] }
        stored = Self.record(entry)
        version = entry?.version
        return step(.reload(stored), now: now, jitter: jitter)
    }

    /// Whether the storage has no key, and nobody makes one.
    var isForgotten: Bool {
        isSaved && stored.key == nil && stored.challenge == nil && stored.owner == nil && model.ops.isEmpty
    }

    /// Whether the storage has the present state.
    var isSaved: Bool { model.record == stored }

    private enum Saving {
        case saved, failed
        case overtaken(ClientRecord)
    }

    private mutating func save() -> Saving {
        guard model.record != stored else { return .saved }
        do {
            let data = try JSONEncoder().encode(model.record)
            if let new = try storage.write(data, to: name, replacing: version) {
                stored = model.record
                version = new.version
                return .saved
            }
            let entry = try storage.read(name)
            stored = Self.record(entry)
            version = entry?.version
            return .overtaken(stored)
        } catch { return .failed }
    }
}

extension ClientModel.Action {
    /// Calls that count only if their turn is stored.
    fileprivate var isTakenBack: Bool {
        switch self {
        case .makeKey, .attest, .submit: true
        default: false
        }
    }

    fileprivate var needsStorage: Bool { if case .deleteKey = self { true } else { isTakenBack } }

    fileprivate var isOfEnrolment: Bool { if case .getChallenge = self { true } else { needsStorage } }
}
