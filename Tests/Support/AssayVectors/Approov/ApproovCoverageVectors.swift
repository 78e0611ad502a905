import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Messages whose signature covers too little or a forbidden component, and messages with another body than the signed
/// one.
extension ApproovVectorMint {
    var messageComponents: [VectorCase] { missing + parameters + absent }

    /// A message with a valid signature over the given components.
    private func covering(
        _ id: String, app: String = "signed", isPost: Bool = false, _ components: [SignatureComponent]
    ) -> VectorCase {
        message("components-\(id)", app: app, .reject("message.components"), isPost: isPost) {
            $0.signing.components = components
        }
    }

    private func names(_ names: String...) -> [SignatureComponent] { names.map { SignatureComponent($0) } }

    private var missing: [VectorCase] {
        [
            covering("none", []), covering("without-method", names("@target-uri", "approov-token")),
            covering("without-target-uri", names("@method", "approov-token")),
            covering("without-token", names("@method", "@target-uri")),
            covering("path-in-place-of-uri", names("@method", "@path", "approov-token")),
            covering("none-of-account", app: "signed-account", []),
            covering("without-digest", isPost: true, names("@method", "@target-uri", "approov-token")),
            covering("without-query", app: "signed-more", names("@method", "@authority", "@path", "approov-token")),
            message("components-body-without-digest", .reject("message.components"), isPost: true) {
                $0.contentDigest = ""
            },
            // The digest was added in transit.
            message(
                "components-digest-added", .reject("message.components"), isPost: true,
                change: { $0.contentDigest = "" },
                minted: {
                    $0.fields.append(
                        HTTPMessageParts.Field(
                            "Content-Digest", "sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:"))
                }),
            message("components-body-added", .reject("message.components"), minted: { $0.body = Array("x".utf8) }),
            message("components-fragment", .reject("message.components")) { $0.targetURI += "#part" },
        ]
    }

    /// Components with parameters, which stand for something other than the plain field.
    private var parameters: [VectorCase] {
        func parameter(_ id: String, _ name: String, _ key: String, _ value: StructuredBareItem = .boolean(true))
            -> VectorCase
        {
            covering(
                "parameter-\(id)", isPost: true,
                names("@method", "@target-uri", "approov-token", "content-digest").map {
                    $0.name == name ? SignatureComponent(name, [StructuredParameter(key, value)]) : $0
                })
        }
        return [
            parameter("bs", "approov-token", "bs"), parameter("sf", "content-digest", "sf"),
            parameter("key", "content-digest", "key", .string("sha-256")),
        ] + changed
    }

    /// Components that cannot be signed, because the message does not have them.
    private var changed: [VectorCase] {
        func input(_ id: String, _ old: String, _ new: String) -> VectorCase {
            message(
                "components-\(id)", .reject("message.components"),
                minted: { $0.changeInput { $0.replacing(old, with: new) } })
        }
        return [
            input("parameter-req", "\"@method\"", "\"@method\";req"),
            input("parameter-tr", "\"approov-token\"", "\"approov-token\";tr"),
            input("parameter-unknown", "\"approov-token\"", "\"approov-token\";x"),
            input("parameter-name", "\"@method\"", "\"@method\";name=\"a\""),
            input("both-forms", "\"approov-token\"", "\"approov-token\";bs;sf"),
            input("derived-unknown", "\"@method\"", "\"@method\" \"@body\""),
            input("status-of-a-request", "\"@method\"", "\"@method\" \"@status\""),
            input("parameters-themselves", "\"@method\"", "\"@method\" \"@signature-params\""),
            input("name-in-upper-case", "\"approov-token\"", "\"Approov-Token\""),
            input("name-empty", "\"@method\"", "\"@method\" \"\""),
        ]
    }

    private var absent: [VectorCase] {
        [
            message(
                "components-field-removed", .reject("message.components"), isPost: true,
                minted: { $0[field: "Content-Digest"] = nil }),
            message("components-uri-empty", .reject("message.components"), minted: { $0.targetURI = "" }),
            message(
                "components-field-missing", .reject("message.components"),
                minted: { $0.changeInput { $0.replacing(")", with: " \"x-missing\")") } }),
            message(
                "components-query-parameter-missing", .reject("message.components"),
                minted: { $0.changeInput { $0.replacing(")", with: " \"@query-param\";name=\"z\")") } }),
        ]
    }

    private func body(_ id: String, _ change: @escaping (inout MintedApproovMessage) -> Void) -> VectorCase {
        message("body-\(id)", .reject("message.content-digest"), isPost: true, minted: change)
    }

    var messageContentDigest: [VectorCase] {
        let digest = "k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg="
        func field(
            _ id: String, _ value: String, _ outcome: VectorOutcome = .reject("message.content-digest")
        ) -> VectorCase {
            message("digest-\(id)", outcome, isPost: true) { $0.contentDigest = value }
        }
        return [
            body("changed") { $0.body = $0.body.flippingLastBit() }, body("longer") { $0.body += [0x0A] },
            body("shorter") { $0.body = $0.body.dropLast() }, body("removed") { $0.body = [] },
            body("exchanged") { $0.body = Array("{}".utf8) },
            // A field that is signed as it is and does not cover the body.
            field("of-nothing", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"),
            field("of-an-old-algorithm", "md5=:AAAAAAAAAAAAAAAAAAAAAA==:"),
            field("of-an-unknown-algorithm", "sha-1024=:\(digest):"),
            field("algorithm-in-other-case", "SHA-256=:\(digest):"), field("cut", "sha-256=:AAAA:"),
            field("too-long", "sha-256=:\(digest.dropLast())A:"),
            field("as-string", "sha-256=\"\(digest)\""), field("as-hexadecimal", "sha-256=93a239"),
            field("without-padding", "sha-256=:\(digest.dropLast()):"),
            field("twice", "sha-256=:\(digest):, sha-256=:\(digest):"),
            field("no-dictionary", ":\(digest):"),
            field("second-wrong", "sha-256=:\(digest):, sha-512=:\(String(repeating: "A", count: 86))==:"),
            field("first-wrong", "sha-256=:\(String(repeating: "A", count: 43))=:, sha-256-more=:\(digest):"),
            // Unsupported digests are ignored.
            field("with-an-unknown-one-beside", "sha-1024=:AAAA:, sha-256=:\(digest):", .accept),
        ]
    }
}
