import Assay
import AssayCore
import FoundationEssentials
import HTTPTypes
import NIOCore

/// Decides who may call a listener.
struct CallerCheck: Sendable {
    /// Whether requests need no token: on a unix socket, whose file's mode decides, and on an open listener.
    let isOpen: Bool
    /// Whether the listener is a unix socket.
    let isUnix: Bool
    let ledger: any LedgerAdministration

    /// Demands a live token of an operator who has the right of an endpoint (RFC 6750).
    ///
    /// - Returns: who calls; nil if the endpoint demands no token on this listener.
    func require(
        _ access: Endpoint.Access, _ head: RequestHead, _ channel: any Channel, retryAfter: Int
    ) async throws(Problem) -> Caller? {
        switch access {
        case .all: return nil
        case .right(let right):
            return isOpen ? nil : try await bearer(with: right, head, retryAfter: retryAfter)
        case .administration(let right):
            guard isUnix else { return try await bearer(with: right, head, retryAfter: retryAfter) }
            return Caller(name: await UnixSocket.peerName(channel), stored: nil)
        }
    }

    private func bearer(
        with right: OperatorRight, _ head: RequestHead, retryAfter: Int
    ) async throws(Problem) -> Caller {
        let values = head.values(.authorization)
        guard values.count == 1, let value = values.first,
            value.utf8.prefix(7).elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 })
        else {
            throw Self.refusal(
                "the request needs one field Authorization: Bearer TOKEN; `assay operators add` makes a token")
        }
        let found: LedgerOperator?
        do {
            let token = Substring(value.utf8.dropFirst("bearer ".utf8.count))
            found = try await ledger.authenticate(String(token), at: Date())
        } catch {
            throw Problem(error, retryAfter: retryAfter)
        }
        guard let caller = found else {
            throw Self.refusal("the token is not that of an active operator: it is mistyped, has ended or was revoked")
        }
        guard caller.role.rights.contains(right) else {
            let roles = OperatorRole.allCases.filter { $0.rights.contains(right) }.map(\.rawValue)
            throw Problem(
                .forbidden, .roleNotAllowed,
                "the token has the role \(caller.role.rawValue); allowed are \(roles.joined(separator: ", "))")
        }
        return Caller(name: caller.name, stored: caller)
    }

    private static func refusal(_ detail: String) -> Problem {
        var problem = Problem(.unauthorized, .tokenRequired, detail)
        problem.headers[.wwwAuthenticate] = "Bearer"
        return problem
    }
}
