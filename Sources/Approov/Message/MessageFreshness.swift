package import AssayCore
import AssayPrimitives
import FoundationEssentials

extension ApproovCheck {
    /// The signature is recent.
    package static let freshness = CheckID("approov.message.freshness")

    static let freshnessEntry = CheckDefinition(
        freshness, .gate,
        proves: "The signature was made within the policy's window and has not expired.",
        stops: "Messages that were collected earlier.",
        lookAt: "`freshness` in the policy; the clocks of server and device.",
        source: "RFC 9421 sections 2.3 and 7.2.2",
        remedy: .retry,
        codes: [.createdMissing, .signatureTooOld, .signatureFromTheFuture, .expiresBeforeCreated, .signatureExpired])
}

/// The creation time and expiry of a message's signature (RFC 9421 sections 2.3 and 7.2.2).
struct MessageFreshness {
    let created: Int64?
    let expires: Int64?
    let window: MessageSigning.Freshness
    let now: Date

    /// Demands a creation time inside the policy's window, ends included, and no expiry up to the time of judgement.
    func demand() throws(CheckFailure) {
        let present = now.timeIntervalSince1970
        guard let created else {
            throw CheckFailure(.createdMissing, "the signature does not say when it was made")
        }
        let age = present - Double(created)
        guard age <= window.past else {
            throw CheckFailure(
                .signatureTooOld,
                "the signature was made \(Self.seconds(age)) before the time of judgement, allowed are "
                    + "\(Self.seconds(window.past))")
        }
        guard -age <= window.future else {
            throw CheckFailure(
                .signatureFromTheFuture,
                "the signature was made \(Self.seconds(-age)) after the time of judgement, allowed are "
                    + "\(Self.seconds(window.future))")
        }
        guard let expires else { return }
        guard created < expires else {
            throw CheckFailure(.expiresBeforeCreated, "the signature expired before it was made, or just then")
        }
        guard present < Double(expires) else {
            throw CheckFailure(
                .signatureExpired,
                "the signature expired \(Self.seconds(present - Double(expires))) before the time of judgement")
        }
    }

    private static func seconds(_ value: Double) -> String {
        // Integers in structured fields have at most 15 digits, so a double is exact.
        "\((value * 1000).rounded() / 1000) s"
    }
}

extension CheckCode {
    fileprivate static let createdMissing = CheckCode(
        "created-missing", "The signature does not state when it was made: set the app up to write `created`.",
        remedy: .nothing)
    fileprivate static let signatureTooOld = CheckCode(
        "too-old", "The signature was made before the policy's window: a replay, a slow client or a wrong clock.")
    fileprivate static let signatureFromTheFuture = CheckCode(
        "from-the-future",
        "The signature was made after the time of judgement: compare the clocks of device and server.")
    fileprivate static let expiresBeforeCreated = CheckCode(
        "expires-before-created", "The signature's `expires` is not after its `created`: a defect of the client.",
        remedy: .nothing)
    fileprivate static let signatureExpired = CheckCode(
        "expired", "The signature's own `expires` has passed: a replay, a slow client or a wrong clock.")
}
