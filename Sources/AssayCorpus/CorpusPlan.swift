import AssayTesting
import Synchronization

/// One record of a corpus before it is minted: all that decides over its bytes, and nothing that costs time.
struct CorpusPlan: Sendable {
    /// The facts in the evidence, by platform.
    enum Details: Sendable {
        case apple(AppleCorpusFacts)
        case android(AndroidCorpusFacts)
        case pc
    }

    /// The record's name.
    var id: String
    /// The name of the record whose evidence it is: its own, but for what is sent again.
    let origin: String
    let population: CorpusPopulation
    /// When the server got it, in milliseconds since 1970.
    var receivedAt: Int
    /// When the device made it.
    let madeAt: Int
    let details: Details
    /// What is wrong with the evidence.
    let defect: CorpusDefect?
    /// Whether it is evidence that was accepted before.
    var isRepetition = false

    /// The check that fails first.
    var failed: String? { (isRepetition ? population.repetition : defect).map(population.check) }
}

/// What an Apple device and its app are like.
struct AppleCorpusFacts: Sendable {
    let device: AppAttestDevice
    let isDevelopment: Bool
    let validationCategory: UInt32
    let bundleVersion: String
    let key: CorpusKey
    let counter: UInt32
    /// The attestation of the key, whose certificate receipts carry: its name and time.
    let attestation: (origin: String, madeAt: Int)
}

/// What an Android device and its app are like.
struct AndroidCorpusFacts: Sendable {
    let sdk: Int
    let labels: [String]
    let activity: String
    let versionCode: Int
    let isMarked: Bool
    let licensing: String
    let playProtect: String
    let apps: [String]
    let location: [String]
}

/// The key of an app on a device, derived when it is first needed, on whichever thread that is.
final class CorpusKey: Sendable {
    private let seed: String
    private let label: String
    private let derived = Mutex<AttestedKey?>(nil)

    init(seed: String, label: String) {
        self.seed = seed
        self.label = label
    }

    var key: AttestedKey {
        derived.withLock { key in
            if let key { return key }
            let new = AttestedKey(seed: seed, label: label)
            key = new
            return new
        }
    }
}
