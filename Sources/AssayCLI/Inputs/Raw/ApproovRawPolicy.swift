import Approov
import Assay
import AssayCore

/// The policy that the options for raw evidence of Approov stand for.
enum ApproovRawPolicy {
    /// Keys are named by their sources, which a verdict shows.
    static func policy(_ options: ApproovRawOptions, kind: ApproovRawKind, app: String) throws -> Policy {
        let tokenKeys = try tokenKeys(options)
        let accountKeys = try options.accountKeys.map { text in
            let argument = try AccountKeyArgument(text)
            return try key(
                ApproovMessageKey.self, argument.source, of: .accountKey,
                ["secret": argument.source], word: ("keyID", argument.keyID))
        }
        var settings = ApproovConfiguration.Settings()
        settings.keys = tokenKeys.isEmpty ? nil : tokenKeys.map(\.name)
        settings.format = options.tokenFormat ?? settings.format
        settings.tokenHeader = options.tokenHeader ?? settings.tokenHeader
        settings.tokenPrefix = options.tokenPrefix
        settings.binding = options.bindingHeaders.map(\.name)
        settings.failover = options.failover
        settings.issuers = options.issuers
        settings.longLivedIssuers = options.longLivedIssuers
        settings.audiences = options.audiences
        settings.annotations = AnnotationRules(reject: options.rejectedAnnotations)
        settings.maximumLifetime = options.maximumLifetime
        if kind == .message, let signer = options.signer {
            settings.messageSigning = MessageSigning(
                signer: signer, keys: signer == .account ? accountKeys.map(\.name) : nil,
                components: options.components.isEmpty
                    ? ["@method", "@target-uri", settings.tokenHeader.lowercased()] : options.components,
                // Whether it came before is for whoever has a ledger to say.
                replay: .ledger, quirks: Set(options.quirks))
        }
        do {
            return try Policy(
                apps: [PolicyApp(name: app, try ApproovConfiguration(settings))], keys: tokenKeys + accountKeys,
                catalogue: Verifier.catalogue)
        } catch {
            throw CommandFailure(.usage, "\(option(error.field)): \(error.message)")
        }
    }

    /// The option that says what a field of a policy says.
    private static func option(_ field: String) -> String {
        let options: [String: RawOption] = [
            "keys": .secret, "tokenHeader": .tokenHeader, "tokenPrefix": .tokenPrefix, "binding": .bindingHeader,
            "failover": .failover, "issuers": .issuer, "longLivedIssuers": .longLivedIssuer, "audiences": .audience,
            "annotations": .rejectAnnotation, "maximumLifetime": .maximumLifetime,
            "messageSigning.keys": .accountKey, "messageSigning.components": .component,
        ]
        return options[field]?.rawValue ?? field
    }

    private static func tokenKeys(_ options: ApproovRawOptions) throws(CommandFailure) -> [NamedKey] {
        var keys: [NamedKey] = []
        for (option, part, sources) in [
            (RawOption.secret, "secret", options.secrets), (.tokenPublicKey, "publicKey", options.publicKeys),
            (.keySet, "keySet", options.keySets),
        ] {
            for source in sources {
                keys.append(try key(ApproovKey.self, source, of: option, [part: source], word: nil))
            }
        }
        return keys
    }

    private static func key<Material: KeyMaterial>(
        _ type: Material.Type, _ name: String, of option: RawOption, _ parts: [String: String],
        word: (part: String, text: String)?
    ) throws(CommandFailure) -> NamedKey {
        var sources: [KeySources.Source] = parts.map { ($0.key, option.rawValue, $0.value) }
        if let word { sources.append((word.part, option.rawValue, word.text)) }
        return NamedKey(name: name, material: try KeySources(sources).read(type).material)
    }
}
