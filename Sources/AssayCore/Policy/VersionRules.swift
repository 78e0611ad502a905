/// Which versions of an app a policy allows.
// Inlinable: lets the calling module specialise it.
@usableFromInline
package struct VersionRules<Version: Comparable & Sendable>: Sendable, Equatable {
    /// The lowest version; nil for any.
    @usableFromInline package let minimum: Version?
    /// The highest version; nil for any.
    @usableFromInline package let maximum: Version?
    /// Versions in between that are not allowed.
    @usableFromInline package let withdrawn: [Version]

    /// States the rules.
    package init(minimum: Version? = nil, maximum: Version? = nil, withdrawn: [Version] = []) {
        self.minimum = minimum
        self.maximum = maximum
        self.withdrawn = withdrawn
    }

    /// Whether every version is allowed.
    @inlinable package var isEmpty: Bool { minimum == nil && maximum == nil && withdrawn.isEmpty }

    /// Why a version is not allowed; nil if it is.
    @inlinable
    package func refusal(of version: Version) -> VersionRefusal? {
        if let minimum, version < minimum { return .tooLow }
        if let maximum, version > maximum { return .tooHigh }
        return withdrawn.contains(version) ? .withdrawn : nil
    }

    /// The failure for a version that is not allowed.
    ///
    /// - Parameter what: the name of the version, such as `bundle version`.
    package func failure(
        _ refusal: VersionRefusal, of version: Version, _ what: String, _ codes: VersionCodes
    ) -> CheckFailure {
        switch refusal {
        case .tooLow:
            CheckFailure(codes.tooLow, "\(what) \(version), at least \(minimum.map { "\($0)" } ?? "") is demanded")
        case .tooHigh:
            CheckFailure(codes.tooHigh, "\(what) \(version), at most \(maximum.map { "\($0)" } ?? "") is allowed")
        case .withdrawn: CheckFailure(codes.withdrawn, "\(what) \(version) is withdrawn")
        }
    }
}

/// Why a version is not allowed.
@usableFromInline
package enum VersionRefusal: Sendable {
    /// It is below the minimum.
    case tooLow
    /// It is above the maximum.
    case tooHigh
    /// It is withdrawn.
    case withdrawn
}

/// The codes of versions that are not allowed.
package struct VersionCodes: Sendable {
    let tooLow: CheckCode
    let tooHigh: CheckCode
    let withdrawn: CheckCode

    /// Names the codes.
    package init(tooLow: CheckCode, tooHigh: CheckCode, withdrawn: CheckCode) {
        self.tooLow = tooLow
        self.tooHigh = tooHigh
        self.withdrawn = withdrawn
    }

    /// All codes.
    package var all: [CheckCode] { [tooLow, tooHigh, withdrawn] }
}

extension PolicyField {
    /// The fields of `versions`, for an engine whose evidence has the app's version.
    package static let versions = [
        PolicyField("versions", .mapping, "Which versions of the app are allowed."),
        PolicyField("versions.maximum", .text, "The highest version that is allowed."),
        PolicyField("versions.withdrawn", .list(.text), "A version that is not allowed."),
    ]
}

extension VersionRules {
    /// Reads the rules.
    ///
    /// - Parameters:
    ///   - node: the field `versions`.
    ///   - lowest: the engine's field of the minimum.
    ///   - read: reads one version.
    package init(
        reading node: PolicyNode?, minimum lowest: PolicyNode?, _ read: (PolicyNode) throws(PolicyError) -> Version
    ) throws(PolicyError) {
        let fields = try node?.members(of: PolicyField.versions, in: "versions") ?? [:]
        let minimum = try lowest.map(read)
        var maximum: Version?
        if let field = fields["maximum"] {
            let version = try read(field)
            if let minimum, version < minimum {
                throw field.error("the maximum \(version) is below the minimum \(minimum): no version would be allowed")
            }
            maximum = version
        }
        var withdrawn: [Version] = []
        for element in try fields["withdrawn"]?.elements() ?? [] {
            let version = try read(element)
            guard !withdrawn.contains(version) else { throw element.error("\(version) is in the list twice") }
            withdrawn.append(version)
        }
        self.init(minimum: minimum, maximum: maximum, withdrawn: withdrawn)
    }

    /// The settings in force, except the minimum, which has its own field.
    package var settings: [PolicySetting] {
        [
            PolicySetting("versions.maximum", maximum.map { "\($0)" }),
            PolicySetting("versions.withdrawn", withdrawn.map { "\($0)" }),
        ]
    }
}
