package import FoundationEssentials

/// The allowed distance between the time of signing and the time of judgement, both ends included.
package struct FreshnessWindow: Sendable, Equatable {
    /// The maximum that a policy may allow in each direction: one day, in seconds.
    package static let longest: Double = 86_400

    /// The maximum age of a signature, in seconds.
    package var past: Double
    /// The maximum lead over the server's clock, in seconds.
    package var future: Double

    /// Creates the window. Default: 60 s back, because clients let signatures expire after 15 s, and 15 s ahead.
    package init(past: Double = 60, future: Double = 15) {
        self.past = past
        self.future = future
    }
}

/// The creation time and expiry of a request's signature (RFC 9421 sections 2.3 and 7.2.2).
package struct SignatureFreshness: Sendable {
    /// The codes of ``require()``.
    package static let codes: [CheckCode] = [
        .createdMissing, .signatureTooOld, .signatureFromTheFuture, .expiresBeforeCreated, .signatureExpired,
    ]

    private let created: Int64?
    private let expires: Int64?
    private let window: FreshnessWindow
    private let now: Date

    package init(of input: SignatureInput, in window: FreshnessWindow, at now: Date) {
        created = input.created
        expires = input.expires
        self.window = window
        self.now = now
    }

    /// Demands a creation time inside the policy's window, ends included, and no expiry up to the time of judgement.
    package func require() throws(CheckFailure) {
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
        // Exact as a double: integers in structured fields have at most 15 digits.
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
