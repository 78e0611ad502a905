import AssayCore
import AssayPrimitives
import Foundation

/// The keys of the test vectors that open encrypted tokens. They are public.
struct TokenKeys: Sendable {
    private let keys: [[UInt8]]

    /// Reads the keys below the folder of a policy, or beside that folder.
    init(besides policy: URL) {
        let folder = policy.deletingLastPathComponent()
        let folders = [folder, folder.appendingPathComponent("keys"), folder.appendingPathComponent("../keys")]
        keys = folders.flatMap { folder -> [[UInt8]] in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.sorted().filter { $0.hasSuffix("-decryption.b64") }.compactMap { name in
                guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return nil }
                let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                return try? Base64.decode(text, .standard)
            }
        }
    }

    /// Decrypts a token. Returns the plaintext and the key; nil if no key opens it.
    func open(_ token: String) -> (plaintext: [UInt8], key: [UInt8])? {
        guard let jwe = try? CompactJWE(Array(token.utf8), limit: InputLimits.joseText) else { return nil }
        for key in keys {
            guard let opener = try? JWEKey.a256KW(SecretBytes(key)), let secret = try? opener.decrypt(jwe) else {
                continue
            }
            return (secret, key)
        }
        return nil
    }
}
