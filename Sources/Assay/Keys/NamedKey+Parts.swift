public import AssayCore
public import FoundationEssentials

extension NamedKey {
    /// Reads a key, for your own ``KeyStore``.
    ///
    /// - Parameters:
    ///   - name: the name, unique in the key store.
    ///   - purpose: the use of the key, such as `play-integrity`; `assay keys add --help` lists the purposes.
    ///   - parts: the parts by name, such as `decryptionKey`, each with the contents of its file or variable.
    ///   - scope: the package name or policy app that the key is for; nil for every app whose policy names the key.
    ///   - window: when the key may be used.
    ///   - retiredAt: when the key is retired; nil for never.
    /// - Throws: ``KeyError`` for an unknown purpose, and a part that is missing, unknown or malformed.
    public init(
        _ name: String, for purpose: KeyPurpose, parts: [String: SecretBytes], scope: String? = nil,
        window: KeyWindow = .always, retiredAt: Date? = nil
    ) throws(KeyError) {
        let types = EngineRegistry.standard.keyMaterials
        guard let type = types.first(where: { $0.purpose == purpose }) else {
            let known = types.map { $0.purpose.name }.joined(separator: ", ")
            throw KeyError(
                "unknown-purpose", part: "", "no engine has keys for \(purpose.name.excerpt); there are \(known)")
        }
        self.init(
            name: name, scope: scope, window: window, retiredAt: retiredAt, material: try type.reading(parts))
    }
}
