package import AssayCore
import AssayPrimitives

/// The evidence of a record, by kind. Binary is standard base64 with padding; a field that is not known is an error.

extension AttestationInput {
    /// Reads `keyId`, `attestation`, and `challenge` or `clientDataHash`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        try evidence.demandOnly(["keyId", "attestation", "challenge", "clientDataHash"], in: "evidence")
        self.init(
            keyID: try evidence.bytes("keyId"), attestation: try evidence.bytes("attestation"),
            clientData: try evidence.clientData("challenge"))
    }
}

extension AssertionInput {
    /// Reads `keyId`, `assertion`, `clientData` or `clientDataHash`, and the optional `challenge` and `key`.
    package static func read(
        _ evidence: RecordObject
    ) throws(RecordError) -> (AssertionInput, AssertionKeys.Supplied?) {
        try evidence.demandOnly(
            ["keyId", "assertion", "clientData", "clientDataHash", "challenge", "key"], in: "evidence")
        let input = AssertionInput(
            keyID: try evidence.bytes("keyId"), assertion: try evidence.bytes("assertion"),
            clientData: try evidence.clientData("clientData"), challenge: try evidence.optionalBytes("challenge"))
        guard let value = evidence["key"] else { return (input, nil) }
        guard case .object(let key) = value.content else {
            throw RecordError(
                field: "evidence.key", offset: value.offset, "expected an object, found \(value.kindName)")
        }
        try key.demandOnly(["publicKey", "counter"], in: "evidence.key")
        guard let counter = key["counter"] else {
            throw RecordError(field: "evidence.key.counter", offset: key.offset, "the field is missing")
        }
        guard case .number(let text) = counter.content, let number = UInt32(text) else {
            throw RecordError(
                field: "evidence.key.counter", offset: counter.offset,
                "expected a whole number from 0 to \(UInt32.max), found \(counter.kindName)")
        }
        return (
            input, AssertionKeys.Supplied(publicKey: try key.bytes("publicKey", in: "evidence.key"), counter: number)
        )
    }
}

extension ReceiptInput {
    /// Reads `keyId` and `receipt`.
    package init(_ evidence: RecordObject) throws(RecordError) {
        try evidence.demandOnly(["keyId", "receipt"], in: "evidence")
        self.init(keyID: try evidence.bytes("keyId"), receipt: try evidence.bytes("receipt"))
    }
}

extension RecordObject {
    /// Demands that every member is one of a few.
    fileprivate func demandOnly(_ names: [String], in path: String) throws(RecordError) {
        for member in members where !names.contains(member.name) {
            throw RecordError(
                field: "\(path).\(member.name.prefix(40).escapingControls)", offset: member.offset,
                "unknown field; allowed are \(names.joined(separator: ", "))")
        }
    }

    /// The bytes of a required member.
    fileprivate func bytes(_ name: String, in path: String = "evidence") throws(RecordError) -> [UInt8] {
        guard let bytes = try optionalBytes(name, in: path) else {
            throw RecordError(field: "\(path).\(name)", offset: offset, "the field is missing")
        }
        return bytes
    }

    /// The bytes of an optional member.
    fileprivate func optionalBytes(_ name: String, in path: String = "evidence") throws(RecordError) -> [UInt8]? {
        guard let value = self[name] else { return nil }
        guard case .text(let text) = value.content else {
            throw RecordError(
                field: "\(path).\(name)", offset: value.offset, "expected base64 text, found \(value.kindName)")
        }
        do {
            return try Base64.decode(text, .standard)
        } catch {
            // The opening quote stands before the first character.
            throw RecordError(
                field: "\(path).\(name)", offset: value.offset + 1 + error.offset,
                "expected standard base64 with padding: \(error.message)")
        }
    }

    /// The member that is hashed, or the hash in `clientDataHash`; exactly one of them.
    fileprivate func clientData(_ name: String) throws(RecordError) -> ClientData {
        switch (try optionalBytes(name), try optionalBytes("clientDataHash")) {
        case (let data?, nil): return .data(data)
        case (nil, let hash?): return .hash(hash)
        case (nil, nil):
            throw RecordError(field: "evidence", offset: offset, "\(name) or clientDataHash is missing")
        case (.some, .some):
            throw RecordError(field: "evidence", offset: offset, "\(name) and clientDataHash exclude each other")
        }
    }
}
