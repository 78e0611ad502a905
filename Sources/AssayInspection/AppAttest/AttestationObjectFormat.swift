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
        if case .map(let members) = node.content {
            for (index, member) in members.enumerated() where index < root.children.count {
                if case .broken = member.value.content { continue }
                switch root.children[index].name {
                case "fmt": root.children[index].meaning = "the format of the attestation statement"
                case "attStmt": statement(&root.children[index], member.value, bytes, &contents)
                case "authData":
                    if let range = member.value.byteRange { authenticatorData(&root.children[index], bytes, range) }
                case "cdHash":
                    root.children[index].meaning = "not documented, and nothing signs it"
                default: root.children[index].meaning = "unknown key; nothing signs it, and it influences nothing"
                }
            }
        }
        contents.annotations = [root]
        contents.annotations.appendRest(of: bytes, at: end..<bytes.count, shown: 64, violation: "nothing may follow")
        contents.unknown = [Unknowable.chain, Unknowable.appID, Unknowable.challenge, Unknowable.enrolment]
        return contents
    }

    private static func authenticatorData(_ annotation: inout Annotation, _ bytes: [UInt8], _ range: Range<Int>) {
        annotation.value = nil
        annotation.meaning = "authenticator data, \(Words.count(range.count, "byte"))"
        annotation.children = AuthenticatorDataAnnotator.annotations(bytes, in: range, of: .attestation)
    }

    private static func statement(
        _ annotation: inout Annotation, _ node: CBORNode, _ bytes: [UInt8], _ contents: inout BlobContents
    ) {
        guard case .map(let members) = node.content else { return }
        annotation.meaning = "the attestation statement"
        for (index, member) in members.enumerated() where index < annotation.children.count {
            switch annotation.children[index].name {
            case "x5c":
                annotation.children[index].meaning = "the certificate path: leaf, intermediate"
                guard case .array(let certificates) = member.value.content else { continue }
                for (number, certificate) in certificates.enumerated() {
                    guard let range = certificate.byteRange,
                        annotation.children[index].children.indices.contains(number)
                    else { continue }
                    annotation.children[index].children[number] = AppleCertificate.annotation(
                        bytes, range, named: AttestationObjectFormat.certificateName(number))
                }
            case "receipt":
                guard let range = member.value.byteRange else { continue }
                annotation.children[index].value = nil
                annotation.children[index].meaning = "a receipt, \(Words.count(range.count, "byte"))"
                contents.nested.append(
                    NestedBlob(
                        "attStmt.receipt", encoding: "byte string of CBOR", bytes: Array(bytes[range]),
                        format: ReceiptFormat.self, at: range))
            default: annotation.children[index].meaning = "unknown key, and refused: nothing signs it"
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
        if case .map(let members) = node.content {
            for (index, member) in members.enumerated() where index < root.children.count {
                if case .broken = member.value.content { continue }
                let range = member.value.byteRange
                switch (root.children[index].name, range) {
                case ("signature", let range?):
                    root.children[index].meaning =
                        "ECDSA over SHA-256(SHA-256(authenticatorData || clientDataHash)), in DER"
                    root.children[index].children =
                        ECDSASignatureAnnotator.annotate(bytes, at: range, named: "ECDSA-Sig-Value").children
                case ("authenticatorData", let range?):
                    root.children[index].value = nil
                    root.children[index].meaning = "authenticator data, \(Words.count(range.count, "byte"))"
                    root.children[index].children = AuthenticatorDataAnnotator.annotations(
                        bytes, in: range, of: .assertion)
                case ("signature", nil), ("authenticatorData", nil):
                    root.children[index].meaning = "expected a byte string"
                default: root.children[index].meaning = "unknown key; nothing signs it, and it influences nothing"
                }
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
