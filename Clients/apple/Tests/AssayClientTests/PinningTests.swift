import Crypto
import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if ASSAY_CLIENT_STUBS
    import Security
#endif

/// The configuration that the app holds: stored, received, used.
struct PinningTests {
    private let signer = ConfigurationSigner()
    private let storage = MemoryStorage()
    private let pins = ["api.example.com": [ConfigurationSigner.pin(Data("key".utf8))]]

    private func pinning(
        _ version: Int = 1, _ storage: (any StateStorage)? = nil, appliesAtOnce: Bool = true
    ) throws -> Pinning {
        try Pinning(
            signer.sign(version, pins: pins) + "\n", backend: try #require(URL(string: EndToEndTests.base)),
            storage: storage ?? self.storage, appliesAtOnce: appliesAtOnce)
    }

    private var name: StateName { StateName("configuration", ["https://attest.example.com", "shop-ios"]) }
    private var soon: Int { Int(Date().timeIntervalSince1970) + 3600 }

    /// The newest configuration lives on; a later one of the app counts more.
    @Test func stored() throws {
        #expect(try pinning().receive(signer.sign(3, pins: pins), device: nil) == 3)
        #expect(try pinning().current.version == 3)
        #expect(try pinning(4).current.version == 4)
        let later = try pinning(4)
        #expect(throws: SignedConfiguration.Refusal("version")) {
            try later.receive(signer.sign(3), device: nil)
        }
        #expect(try later.receive(signer.sign(4), device: nil) == nil)
        #expect(try later.receive(signer.sign(5), device: nil) == 5)
        #expect(try pinning().current.version == 5)
    }

    /// A stored text in which any one bit is another does not count, and is replaced.
    @Test func damaged() throws {
        let text = try signer.sign(3)
        _ = try pinning().receive(text, device: nil)
        let good = try #require(try storage.read(name)?.data)
        let damages: [Data] =
            [
                Data(), Data([1]), good.dropLast(), good + [0], Data("{}".utf8),
            ]
            + [0, 31, 32, good.count / 2, good.count - 1].map { index in
                var data = good
                data[index] ^= 1
                return data
            }
        for data in damages {
            _ = try storage.write(data, to: name, replacing: try storage.read(name)?.version)
            let pinning = try pinning()
            #expect(pinning.current.version == 1)
            #expect(try pinning.receive(text, device: nil) == 3)
            #expect(try storage.read(name)?.data == good)
        }
        // Another app's.
        let foreign = try signer.sign(9, ["aud": "other"])
        _ = try storage.write(
            foreign.sha256 + Data(foreign.utf8), to: name, replacing: try storage.read(name)?.version)
        #expect(try pinning().current.version == 1)
    }

    /// The other of two processes has stored a later one meanwhile: it counts, and no earlier one replaces it.
    @Test func twoProcesses() throws {
        let (first, second) = (try pinning(), try pinning())
        #expect(first.current.version == 1)
        #expect(try second.receive(signer.sign(3), device: nil) == 3)
        #expect(throws: SignedConfiguration.Refusal("version")) {
            try first.receive(signer.sign(2), device: nil)
        }
        #expect(first.current.version == 3)
        #expect(try pinning().current.version == 3)
    }

    /// Before the first unlock the stored one cannot be read: it counts as soon as it can. What cannot be written counts too.
    @Test func locked() throws {
        _ = try pinning().receive(signer.sign(3), device: nil)
        let locked = LockedStorage(storage)
        let pinning = try pinning(1, locked)
        #expect(pinning.current.version == 1)
        locked.unlock()
        #expect(pinning.current.version == 3)
        locked.lock()
        #expect(try pinning.receive(signer.sign(4), device: nil) == 4)
        #expect(pinning.current.version == 4)
        #expect(try self.pinning().current.version == 3)
    }

    /// An app that applies configurations itself may have used the initial pins before the stored ones could be read.
    @Test func lockedAndApplied() throws {
        _ = try pinning().receive(signer.sign(3, pins: pins), device: nil)
        let locked = LockedStorage(storage)
        let pinning = try pinning(1, locked, appliesAtOnce: false)
        #expect(pinning.current.version == 1)
        locked.unlock()
        #expect(pinning.current.version == 1 && pinning.pending?.version == 3)
        pinning.apply()
        #expect(pinning.current.version == 3 && pinning.pending == nil)
    }

    /// The initial configuration is part of the app: one that cannot be read is a mistake of the developer.
    @Test func initial() throws {
        let url = try #require(URL(string: EndToEndTests.base))
        #expect(throws: AssayClientError.self) { try Pinning("text", backend: url, storage: storage) }
        #expect(throws: AssayClientError.self) {
            try EndToEndTests.attestor(TestPhone(), FakeBackend(), app: "other") { $0.pinning = try? pinning() }
        }
    }

    // MARK: Through the attestor

    private func failure(_ attestor: AppAttestor) async -> AssayClientError.Code? {
        do { _ = try await attestor.data(for: EndToEndTests.order()) } catch {
            return (error as? AssayClientError)?.code
        }
        return nil
    }

    private func next(_ backend: FakeBackend, _ configuration: String) throws {
        try backend.next(
            "/tokens", 201,
            #"{"token": "t", "tokenType": "DPoP", "expiresIn": 300, "configuration": "\#(configuration)"}"#)
    }

    private func body(_ request: URLRequest?) throws -> [String: Any] {
        let body = try #require(request?.httpBody)
        return try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    /// A request for tokens says what is held, and its answer changes it; the device is known by its key.
    @Test func tokens() async throws {
        let (backend, events) = (FakeBackend(), PinEvents())
        let pinning = try pinning()
        let attestor = try EndToEndTests.attestor(TestPhone(), backend) {
            $0.pinning = pinning
            $0.observe = { events.add($0) }
        }
        func fetch() async throws {
            _ = try await TokenSource(attestor, audience: EndToEndTests.base).data(for: EndToEndTests.order())
        }
        try next(backend, signer.sign(2, pins: pins))
        try await fetch()
        #expect(pinning.current.version == 2)
        try next(backend, ConfigurationSigner().sign(3))
        try await fetch()
        #expect(pinning.current.version == 2)
        let key = try #require(await attestor.stored?.model.record.key)
        let end = soon
        try next(backend, signer.sign(2, pins: pins, ConfigurationSigner.mode("unpin", device: key, ends: end)))
        try await fetch()
        #expect(pinning.current.mode(at: end - 1) == .unpin)
        try await fetch()
        let bodies = try backend.requests("/tokens").map(body)
        #expect(bodies.map { $0["configuration"] as? Int } == [1, 2, 2, 2])
        #expect(bodies.map { $0["configurationMode"] as? String } == [nil, nil, nil, "unpin"])
        #expect(
            events.all == [
                .configuration(version: 2, refused: nil), .configuration(version: nil, refused: "signature"),
                .configuration(version: 2, refused: nil),
            ])
    }

    /// An app without pins asks for no configuration, and takes none.
    @Test func withoutPinning() async throws {
        let backend = FakeBackend()
        try next(backend, signer.sign(2))
        let source = TokenSource(try EndToEndTests.attestor(TestPhone(), backend), audience: EndToEndTests.base)
        _ = try await source.data(for: EndToEndTests.order())
        #expect(try body(backend.requests("/tokens").first)["configuration"] == nil)
    }

    /// A blocked device reaches no host with pins, and under `blockAll` not even a backend without pins.
    @Test(arguments: [("block", true), ("blockAll", true), ("block", false), ("blockAll", false)])
    func blocked(_ mode: String, _ isPinned: Bool) async throws {
        let backend = FakeBackend()
        let pinning = try pinning()
        let text = try signer.sign(
            2, pins: isPinned ? pins : [:], ConfigurationSigner.mode(mode, device: "key", ends: soon))
        #expect(try pinning.receive(text, device: "key") == 2)
        let attestor = try EndToEndTests.attestor(TestPhone(), backend) { $0.pinning = pinning }
        let isBlocked = isPinned || mode == "blockAll"
        #expect(await failure(attestor) == (isBlocked ? .blocked : nil))
        #expect(backend.requests("/challenges").isEmpty == isBlocked)
    }

    /// A forced configuration: no host with pins is reached before the app uses it.
    @Test func forced() async throws {
        let backend = FakeBackend()
        let pinning = try pinning(2, appliesAtOnce: false)
        let attestor = try EndToEndTests.attestor(TestPhone(), backend) { $0.pinning = pinning }
        #expect(await failure(attestor) == nil)
        #expect(try pinning.receive(signer.sign(3, pins: pins), device: nil) == 3)
        #expect(await failure(attestor) == nil)
        #expect(pinning.current.version == 2)
        #expect(pinning.pending?.version == 3)
        #expect(try pinning.receive(signer.sign(4, pins: pins, ["force": 3]), device: nil) == 4)
        #expect(await failure(attestor) == .pinsOutdated)
        pinning.apply()
        #expect(await failure(attestor) == nil)
        #expect(pinning.pending == nil)
        // The next start of the process uses what is stored.
        #expect(try self.pinning(2, appliesAtOnce: false).current.version == 4)
    }

    // MARK: The transport

    /// On Linux URLSession shows no certificates: it connects to no host with pins.
    #if os(Linux)
        @Test func linux() async throws {
            let transport = URLSessionTransport(pinning: try pinning())
            let request = try EndToEndTests.order()
            await #expect(throws: TransportFailure("pins", mayHaveBeenSent: false)) {
                try await transport.send(request, file: nil, limit: nil)
            }
        }
    #endif

    /// Connections are opened anew after each change, also when a mode ends.
    @Test func epochs() throws {
        let clock = HurriedClock()
        let pinning = try Pinning(
            signer.sign(1), backend: try #require(URL(string: EndToEndTests.base)), storage: storage, clock: clock)
        var epochs = [pinning.epoch]
        #expect(pinning.epoch == epochs[0])
        _ = try pinning.receive(signer.sign(2), device: nil)
        epochs.append(pinning.epoch)
        _ = try pinning.receive(
            signer.sign(2, ConfigurationSigner.mode("unpin", device: "key", ends: soon)), device: "key")
        epochs.append(pinning.epoch)
        clock.goOn(by: 3_700_000)
        epochs.append(pinning.epoch)
        for (index, epoch) in epochs.enumerated() { #expect(epochs.firstIndex(of: epoch) == index) }
    }

    /// Each host with pins has a session of its own, until the configuration changes.
    @Test func sessions() throws {
        let pinning = try pinning()
        let pool = SessionPool(.ephemeral, pinning)
        func sessions() -> [ObjectIdentifier] {
            ["api.example.com", "API.example.com", "a.example.com", "b.example.com"].map {
                ObjectIdentifier(pool.task(for: $0) { _ in }.1)
            }
        }
        let first = sessions()
        #expect(first == sessions())
        #expect(first[0] == first[1] && first[0] != first[2] && first[2] == first[3])
        _ = try pinning.receive(signer.sign(2, pins: pins), device: nil)
        #expect(Set(first).isDisjoint(with: sessions()))
    }

    #if ASSAY_CLIENT_STUBS
        private static let chains: [(String, Int?, Bool, Bool)] = [
            ("api.example.com", 0, true, false), ("api.example.com", 2, true, true),
            ("api.example.com", nil, true, true),
            ("api.example.com", 2, false, false), ("other.example.com", 2, true, false),
        ]

        /// A chain that the system trusts is refused without a pin; one that it does not trust is the system's to refuse.
        @Test(arguments: chains)
        func challenges(_ host: String, _ certificate: Int?, _ isTrusted: Bool, _ isRefused: Bool) async throws {
            let pinned = try signer.sign(2, pins: ["api.example.com": [["pin": Self.certificates[0].1]]])
            let pinning = try pinning()
            #expect(try pinning.receive(pinned, device: nil) == 2)
            let chain = try [3, certificate].compactMap { $0 }.map {
                try #require(Data(base64Encoded: Self.certificates[$0].0.filter { !$0.isWhitespace }))
            }
            let space = StubProtectionSpace(host: host, trust: SecTrust(chain: chain, isTrusted: isTrusted))
            let challenge = URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil,
                error: nil, sender: NoSender())
            let collector = AnswerCollector(pinning)
            let task = URLSession.shared.dataTask(with: try EndToEndTests.order())
            let result = await withCheckedContinuation { continuation in
                collector.expect(task.taskIdentifier, limit: nil) { continuation.resume(returning: $0) }
                collector.urlSession(URLSession.shared, task: task, didReceive: challenge) { disposition, _ in
                    #expect(disposition == (isRefused ? .cancelAuthenticationChallenge : .performDefaultHandling))
                    let error = NSError(domain: NSURLErrorDomain, code: NSURLErrorCancelled)
                    collector.urlSession(URLSession.shared, task: task, didCompleteWithError: error)
                }
            }
            let failure = #expect(throws: TransportFailure.self) { _ = try result.get() }
            #expect(failure?.code == (isRefused ? "pins" : "cancelled"))
        }

        private final class NoSender: NSObject, URLAuthenticationChallengeSender {
            func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
            func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
            func cancel(_ challenge: URLAuthenticationChallenge) {}
            func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
            func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
        }
    #endif

    /// Made by OpenSSL 3.0: P-256 of version 3, the same of version 1, Ed25519, RSA; with `openssl dgst -sha256` of the public key.
    private static let certificates: [(String, String)] = [
        (
            """
            MIIBczCCARmgAwIBAgIUXSQn8/ksr8tPNF4wQmvd94fN9powCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcGluczAeFw0yNjExMjgx
            NjAxMzdaFw0zNjExMjUxNjAxMzdaMA8xDTALBgNVBAMMBHBpbnMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQXVpul5nzsGW8d
            gWGzqLuX8lAOaNj9pgEYgalVKAdvcCKwhYpebhn1najnJhI/wqbSW9pNFXgIfVwCLn4ZafV+o1MwUTAdBgNVHQ4EFgQUdn7szZTE
            b6WqD37aScKRlXf4uHwwHwYDVR0jBBgwFoAUdn7szZTEb6WqD37aScKRlXf4uHwwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD
            AgNIADBFAiEAqEwFC1S56xFe5IDEIXo2tNgckNNAm7ALgfYV4bel2DECICnFBxNVNLPRfoTJSPg99UXJh2PpjHoQTmh5u44dV38U
            """, "Z34YsT1hd4rsi2aT4ya3L/yFkeqf6kL5E9cyxvymlfQ="
        ),
        (
            """
            MIIBFjCBvQIUMPa5MzY3rxf75QlvTZxVmvYYD/cwCgYIKoZIzj0EAwIwDjEMMAoGA1UEAwwDb2xkMB4XDTI2MTEyODE2MDEzN1oX
            DTM2MTEyNTE2MDEzN1owDjEMMAoGA1UEAwwDb2xkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEF1abpeZ87BlvHYFhs6i7l/JQ
            DmjY/aYBGIGpVSgHb3AisIWKXm4Z9Z2o5yYSP8Km0lvaTRV4CH1cAi5+GWn1fjAKBggqhkjOPQQDAgNIADBFAiBOPS/JW4fEScK+
            I4T22ixEktyvlkky9fAE5aJlnIOjqgIhAOuVfAaWdpnMTVEAi6f9+XzH/A/EG4xHxWZvMtPXcCR4
            """, "Z34YsT1hd4rsi2aT4ya3L/yFkeqf6kL5E9cyxvymlfQ="
        ),
        (
            """
            MIIBMjCB5aADAgECAhRllhVQSjCuFzonylZ71bRjVyrSwTAFBgMrZXAwDzENMAsGA1UEAwwEcGluczAeFw0yNjExMjgxNjAxMzda
            Fw0zNjExMjUxNjAxMzdaMA8xDTALBgNVBAMMBHBpbnMwKjAFBgMrZXADIQADsH46OcPkfXBzLKUBCO+K0xTofO4ZA1CpXPF842WK
            KqNTMFEwHQYDVR0OBBYEFCBUfcZbKfmAFnJO/19ifYJB8+qHMB8GA1UdIwQYMBaAFCBUfcZbKfmAFnJO/19ifYJB8+qHMA8GA1Ud
            EwEB/wQFMAMBAf8wBQYDK2VwA0EAP3cJXKF2jfwkYXPXb+njiqapRXyksGoYAVDbhs/oUr3cOxFzYidGCTeo3um94F7A16TtsoMo
            1+be+DZEHSh2Cw==
            """, "4mVwGxut1gtKbrtcwmDl8bey17tmDB7pVyVh/aHqiCw="
        ),
        (
            """
            MIIC/zCCAeegAwIBAgIUSvx91gjARpn0me5gIRV3bRIFEHswDQYJKoZIhvcNAQELBQAwDzENMAsGA1UEAwwEcGluczAeFw0yNjEx
            MjgxNjAxMzdaFw0zNjExMjUxNjAxMzdaMA8xDTALBgNVBAMMBHBpbnMwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDF
            ecF2nQF7hcUFS86r/ncKjlML/XnlIoeZ/7dlLtktN8UTkhP3ztiKsMtKpJBPgQXkE79RLufQJScEZSNvnBPGMubTYBAqYqzbqy2e
            qHvxtiMh5X+tthn+JZnIM38OBCUUG44UA+GYHt72OX8WKD56InoWFb/ImWfDwkfgyglb9cQF5HuzAWEAvViVfQuKkMONSZ7Lxpf/
            HlOT36xfd4lRA8/F6wdNEBeBR4TOENpoDqTUShXbJOSPoaml1QkGdgOU+zDSHOg0JP12000lRz6P9Fmpg4j72ZEzXtlV4wh8MWLj
            7g+kve+TwGsiIV3ANUne9fRuN1O2CbykYQ7YNEOTAgMBAAGjUzBRMB0GA1UdDgQWBBSShgNL9nmRbLTi6hDzo3osZx2m6DAfBgNV
            HSMEGDAWgBSShgNL9nmRbLTi6hDzo3osZx2m6DAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQBwm+LeDuMYpAVr
            thnAUK3sJ2YRQLFcjrfPl4SbxN09ju0yw5Qt4ZMstRpXM2rGIDnBCSa+mxDaOxSV1bn0e4oV8bTJcPiQ7Rbv4vxTfNyr2ZkQeDgl
            cHq8l0OlFYYSQ2JbzZUE/Mr93UOMb9KyWVPWcXcncvyDW/N8SlE/28foFfhCp24fO430rKzCqMi0NGAuR2UXL3zGLYO2Osuiljij
            42pYiIsJBhI2bWhaVDFNj/WwYO8obXbTVgg8qHjaOEtGTJVMi300URTImFSUA1I3vHcscdLWGDmPHEmW+TkKgt2p304cB7HvJyG9
            RKVUHB9l3WzDKJCE7HOH+SrcsBMX
            """, "HMbNCxRpnOiFLVLf7GLE4pF3H5mgRO38/si+wuGJLMA="
        ),
    ]

    /// The certificate's key is found by position, in certificates of versions 1 and 3.
    @Test func certificates() throws {
        let pinning = try pinning()
        func certificate(_ file: String) throws -> Data {
            try #require(Data(base64Encoded: file.filter { !$0.isWhitespace }))
        }
        for (text, pin) in Self.certificates {
            #expect(CertificateKey.hash(of: try certificate(text))?.base64EncodedString() == pin)
        }
        let good = try certificate(Self.certificates[0].0)
        for length in 0..<good.count { _ = CertificateKey.hash(of: good.prefix(length)) }
        #expect(CertificateKey.hash(of: good.prefix(40)) == nil)
        #expect(CertificateKey.hash(of: Data()) == nil)
        #expect(CertificateKey.hash(of: Data([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])) == nil)
        #expect(pinning.verdict(on: [good], of: "api.example.com") == .refused)
        let pinned = try signer.sign(2, pins: ["api.example.com": [["pin": Self.certificates[0].1]]])
        #expect(try pinning.receive(pinned, device: nil) == 2)
        #expect(pinning.verdict(on: [Data([1]), good], of: "api.example.com") == .allowed)
        #expect(pinning.verdict(on: [], of: "other.example.com") == .unpinned)
    }
}

/// The events of a test that concern the configuration.
private final class PinEvents: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [ClientEvent] = []

    var all: [ClientEvent] { lock.withLock { events } }

    func add(_ event: ClientEvent) {
        if case .configuration = event { lock.withLock { events.append(event) } }
    }
}

/// A storage of a device that is locked until the test says otherwise.
private final class LockedStorage: StateStorage, @unchecked Sendable {
    private let storage: MemoryStorage
    private let guarding = NSLock()
    private var isLocked = true

    init(_ storage: MemoryStorage) { self.storage = storage }

    func unlock() { guarding.withLock { isLocked = false } }
    func lock() { guarding.withLock { isLocked = true } }

    private func check() throws {
        if guarding.withLock({ isLocked }) { throw StorageFailure("keychain -25308", isLocked: true) }
    }

    func read(_ name: StateName) throws -> StoredState? {
        try check()
        return try storage.read(name)
    }

    func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
        try check()
        return try storage.write(data, to: name, replacing: version)
    }
}
