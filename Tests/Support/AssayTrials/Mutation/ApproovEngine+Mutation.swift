import AndroidKey
import AppAttest
import Approov
import Assay
import AssayCore
import AssayPrimitives
import PlayIntegrity

extension ApproovEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "address-is-a-signal", EvidenceKind.approovToken, EvidenceKind.approovMessage, EvidenceKind.approovText,
            reason: "the address that a token names is compared and noted, and never rejects"
        ) { $0.path.description == "address" },
        DontCare(
            "space-around-bound-value", EvidenceKind.approovToken, EvidenceKind.approovText,
            reason: "white space around the value of a header field is no part of it, RFC 9110 section 5.5"
        ) { mutant in
            guard mutant.path.shape == "binding[]", let (old, new) = bindings(mutant), old.count == new.count else {
                return false
            }
            return old != new
                && zip(old, new).allSatisfy { HTTPFieldText.trimmed($0).isByteEqual(to: HTTPFieldText.trimmed($1)) }
        },
        DontCare(
            "failover-is-bound-to-nothing", EvidenceKind.approovToken,
            reason: "a token of the failover service names no device and no binding, and the policy accepts it"
        ) { mutant in
            guard mutant.path.shape == "binding[]", case .text(let token)? = mutant.record.evidence["token"]?.content,
                let jws = try? CompactJWS(Array(token.utf8), limit: InputLimits.joseText),
                let claims = try? JSONReader.readObject(jws.payload, limit: InputLimits.joseText)
            else { return false }
            return claims["did"] == nil && claims["pay"] == nil
        },
        DontCare(
            "account-wide-token", EvidenceKind.approovToken, EvidenceKind.approovMessage, EvidenceKind.approovText,
            EvidenceKind.approovProof,
            reason:
                "Approov's keys and tokens are those of an account, and name no API: apps of a policy that share keys "
                + "accept each other's"
        ) { mutant in
            guard mutant.donor != nil else { return false }
            return ["app", "token", "loggable"].contains(mutant.path.description)
        },
        DontCare(
            "sealed-by-other", EvidenceKind.approovProof,
            reason:
                "each holder of the public key of the hardware seals measurements: another measurement token with the same "
                + "measurements says the same"
        ) { mutant in mutant.donor != nil && mutant.path.description == "sealed" },
        DontCare(
            "loggable-says-the-same", EvidenceKind.approovToken,
            reason:
                "a loggable token is JSON that nobody signs as text: white space in it and the writing of escapes say "
                + "nothing"
        ) { mutant in
            guard mutant.path.description == "loggable", let (old, new) = mutant.texts("loggable"),
                let said = try? JSONReader.read(Array(old.utf8), limit: InputLimits.joseText),
                let says = try? JSONReader.read(Array(new.utf8), limit: InputLimits.joseText)
            else { return false }
            return RecordJSON.text(said.content) == RecordJSON.text(says.content)
        },
        DontCare(
            "token-prefix", EvidenceKind.approovToken, EvidenceKind.approovText,
            reason: "the token may come with the prefix of its field or without"
        ) { mutant in
            guard mutant.path.description == "token", let (old, new) = mutant.texts("token") else { return false }
            return withoutPrefix(old, mutant).isByteEqual(to: withoutPrefix(new, mutant))
        },
        DontCare(
            "field-name-case", EvidenceKind.approovMessage, EvidenceKind.appAttestRequest,
            EvidenceKind.playIntegrityRequest, EvidenceKind.androidKeyRequest,
            reason: "the case of field names says nothing, RFC 9110 section 5.1"
        ) { mutant in
            let (old, new) = (HeaderLine.all(of: mutant.vector.record), HeaderLine.all(of: mutant.record))
            let differing = zip(old, new).filter { $0 != $1 }
            return isSameOtherwise(mutant) && old.count == new.count && !differing.isEmpty
                && differing.allSatisfy { HTTPFieldText.isName($0.name, equalTo: $1.name) && $0.value == $1.value }
        },
        DontCare(
            "space-in-fields", EvidenceKind.approovMessage, EvidenceKind.appAttestRequest,
            EvidenceKind.playIntegrityRequest, EvidenceKind.androidKeyRequest,
            reason:
                "white space around the values of fields and between the components of Signature-Input says nothing, "
                + "RFC 9110 section 5.5 and RFC 9651 section 4.2.1.2; the base has one form"
        ) { mutant in
            let (old, new) = (HeaderLine.all(of: mutant.vector.record), HeaderLine.all(of: mutant.record))
            let differing = zip(old, new).filter { $0 != $1 }
            return isSameOtherwise(mutant) && old.count == new.count && !differing.isEmpty
                && differing.allSatisfy { $0.name == $1.name && withoutSpaces($0.value) == withoutSpaces($1.value) }
        },
        DontCare(
            "field-not-covered", EvidenceKind.approovMessage, EvidenceKind.appAttestRequest,
            EvidenceKind.playIntegrityRequest, EvidenceKind.androidKeyRequest,
            reason:
                "fields that the policy does not demand, the signature does not cover and nothing reads, and signatures "
                + "with other labels"
        ) { mutant in
            let old = HeaderLine.all(of: mutant.vector.record)
            return isSameOtherwise(mutant) && old != HeaderLine.all(of: mutant.record)
        },
        DontCare(
            "target-not-covered", EvidenceKind.approovMessage, EvidenceKind.appAttestRequest,
            EvidenceKind.playIntegrityRequest, EvidenceKind.androidKeyRequest,
            reason:
                "parts of the URI that the policy does not demand and the signature does not cover, the case of a host that is "
                + "covered as @authority, and the port where the policy takes clients that leave it out"
        ) { mutant in
            mutant.path.description == "targetURI" && isSameOtherwise(mutant)
        },
        DontCare(
            "other-measurement", EvidenceKind.approovProof,
            reason: "a proof is of one measurement, and the other one has no part in it"
        ) { mutant in
            let path = mutant.path.description
            guard ["measurements.imh", "measurements.dmh"].contains(path),
                case .object(let measurements)? = mutant.record.evidence["measurements"]?.content
            else { return false }
            let other = path == "measurements.imh" ? "dmh" : "imh"
            guard let key = bytes(measurements["mpk"]), let nonce = bytes(mutant.record.evidence["nonce"]),
                let proof = bytes(mutant.record.evidence["proof"]), let measurement = bytes(measurements[other])
            else { return false }
            return ConstantTime.equals(HMAC.sha256(key: key, nonce + measurement), proof)
        },
    ]

    /// Whether the signed or evaluated parts of the message are unchanged.
    private static func isSameOtherwise(_ mutant: Mutant) -> Bool {
        SignedView.both(mutant).map { $0.old == $0.new } ?? false
    }

    /// The token text without the prefix that the app's policy demands.
    private static func withoutPrefix(_ text: String, _ mutant: Mutant) -> String {
        let app = mutant.vector.policy.apps.first { $0.name == mutant.record.app }
        guard let prefix = app?.configuration(ApproovConfiguration.self)?.tokenPrefix,
            text.hasPrefix(prefix)
        else { return text }
        return HTTPFieldText.trimmed(String(text.dropFirst(prefix.count)))
    }

    private static func bytes(_ value: RecordValue?) -> [UInt8]? {
        guard case .text(let text)? = value?.content else { return nil }
        return try? Base64.decode(text, .standard)
    }

    private static func bindings(_ mutant: Mutant) -> ([String], [String])? {
        guard let old = texts(mutant.vector.record.evidence["binding"]),
            let new = texts(mutant.record.evidence["binding"])
        else { return nil }
        return (old, new)
    }

    private static func texts(_ value: RecordValue?) -> [String]? {
        guard case .array(let values)? = value?.content else { return nil }
        return values.map { if case .text(let text) = $0.content { text } else { "" } }
    }

    private static func withoutSpaces(_ text: String) -> [UInt8] {
        text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    }
}

extension RecordJSON {
    /// The canonical text of a value.
    fileprivate static func text(_ content: RecordValue.Content) -> [UInt8] {
        var bytes: [UInt8] = []
        append(content, to: &bytes)
        return bytes
    }
}
