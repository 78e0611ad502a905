import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Genuine signed messages in every form that apps send, and changes in transit that do not make a message invalid.
extension ApproovVectorMint {
    var messageAccept: [VectorCase] {
        let another = HTTPMessageParts.Field("X-Other", "1")
        return [
            message("accepted-get", .accept), message("accepted-post", .accept, isPost: true),
            message("accepted-account", app: "signed-account", .accept),
            message("accepted-account-post", app: "signed-account", .accept, isPost: true),
            message("accepted-encrypted-token", app: "signed-sealed", .accept, token: { $0.form = .encrypted }),
            message(
                "accepted-bound", app: "signed-bound", .accept,
                change: { $0.fields.append(HTTPMessageParts.Field("Authorization", "Bearer myauth_token")) },
                token: { $0.claims.bind(to: ["Bearer myauth_token"]) }),
            message("accepted-more-components", app: "signed-more", .accept, isPost: true) {
                $0.fields.append(HTTPMessageParts.Field("Content-Type", "application/json"))
                $0.signing.components = [
                    "@method", "@authority", "@path", "@query", "approov-token", "content-type", "content-digest",
                ].map { SignatureComponent($0) }
            },
            message("accepted-prefixed", app: "signed-prefixed", .accept) {
                $0.fields = [HTTPMessageParts.Field("Authorization", "Bearer \($0.fields[0].value)")]
                $0.signing.components = ["@method", "@target-uri", "authorization"].map { SignatureComponent($0) }
            },
            message("accepted-sha-512", .accept, isPost: true) { $0.digests = [.sha512] },
            message("accepted-both-digests", .accept, isPost: true) { $0.digests = [.sha256, .sha512] },
            message("accepted-digest-of-nothing", .accept) {
                $0.contentDigest = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
            },
            message("accepted-without-algorithm", .accept) { $0.signing[parameter: "alg"] = nil },
            message("accepted-without-expires", .accept) { $0.signing[parameter: "expires"] = nil },
            message("accepted-with-nonce-tag-and-key-id", .accept) {
                $0.signing[parameter: "nonce"] = .string("n")
                $0.signing[parameter: "tag"] = .string("t")
                $0.signing[parameter: "keyid"] = .string("../../k")
            },
            message("accepted-components-in-other-order", .accept) {
                $0.signing.components = ["approov-token", "@target-uri", "@method"].map { SignatureComponent($0) }
            },
            // Unsigned fields may be added in transit.
            message("accepted-field-added", .accept, minted: { $0.fields.append(another) }),
            message("accepted-fields-in-other-order", .accept, minted: { $0.fields.reverse() }),
            message(
                "accepted-field-names-in-other-case", .accept,
                minted: { $0.fields = $0.fields.map { HTTPMessageParts.Field($0.name.uppercased(), $0.value) } }),
            message(
                "accepted-with-white-space", .accept,
                minted: { $0.fields = $0.fields.map { HTTPMessageParts.Field($0.name, " \t\($0.value) ") } }),
            // A proxy signs too.
            message(
                "accepted-another-label-beside", .accept,
                minted: {
                    $0.fields.append(HTTPMessageParts.Field("Signature-Input", "proxy=();created=1;x"))
                    $0.fields.append(HTTPMessageParts.Field("Signature", "proxy=:AAAA:"))
                }),
            message("accepted-with-s-as-n-minus-s", .accept) {
                $0.writeSignature = { $0.isHighS ? $0.withLowS.concatenated : $0.withHighS.concatenated }
            },
            message("accepted-target-uri-with-everything", .accept) {
                $0.targetURI = "HTTPS://API.example.com:443/a%2Fb/../c?x=%20+&y&&z=%C3%A9"
            },
        ]
    }

    /// Known deviations of clients, under a policy that accepts them and under one that does not.
    var messageQuirks: [VectorCase] {
        func quirk(
            _ id: String, isPost: Bool = false, _ outcome: VectorOutcome,
            _ change: @escaping (inout ApproovMessageBlueprint) throws(MintingError) -> Void
        ) -> [VectorCase] {
            [
                message("quirk-\(id)-taken", app: "signed-leniently", .accept, isPost: isPost, change: change),
                message("quirk-\(id)", outcome, isPost: isPost, change: change),
            ]
        }
        func components(_ names: String...) -> [SignatureComponent] { names.map { SignatureComponent($0) } }
        return quirk("signature-as-string", .reject("message.decode")) {
            $0.signing.changeSignatureField = { $0.replacing(":", with: "\"") }
        }
            + quirk("digest-as-string", isPost: true, .reject("message.content-digest")) {
                $0.contentDigest = "sha-256=\"k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=\""
            }
            + quirk("authority-without-port", .reject("message.components", "message.signature")) {
                $0.targetURI = "https://api.example.com:8443/v1/items"
                $0.signedTargetURI = "https://api.example.com/v1/items"
                $0.signing.rules.authorityWithoutPort = true
                $0.signing.components = components("@method", "@authority", "@path", "approov-token")
            }
            + quirk("target-uri-with-fragment", .reject("message.components")) {
                $0.targetURI = "https://api.example.com/v1/items#part"
            }
    }
}
