import AssayPrimitives
public import FoundationEssentials

/// What the bearer of an operator's token may do.
@nonexhaustive
public enum OperatorRight: String, Sendable, CaseIterable {
    /// Issue challenges, and verify evidence.
    case verify
    /// Read the ledger, the policy, the names of keys and the audit trail.
    case read
    /// Admit builds of apps.
    case admit
    /// Block, allow and unblock subjects, move keys between accounts, retire keys, and remove builds.
    case change
    /// Everything else, such as adding keys and operators.
    case administer
}

/// What an operator of a service may do. A role has only the rights that it needs: the token of a backend reads
/// nothing, and that of a dashboard consumes no challenge.
@nonexhaustive
public enum OperatorRole: String, Sendable, CaseIterable {
    /// A backend that submits evidence for verification.
    case caller
    /// A program that builds apps, and admits their builds.
    case pipeline
    /// A person or a program that reads.
    case viewer
    /// A person who also admits builds, blocks, allows and retires.
    case `operator`
    /// A person who may do everything.
    case admin

    /// The rights of the role.
    public var rights: Set<OperatorRight> {
        switch self {
        case .caller: [.verify]
        case .viewer: [.read]
        case .pipeline: [.admit]
        case .operator: [.read, .admit, .change]
        case .admin: Set(OperatorRight.allCases)
        }
    }
}

/// An operator of a service: the holder of a token, its rights, and its end.
///
/// The ledger stores the SHA-256 hash of the token and never the token. A token is 256 random bits: it cannot be
/// guessed, and the hash needs neither a salt nor a slow function.
public struct LedgerOperator: Sendable, Equatable {
    /// Whether the token is valid.
    public enum State: String, Sendable, CaseIterable {
        /// It is valid.
        case live
        /// Its end has passed.
        case ended
        /// It was revoked.
        case revoked
    }

    /// The name, which the audit trail shows for each change; see ``LedgerRules/objection(toOperatorName:)``.
    public let name: String
    /// What the operator may do.
    public let role: OperatorRole
    /// When it was added.
    public let addedAt: Date
    /// Who added it; nil if the change names none.
    public let addedBy: String?
    /// The first time at which the token is no longer valid.
    public let until: Date
    /// When it was revoked; nil if it was not. For display only: a revocation takes effect as soon as it is stored.
    public let revokedAt: Date?
    /// Who revoked it; nil if it was not, or if the change names none.
    public let revokedBy: String?

    /// Describes an operator.
    public init(
        name: String, role: OperatorRole, addedAt: Date, addedBy: String?, until: Date, revokedAt: Date? = nil,
        revokedBy: String? = nil
    ) {
        (self.name, self.role, self.addedAt, self.addedBy) = (name, role, addedAt, addedBy)
        (self.until, self.revokedAt, self.revokedBy) = (until, revokedAt, revokedBy)
    }

    /// Whether the token is valid at a time.
    public func state(at now: Date) -> State {
        if revokedAt != nil { return .revoked }
        return now < until ? .live : .ended
    }

    /// The same operator, revoked.
    public func revoked(by operatorName: String?, at now: Date) -> LedgerOperator {
        LedgerOperator(
            name: name, role: role, addedAt: addedAt, addedBy: addedBy, until: until, revokedAt: now,
            revokedBy: operatorName)
    }

    /// The order of lists: by the UTF-8 bytes of the name, then by the time of addition.
    package func precedes(_ other: LedgerOperator) -> Bool {
        name.isByteEqual(to: other.name)
            ? addedAt < other.addedAt : name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}

/// Why a ledger does not add an operator.
@nonexhaustive
public enum OperatorRefusal: Sendable, Equatable, CustomStringConvertible {
    /// The name is not allowed, for this reason.
    case invalidName(String)
    /// The end of the token is not later than its addition.
    case endPassed(Date)
    /// The token would outlive the token of the operator who adds it, which ends at this time.
    case endsAfterCreator(Date)
    /// A live operator has this name.
    case nameTaken(String, until: Date)
    /// An operator has or had this token.
    case tokenTaken

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .invalidName(let objection): "no operator can have this name: \(objection)"
        case .endPassed(let end): "the token would have ended at \(RFC3339.format(end)); name a time to come"
        case .endsAfterCreator(let end):
            "the token would outlive that of the operator who adds it, which ends at \(RFC3339.format(end)); name an end "
                + "until then"
        case .nameTaken(let name, let end):
            "there is an operator \(name.excerpt) already, until \(RFC3339.format(end)); choose another name, so that the "
                + "audit trail identifies the operator, or revoke that one first"
        case .tokenTaken: "an operator has or had this token; draw another one"
        }
    }
}
