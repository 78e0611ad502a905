import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import AssayTokens
import Foundation
import Synchronization
import Testing

/// The configurations that servers of one ledger sign.
@Suite("Configurations of apps")
struct AppConfigurationsTests {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let pins = [
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "JG29gD8vWiEanTCVPjYLQ5yiYMKQqR05OH38yFf0kBU=",
    ]
    private static let policy: String = {
        let apps = [("shop", ", configuration: pins"), ("bank", ", configuration: pins"), ("old", "")]
        return "version: 1\napps:\n"
            + apps.map { name, more in
                """
                  - name: \(name)
                    appAttest:
                      appIDs: [1234567890.com.example.\(name)]
                      environments: [production]
                      challenge: ledger
                      clientData: raw
                    tokens: { issuer: https://attest.example.com, audiences: [https://api.example.com]\(more) }

                """
            }.joined()
    }()

    private struct NoFiles: PolicyFiles {
        func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] { throw node.error("there are no files") }
    }

    /// The keys of a store that a test changes.
    private final class Keys: KeyStore {
        let named = Mutex<[NamedKey]>([])
        let isDown = Mutex(false)

        func keys(for purpose: KeyPurpose) async throws(KeyStoreOutage) -> [NamedKey] {
            guard !isDown.withLock({ $0 }) else { throw KeyStoreOutage(.unreachable, "no answer") }
            return named.withLock { $0 }.filter { $0.purpose == purpose }
        }

        /// Replaces the keys by test keys with a label, a first moment and an end.
        func set(_ keys: [(label: String, from: Double, retired: Double?)], for app: String? = nil) throws {
            let made = try keys.map { key in
                NamedKey(
                    name: key.label, scope: app,
                    window: KeyWindow(notBefore: AppConfigurationsTests.now + key.from, notAfter: nil),
                    retiredAt: key.retired.map { AppConfigurationsTests.now + $0 },
                    material: try ConfigurationKey(parts: [
                        "privateKey": SecretBytes(
                            Array(TestKey(.p256, seed: "configurations", label: key.label).pem.utf8))
                    ]))
            }
            named.withLock { $0 = made }
        }
    }

    /// A server with a clock of its own, on a ledger and keys that several share.
    private final class Server: Sendable {
        let configurations: AppConfigurations
        private let clock: Clock

        final class Clock: Sendable {
            let time = Mutex(ContinuousClock.now)
        }

        init(_ ledger: any LedgerDocuments, _ keys: Keys) throws {
            let clock = Clock()
            let policy = try PolicyFile.parse(AppConfigurationsTests.policy, file: nil, files: NoFiles())
            configurations = try #require(
                AppConfigurations(policy, ledger, keys) { clock.time.withLock { $0 } })
            self.clock = clock
        }

        /// Reads the ledger with the next request.
        func forget() { clock.time.withLock { $0 += AppConfigurations.lifetime } }

        func read(
            _ app: String = "shop", knowing former: ReadConfiguration? = nil, at time: Date = now
        ) async throws -> ReadConfiguration {
            forget()
            return try ReadConfiguration(try await configurations.configuration(of: app, at: time), knowing: former)
        }
    }

    private let ledger = MemoryLedger()
    private let keys = Keys()

    private func change(_ change: @Sendable (inout PinSet) throws(DecodeError) -> Void) async throws {
        try await LedgerRegister<PinSet>(in: ledger).change(at: Self.now) { (set) throws(DecodeError) in
            try change(&set)
            return ((), [])
        }.get()
    }

    private func add(_ domain: String, _ pins: [Pin]) async throws {
        try await change { (set) throws(DecodeError) in try set.set(PinSet.Domain(name: domain, pins: pins)) }
    }

    private func state() async throws -> AppConfigurationState {
        try await LedgerRegister<AppConfigurationState>(in: ledger).content()
    }

    @Test("The version grows with each change of pins and keys, and is the same on two servers")
    func versions() async throws {
        try keys.set([("first", 0, nil)])
        let (one, two) = (try Server(ledger, keys), try Server(ledger, keys))
        let first = try await one.read()
        #expect(first.version == 1 && first.force == 0 && first.hosts == [:] && first.keyIDs.count == 1)
        #expect(first.claims["iss"] == "https://attest.example.com" && first.claims["aud"] == "shop")
        #expect(try await two.read(knowing: first).version == 1)
        #expect(try await two.read("bank").claims["aud"] == "bank")

        try await add("api.example.com", [try Pin(Self.pins[0])])
        let second = try await two.read(knowing: first)
        #expect(second.version == 2 && second.hosts == ["api.example.com": [Self.pins[0]]])
        #expect(try await one.read(knowing: first).version == 2)
        #expect(try await one.read(knowing: first).version == 2)

        // A coming key is announced, and the old one signs until it is retired.
        try keys.set([("first", 0, 7200), ("second", 3600, nil)])
        let third = try await one.read(knowing: second)
        #expect(third.version == 3 && third.keyIDs.count == 2 && third.keyID == first.keyID)
        let live = try await two.read(knowing: second, at: Self.now + 3600)
        #expect(live.version == 3 && live.keyID == first.keyID)
        let fourth = try await two.read(knowing: third, at: Self.now + 7200)
        #expect(fourth.version == 4 && fourth.keyIDs == [fourth.keyID] && fourth.keyID != first.keyID)
        #expect(throws: JOSEError.self) { try ReadConfiguration(fourth.text, knowing: second) }
        // Where a clock is behind, the version grows all the same.
        #expect(try await one.read(knowing: third, at: Self.now + 7199).version == 5)
        #expect(try await state().version == 5)
    }

    @Test("Operators and servers at once: a version has one content, and nothing is lost")
    func race() async throws {
        try keys.set([("first", 0, nil)])
        let servers = try (0..<4).map { _ in try Server(ledger, keys) }
        let found = try await withThrowingTaskGroup(of: [ReadConfiguration].self) { group in
            for index in 0..<16 {
                group.addTask {
                    try await add("host-\(index).example.com", [try Pin(Self.pins[index % 2])])
                    return []
                }
            }
            for server in servers {
                group.addTask {
                    var read: [ReadConfiguration] = []
                    for _ in 0..<20 { read.append(try await server.read()) }
                    #expect(read.map(\.version) == read.map(\.version).sorted())
                    return read
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for (_, same) in Dictionary(grouping: found, by: \.version) {
            for read in same { #expect(read.hosts == same[0].hosts) }
        }
        var last: [ReadConfiguration] = []
        for server in servers { last.append(try await server.read()) }
        #expect(Set(last.map(\.version)).count == 1 && last[0].hosts.count == 16)
        #expect(try await state().version == last[0].version)
    }

    @Test("An app gets what it does not have, and its text is signed once until something changes")
    func held() async throws {
        try keys.set([("first", 0, nil)])
        try await add("api.example.com", [try Pin(Self.pins[0])])
        let server = try Server(ledger, keys)
        func answer(_ version: Int64, _ mode: PinMode = .pin, of app: String = "shop", after seconds: Double = 0)
            async throws -> String?
        {
            try await server.configurations.configuration(
                of: app, for: LedgerSubject(.device, "d"), held: HeldConfiguration(version: version, mode: mode),
                at: Self.now + seconds)
        }
        let text = try #require(try await answer(0))
        #expect(try await answer(0, after: 60) == text)
        #expect(try await answer(1) == nil)
        #expect(try await answer(2) == nil)
        #expect(try await answer(HeldConfiguration.largestVersion, .unpin) == nil)
        // A mode that the device has no more.
        #expect(try await answer(1, .unpin) == text)
        #expect(try await answer(0, of: "old") == nil)
        server.forget()
        #expect(try await answer(0, after: 120) == text)

        _ = try await LedgerRegister<AppConfigurationState>(in: ledger).change(at: Self.now) { state in
            state.force(pins: 1)
            return ((), [])
        }
        let forced = try await server.read(at: Self.now + 180)
        #expect(forced.version == 1 && forced.force == 1 && forced.text != text)
        #expect(forced.number("iat") == 1_790_000_180)
    }

    @Test("A mode is for one device, ends, and is signed for a day at most")
    func modes() async throws {
        try keys.set([("first", 0, nil)])
        let server = try Server(ledger, keys)
        let first = try await server.read()
        let device = LedgerSubject(keyThumbprint: String(repeating: "A", count: 43))
        func set(_ mode: PinMode, _ length: Double) async throws {
            _ = try await LedgerRegister<AppConfigurationState>(in: ledger).change(at: Self.now) { state in
                let isSet = state.set(
                    DevicePinMode(device, mode, until: Self.now + length, setBy: "eve"), at: Self.now)
                return (#expect(isSet), [])
            }
            server.forget()
        }
        func answer(
            _ device: LedgerSubject?, _ held: PinMode = .pin, version: Int64 = 1, after seconds: Double = 0
        ) async throws -> ReadConfiguration? {
            let text = try await server.configurations.configuration(
                of: "shop", for: device, held: HeldConfiguration(version: version, mode: held), at: Self.now + seconds)
            return try text.map { try ReadConfiguration($0, knowing: first) }
        }
        try await set(.unpin, 3600)
        let unpinned = try #require(try await answer(device))
        #expect(unpinned.version == 1 && unpinned.claims["mode"] == "unpin")
        #expect(unpinned.claims["did"] == String(repeating: "A", count: 43))
        #expect(unpinned.number("exp") == 1_790_003_600)
        #expect(try await answer(device, .unpin) == nil)
        #expect(try await answer(device, version: 0)?.claims["mode"] == "unpin")
        #expect(try await answer(device, version: 2) == nil)
        for other in [LedgerSubject(.key, device.deviceName), LedgerSubject(.device, device.name), nil] {
            #expect(try await answer(other) == nil)
            #expect(try await answer(other, version: 0)?.claims["mode"] == nil)
        }
        // Over by itself.
        #expect(try await answer(device, after: 3599) != nil)
        #expect(try await answer(device, after: 3600) == nil)

        try await set(.blockAll, 3 * 86_400)
        let blocked = try #require(try await answer(device, .unpin, after: 60))
        #expect(blocked.claims["mode"] == "blockAll" && blocked.number("exp") == 1_790_086_460)
        // The app has it no more, and gets it again.
        #expect(try await answer(device, after: 86_460)?.number("exp") == 1_790_172_860)
        try await set(.pin, 1)
        let ended = try #require(try await answer(device, .blockAll))
        #expect(ended.version == 1 && ended.claims["mode"] == nil && ended.number("exp") == nil)
        #expect(try await answer(device) == nil)
        #expect(try await state().modes.isEmpty)
    }

    @Test("Pins as apps read them: windows in seconds, no jwe, and no empty list where * has pins")
    func form() async throws {
        try keys.set([("first", 0, nil)])
        var pin = try Pin(Self.pins[0])
        (pin.notBefore, pin.notAfter) = (Self.now, Self.now + 60)
        let window = pin
        try await change { (set) throws(DecodeError) in
            try set.set(PinSet.Domain(name: "api.example.com", pins: [window, try Pin(Self.pins[1])], isJWE: true))
            try set.set(PinSet.Domain(name: "cdn.example.com", isJWE: true))
            try set.set(PinSet.Domain(name: "*"))
        }
        let server = try Server(ledger, keys)
        let plain = try await server.read()
        #expect(
            plain.pinsText
                == #"{"api.example.com":[{"pin":"\#(Self.pins[0])","notBefore":1790000000,"notAfter":1790000060},"#
                + #"{"pin":"\#(Self.pins[1])"}],"cdn.example.com":[]}"#)
        try await add("*", [try Pin(Self.pins[1])])
        #expect(try await server.read().hosts.keys.sorted() == ["*", "api.example.com"])
    }

    @Test("The most pins are more than a configuration takes: there is none, and the reason is said")
    func size() async throws {
        try keys.set([("first", 0, nil)])
        func pins(_ count: Int) throws -> [Pin] {
            try (0..<count).map { try Pin(Base64.encode(Digest.sha256(Array("\($0)".utf8)), .standard)) }
        }
        let (few, most) = (try pins(150), try pins(PinSet.maximumPins))
        try await change { (set) throws(DecodeError) in
            for index in 0..<20 { try set.set(PinSet.Domain(name: "host-\(index).example.com", pins: few)) }
        }
        let server = try Server(ledger, keys)
        #expect(try await server.read().hosts.count == 20)
        try await change { (set) throws(DecodeError) in
            for index in 0..<PinSet.maximumDomains {
                try set.set(PinSet.Domain(name: "host-\(index).example.com", pins: most))
            }
        }
        let error = await #expect(throws: AppConfigurationError.self) { try await server.read() }
        #expect(
            error?.description.contains("apps get at most 262144: remove pins") == true, "\(String(describing: error))")
        // The version stands for these pins, and grows on.
        #expect(try await state().version == 2)
        try await add("host-0.example.com", few)
        await #expect(throws: AppConfigurationError.self) { try await server.read() }
        #expect(try await state().version == 3)
    }

    @Test("An outage leaves what was read last in force; without a key, or before the first read, there is none")
    func outages() async throws {
        let server = try Server(ledger, keys)
        let none = await #expect(throws: AppConfigurationError.self) { try await server.read() }
        #expect(none?.description.contains("no key for assay-configuration") == true)
        #expect(try await state().version == 0)
        keys.isDown.withLock { $0 = true }
        let outage = await #expect(throws: AppConfigurationError.self) { try await server.read() }
        guard case .outage? = outage else { return #expect(Bool(false), "\(String(describing: outage))") }
        keys.isDown.withLock { $0 = false }
        try keys.set([("first", 3600, nil)])
        await #expect(throws: AppConfigurationError.self) { try await server.read() }
        try keys.set([("first", 0, nil)])
        let first = try await server.read()
        keys.isDown.withLock { $0 = true }
        #expect(try await server.read().text == first.text)
        keys.isDown.withLock { $0 = false }
        try keys.set([("first", 0, 0)])
        await #expect(throws: AppConfigurationError.self) { try await server.read() }
        let unknown = await #expect(throws: AppConfigurationError.self) {
            try await server.configurations.configuration(of: "old", at: Self.now)
        }
        #expect(unknown?.description.contains("app old no configuration") == true)
        #expect(server.configurations.apps == ["bank", "shop"])
    }

    @Test("A key for one app signs for no other")
    func scopes() async throws {
        try keys.set([("first", 0, nil)], for: "bank")
        let server = try Server(ledger, keys)
        #expect(try await server.read("bank").keyIDs.count == 1)
        await #expect(throws: AppConfigurationError.self) { try await server.read("shop") }
    }
}
