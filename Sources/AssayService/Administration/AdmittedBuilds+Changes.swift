package import Assay
package import AssayCore
import AssayPrimitives
package import FoundationEssentials

/// Why a change of the admitted builds is refused.
package enum BuildRefusal: Error, Equatable, CustomStringConvertible {
    /// The end of an admission is not later than the admission.
    case endPassed(Date)
    /// The register would have more builds than it may.
    case tooMany(Int)
    /// The build is not admitted.
    case unknown(AppBuild)
    /// A permanent admission is removed by its author or by an administrator.
    case permanent(AppBuild)
    /// Other builds match than the operator has seen: how many do, and how many were expected.
    case differ(found: Int, expected: Int)

    /// What is wrong, and what to do.
    package var description: String {
        switch self {
        case .endPassed(let end): "the admission would have ended at \(RFC3339.format(end)); name a time to come"
        case .tooMany(let count):
            "the ledger would have \(count) admitted builds, at most \(AdmittedBuilds.maximumCount) are allowed; remove old "
                + "ones with `assay builds remove --matching`"
        case .unknown(let build): "\(build) is not admitted; `assay builds list` shows the admitted builds"
        case .permanent(let build):
            "the admission of \(build) has no end: its author or an administrator may remove it"
        case .differ(let found, let expected):
            "\(found) builds match, and \(expected) were to be removed; look at the list again: nothing was changed"
        }
    }
}

extension LedgerRegister<AdmittedBuilds> {
    /// How many builds one entry of the audit trail names.
    private static var buildsOfEntry: Int { 50 }

    /// Admits builds, all or none; see ``AdmittedBuilds/admit(_:)``.
    ///
    /// - Returns: the admissions in force, in the order of `new`.
    package func admit(
        _ new: [AdmittedBuild], by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> Result<[AdmittedBuild], BuildRefusal> {
        try await change(at: now) { (builds) throws(BuildRefusal) in
            if let end = new.lazy.compactMap(\.until).first(where: { $0 <= now }) { throw .endPassed(end) }
            builds.forgetEnded(at: now)
            let admitted = new.map { builds.admit($0) }
            guard builds.count <= AdmittedBuilds.maximumCount else { throw .tooMany(builds.count) }
            return (
                admitted,
                Self.entries(.admitBuild, admitted, by: operatorName, at: now) {
                    let end = $0.until.map { "until \(RFC3339.format($0))" } ?? "without an end"
                    return "\($0.name.map { "\($0), " } ?? "")\(end): \($0.reason)"
                }
            )
        }
    }

    /// Removes a build.
    ///
    /// - Parameter mayRemovePermanent: whether the operator may remove an admission without an end that another one has made.
    /// - Returns: the admission before.
    package func remove(
        _ build: AppBuild, by operatorName: String?, mayRemovePermanent: Bool, at now: Date
    ) async throws(LedgerOutage) -> Result<AdmittedBuild, BuildRefusal> {
        try await change(at: now) { (builds) throws(BuildRefusal) in
            guard let admission = builds.remove(build), admission.isInForce(at: now) else { throw .unknown(build) }
            let isOwn = operatorName.flatMap { admission.admittedBy?.isByteEqual(to: $0) } ?? false
            guard mayRemovePermanent || isOwn || admission.until != nil else { throw .permanent(build) }
            builds.forgetEnded(at: now)
            return (admission, Self.entries(.removeBuild, [admission], by: operatorName, at: now, detail: \.removal))
        }
    }

    /// Removes the builds of an app that were admitted last before a time; see ``AdmittedBuilds/builds(of:admittedBefore:)``.
    ///
    /// - Parameter count: how many the operator has seen. Compared in the transaction that removes them.
    /// - Returns: the admissions before.
    package func remove(
        of app: String, admittedBefore time: Date, count: Int, by operatorName: String?, at now: Date
    ) async throws(LedgerOutage) -> Result<[AdmittedBuild], BuildRefusal> {
        try await change(at: now) { (builds) throws(BuildRefusal) in
            let matching = builds.builds(of: app, admittedBefore: time)
            guard matching.count == count else { throw .differ(found: matching.count, expected: count) }
            for admission in matching { builds.remove(admission.build) }
            builds.forgetEnded(at: now)
            return (matching, Self.entries(.removeBuild, matching, by: operatorName, at: now, detail: \.removal))
        }
    }

    /// One entry for a build, or one for every 50 builds.
    private static func entries(
        _ action: LedgerChange.Action, _ builds: [AdmittedBuild], by operatorName: String?, at now: Date,
        detail: (AdmittedBuild) -> String
    ) -> [LedgerChange] {
        stride(from: 0, to: builds.count, by: buildsOfEntry).map { start in
            let part = builds[start...].prefix(buildsOfEntry)
            let isSingle = builds.count == 1
            return LedgerChange(
                at: now, operatorName: operatorName, action: action,
                subject: isSingle ? "build \(builds[0].build)" : "builds",
                detail: part.map { isSingle ? detail($0) : "\($0.build) \(detail($0))" }.joined(separator: "; "))
        }
    }
}

extension AdmittedBuild {
    fileprivate var removal: String { "it was admitted\(until == nil ? " without an end" : ""): \(reason)" }
}
