import AssayCore

/// A JWT by which a platform knows an account: a compact JWS (RFC 7515 section 7.1).
enum SignedClaims {
    typealias Members = [(String, RecordValue.Content)]

    /// Signs claims. Returns nil if the library fails.
    static func text(
        header: Members, claims: Members, signedBy sign: (ArraySlice<UInt8>) -> [UInt8]?
    ) -> String? {
        let input = [header, claims].map { members in
            var json: [UInt8] = []
            RecordJSON.append(.object(RecordObject(members)), to: &json)
            return Base64.encode(json, .url)
        }.joined(separator: ".")
        return sign(Array(input.utf8)[...]).map { "\(input).\(Base64.encode($0, .url))" }
    }
}
