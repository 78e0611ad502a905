import AssayCore

/// A token of type `assay+jwt`, decoded and not verified.
struct DecodedToken: Sendable {
    let presentation: TokenPresentation
    let jws: CompactJWS
    let claims: TokenClaims

    /// Decodes a token: a compact JWS of the type `assay+jwt` with the claims that Assay writes.
    init(_ presentation: TokenPresentation) throws(DecodeError) {
        self.presentation = presentation
        jws = try CompactJWS(Array(presentation.token.utf8), limit: TokenClaims.maximumLength)
        // Before anything else of the token is used (RFC 8725 section 3.11): other tokens of the issuer have other types.
        guard let type = jws.header.type, type.isByteEqual(to: TokenClaims.type) else {
            throw DecodeError(
                .unexpectedValue, at: 0, field: "JWS protected header.typ",
                "expected \(TokenClaims.type), found \(jws.header.type.map { "\"\($0.excerpt)\"" } ?? "none")")
        }
        do throws(DecodeError) { claims = try TokenClaims(jws.payload) } catch { throw error.within("JWS payload") }
    }
}
