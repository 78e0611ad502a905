/// What is stored of one key: one account in one app and environment. Times are milliseconds since 1970 by the device's
/// clock.
public struct ClientRecord: Codable, Sendable, Equatable {
    /// How far the enrolment is.
    public enum Phase: String, Codable, Sendable {
        /// There is no key.
        case new
        /// There is a key, which is not attested.
        case keyMade
        /// The platform was asked to attest the key.
        case attesting
        /// The attestation was not sent yet, or rejected without being used up.
        case attested
        /// The attestation was sent, and no answer has come.
        case submitted
        /// The server knows the key.
        case enrolled
    }

    /// How far the enrolment is.
    public var phase = Phase.new
    /// The key's name, as the platform returned it.
    public var key: String?
    /// The challenge of the enrolment, as the server wrote it, and its life.
    public var challenge: String?
    /// When the challenge came.
    public var challengeFrom = 0
    /// When the challenge ends.
    public var challengeEnds = 0
    /// The attestation, in base64, until the server has answered.
    public var evidence: String?
    /// When the keys of the last day were made.
    public var keysMade: [Int] = []
    /// Failures of the enrolment in a row.
    public var failures = 0
    /// No enrolment begins before this.
    public var notBefore = 0
    /// Of the last failure.
    public var cause: String?
    /// The platform's or the server's code of the last failure.
    public var code: String?
    /// The remedy with which the server ended the enrolment.
    public var halt: String?
    /// The app's version at that time.
    public var haltApp: String?
    /// The system's version at that time.
    public var haltSystem: String?
    /// The server's clock less the device's.
    public var offset = 0
    /// The mark of the installation.
    public var installation: String?
    /// The process that works on the enrolment.
    public var owner: String?
    /// When its work counts as lost.
    public var leaseEnds = 0

    /// Nothing stored yet.
    public init() {}

    /// Reads a record; a field that an older version did not write has its first value.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try fields.decodeIfPresent(String.self, forKey: key) }
        func number(_ key: CodingKeys) throws -> Int { try fields.decodeIfPresent(Int.self, forKey: key) ?? 0 }
        phase = try fields.decodeIfPresent(Phase.self, forKey: .phase) ?? .new
        key = try text(.key)
        challenge = try text(.challenge)
        challengeFrom = try number(.challengeFrom)
        challengeEnds = try number(.challengeEnds)
        evidence = try text(.evidence)
        keysMade = try fields.decodeIfPresent([Int].self, forKey: .keysMade) ?? []
        failures = try number(.failures)
        notBefore = try number(.notBefore)
        cause = try text(.cause)
        code = try text(.code)
        halt = try text(.halt)
        haltApp = try text(.haltApp)
        haltSystem = try text(.haltSystem)
        offset = try number(.offset)
        installation = try text(.installation)
        owner = try text(.owner)
        leaseEnds = try number(.leaseEnds)
    }
}
