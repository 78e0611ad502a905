/// Which versions of an app a policy allows.
// Inlinable: lets the calling module specialise it.
@usableFromInline
package struct VersionRules<Version: Comparable & Sendable>: Sendable, Equatable {
    /// The lowest version; nil for any.
    @usableFromInline package var minimum: Version?
    /// The highest version; nil for any.
    @usableFromInline package var maximum: Version?
    /// Versions in between that are not allowed.
    @usableFromInline package var withdrawn: [Version]

    package init(minimum: Version? = nil, maximum: Version? = nil, withdrawn: [Version] = []) {
        (self.minimum, self.maximum, self.withdrawn) = (minimum, maximum, withdrawn)
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
    case withdrawn
}

/// The codes of versions that are not allowed.
package struct VersionCodes: Sendable {
    let tooLow: CheckCode
    let tooHigh: CheckCode
    let withdrawn: CheckCode

    package init(tooLow: CheckCode, tooHigh: CheckCode, withdrawn: CheckCode) {
        (self.tooLow, self.tooHigh, self.withdrawn) = (tooLow, tooHigh, withdrawn)
    }

    package var all: [CheckCode] { [tooLow, tooHigh, withdrawn] }
}

extension SectionField {
    /// The engine's field of the lowest version of the app, and the field `versions` with the other rules.
    ///
    /// - Parameters:
    ///   - example: a valid minimum, if checks need one.
    ///   - checks: the checks that do not run without rules.
    package static func versions<Version>(
        _ property: Property<VersionRules<Version>>, minimum name: String, _ help: String, _ form: FieldForm<Version>,
        example: String? = nil, neededBy checks: CheckID...
    ) -> Self {
        let minimum = Self(name, .text, help) {
            [PolicySetting(name, $0[keyPath: property].minimum.flatMap(form.show))]
        } read: { (values, node, files) throws(PolicyError) in
            values[keyPath: property].minimum = try form.read(node, files)
        }
        return .all([
            (example.map(minimum.example) ?? minimum).needed(by: checks) { $0[keyPath: property].isEmpty }.weak(
                if: { $0[keyPath: property].minimum == nil },
                "not set: versions of the app with known vulnerabilities are accepted"),
            .group(
                "versions", property, "Which versions of the app are allowed.",
                [
                    SectionField<VersionRules<Version>>("maximum", .text, "The highest version that is allowed.") {
                        [PolicySetting("maximum", $0.maximum.flatMap(form.show))]
                    } read: { (values, node, files) throws(PolicyError) in
                        let maximum = try form.read(node, files)
                        if let minimum = values.minimum, maximum < minimum {
                            throw node.error(
                                "the maximum \(maximum) is below the minimum \(minimum): no version would be allowed")
                        }
                        values.maximum = maximum
                    },
                    .field("withdrawn", \.withdrawn, .list(of: form), "A version that is not allowed."),
                ]),
        ])
    }
}
