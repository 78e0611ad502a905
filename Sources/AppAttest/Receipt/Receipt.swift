package import AssayCore
package import FoundationEssentials

/// The payload of an App Attest receipt: SET OF SEQUENCE {INTEGER type, INTEGER version = 1, OCTET STRING value}, in any order, with
/// raw bytes as values (Apple, Assessing fraud risk, and receipts since 2020). Unknown fields are ignored; duplicates are errors.
package struct Receipt: Sendable {
    /// Field 6: the origin of the receipt.
    enum Kind: String, Sendable {
        /// Part of an attestation.
        case attest = "ATTEST"
        /// Issued in exchange for an older one.
        case receipt = "RECEIPT"
    }

    /// Field 2.
    let appID: String
    /// Field 3: the attested certificate in DER.
    package let attestedCertificate: ArraySlice<UInt8>
    /// Field 4: the client data hash. Never compared: in refreshed receipts, a conversion to UTF-8 has damaged it.
    package let clientDataHash: ArraySlice<UInt8>?
    /// Field 5: the token for Apple's server.
    let token: ArraySlice<UInt8>?
    /// Field 6.
    let type: Kind
    /// Field 7, undocumented; nil if it is absent.
    package let environment: AttestEnvironment?
    /// Field 12.
    package let creationTime: Date
    /// Field 17: about how many keys the device attested in the last 30 days.
    package let riskMetric: Int?
    /// Field 19: the time from which Apple exchanges the receipt.
    package let notBefore: Date?
    /// Field 21: the time until which Apple exchanges the receipt.
    package let expirationTime: Date

    /// Reads a payload, which must fill `payload`.
    package init(payload: [UInt8]) throws(DecodeError) {
        let fields = try ReceiptFields(payload)
        appID = try fields.text(2)
        attestedCertificate = try fields.required(3)
        clientDataHash = fields.optional(4)
        token = fields.optional(5)
        type = try fields.value(6, "ATTEST or RECEIPT") { Kind(rawValue: $0) }
        environment = try fields.optionalValue(7, "production or sandbox") { name in
            AttestEnvironment.allCases.first { $0.receiptName == name }
        }
        creationTime = try fields.value(12, "an RFC 3339 time") { RFC3339.parse($0) }
        riskMetric = try fields.optionalValue(17, "a whole number from 0 on") { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.utf8.count <= 9 ? Int(text) : nil
        }
        notBefore = try fields.optionalValue(19, "an RFC 3339 time") { RFC3339.parse($0) }
        expirationTime = try fields.value(21, "an RFC 3339 time") { RFC3339.parse($0) }
        guard creationTime <= expirationTime else {
            throw DecodeError(.unexpectedValue, at: 0, field: "field 21", "the receipt expires before it was made")
        }
        guard (notBefore ?? creationTime) >= creationTime else {
            throw DecodeError(.unexpectedValue, at: 0, field: "field 19", "it lies before the creation of the receipt")
        }
        guard type != .attest || riskMetric == nil else {
            throw DecodeError(
                .unexpected, at: 0, field: "field 17", "a receipt of type ATTEST has no risk metric")
        }
    }
}

/// The fields of a receipt by type.
private struct ReceiptFields {
    /// The maximum length of a word, a number or a time, in bytes.
    private static let maximumWord = 64

    private var values: [Int64: ArraySlice<UInt8>] = [:]

    init(_ payload: [UInt8]) throws(DecodeError) {
        var set = try DERReader.single(.set, in: payload[...]).reader
        while !set.isAtEnd {
            var field = try set.readConstructed(.sequence)
            let typeElement = try field.read(.integer)
            let type = try typeElement.integer()
            let version = try field.read(.integer).integer()
            let value = try field.read(.octetString).octetString()
            try field.finish()
            guard version == 1 else {
                throw DecodeError(
                    .unexpectedValue, at: typeElement.bytes.startIndex, field: "field \(type)",
                    "expected version 1, found \(version)")
            }
            guard values.updateValue(value, forKey: type) == nil else {
                throw DecodeError(
                    .duplicateKey, at: typeElement.bytes.startIndex, field: "field \(type)", "the field comes twice")
            }
        }
    }

    func optional(_ type: Int64) -> ArraySlice<UInt8>? { values[type] }

    func required(_ type: Int64) throws(DecodeError) -> ArraySlice<UInt8> {
        guard let value = values[type], !value.isEmpty else {
            throw DecodeError(.missing, at: 0, field: "field \(type)", "the field is missing or empty")
        }
        return value
    }

    func text(_ type: Int64) throws(DecodeError) -> String {
        let value = try required(type)
        guard let text = String(validating: value, as: UTF8.self) else {
            throw DecodeError(.invalidText, at: value.startIndex, field: "field \(type)", "not valid UTF-8")
        }
        return text
    }

    func value<Value>(
        _ type: Int64, _ expected: String, _ parse: (String) -> Value?
    ) throws(DecodeError) -> Value {
        let text = try text(type)
        guard text.utf8.count <= ReceiptFields.maximumWord, let value = parse(text) else {
            throw DecodeError(
                .unexpectedValue, at: values[type]?.startIndex ?? 0, field: "field \(type)",
                "expected \(expected), found \"\(text.excerpt)\"")
        }
        return value
    }

    func optionalValue<Value>(
        _ type: Int64, _ expected: String, _ parse: (String) -> Value?
    ) throws(DecodeError) -> Value? {
        values[type] == nil ? nil : try value(type, expected, parse)
    }
}
