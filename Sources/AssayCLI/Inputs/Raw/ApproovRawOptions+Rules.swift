import ArgumentParser
import Assay
import AssayCore

extension ApproovRawOptions {
    /// Holds the options against each other.
    ///
    /// - Parameter nonce: the option of that name, which other kinds have too.
    /// - Throws: `ValidationError`.
    func validate(_ kind: ApproovRawKind, nonce: String?, policy: Bool) throws {
        for (option, sources) in [
            (RawOption.secret, secrets), (.tokenPublicKey, publicKeys), (.keySet, keySets),
        ] {
            for source in sources { try SecretArgument.validate(source, of: option.rawValue) }
            guard Set(sources).count == sources.count else {
                throw ValidationError("\(option.rawValue) names a source twice")
            }
        }
        for text in accountKeys { _ = try AccountKeyArgument(text) }
        let keys = secrets + publicKeys + keySets
        switch kind {
        case .token:
            try demandKeys(keys, policy)
            guard let name = bindingHeaders.first(where: { $0.value == nil })?.name else { break }
            throw ValidationError(
                "--binding-header \(name.excerpt): expected NAME=VALUE, with the value of the request")
        case .message:
            try demandKeys(keys, policy)
            guard policy || signer != nil else {
                throw ValidationError(
                    "--signer is required without --policy: whose key is to have signed is for you to say")
            }
            guard (signer == .account) == !accountKeys.isEmpty || policy else {
                throw ValidationError("--account-key is for --signer account, which needs one")
            }
            guard targetURI.map(Self.isAbsolute) ?? true else {
                throw ValidationError(
                    "--target-uri: expected the whole of what the client asked for, https://HOST/PATH?QUERY, found "
                        + "\"\((targetURI ?? "").excerpt)\"")
            }
            guard let name = bindingHeaders.first(where: { $0.value != nil })?.name else { break }
            throw ValidationError(
                "--binding-header \(name.excerpt): for a message the name alone, as the value is that of the request")
        case .proof:
            guard nonce != nil, proof != nil else {
                throw ValidationError(
                    "--nonce and --proof are required: what the hardware gave out, and what it got back")
            }
        }
        guard policy || bindingHeaders.isEmpty || failover != nil else {
            throw ValidationError(
                "--failover is required with --binding-header: tokens of the failover service are bound to nothing, and "
                    + "accept lets them past the binding")
        }
    }

    /// Whether a URI has a scheme and an authority; what exactly they may be is for the check to say.
    private static func isAbsolute(_ uri: String) -> Bool {
        guard let mark = uri.firstRange(of: "://"), mark.lowerBound > uri.startIndex else { return false }
        return !uri[..<mark.lowerBound].contains("/") && !uri[mark.upperBound...].prefix { $0 != "/" }.isEmpty
    }

    private func demandKeys(_ keys: [String], _ policy: Bool) throws {
        guard policy || !keys.isEmpty else {
            throw ValidationError("--secret, --token-public-key or --key-set is required without --policy")
        }
    }
}

/// A message signing key of an account on the command line: `ID=SOURCE`.
struct AccountKeyArgument {
    /// The ID that tokens name the key by.
    let keyID: String
    /// Where the key is.
    let source: String

    /// Reads a key. An ID may have `=` in it, so that the source is looked for.
    ///
    /// - Throws: `ValidationError` that does not show the text, which may be a secret.
    init(_ text: String) throws {
        for form in ["=file:", "=env:"] {
            guard let range = text.firstRange(of: form), range.lowerBound > text.startIndex else { continue }
            keyID = String(text[..<range.lowerBound])
            source = String(text[range.lowerBound...].dropFirst())
            try SecretArgument.validate(source, of: RawOption.accountKey.rawValue)
            return
        }
        throw ValidationError(
            "\(RawOption.accountKey.rawValue): expected the mskid, = and \(SecretSource.allowed). Every user of this machine "
                + "sees the arguments of a running program")
    }
}
