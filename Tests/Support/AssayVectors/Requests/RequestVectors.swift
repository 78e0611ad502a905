import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Requests with evidence, each of which fails one check of its signature. All engines share them.
struct RequestVectors {
    typealias Change = (inout SignedRequestBlueprint) -> Void
    typealias Minted = (inout MintedRequest) -> Void

    /// The time of receipt.
    let time: Date
    /// Makes a case from a genuine request. The outcome has the names of checks without the engine's prefix.
    let make:
        (_ id: String, VectorOutcome, _ body: [UInt8], _ change: @escaping Change, _ minted: @escaping Minted) ->
            VectorCase

    static let body = Array(#"{"amount":42}"#.utf8)

    private func signed(_ id: String, _ check: String, hasBody: Bool = false, _ change: @escaping Change) -> VectorCase
    {
        make(id, .reject("request.\(check)"), hasBody ? Self.body : [], change) { _ in }
    }

    private func sent(_ id: String, _ check: String, hasBody: Bool = false, _ minted: @escaping Minted) -> VectorCase {
        make(id, .reject("request.\(check)"), hasBody ? Self.body : [], { _ in }, minted)
    }

    private var created: Int64 { Int64(time.timeIntervalSince1970.rounded(.down)) }

    var accepted: [VectorCase] {
        func accept(
            _ id: String, hasBody: Bool = false, _ change: @escaping Change = { _ in },
            minted: @escaping Minted = { _ in }
        ) -> VectorCase { make(id, .accept, hasBody ? Self.body : [], change, minted) }
        let (oldest, newest) = (created - 60, created + 15)
        let soon = created + 1
        return [
            accept("get"), accept("post", hasBody: true),
            accept("with-sha-512", hasBody: true, { $0.digests = [.sha512] }),
            accept("with-both-digests", hasBody: true, { $0.digests = [.sha256, .sha512] }),
            accept("covering-fields") {
                $0.fields = [HTTPMessageParts.Field("Authorization", "Bearer session")]
                $0.signing.components = ["@method", "@target-uri", "authorization"].map { SignatureComponent($0) }
            },
            accept("with-uncovered-field", minted: { $0[field: "Accept"] = "*/*" }),
            accept(
                "beside-another-signature",
                minted: { request in
                    request.changeFields {
                        $0 + ", proxy=(\"@method\");created=1;tag=\"x\""
                    } _: {
                        $0 + ", proxy=:AAAA:"
                    }
                }),
            accept("with-nonce") { $0.signing[parameter: "nonce"] = .string("any") },
            accept("at-the-end-of-the-window") { $0.signing[parameter: "created"] = .integer(oldest) },
            accept("ahead-at-the-end-of-the-window") { $0.signing[parameter: "created"] = .integer(newest) },
            accept("expiring-in-a-second") { $0.signing[parameter: "expires"] = .integer(soon) },
        ]
    }

    var decode: [VectorCase] {
        func parameter(_ id: String, _ name: String, _ value: StructuredBareItem?) -> VectorCase {
            signed("parameter-\(id)", "decode") { $0.signing[parameter: name] = value }
        }
        return [
            sent("unsigned", "decode") {
                $0[field: "Signature-Input"] = nil
                $0[field: "Signature"] = nil
            },
            sent("without-input", "decode") { $0[field: "Signature-Input"] = nil },
            sent("without-signature", "decode") { $0[field: "Signature"] = nil },
            sent("input-empty", "decode") {
                $0[field: "Signature-Input"] = ""
                $0[field: "Signature"] = ""
            },
            sent("label-of-another-input", "decode") {
                $0.changeFields({ $0.replacing("assay=", with: "other=") }) { $0 }
            },
            sent("label-of-another-signature", "decode") {
                $0.changeFields({ $0 }) { $0.replacing("assay=", with: "other=") }
            },
            signed("label-another", "decode") { $0.signing.label = "install" },
            sent("label-twice", "decode") { $0.changeFields({ "\($0), \($0)" }) { $0 } },
            sent("signature-as-string", "decode") { $0.changeFields({ $0 }) { _ in "assay=\"AAAA\"" } },
            parameter("unknown", "x", .integer(1)), parameter("algorithm", "alg", .string("ecdsa-p256-sha256")),
            parameter("tag-absent", "tag", nil), parameter("tag-of-another-engine", "tag", .string("android-key")),
            parameter("tag-in-upper-case", "tag", .string("APP-ATTEST")),
        ]
    }

    var components: [VectorCase] {
        func covering(_ id: String, hasBody: Bool = false, _ names: String...) -> VectorCase {
            signed(id, "components", hasBody: hasBody) {
                $0.signing.components = names.map { SignatureComponent($0) }
            }
        }
        return [
            covering("covers-nothing"), covering("without-method", "@target-uri"),
            covering("without-target-uri", "@method"), covering("path-in-place-of-uri", "@method", "@path"),
            covering("without-digest", hasBody: true, "@method", "@target-uri"),
            signed("body-without-digest", "components", hasBody: true) { $0.contentDigest = "" },
            sent("body-added", "components") { $0.body = Self.body },
            signed("fragment", "components") { $0.targetURI += "#part" },
            signed("component-with-parameter", "components", hasBody: true) {
                $0.signing.components = [
                    SignatureComponent("@method"), SignatureComponent("@target-uri"),
                    SignatureComponent("content-digest", [StructuredParameter("sf", .boolean(true))]),
                ]
            },
            sent("covered-field-removed", "components", hasBody: true) { $0[field: "Content-Digest"] = nil },
        ]
    }

    var freshness: [VectorCase] {
        func at(_ id: String, created: Int64?, expires: Int64? = nil) -> VectorCase {
            signed(id, "freshness") {
                $0.signing[parameter: "created"] = created.map { .integer($0) }
                $0.signing[parameter: "expires"] = expires.map { .integer($0) }
            }
        }
        return [
            at("created-absent", created: nil), at("too-old", created: created - 61),
            at("from-the-future", created: created + 16), at("expired", created: created - 2, expires: created),
            at("expires-before-created", created: created, expires: created),
        ]
    }

    var digests: [VectorCase] {
        [
            sent("body-changed", "content-digest", hasBody: true) { $0.body = Array(#"{"amount":43}"#.utf8) },
            sent("body-removed", "content-digest", hasBody: true) { $0.body = [] },
            signed("digest-of-unknown-algorithm", "content-digest", hasBody: true) {
                $0.contentDigest = "md5=:XrY7u+Ae7tCTyyK7j1rNww==:"
            },
            signed("digest-malformed", "content-digest", hasBody: true) { $0.contentDigest = "sha-256=x" },
        ]
    }
}

extension MintedRequest {
    /// Changes the two fields of the signature after signing.
    mutating func changeFields(_ input: (String) -> String, _ signature: (String) -> String) {
        self[field: "Signature-Input"] = self[field: "Signature-Input"].map(input)
        self[field: "Signature"] = self[field: "Signature"].map(signature)
    }
}
