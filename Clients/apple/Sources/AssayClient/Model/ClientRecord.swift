import Foundation

/// What is stored of one key: one account in one app and environment. Times are milliseconds since 1970 by the device's
/// clock.
struct ClientRecord: Codable, Sendable, Equatable {
    /// How far the enrolment is. `submitted`: the attestation was sent, and no answer has come.
    enum Phase: String, Codable, Sendable {
        case new, keyMade, attesting, attested, submitted, enrolled
    }

    var phase = Phase.new
    /// As the platform returned it.
    var key: String?
    /// The challenge of the enrolment, as the server wrote it.
    var challenge: String?
    var challengeFrom = 0
    var challengeEnds = 0
    /// The attestation, in base64, until the server has answered.
    var evidence: String?
    /// When the keys of the last day were made.
    var keysMade: [Int] = []
    /// Failures of the enrolment in a row, and the last one's cause and code.
    var failures = 0
    var notBefore = 0
    var cause: String?
    var code: String?
    /// The remedy with which the server ended the enrolment, and the versions of app and system then.
    var halt: String?
    var haltApp: String?
    var haltSystem: String?
    /// The server's clock less the device's.
    var offset = 0
    /// The mark of the installation.
    var installation: String?
    /// The process that works on the enrolment, and when its work counts as lost.
    var owner: String?
    var leaseEnds = 0

    init() {}

    /// Reads a record. A field that an earlier version of the kit did not write has its first value.
    ///
    /// - Parameter data: JSON.
    init(json data: Data) throws {
        let first = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Self())) as? [String: Any] ?? [:]
        let stored = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        self = try JSONDecoder().decode(
            Self.self, from: JSONSerialization.data(withJSONObject: first.merging(stored) { $1 }))
    }
}
