import AssayCore
package import AssayKeyStore
import AssayPrimitives
package import FoundationEssentials

/// Makes the keys of an issuer in a key store: by plan, or at once. No request does.
///
/// Each change inserts one key under a name that only one of several servers can take. A crash before or after it leaves a state that
/// every server reads the same way, see ``TokenKeySchedule``.
package struct TokenKeyRotation: Sendable {
    /// The beginning of the names of signing keys. Their number follows.
    private static let prefix = "tokens-"
    /// The name of the secret.
    private static let secretName = "tokens-subjects"

    private let store: SealedKeyStore

    /// Rotates the keys of a store.
    package init(_ store: SealedKeyStore) { self.store = store }

    /// Makes the secret if there is none, and the next signing key if it is due.
    ///
    /// - Parameters:
    ///   - atOnce: makes a signing key that signs from now on, because the one before has leaked. Retire that one then.
    ///   - operatorName: who asks for it, for the audit trail; nil for the plan.
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
            // Unless its name was used and retired: subjects would change unnoticed.
            var generator = SystemRandomNumberGenerator()
            let secret = SecretBytes(count: TokenSecret.length) { buffer in
                for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &generator) }
            }
            let name = secrets.isEmpty ? Self.secretName : "\(Self.secretName)-\(secrets.count + 1)"
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
        let name = "\(Self.prefix)\((numbers.max() ?? 0) + 1)"
        let scalar = Self.base64(ECDSAPrivateKey().scalar)
        let isMade = try await add(
            name, TokenKey.purpose, [TokenKey.privateKeyPart: scalar], start, operatorName, now)
        if isMade { made.append(name) }
        return made
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
