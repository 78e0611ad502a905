import AppAttest
import AssayCore

/// An attestation object: the result of `attestKey`.
enum AttestationObjectFormat: BlobFormat {
    static let name = "App Attest attestation object"

    private static let keys = ["fmt", "attStmt", "authData"]
    /// In a malformed object, the number of bytes to search for the name of its format.
    private static let searched = 64

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first, first >> 5 == 5 else {
            let isThere = bytes.prefix(searched).indices.contains { bytes[$0...].starts(with: "apple-appattest".utf8) }
            return isThere ? Recognition(.guess, because: "apple-appattest stands near its beginning") : nil
        }
        let node = LenientCBOR.read(bytes[...]).node
        if case .text(let text, _)? = node["fmt"]?.content, text.isByteEqual(to: "apple-appattest") {
            return Recognition(.certain, because: "it is a CBOR map whose fmt is apple-appattest")
        }
        // Passkeys have the same map with another fmt.
        return WebAuthnObjectFormat.recognise(bytes) == nil ? node.recognition(by: keys, joined: ", ") : nil
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let (node, end) = LenientCBOR.read(bytes[...])
        var root = CBORAnnotator.annotate(node, named: "attestation object", in: bytes)
        var contents = BlobContents([])
        root.eachMember(of: node) { part, value in
            if case .broken = value.content { return }
            switch part.name {
            case "fmt": part.meaning = "the format of the attestation statement"
            case "attStmt": statement(&part, value, bytes, &contents)
            case "authData": AuthenticatorDataAnnotator.describe(&part, value, of: .attestation, in: bytes)
            case "cdHash": part.meaning = "not documented, and nothing signs it"
            default: part.meaning = "unknown key; nothing signs it, and it influences nothing"
            }
        }
        contents.annotations = [root]
        contents.annotations.appendRest(of: bytes, at: end..<bytes.count, shown: 64, violation: "nothing may follow")
        contents.unknown = [Unknowable.chain, Unknowable.appID, Unknowable.challenge, Unknowable.enrolment]
        return contents
    }

    private static func statement(
        _ annotation: inout Annotation, _ node: CBORNode, _ bytes: [UInt8], _ contents: inout BlobContents
    ) {
        if case .map = node.content { annotation.meaning = "the attestation statement" }
        annotation.eachMember(of: node) { part, value in
            switch part.name {
            case "x5c":
                part.meaning = "the certificate path: leaf, intermediate"
                guard case .array(let certificates) = value.content else { return }
                for (number, certificate) in zip(part.children.indices, certificates) {
                    guard let range = certificate.byteRange else { continue }
                    part.children[number] = AppleCertificate.annotation(bytes, range, named: certificateName(number))
                }
            case "receipt":
                guard let range = value.byteRange else { return }
                part.value = nil
                part.meaning = "a receipt, \(Words.count(range.count, "byte"))"
                contents.nested.append(
                    NestedBlob(
                        "attStmt.receipt", encoding: "byte string of CBOR", bytes: Array(bytes[range]),
                        format: ReceiptFormat.self, at: range))
            default: part.meaning = "unknown key, and refused: nothing signs it"
            }
        }
    }

    private static func certificateName(_ number: Int) -> String {
        switch number {
        case 0: "[0], leaf"
        case 1: "[1], intermediate"
        default: "[\(number)]"
        }
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try AttestationEvidence(bytes, authorities: AppAttestTrust.apple.attestation)
    }
}

/// An assertion: the result of `generateAssertion`.
enum AssertionFormat: BlobFormat {
    static let name = "App Attest assertion"

    private static let keys = ["signature", "authenticatorData"]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first, first >> 5 == 5 else { return nil }
        return LenientCBOR.read(bytes[...]).node.recognition(by: keys, joined: " and ")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let (node, end) = LenientCBOR.read(bytes[...])
        var root = CBORAnnotator.annotate(node, named: "assertion", in: bytes)
        root.eachMember(of: node) { part, value in
            if case .broken = value.content { return }
            switch (part.name, value.byteRange) {
            case ("signature", let range?):
                part.meaning = "ECDSA over SHA-256(SHA-256(authenticatorData || clientDataHash)), in DER"
                part.children = ECDSASignatureAnnotator.annotate(bytes, at: range, named: "ECDSA-Sig-Value").children
            case ("authenticatorData", .some):
                AuthenticatorDataAnnotator.describe(&part, value, of: .assertion, in: bytes)
            case ("signature", nil), ("authenticatorData", nil): part.meaning = "expected a byte string"
            default: part.meaning = "unknown key; nothing signs it, and it influences nothing"
            }
        }
        var annotations = [root]
        annotations.appendRest(of: bytes, at: end..<bytes.count, shown: 64, violation: "nothing may follow")
        return BlobContents(
            annotations,
            unknown: [
                "whether the signature holds: that takes the enrolled key and the client data", Unknowable.appID,
                "which key signed it: an assertion does not name its key, the app sends the key identifier beside it",
                "whether the counter is greater than the last one: the ledger knows",
            ])
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try AssertionEvidence(bytes)
    }
}

extension CBORNode {
    /// Recognises a map by its keys: certainly with all of them, and with any by its structure.
    fileprivate func recognition(by keys: [String], joined separator: String) -> Recognition? {
        let found = keys.filter { self[$0] != nil }
        guard !found.isEmpty else { return nil }
        return Recognition(
            found.count == keys.count ? .certain : .structure,
            because: "it is a CBOR map with \(found.joined(separator: separator))")
    }
}
