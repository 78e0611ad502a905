import AssayCore
import AssayPrimitives
import FoundationEssentials

/// When the signature of a message was made and when it ends (RFC 9421 sections 2.3 and 7.2.2).
struct MessageFreshness {
    let created: Int64?
    let expires: Int64?
    let window: MessageSigning.Freshness
    let now: Date

    /// It was made inside the policy's window, both ends included, and has not expired: at `expires` it has.
    func demand() throws(CheckFailure) {
        let present = now.timeIntervalSince1970
        guard let created else {
            throw CheckFailure("created-missing", "the signature does not say when it was made")
        }
        let age = present - Double(created)
        guard age <= window.past else {
            throw CheckFailure(
                "too-old",
                "the signature was made \(Self.seconds(age)) before the time of judgement, allowed are "
                    + "\(Self.seconds(window.past))")
        }
        guard -age <= window.future else {
            throw CheckFailure(
                "from-the-future",
                "the signature was made \(Self.seconds(-age)) after the time of judgement, allowed are "
                    + "\(Self.seconds(window.future))")
        }
        guard let expires else { return }
        guard created < expires else {
            throw CheckFailure("expires-before-created", "the signature expired before it was made, or just then")
        }
        guard present < Double(expires) else {
            throw CheckFailure(
                "expired",
                "the signature expired \(Self.seconds(present - Double(expires))) before the time of judgement")
        }
    }

    private static func seconds(_ value: Double) -> String {
        // Integers of structured fields have 15 digits at most, which a double holds exactly.
        "\((value * 1000).rounded() / 1000) s"
    }
}
