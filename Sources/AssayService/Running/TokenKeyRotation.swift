package import AssayCore
import AssayPrimitives
import AssayTokens
package import FoundationEssentials

/// Creates an issuer's keys in a key store, on schedule or immediately. Requests never create keys.
///
/// Each step inserts one key under a unique name, so only one of several servers succeeds. After a crash at any point,
/// all servers compute the same ``TokenKeySchedule``.
package struct TokenKeyRotation: Sendable {
    /// The beginning of the names of signing keys. Their number follows.
    private static let prefix = "tokens-"
    private static let secretName = "tokens-subjects"
    /// The name of the first key for the configurations of apps.
    private static let configurationName = "configuration-1"

    private let store: SealedKeyStore

    /// Rotates the keys of a store.
    package init(_ store: SealedKeyStore) { self.store = store }

    /// Makes the secret if there is none, and the next signing key if it is due.
    /// - Parameters:
    ///   - atOnce: creates a key that signs from now on, for use after a leak. Retire the leaked key afterwards.
    ///   - operatorName: the operator for the audit trail; nil for scheduled runs.
    /// - Returns: the names of the keys that this call has made.
    @discardableResult
    package func run(
        atOnce: Bool = false, by operatorName: String? = nil, at now: Date
    ) async throws(KeyStoreFailure) -> [String] {
        let (keys, secrets): ([NamedKey], [NamedKey])
        do throws(KeyStoreOutage) {
            keys = try await store.keys(for: TokenKey.purpose)
            secrets = try await store.keys(for: TokenSecret.purpose)
        } catch { throw .outage(error) }
        var made: [String] = []
        if !secrets.contains(where: { $0.state(at: now) == .live }) {
            var generator = SystemRandomNumberGenerator()
            let secret = SecretBytes(count: TokenSecret.length) { buffer in
                for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &generator) }
            }
            let name = Self.freeName(Self.secretName, among: secrets)
            if try await add(
                name, TokenSecret.purpose, [TokenSecret.secretPart: Self.base64(secret)], nil, operatorName, now)
            {
                made.append(name)
            }
        }
        // Whole seconds: a key signs from its first moment on.
        let present = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        guard let start = atOnce ? present : TokenKeySchedule(keys, at: now).nextKey(at: present) else { return made }
        let numbers = keys.compactMap { key in
            key.name.hasPrefix(Self.prefix) ? Int(key.name.dropFirst(Self.prefix.count)) : nil
        }
        var number = (numbers.max() ?? 0) + 1
        let scalar = Self.base64(ECDSAPrivateKey().scalar)
        while true {
            let name = "\(Self.prefix)\(number)"
            let isMade = try await add(
                name, TokenKey.purpose, [TokenKey.privateKeyPart: scalar], start, operatorName, now)
            if isMade { made.append(name) }
            // A key that another server has made meanwhile does not sign at once.
            if isMade || !atOnce { return made }
            number += 1
        }
    }

    /// Makes the first key for the configurations of apps, if there is none that may sign now or later. No later one is made on
    /// schedule: an app accepts only what a key signed that it knows.
    ///
    /// - Returns: the name of the key that this call has made; nil for none.
    @discardableResult
    package func makeConfigurationKey(
        by operatorName: String? = nil, at now: Date
    ) async throws(KeyStoreFailure) -> String? {
        let keys: [NamedKey]
        do throws(KeyStoreOutage) { keys = try await store.keys(for: ConfigurationKey.purpose) } catch {
            throw .outage(error)
        }
        // A retired key is a decision of an operator, who then adds the next one.
        guard keys.isEmpty else { return nil }
        let isMade = try await add(
            Self.configurationName, ConfigurationKey.purpose,
            [TokenKey.privateKeyPart: Self.base64(ECDSAPrivateKey().scalar)], nil, operatorName, now)
        return isMade ? Self.configurationName : nil
    }

    /// A name that no key has: the name itself, or with the first free number from 2 on.
    private static func freeName(_ name: String, among keys: [NamedKey]) -> String {
        var (free, number) = (name, 1)
        while keys.contains(where: { $0.name.isByteEqual(to: free) }) {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }

    /// The form in which keys are read, from the store as from a file.
    private static func base64(_ secret: SecretBytes) -> SecretBytes {
        var text = secret.withUnsafeBytes { Array(Base64.encode(Array($0), .standard).utf8) }
        defer { SecretBytes.wipe(&text) }
        return SecretBytes(text)
    }

    /// Inserts a key; false if another server was faster.
    private func add(
        _ name: String, _ purpose: KeyPurpose, _ parts: [String: SecretBytes], _ start: Date?, _ operatorName: String?,
        _ now: Date
    ) async throws(KeyStoreFailure) -> Bool {
        do throws(KeyStoreFailure) {
            try await store.add(
                name, for: purpose, parts: parts, window: KeyWindow(notBefore: start, notAfter: nil), by: operatorName,
                at: now)
            return true
        } catch {
            if case .refusal(.nameTaken) = error { return false }
            throw error
        }
    }
}
