package import AssayCore

/// Reads the evidence of records. Binary values are standard base64 with padding; an unknown field is an error.

extension AttestationInput {
    /// Reads `keyId`, `attestation`, and `challenge` or `clientDataHash`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["keyId", "attestation", "challenge", "clientDataHash"])
        let challenge = try fields.demandedBytes("challenge")
        self.init(
            keyID: try fields.bytes("keyId"), attestation: try fields.bytes("attestation"),
            clientData: try fields.clientData(challenge, "challenge"))
    }
}

extension AssertionInput {
    private static let fieldNames = ["keyId", "assertion", "clientData", "clientDataHash", "challenge", "key"]

    /// Reads `keyId`, `assertion`, `clientData` or `clientDataHash`, and the optional `challenge` and `key`.
    package static func read(
        _ evidence: RecordObject
    ) throws(RecordError) -> (AssertionInput, AssertionKeys.Supplied?) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(fieldNames)
        // Client data may be empty: the app also signs requests without a body.
        let clientData = try fields.optionalBytes("clientData")
        let input = AssertionInput(
            keyID: try fields.bytes("keyId"), assertion: try fields.bytes("assertion"),
            clientData: try fields.clientData(clientData, "clientData"),
            challenge: try fields.demandedBytes("challenge"))
        return (input, try AssertionKeys.Supplied(in: fields))
    }
}

extension AssertionKeys.Supplied {
    /// Reads the optional `key` of a record's evidence.
    package init?(in fields: RecordFields) throws(RecordError) {
        guard let value = fields["key"] else { return nil }
        let key = try RecordFields(value, path: fields.path(of: "key"))
        try key.requireOnly(["publicKey", "counter"])
        let counter = try key.counter("counter")
        self.init(publicKey: try key.bytes("publicKey"), counter: counter)
    }
}

extension ReceiptInput {
    /// Reads `keyId` and `receipt`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(["keyId", "receipt"])
        self.init(keyID: try fields.bytes("keyId"), receipt: try fields.bytes("receipt"))
    }
}

extension RecordFields {
    /// The bytes of an optional member, which must not be empty: an unset variable must not count as a challenge.
    fileprivate func demandedBytes(_ name: String) throws(RecordError) -> [UInt8]? {
        guard let bytes = try optionalBytes(name) else { return nil }
        guard !bytes.isEmpty else { throw error(name, "expected at least one byte, found none") }
        return bytes
    }

    /// A whole number in decimal digits. `UInt32` also accepts `-0`.
    fileprivate func counter(_ name: String) throws(RecordError) -> UInt32 {
        guard let value = self[name] else { throw missing(name) }
        guard case .number(let text) = value.content, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(text)
        else {
            var found = value.kindName
            if case .number(let text) = value.content { found = text.excerpt }
            throw error(name, "expected a whole number from 0 to \(UInt32.max), found \(found)")
        }
        return number
    }

    /// Reads either the data or `clientDataHash`; both or none is an error.
    fileprivate func clientData(_ data: [UInt8]?, _ name: String) throws(RecordError) -> ClientDataInput {
        switch (data, try demandedBytes("clientDataHash")) {
        case (let data?, nil): return .data(data)
        case (nil, let hash?): return .hash(hash)
        case (nil, nil):
            throw RecordError(field: path, offset: object.offset, "\(name) or clientDataHash is missing")
        case (.some, .some):
            throw RecordError(
                field: path, offset: object.offset, "\(name) and clientDataHash exclude each other")
        }
    }
}
