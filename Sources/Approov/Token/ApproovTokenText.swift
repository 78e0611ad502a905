public import AssayCore

extension CheckID {
    /// The token has the form that the policy demands.
    public static let approovTokenDecode = CheckID("approov.token.decode")
}

extension ApproovCheck {
    static let decodeEntry = CheckDefinition(
        .approovTokenDecode, .gate,
        proves: "The text is one token of the form that the policy names, or a loggable token, in strict form.",
        stops: "Input that two parsers read differently, and status words or other texts in place of a token.",
        lookAt: """
            The byte that the detail names; `format` and `tokenPrefix` in the policy; for a status word, why the app \
            got no token.
            """,
        source: "RFC 7515 section 7.1, RFC 7516 section 7.1; \(tokens)",
        remedy: .nothing, codes: CheckCode.ofDecoding + MessageToken.codes + TokenSubstitute.codes)
}

/// Decodes a token from text into its parts.
enum ApproovTokenText {
    /// The parts of a decoded token.
    enum Parts {
        case signed(CompactJWS)
        case encrypted(CompactJWE)
        case loggable(LoggableToken)
        /// A status word, or no token, that the policy accepts.
        case excused(any CheckFinding)
    }

    /// The parts of a token of the policy's form. `demandsPrefix` requires the policy's prefix, as in a request field.
    static func decode(
        _ evidence: ApproovTokenInput.Evidence, demandsPrefix: Bool, _ configuration: ApproovConfiguration
    ) throws(DecodeError) -> Parts {
        switch evidence {
        case .token(let text):
            let token = try withoutPrefix(Array(text.utf8), demandsPrefix, configuration)
            switch configuration.format {
            case .jws:
                do throws(DecodeError) {
                    return .signed(try CompactJWS(token, limit: InputLimits.joseText))
                } catch {
                    try refuseForm(
                        of: token, dots: 4,
                        "the API is set up for signed tokens, and this one is encrypted; `format: jwe` takes such ones "
                            + "instead")
                    throw error
                }
            case .jwe:
                do throws(DecodeError) {
                    return .encrypted(try CompactJWE(token, limit: InputLimits.joseText))
                } catch {
                    try refuseForm(
                        of: token, dots: 2,
                        "the API is set up for encrypted tokens, and this one is only signed; `format: jws` takes such ones "
                            + "instead")
                    throw error
                }
            }
        case .loggable(let text):
            guard configuration.format == .jws else {
                throw DecodeError(
                    .unexpected, at: 0, "the API is set up for encrypted tokens, of which there is no loggable form")
            }
            return .loggable(try LoggableToken(text))
        case .missing, .repeated: throw DecodeError(.missing, at: 0, "there is no token")
        }
    }

    private static func withoutPrefix(
        _ text: [UInt8], _ demandsPrefix: Bool, _ configuration: ApproovConfiguration
    ) throws(DecodeError) -> ArraySlice<UInt8> {
        guard let prefix = configuration.tokenPrefix else {
            // Check for the space first: no token has one, and this is faster than comparing the word.
            if text.count >= 7, text[6] == 0x20, text.starts(with: "Bearer ".utf8) {
                throw DecodeError(
                    .unexpected, at: 0,
                    "the text begins with \"Bearer \", and the policy names no tokenPrefix; name it if apps send it")
            }
            return text[...]
        }
        let hasPrefix = text.starts(with: prefix.utf8)
        let token = hasPrefix ? text.dropFirst(prefix.utf8.count) : text[...]
        guard hasPrefix || !demandsPrefix else {
            throw DecodeError(
                .missing, at: 0,
                "expected the prefix \"\(prefix.excerpt)\" of the policy's tokenPrefix before the token")
        }
        return token
    }

    /// The text of a token that was decoded, without the policy's prefix.
    static func withoutPrefix(of token: String, _ configuration: ApproovConfiguration) -> ArraySlice<UInt8> {
        let text = Array(token.utf8)
        guard let prefix = configuration.tokenPrefix, text.starts(with: prefix.utf8) else { return text[...] }
        return text.dropFirst(prefix.utf8.count)
    }

    /// The word or text that the app sent in place of a token, with or without the policy's prefix; nil if it may be a
    /// token.
    static func substitute(
        for evidence: ApproovTokenInput.Evidence, _ configuration: ApproovConfiguration
    ) -> TokenSubstitute? {
        guard case .token(let text) = evidence else { return nil }
        // Most texts are tokens: they are longer than each word, and do not begin like an object.
        guard text.utf8.count <= 64 || text.utf8.first == UInt8(ascii: "{") || configuration.tokenPrefix != nil else {
            return nil
        }
        let bytes = Array(text.utf8)
        let prefix = configuration.tokenPrefix?.utf8.count ?? 0
        let hasPrefix = configuration.tokenPrefix.map { bytes.starts(with: $0.utf8) } ?? false
        return TokenSubstitute(hasPrefix ? bytes.dropFirst(prefix) : bytes[...])
    }

    /// Reports a token of the other form, recognised by its dots.
    private static func refuseForm(
        of token: ArraySlice<UInt8>, dots: Int, _ sentence: String
    ) throws(DecodeError) {
        guard token.count <= InputLimits.joseText else { return }
        var found = 0
        for byte in token where byte == 0x2E { found += 1 }
        if found == dots { throw DecodeError(.unexpected, at: token.startIndex, sentence) }
    }
}
