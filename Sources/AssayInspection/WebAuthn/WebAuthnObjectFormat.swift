import AssayCore

/// An attestation object of WebAuthn: the registration of a passkey or a security key, which is no evidence of Assay (Web
/// Authentication Level 2 section 6.5.4). App Attest has the same map with `fmt` apple-appattest.
package enum WebAuthnObjectFormat: BlobFormat {
    package static let name = "WebAuthn attestation object"

    /// The formats of attestation statements (IANA registry of WebAuthn attestation statement formats).
    private static let formats: [(name: String, meaning: String)] = [
        ("none", "the authenticator attests nothing"), ("packed", "WebAuthn's own format"),
        ("tpm", "a TPM"), ("android-key", "Android Key Attestation in the form of WebAuthn"),
        ("android-safetynet", "SafetyNet, which Google has ended"), ("fido-u2f", "a security key of FIDO U2F"),
        ("apple", "Apple's anonymous attestation of passkeys"), ("compound", "several statements"),
    ]
    /// The members of attestation statements.
    private static let members: [(name: String, meaning: String)] = [
        ("alg", "the COSE algorithm of the signature"), ("sig", "the signature over authData || clientDataHash"),
        ("x5c", "the chain of the attestation certificate, leaf first"), ("ver", "the version"),
        ("response", "the answer of SafetyNet, a JWS"), ("certInfo", "what the TPM certified"),
        ("pubArea", "the public area of the TPM's key"), ("ecdaaKeyId", "the ECDAA key, no longer used"),
    ]

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first, first >> 5 == 5 else { return nil }
        let node = LenientCBOR.read(bytes[...]).node
        guard case .text(let format, _)? = node["fmt"]?.content, node["authData"] != nil || node["attStmt"] != nil,
            formats.map(\.name).containsBytes(of: format)
        else { return nil }
        return Recognition(
            .certain, because: "its fmt is \(format): the registration of a passkey or security key, and no App Attest")
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let (node, end) = LenientCBOR.read(bytes[...])
        var root = CBORAnnotator.annotate(node, named: "attestation object", in: bytes)
        var contents = BlobContents([])
        root.eachMember(of: node) { part, value in
            switch (part.name, value.content) {
            case ("fmt", .text(let format, _)): part.meaning = meaning(of: format, in: formats)
            case ("attStmt", .map):
                part.meaning = "the attestation statement"
                part.eachMember(of: value) { describe(&$0, $1, bytes) }
            case ("authData", .bytes):
                AuthenticatorDataAnnotator.describe(&part, value, of: .attestation, in: bytes)
            default: break
            }
        }
        contents.annotations = [root]
        contents.annotations.appendRest(of: bytes, at: end..<bytes.count, shown: 64, violation: "nothing may follow")
        contents.unknown = ["anything of an app: WebAuthn is about users and web sites, and Assay verifies no passkeys"]
        return contents
    }

    private static func describe(_ annotation: inout Annotation, _ node: CBORNode, _ bytes: [UInt8]) {
        annotation.meaning = meaning(of: annotation.name, in: members) ?? annotation.meaning
        guard annotation.name.isByteEqual(to: "x5c"), case .array(let items) = node.content else { return }
        for (index, item) in zip(annotation.children.indices, items) {
            guard let range = item.byteRange else { continue }
            annotation.children[index] = CertificateAnnotator.annotate(bytes, at: range, named: "[\(index)]")
        }
    }

    private static func meaning(of name: String, in table: [(name: String, meaning: String)]) -> String? {
        table.first { $0.name.isByteEqual(to: name) }?.meaning
    }
}
