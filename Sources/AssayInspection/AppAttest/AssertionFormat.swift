import AppAttest
import AssayCore
import AssayPrimitives

/// An assertion: the result of `generateAssertion`.
enum AssertionFormat: BlobFormat {
    static let name = "App Attest assertion"

    private static let keys = ["signature", "authenticatorData"]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let first = bytes.first, first >> 5 == 5 else { return nil }
        let node = LenientCBOR.read(bytes[...]).node
        let found = keys.filter { node[$0] != nil }
        guard !found.isEmpty else { return nil }
        return Recognition(
            found.count == keys.count ? .certain : .structure,
            because: "it is a CBOR map with \(found.joined(separator: " and "))")
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
        if end < bytes.count {
            annotations.append(
                Annotation(
                    "rest", at: end..<bytes.count, value: Hexadecimal.text(bytes[end...].prefix(64)),
                    violation: "nothing may follow"))
        }
        return BlobContents(
            annotations,
            unknown: [
                "whether the signature holds: that takes the enrolled key and the client data", Unknowable.appID,
                "which key signed it: an assertion does not name its key, the app sends the key identifier beside it",
                "whether the counter is greater than the last one: the ledger knows",
            ])
    }

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try AssertionEvidence(bytes)
            return nil
        } catch {
            return error
        }
    }
}
