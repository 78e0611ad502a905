import Assay
import AssayTesting
import Foundation

do {
    let authority = try TestAuthority(notBefore: Date(timeIntervalSinceNow: -86_400))
    try authority.rootPEM.write(toFile: "test-root.pem", atomically: true, encoding: .utf8)
    let backend = try Backend()
    var phone = TestPhone(authority: authority)

    func show(_ what: String, _ verdict: Verdict) {
        print("\(what): \(verdict.outcome)", verdict.failed.map(\.name).joined(separator: ", "))
    }

    // Once: the phone attests its key.
    let challenge = try await backend.attestationChallenge()
    let attested = try phone.attest(challenge)
    show(
        "attestation",
        try await backend.register(keyID: attested.keyID, attestation: attested.attestation, challenge: challenge))

    // For each request: the phone signs the body, with a challenge in it.
    let body = #"{"challenge": "\#(try await backend.assertionChallenge())", "item": "tea", "count": 2}"#
    let signed = try phone.sign(body)
    show("order", try await backend.order(keyID: signed.keyID, assertion: signed.assertion, body: body))

    // An attacker sends the same request again, and then with another body.
    show("order again", try await backend.order(keyID: signed.keyID, assertion: signed.assertion, body: body))
    let altered = body.replacing("\"count\": 2", with: "\"count\": 200")
    show("altered order", try await backend.order(keyID: signed.keyID, assertion: signed.assertion, body: altered))
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
