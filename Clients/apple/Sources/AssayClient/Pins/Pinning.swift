import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Holds the app's signed configuration: the one in the app until the service sends a newer one beside a token.
///
/// The newest one is stored, and one of another process that shares the storage is taken over when the next one comes. A stored one
/// that is damaged, or older than that of the app, does not count.
public final class Pinning: @unchecked Sendable {
    private let storage: any StateStorage
    private let name: StateName
    private let backend: String
    private let clock: any ClientClock
    private let appliesAtOnce: Bool
    private let lock = NSLock()
    private var held: SignedConfiguration
    private var used: SignedConfiguration
    private var entry: String?
    private var (isLoaded, isLate) = (false, false)
    private var changes = 0

    /// - Parameters:
    ///   - initial: the text that `assay pins configuration` made; part of the app.
    ///   - backend: the app's backend, which the mode `blockAll` stops.
    ///   - storage: that of the attestor.
    ///   - appliesAtOnce: false for an app whose own HTTP library holds the pins: it calls ``apply()`` when the library has them.
    ///   - clock: the device's.
    /// - Throws: ``AssayClientError/Code/configuration`` if `initial` is no configuration.
    public init(
        _ initial: String, backend: URL, storage: any StateStorage, appliesAtOnce: Bool = true,
        clock: any ClientClock = SystemClock()
    ) throws(AssayClientError) {
        do { held = try SignedConfiguration(initial.trimmingCharacters(in: .whitespacesAndNewlines)) } catch {
            throw AssayClientError(
                .configuration,
                "the initial configuration cannot be read (\(error.reason)): take the text of `assay pins configuration`"
            )
        }
        guard let host = backend.host else { throw AssayClientError(.configuration, "`backend` has no host") }
        used = held
        (self.backend, self.storage, self.clock, self.appliesAtOnce) = (host, storage, clock, appliesAtOnce)
        name = StateName("configuration", [held.issuer, held.app])
    }

    /// The configuration that counts now.
    public var current: SignedConfiguration { locked { used } }

    /// A newer one that waits for ``apply()``; nil if there is none.
    public var pending: SignedConfiguration? { locked { held == used ? nil : held } }

    /// The app's own HTTP library holds to the newest configuration from now on.
    public func apply() { locked { use(held) } }

    /// Whether a connection may be used.
    ///
    /// - Parameters:
    ///   - certificates: those that the server has presented and the system has validated, in DER.
    ///   - host: to which the connection leads.
    public func verdict(on certificates: [Data], of host: String) -> PinVerdict {
        let keys = certificates.compactMap(CertificateKey.hash)
        return locked { used.verdict(on: host, keys: keys, at: now, backend: backend) }
    }

    /// Why no connection to the host may be opened, whatever the server presents; nil if one may.
    func refusal(of host: String) -> PinRefusal? {
        locked {
            let mode = held.mode(at: now)
            if mode == .block || mode == .blockAll {
                return held.verdict(on: host, keys: [], at: now, backend: backend) == .refused ? .blocked : nil
            }
            let isPinned = !used.pins(of: host).isEmpty || !held.pins(of: host).isEmpty
            return held.force > used.version && isPinned && mode != .unpin ? .outdated : nil
        }
    }

    /// What a session of URLSession may go on with: with another value it opens its connections anew.
    struct Epoch: Equatable {
        let changes: Int
        let mode: SignedConfiguration.Mode
    }

    var epoch: Epoch { locked { Epoch(changes: changes, mode: used.mode(at: now)) } }

    /// What a request for tokens says of the configuration.
    var members: [String: Any] {
        locked {
            let mode = held.mode(at: now)
            return mode == .pin
                ? ["configuration": held.version]
                : ["configuration": held.version, "configurationMode": mode.rawValue]
        }
    }

    /// Takes the configuration of an answer.
    ///
    /// - Parameter device: the name of this device's key.
    /// - Returns: the new version; nil if the one that is held stays.
    func receive(_ text: String, device: String?) throws(SignedConfiguration.Refusal) -> Int? {
        lock.lock()
        defer { lock.unlock() }
        load()
        var successor = try held.successor(text, device: device)
        // Each turn of the loop is one write that another process has overtaken.
        for _ in 0..<8 {
            guard let new = successor else { return nil }
            let written = Result { try storage.write(Self.stored(new), to: name, replacing: entry) }
            guard case .success(nil) = written, let other = try? storage.read(name) else {
                entry = (try? written.get())?.version ?? entry
                break
            }
            takeOver(other)
            successor = try held.successor(text, device: device)
        }
        // What cannot be stored counts as long as the process lives.
        if let successor { hold(successor) }
        return successor?.version
    }

    private var now: Int { clock.now / Milliseconds.second }

    private func locked<Value>(_ work: () -> Value) -> Value {
        lock.withLock {
            load()
            return work()
        }
    }

    /// Before the first unlock the storage cannot be read: the next use tries again.
    private func load() {
        guard !isLoaded else { return }
        do { takeOver(try storage.read(name)) } catch {
            isLate = true
            return
        }
        isLoaded = true
        // Read late: an app with an HTTP library of its own may have given it the pins of before, and applies these itself.
        if !isLate || appliesAtOnce { use(held) }
    }

    private func takeOver(_ found: StoredState?) {
        entry = found?.version
        guard let data = found?.data, data.prefix(32) == data.dropFirst(32).sha256,
            let stored = try? SignedConfiguration(String(decoding: data.dropFirst(32), as: UTF8.self)),
            stored.isOfSameApp(as: held), stored.version >= held.version
        else { return }
        hold(stored)
    }

    /// The digest finds damage: the keys that have signed the text may be gone.
    private static func stored(_ configuration: SignedConfiguration) -> Data {
        configuration.text.sha256 + Data(configuration.text.utf8)
    }

    private func hold(_ new: SignedConfiguration) {
        held = new
        if appliesAtOnce { use(new) }
    }

    private func use(_ new: SignedConfiguration) {
        guard new != used else { return }
        (used, changes) = (new, changes + 1)
    }
}

/// Why the kit opens no connection. The texts are codes of ``TransportFailure``.
enum PinRefusal: String {
    /// No certificate of the server has a pin.
    case unmatched = "pins"
    /// The app holds a configuration that it must use first.
    case outdated = "pins-outdated"
    /// An operator has blocked the device.
    case blocked
}

/// Asks the configuration before each request, whichever transport sends it.
struct PinnedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let pinning: Pinning

    func send(_ request: URLRequest, file: URL?, limit: Int?) async throws(TransportFailure) -> HTTPAnswer {
        if let refusal = pinning.refusal(of: request.url?.host ?? "") { throw TransportFailure(refusal) }
        return try await transport.send(request, file: file, limit: limit)
    }
}

extension TransportFailure {
    init(_ refusal: PinRefusal, mayHaveBeenSent: Bool = false) {
        self.init(refusal.rawValue, mayHaveBeenSent: mayHaveBeenSent)
    }
}
