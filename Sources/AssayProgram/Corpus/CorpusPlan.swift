import AssayTesting
import Synchronization

/// The plan of one record: everything that determines its bytes. Minting the record from it is the expensive part.
struct CorpusPlan: Sendable {
    /// The facts in the evidence, by platform.
    enum Details: Sendable {
        case apple(AppleCorpusFacts)
        case android(AndroidCorpusFacts)
        case androidKey(AndroidKeyCorpusFacts)
        case pc
    }

    /// The name of the record.
    var id: String
    /// The name of the record for which the evidence was minted. It differs from `id` in a repetition.
    let origin: String
    let population: CorpusPopulation
    /// When the server receives the record, in milliseconds since 1970.
    var receivedAt: Int
    /// When the device makes the evidence, in milliseconds since 1970.
    let madeAt: Int
    let details: Details
    /// The defect of the evidence; nil for none.
    let defect: CorpusDefect?
    /// Whether the record repeats accepted evidence.
    var isRepetition = false

    /// The name of the first check that must fail; nil if the record must be accepted.
    var failed: String? { (isRepetition ? population.repetition : defect).map(population.check) }
}

/// The properties of an Apple device and its app that enter the evidence.
struct AppleCorpusFacts: Sendable {
    let device: AppAttestDevice
    let isDevelopment: Bool
    let validationCategory: UInt32
    let bundleVersion: String
    let key: CorpusKey
    let counter: UInt32
    /// The name and time of the key's attestation. Receipts contain its certificate.
    let attestation: (origin: String, madeAt: Int)
}

/// The properties of an Android device and its app that enter the evidence.
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

/// The facts of an Android device and its app that attests a key.
struct AndroidKeyCorpusFacts: Sendable {
    let device: AndroidKeyDevice
    /// The age of the security patch level in months.
    let patchAge: Int
    let versionCode: Int
    /// The label from which the key is derived.
    let keyLabel: String
}

/// The key of an app on a device. The first use derives it, on any thread.
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
