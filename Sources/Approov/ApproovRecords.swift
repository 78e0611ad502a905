package import AssayCore

/// Reads the evidence of a record, by kind. Tokens and header values are texts as sent; binary values are standard
/// base64. An unknown field is an error.

extension ApproovTokenInput {
    /// Reads either `token` or `loggable`, and optionally `binding`, the bound values in policy order, and `address`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["token", "loggable", "binding", "address"])
        let source: Evidence
        switch (try fields.text("token"), try fields.text("loggable")) {
        case (let token?, nil): source = .token(token)
        case (nil, let loggable?): source = .loggable(loggable)
        case (nil, nil):
            throw RecordError(field: fields.path, offset: evidence.offset, "token or loggable is missing")
        case (.some, .some):
            throw RecordError(field: fields.path, offset: evidence.offset, "token and loggable exclude each other")
        }
        self.init(
            source, binding: try fields.texts("binding").map { .value($0) },
            address: try fields.text("address", atMost: ApproovRecordLimits.address))
    }
}

extension ApproovMessageInput {
    /// Reads `method`, `targetURI`, `headers` (a list of name-value pairs), and optionally `body` and `address`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let record = RecordFields(evidence, path: "evidence")
        try record.requireOnly(Self.recordFields)
        try self.init(record)
    }
}

extension ApproovTextInput {
    /// Reads `token`, `text` and `signature`, and optionally `binding`, the bound values in policy order, and `address`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["token", "text", "signature", "binding", "address"])
        guard let token = try fields.text("token") else { throw fields.missing("token") }
        guard let text = try fields.text("text") else { throw fields.missing("text") }
        guard let signature = try fields.text("signature") else { throw fields.missing("signature") }
        self.init(
            token: token, text: text, signature: signature, binding: try fields.texts("binding").map { .value($0) },
            address: try fields.text("address", atMost: ApproovRecordLimits.address))
    }
}

extension ApproovProofInput {
    /// Reads `nonce`, `proof`, one of `measurements`, `token` and `sealed`, and optionally `measurement`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["nonce", "proof", "measurements", "token", "sealed", "measurement"])
        guard let nonce = try fields.base64("nonce") else { throw fields.missing("nonce") }
        guard let proof = try fields.base64("proof") else { throw fields.missing("proof") }
        let source: Source
        switch (fields["measurements"], try fields.text("token"), try fields.text("sealed")) {
        case (let value?, nil, nil):
            source = .measurements(
                try ApproovClaims.Measurements(RecordFields(value, path: fields.path(of: "measurements"))))
        case (nil, let token?, nil): source = .token(token)
        case (nil, nil, let sealed?): source = .sealed(sealed)
        case (nil, nil, nil):
            throw RecordError(field: fields.path, offset: evidence.offset, "measurements, token or sealed is missing")
        default:
            throw RecordError(
                field: fields.path, offset: evidence.offset, "measurements, token and sealed exclude each other")
        }
        var measurement: ApproovMeasurement?
        if let text = try fields.text("measurement") {
            measurement = ApproovMeasurement.allCases.first { $0.rawValue.isByteEqual(to: text) }
            guard measurement != nil else {
                let allowed = ApproovMeasurement.allCases.map(\.rawValue).joined(separator: ", ")
                throw fields.error("measurement", "expected one of \(allowed), found \"\(text.excerpt)\"")
            }
        }
        self.init(nonce: nonce, proof: proof, source: source, measurement: measurement)
    }
}

extension ApproovClaims.Measurements {
    fileprivate init(_ fields: RecordFields) throws(RecordError) {
        try fields.requireOnly(["mpk", "imh", "dmh"])
        self.init(
            proofKey: try fields.secret("mpk", ClaimsReader.proofKeyLength),
            integrity: try fields.secret("imh", ClaimsReader.digestLength),
            device: try fields.secret("dmh", ClaimsReader.digestLength))
    }
}

private enum ApproovRecordLimits {
    /// The maximum length of an address in bytes. The longest IPv6 address has 45.
    static let address = 64
}

extension RecordFields {
    /// The bytes of an optional member in standard base64.
    fileprivate func base64(_ name: String) throws(RecordError) -> [UInt8]? {
        guard let text = try text(name) else { return nil }
        do {
            return try Base64.decode(text, .standard)
        } catch let problem {
            // Omit the decoder's message: it shows a character, possibly of a secret.
            throw error(name, "expected standard base64 with padding; character \(problem.offset + 1) does not fit")
        }
    }

    /// The bytes of an optional secret member with a fixed length.
    fileprivate func secret(_ name: String, _ length: Int) throws(RecordError) -> SecretBytes? {
        guard var bytes = try base64(name) else { return nil }
        defer { SecretBytes.wipe(&bytes) }
        guard bytes.count == length else {
            throw error(name, "expected base64 of \(length) bytes, found \(bytes.count)")
        }
        return SecretBytes(bytes)
    }
}
