import AssayTesting

/// A simulated Apple device and the App Attest key of its app.
struct AppleCorpusDevice: Sendable {
    private static let models: [(weight: Int, choice: AppAttestDevice)] = [
        (38, .iOS27), (30, .iOS26), (14, .iOS18), (9, .iOS17), (4, .iOS16), (5, .macOS27),
    ]

    private let name: String
    private let seed: String
    private let device: AppAttestDevice
    private let isDevelopment: Bool
    private let isTestFlight: Bool
    var installation: CorpusInstallation
    private var key: CorpusKey
    private var counter: UInt32 = 0
    private var attestation: (origin: String, madeAt: Int) = ("", 0)

    init(name: String, seed: String, _ random: inout CorpusRandom) {
        self.name = name
        self.seed = seed
        device = random.choose(Self.models, .iOS27)
        isDevelopment = random.happens(perMille: 20)
        isTestFlight = random.happens(perMille: 40)
        installation = CorpusInstallation(&random)
        key = CorpusKey(seed: seed, label: "")
    }

    /// Generates a new key. `id` is the name of the record with its attestation.
    mutating func generateKey(attestation id: String, at time: Int) {
        installation.generation += 1
        key = CorpusKey(seed: seed, label: "corpus/\(name)/\(installation.generation)")
        counter = 0
        attestation = (id, time)
    }

    /// Increments the counter. With a probability of 3% it skips values, as if some assertions had not reached the
    /// server.
    mutating func advance(_ random: inout CorpusRandom) {
        counter += random.happens(perMille: 30) ? UInt32(random.number(in: 2...5)) : 1
    }

    func facts(at time: Int, _ calendar: CorpusCalendar) -> AppleCorpusFacts {
        AppleCorpusFacts(
            device: device, isDevelopment: isDevelopment, validationCategory: isDevelopment ? 3 : isTestFlight ? 2 : 4,
            bundleVersion: calendar.version(at: time, lag: installation.lag).bundle, key: key, counter: counter,
            attestation: attestation)
    }
}

extension AppAttestDevice {
    /// An iPhone on iOS 16, the lowest release that the policies of a corpus allow.
    fileprivate static let iOS16 = AppAttestDevice(
        platform: .iOS, systemVersion: "16.7.10", build: "20H350", buildTrain: "20.8.350.0.0,0", systemForm: .build,
        hasKeyUsage: true, hasACL: false, hasExtensions: false)
    fileprivate static let iOS18 = AppAttestDevice(
        platform: .iOS, systemVersion: "18.6.2", build: "22G100", buildTrain: "22.6.100.0.0,0", systemForm: .build,
        hasKeyUsage: true, hasACL: false, hasExtensions: false)
}
