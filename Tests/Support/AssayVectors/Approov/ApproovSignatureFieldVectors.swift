import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Messages whose signature fields are not strict structured fields, or lack exactly one signature with the policy's
/// label.
extension ApproovVectorMint {
    private func minted(
        _ id: String, app: String = "signed", _ change: @escaping (inout MintedApproovMessage) -> Void
    ) -> VectorCase { message("decode-\(id)", app: app, .reject("message.decode"), minted: change) }

    private func input(_ id: String, _ change: @escaping (String) -> String) -> VectorCase {
        minted("input-\(id)") { $0.changeInput(change) }
    }

    private func signature(_ id: String, _ change: @escaping (String) -> String) -> VectorCase {
        minted("signature-\(id)") { $0[field: "Signature"] = $0[field: "Signature"].map(change) }
    }

    private func signed(
        _ id: String, app: String = "signed",
        _ change: @escaping (inout ApproovMessageBlueprint) throws(MintingError) -> Void
    ) -> VectorCase { message("decode-\(id)", app: app, .reject("message.decode"), change: change) }

    var messageDecode: [VectorCase] {
        let installation = current.installationKey
        func parameter(_ id: String, _ name: String, _ value: StructuredBareItem) -> VectorCase {
            signed("parameter-\(id)") { $0.signing[parameter: name] = value }
        }
        func length(_ id: String, app: String = "signed", _ change: @escaping @Sendable ([UInt8]) -> [UInt8])
            -> VectorCase
        { signed("length-\(id)", app: app) { $0.signing.changeSignature = change } }
        return [
            minted("unsigned") {
                $0[field: "Signature-Input"] = nil
                $0[field: "Signature"] = nil
            },
            minted("without-input") { $0[field: "Signature-Input"] = nil },
            minted("without-signature") { $0[field: "Signature"] = nil }, input("empty") { _ in "" },
            signature("empty") { _ in "" },
            minted("both-empty") {
                $0[field: "Signature-Input"] = ""
                $0[field: "Signature"] = ""
            },
            signed("label-another") { $0.signing.label = "sig1" },
            signed("label-of-the-other-signer") { $0.signing.label = "account" },
            signed("label-in-other-words") { $0.signing.label = "installation" },
            input("label-another") { $0.replacing("install=", with: "other=") },
            signature("label-another") { $0.replacing("install=", with: "other=") },
            input("label-in-other-case") { $0.replacing("install=", with: "Install=") },
            // An installation's signature where the policy demands the account's.
            message("decode-installation-where-accounts-sign", app: "signed-account", .reject("message.decode")) {
                $0 = ApproovMessageBlueprint(
                    method: $0.method, targetURI: $0.targetURI, token: $0.fields[0].value,
                    signer: .installation(installation), createdAt: time)
            },
            input("label-twice") { "\($0), \($0)" }, signature("label-twice") { "\($0), \($0)" },
            input("label-twice-differing") { $0 + ", install=()" },
            signature("label-twice-differing") { $0 + ", install=:AAAA:" },
            minted("input-twice") { $0.fields.append(HTTPMessageParts.Field("Signature-Input", "install=()")) },
            minted("signature-twice") { $0.fields.append(HTTPMessageParts.Field("signature", "install=:AAAA:")) },
            input("component-twice") { $0.replacing("\"@method\"", with: "\"@method\" \"@method\"") },
            input("parameter-twice") { $0 + ";created=1" }, input("algorithm-twice") { $0 + ";alg=\"none\"" },
            input("component-parameter-twice") { $0.replacing("\"@method\"", with: "\"@method\";req;req") },
            parameter("unknown", "x", .integer(1)), parameter("algorithm-none", "alg", .string("none")),
            parameter("algorithm-of-accounts", "alg", .string("hmac-sha256")),
            parameter("algorithm-p384", "alg", .string("ecdsa-p384-sha384")),
            parameter("algorithm-in-other-case", "alg", .string("ECDSA-P256-SHA256")),
            parameter("algorithm-empty", "alg", .string("")),
            input("parameter-algorithm-as-token") { $0.replacing("\"ecdsa-p256-sha256\"", with: "ecdsa-p256-sha256") },
            input("parameter-created-text") { replaced($0, "created", "\"1\"") },
            input("parameter-created-decimal") { replaced($0, "created", "1.5") },
            input("parameter-created-flag") { replaced($0, "created", "?1") },
            input("parameter-created-date") { replaced($0, "created", "@1") },
            input("parameter-created-of-16-digits") { replaced($0, "created", "1000000000000000") },
            input("parameter-expires-text") { replaced($0, "expires", "\"1\"") },
            input("parameter-nonce-number") { $0 + ";nonce=1" }, input("parameter-key-id-token") { $0 + ";keyid=a" },
            input("parameter-tag-alone") { $0 + ";tag" },
            message("decode-algorithm-of-installations", app: "signed-account", .reject("message.decode")) {
                $0.signing[parameter: "alg"] = .string("ecdsa-p256-sha256")
            },
            input("no-dictionary") { _ in "(\"@method\")" }, input("item") { _ in "install=\"@method\"" },
            input("not-closed") { $0.replacing(")", with: "") },
            input("with-tab-inside") { $0.replacing(" ", with: "\t") },
            input("component-as-token") { $0.replacing("\"@method\"", with: "method") },
            input("with-comma-at-its-end") { $0 + "," }, input("with-letter-beyond-ascii") { $0 + ";tag=\"é\"" },
            input("folded") { $0.replacing("\" \"", with: "\"\r\n \"") }, input("with-nul") { $0 + "\u{0}" },
            input("of-100-components") { input in
                input.replacing(")", with: (0..<100).map { " \"x-\($0)\"" }.joined() + ")")
            },
            input("of-64-kibibytes") { $0 + ";tag=\"" + String(repeating: "a", count: 65_536) + "\"" },
            signature("as-string") { $0.replacing(":", with: "\"") },
            signature("as-token") { _ in "install=AAAA" },
            signature("as-list") { $0.replacing("=:", with: "=(:") + ")" },
            signature("base64url") { $0.replacing("=:", with: "=:-_") },
            signature("without-padding") { $0.replacing("==", with: "") },
            signature("with-space-inside") { $0.replacing("=:", with: "=: ") },
            signature("not-closed") { String($0.dropLast()) },
            signed("in-der") { $0.writeSignature = { $0.der } }, length("0") { _ in [] },
            length("63") { $0.dropLast() }, length("65") { $0 + [0] }, length("65-with-leading-zero") { [0] + $0 },
            length("128") { $0 + $0 }, length("32") { Array($0.prefix(32)) },
            length("of-account-16", app: "signed-account") { Array($0.prefix(16)) },
            length("of-account-0", app: "signed-account") { _ in [] },
            length("of-account-64", app: "signed-account") { $0 + $0 },
        ]
    }

    private func replaced(_ input: String, _ name: String, _ value: String) -> String {
        input.split(separator: ";").map { $0.hasPrefix("\(name)=") ? "\(name)=\(value)" : String($0) }
            .joined(separator: ";")
    }
}
