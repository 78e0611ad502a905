package import AssayCore

/// Reads the evidence of a record, by kind. Tokens, nonces and hashes are texts as exchanged. Rejects unknown fields.

extension ClassicIntegrityInput {
    /// Reads `packageName`, `token` and `nonce`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.demandOnly(["packageName", "token", "nonce"])
        let (packageName, token) = (try fields.required("packageName"), try fields.required("token"))
        let nonce = try fields.required("nonce")
        do {
            try self.init(token: token, packageName: packageName, nonce: nonce)
        } catch {
            throw fields.error("nonce", error.message)
        }
    }
}

extension StandardIntegrityInput {
    /// Reads `packageName`, `requestHash`, and either `decoded` or `token`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.demandOnly(["packageName", "requestHash", "decoded", "token"])
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
