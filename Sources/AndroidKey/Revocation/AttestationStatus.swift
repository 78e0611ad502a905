import AssayCore
import FoundationEssentials

extension AttestationStatusList {
    /// What the list says about a certificate.
    package struct Status: Sendable, Equatable {
        /// The state of a certificate. Neither is valid: Google suspends a certificate while it examines an incident.
        package enum State: String, Sendable {
            case revoked = "REVOKED"
            case suspended = "SUSPENDED"
        }

        /// The state. A word that is neither of them counts as ``State/suspended``: Google lists no valid certificates.
        package let state: State
        /// The state as the list has it.
        package let word: String
        /// The reason as the list has it, such as `KEY_COMPROMISE`; nil if it gives none.
        package let reason: String?
        /// The day on which the certificate expires as the list has it, such as `2020-11-13`; nil if it gives none.
        package let expires: String?
        /// The key of the entry as the list has it.
        package let serial: String

        /// Reads an entry. `expires` is the day on which the certificate expires, not the end of the revocation. Factory certificates
        /// are accepted after it, so such an entry counts, and is kept when Google drops it; see
        /// ``AttestationStatusList/retaining(expiredOf:at:)``.
        init(_ member: RecordObject.Member) throws(DecodeError) {
            guard case .object(let object) = member.value.content else {
                throw Self.error(
                    .unexpectedType, member.value, member, "expected an object, found \(member.value.kindName)")
            }
            guard let status = object["status"], !status.isNull else {
                throw Self.error(.missing, member.value, member, "the entry has no status")
            }
            guard case .text(let text) = status.content else {
                throw Self.error(
                    .unexpectedType, status, member, "expected a string as status, found \(status.kindName)")
            }
            if let reason = object["reason"], !reason.isNull {
                guard case .text(let text) = reason.content else {
                    throw Self.error(
                        .unexpectedType, reason, member, "expected a string as reason, found \(reason.kindName)")
                }
                self.reason = text.excerpt
            } else {
                reason = nil
            }
            if case .text(let text)? = object["expires"]?.content { expires = text.excerpt } else { expires = nil }
            state = State(rawValue: text) ?? .suspended
            word = text.excerpt
            serial = member.name
        }

        /// Whether the day of ``expires`` is over everywhere. False without a day in the form `2020-11-13`.
        func isExpired(at now: Date) -> Bool {
            expires.flatMap { RFC3339.parse("\($0)T23:59:59Z") }.map { now.timeIntervalSince($0) > 86_400 } ?? false
        }

        /// The entry as a member of a list.
        var member: (String, RecordValue.Content) {
            var fields: [(String, RecordValue.Content)] = [("status", .text(word))]
            if let reason { fields.append(("reason", .text(reason))) }
            if let expires { fields.append(("expires", .text(expires))) }
            return (serial, .object(RecordObject(fields)))
        }

        private static func error(
            _ code: ErrorCode, _ value: RecordValue, _ member: RecordObject.Member, _ message: String
        ) -> DecodeError {
            DecodeError(code, at: value.offset, field: "entries.\(member.name.excerpt)", message)
        }
    }
}
