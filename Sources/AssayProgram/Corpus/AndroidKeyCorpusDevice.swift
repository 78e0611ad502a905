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
    private let lag: Int?
    /// After how many requests the app is installed anew; nil for never.
    private var requestsUntilNewKey: Int?
    private var generation = 0
    /// Whether the server has accepted the key.
    var isEnrolled = false

    init(name: String, _ random: inout CorpusRandom) {
        self.name = name
        device = random.choose(Self.models, .remote)
        patchAge = random.choose([(60, 0), (20, 1), (12, 3), (8, 8)], 0)
        lag = random.happens(perMille: 80) ? nil : random.below(300)
        requestsUntilNewKey = random.happens(perMille: 60) ? random.number(in: 5...40) : nil
    }

    /// Makes a new key.
    mutating func generateKey() { generation += 1 }

    /// Counts a request, after some of which the app is installed anew.
    mutating func countRequest() {
        guard let rest = requestsUntilNewKey else { return }
        requestsUntilNewKey = rest > 1 ? rest - 1 : nil
        if rest <= 1 { isEnrolled = false }
    }

    func facts(at time: Int, _ calendar: CorpusCalendar) -> AndroidKeyCorpusFacts {
        AndroidKeyCorpusFacts(
            device: device, patchAge: patchAge, versionCode: calendar.version(at: time, lag: lag).code,
            keyLabel: "corpus/\(name)/\(generation)")
    }
}
