import Approov
import AssayCore

/// A token: a JWS with Approov's claims, or a JWE with the algorithms that Approov uses.
enum ApproovTokenFormat: BlobFormat {
    static let name = "Approov token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        if let found = JWEFormat.recognise(bytes) {
            guard let header = part(0, of: bytes), isNamed(header["alg"], "A256GCMKW"),
                isNamed(header["enc"], "A256GCM")
            else { return nil }
            return Recognition(
                found.certainty, because: "it is a JWE with A256GCMKW and A256GCM, as encrypted tokens of Approov are")
        }
        guard let found = JWSFormat.recognise(bytes), let claims = part(1, of: bytes) else { return nil }
        let marks = ApproovClaimsFormat.marks(of: claims)
        if !marks.isEmpty {
            return Recognition(
                found.certainty,
                because: "it is a JWS with \(marks.joined(separator: ", ")) in the form of Approov's claims")
        }
        guard ApproovClaimsFormat.isExpiryAlone(claims), isNamed(part(0, of: bytes)?["alg"], "HS256") else {
            return nil
        }
        return Recognition(
            found.certainty,
            because: "it is a JWS with HS256 that says when it expires and nothing else, as tokens of "
                + "Approov's failover service do")
    }

    private static func isNamed(_ node: JSONNode?, _ name: String) -> Bool {
        node?.text.map { $0.isByteEqual(to: name) } ?? false
    }

    private static func part(_ index: Int, of bytes: [UInt8]) -> JSONNode? {
        var rest = LenientText.body(bytes)
        for _ in 0..<index {
            guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            rest = rest[(dot + 1)...]
        }
        var part = rest.prefix { $0 != UInt8(ascii: ".") }
        // The first part may follow `Bearer `.
        if let space = part.lastIndex(of: 0x20) { part = part[(space + 1)...] }
        guard !part.isEmpty, part.count <= InputLimits.joseText else { return nil }
        let node = LenientJSON.read(LenientBase64.decode(part).bytes[...])?.node
        return node.flatMap { $0.isObject ? $0 : nil }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard JWEFormat.recognise(bytes) == nil else {
            var contents = JWEFormat.annotate(bytes)
            contents.unknown = [
                "what the token says, and who wrote it: it is encrypted under the account's secret; `assay verify --kind "
                    + "approov.token --token-format jwe --secret ...` opens it"
            ]
            return contents
        }
        var contents = JWSFormat.annotate(bytes)
        contents.nested = contents.nested.map { blob in
            guard blob.name.isByteEqual(to: "payload of the JWS") else { return blob }
            return NestedBlob(
                "claims of the token", encoding: blob.encoding, bytes: blob.bytes, format: ApproovClaimsFormat.self,
                at: blob.range)
        }
        contents.unknown = [
            "whether Approov signed it: `assay verify --kind approov.token --secret ...` checks that. An app that fails "
                + "attestation gets a token that looks alike, under a wrong secret"
        ]
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        if JWEFormat.recognise(bytes) == nil {
            try JWSFormat.decodeStrictly(bytes)
        } else {
            try JWEFormat.decodeStrictly(bytes)
        }
    }
}

/// The content of a record's token field: any token, including foreign ones, or a status word.
enum ApproovTokenFieldFormat: BlobFormat {
    static let name = "Approov token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        Recognition(.structure, because: "it stands where a token should")
    }

    private static func format(of bytes: [UInt8]) -> (any BlobFormat.Type)? {
        if StatusWordFormat.word(in: bytes) != nil { return StatusWordFormat.self }
        let isToken = JWEFormat.recognise(bytes) != nil || JWSFormat.recognise(bytes) != nil
        return isToken ? ApproovTokenFormat.self : nil
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        if let format = format(of: bytes) { return format.annotate(bytes) }
        return BlobContents([
            Annotation(
                "text", at: bytes.indices, value: String(decoding: bytes, as: UTF8.self),
                violation: "neither a token nor a status word")
        ])
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { try format(of: bytes)?.decodeStrictly(bytes) }
}

/// A word that an app sent instead of a token.
enum StatusWordFormat: BlobFormat {
    static let name = "Approov status word"

    /// The status word in a text, ignoring surrounding white space.
    static func word(in bytes: [UInt8]) -> ApproovStatusWord? {
        let body = LenientText.body(bytes)
        return body.count <= 32 ? ApproovStatusWord(bytes: body) : nil
    }

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        word(in: bytes).map { word in
            // Words without `_`, such as REJECTED, are too common for more than a guess.
            Recognition(
                word.rawValue.contains("_") ? .structure : .guess,
                because: "it is \(word.rawValue), which apps send when they got no token")
        }
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let word = word(in: bytes)
        return BlobContents(
            [Annotation("status", at: LenientText.body(bytes).indices, value: word?.rawValue, meaning: word?.meaning)],
            unknown: ["which device sent it: a status word has no device ID and no signature; any client can send it"])
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        guard let word = word(in: bytes) else { return }
        throw DecodeError(.unexpectedValue, at: 0, "the status word \(word.rawValue) in place of a token")
    }
}
