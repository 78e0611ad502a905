package import AssayCore

/// Reads the evidence of a record, by kind. Tokens, nonces and hashes are texts as sent. Rejects unknown fields.

extension ClassicIntegrityInput {
    /// Reads `packageName`, either `decoded` or `token`, and either `nonce`, or `challenge` and `requestHash`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["packageName", "token", "decoded", "nonce", "challenge", "requestHash"])
        let packageName = try fields.required("packageName")
        let integrity = try StandardIntegrityInput.Evidence(fields)
        let nonce = try fields.text("nonce")
        guard fields["challenge"] != nil || fields["requestHash"] != nil else {
            guard let nonce else { throw fields.missing("nonce") }
            self.init(integrity, packageName: packageName, nonce: nonce)
            if let problem { throw fields.error(problem.field, problem.message) }
            return
        }
        guard nonce == nil else {
            throw fields.error("nonce", "nonce, and challenge with requestHash, exclude each other")
        }
        let challenge = try fields.bytes("challenge")
        let requestHash = try fields.bytes("requestHash")
        self.init(integrity, packageName: packageName, challenge: challenge, requestHash: requestHash)
        if let problem { throw fields.error(problem.field, problem.message) }
    }
}

extension StandardIntegrityInput {
    /// Reads `packageName`, `requestHash`, and either `decoded` or `token`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["packageName", "requestHash", "decoded", "token"])
        let requestHash = try fields.required("requestHash")
        guard Self.requestHashLength.contains(requestHash.utf8.count) else {
            throw fields.error(
                "requestHash",
                "a request hash has \(Self.requestHashLength.lowerBound) to \(Self.requestHashLength.upperBound) bytes, "
                    + "found \(requestHash.utf8.count)")
        }
        self.init(
            packageName: try fields.required("packageName"), requestHash: requestHash, evidence: try Evidence(fields))
    }
}

extension StandardIntegrityInput.Evidence {
    fileprivate init(_ fields: RecordFields) throws(RecordError) {
        switch (fields["decoded"], try fields.text("token")) {
        case (let answer?, nil):
            self = .decoded(IntegrityAnswer(try RecordFields(answer, path: fields.path(of: "decoded")).object))
        case (nil, let token?): self = .token(token)
        case (nil, nil):
            throw RecordError(field: fields.path, offset: fields.object.offset, "decoded or token is missing")
        case (.some, .some):
            throw RecordError(
                field: fields.path, offset: fields.object.offset, "decoded and token exclude each other")
        }
    }
}

extension RecordFields {
    fileprivate func required(_ name: String) throws(RecordError) -> String {
        guard let text = try text(name) else { throw missing(name) }
        return text
    }
}
