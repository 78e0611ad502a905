package import AssayCore
package import FoundationEssentials

extension LedgerAllowance {
    /// How long an allowance lasts if its end is not given, in seconds: 30 days.
    package static let standardLifetime: TimeInterval = 30 * 86_400
    /// The checks that an allowance of a device excuses if the caller names none.
    package static let deviceChecks = EngineRegistry.standard.engines.flatMap { $0.deviceAllowance }

    /// Why checks cannot be excused.
    package enum Objection: Error {
        /// No check is named. The example is the name of a policy check.
        case none(example: String)
        /// The check is not a policy check. The second text says what kind it is.
        case noPolicyCheck(String, String)
        /// There is no such check. The advice suggests a name and may be empty.
        case unknown(String, advice: String)

        /// The message for a user.
        ///
        /// - Parameter option: the option or the field that names checks.
        package func message(for option: String) -> String {
            switch self {
            case .none(let example):
                "name what to excuse with \(option), such as \(option) \(example); assay explain lists the checks"
            case .noPolicyCheck(let name, let kind):
                "\(option) \(name): only policy checks can be excused, and this one \(kind)"
            case .unknown(let name, let advice): "\(option): there is no check \"\(name.prefix(80))\"\(advice)"
            }
        }
    }

    /// The checks that an allowance excuses, each a policy check of an engine.
    ///
    /// - Parameters:
    ///   - names: the names of checks; empty for the standard ones of the kind.
    ///   - kind: the kind of the subject.
    package static func checks(
        named names: [String], of kind: LedgerSubject.Kind, among engines: EngineRegistry
    ) throws(Objection) -> [CheckID] {
        let catalogue = engines.catalogue
        let allowed = catalogue.filter { if case .policy = $0.kind { true } else { false } }.map(\.id.name)
        guard !names.isEmpty else {
            if kind == .device { return deviceChecks }
            throw .none(example: allowed.first ?? "NAME")
        }
        for name in names where !allowed.containsBytes(of: name) {
            if let definition = catalogue.first(where: { $0.id.name.isByteEqual(to: name) }) {
                throw .noPolicyCheck(
                    name,
                    definition.kind == .signal ? "never rejects" : "is a gate or is decided by the ledger")
            }
            throw .unknown(name, advice: Nearest.advice(for: name, among: allowed))
        }
        return names.map { CheckID($0) }
    }
}

extension Assessment {
    /// The standings of the key or device, and of the account: an allowance excuses a check that is added if it names it.
    ///
    /// - Parameter account: the account that the caller names.
    func standings(
        _ account: String?, in ledger: any Ledger, at now: Date
    ) async throws(VerificationError) -> [LedgerStanding] {
        var subjects: [LedgerSubject] = []
        if let subject, let name = subject.identifier { subjects.append(LedgerSubject(subject.identifierKind, name)) }
        if let account = account ?? subject?.account { subjects.append(LedgerSubject(.account, account)) }
        do { return try await ledger.standings(of: subjects, at: now) } catch { throw .outage(error) }
    }
}

extension LedgerSubject {
    /// Why a block or an allowance of this name could match no evidence; nil if it can match some.
    package var objectionToName: String? {
        guard let first = name.first, let last = name.last else { return nil }
        if first.isWhitespace || last.isWhitespace {
            return
                "the name \"\(name.excerpt)\" begins or ends with white space, so that it would apply to no evidence; give "
                + "the name alone"
        }
        guard kind == .device else { return nil }
        return EngineRegistry.standard.deviceIDs.first { $0.isValid(name + $0.padding) }.map {
            "the device ID \"\(name.excerpt)\" has no padding, so that it would apply to no evidence; give \(name)\($0.padding)"
        }
    }
}
