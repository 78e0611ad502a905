/// The loggable form of a token (Approov, Loggable Tokens): the claims and a prefix of the signature.
package struct ApproovLoggableForm: Sendable, Equatable {
    /// The claims sorted by name, with `sip` last.
    package var json: JSONItem

    /// The number of signature characters.
    package static let signaturePrefixLength = 6

    /// Creates the loggable form of a token with these claims, sorted by name. Claims that are no object stay
    /// unchanged.
    package init(_ claims: ApproovClaimsBlueprint, secret: [UInt8]) throws(MintingError) {
        guard case .object(let members) = claims.json else {
            json = claims.json
            return
        }
        let sorted = Self.sorted(members)
        var signed = JWSBlueprint(payload: JSONItem.object(sorted).encoded, signer: .hs256(secret))
        signed.header["typ"] = "JWT"
        let signature = try signed.mint().split(separator: ".").last ?? ""
        json = .object(sorted + [JSONItem.Member("sip", .text(String(signature.prefix(Self.signaturePrefixLength))))])
    }

    /// Sorts members by name, recursively.
    private static func sorted(_ members: [JSONItem.Member]) -> [JSONItem.Member] {
        members.map { JSONItem.Member($0.name, sorted($0.value)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func sorted(_ item: JSONItem) -> JSONItem {
        switch item {
        case .array(let items): .array(items.map { sorted($0) })
        case .object(let members): .object(sorted(members))
        case .null, .flag, .number, .text, .raw: item
        }
    }

    /// The text that an app logs.
    package var text: String { json.text }
}
