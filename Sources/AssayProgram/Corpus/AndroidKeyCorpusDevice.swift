import AssayTesting

/// What an Android device is like whose app attests a key and signs its requests with it.
struct AndroidKeyCorpusDevice: Sendable {
    private static let models: [(weight: Int, choice: AndroidKeyDevice)] = [
        (30, .remote), (15, .strongBox),
        (25, AndroidKeyDevice(provisioning: .remote, securityLevel: 1, attestationVersion: 300, osVersion: 140_000)),
        (20, .factory),
        (10, AndroidKeyDevice(provisioning: .factory, securityLevel: 1, attestationVersion: 100, osVersion: 120_000)),
    ]

    private let name: String
    private let device: AndroidKeyDevice
    /// How many months ago its security patches were made.
    private let patchAge: Int
    var installation: CorpusInstallation

    init(name: String, _ random: inout CorpusRandom) {
        self.name = name
        device = random.choose(Self.models, .remote)
        patchAge = random.choose([(60, 0), (20, 1), (12, 3), (8, 8)], 0)
        installation = CorpusInstallation(&random)
    }

    func facts(at time: Int, _ calendar: CorpusCalendar) -> AndroidKeyCorpusFacts {
        AndroidKeyCorpusFacts(
            device: device, patchAge: patchAge,
            versionCode: calendar.version(at: time, lag: installation.lag).code,
            keyLabel: "corpus/\(name)/\(installation.generation)")
    }
}

/// An app on a device, and the key that it attests.
struct CorpusInstallation: Sendable {
    /// The delay of app updates, in thousandths of the corpus period; nil if the app is never updated.
    let lag: Int?
    /// The number of requests until the app is reinstalled with a new key; nil for never.
    private var requestsUntilNewKey: Int?
    /// How many keys the app has made.
    var generation = 0
    /// Whether the server has accepted the key.
    var isEnrolled = false

    init(_ random: inout CorpusRandom) {
        lag = random.happens(perMille: 80) ? nil : random.below(300)
        requestsUntilNewKey = random.happens(perMille: 60) ? random.number(in: 5...40) : nil
    }

    /// Counts a request. Ends the enrolment when the app is due to be reinstalled.
    mutating func countRequest() {
        guard let rest = requestsUntilNewKey else { return }
        requestsUntilNewKey = rest > 1 ? rest - 1 : nil
        if rest <= 1 { isEnrolled = false }
    }
}
