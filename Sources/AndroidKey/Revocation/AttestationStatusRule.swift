package import AssayCore
package import FoundationEssentials

/// The field `statusList` of the policy: the list of revoked certificates to judge by.
package enum AttestationStatusRule: Sendable {
    /// None: no certificate counts as revoked. A policy must say so in words.
    case none
    /// A list in a file; its age is not limited.
    case file(AttestationStatusList)
    /// The list of the verifier's service, at most so many seconds old at the time of judgement.
    case service(maximumAge: Double)

    /// The default of `maximumAge`: a day.
    package static let standardAge = 86_400.0
    /// The greatest `maximumAge`: 30 days.
    package static let longestAge = 30 * 86_400.0
    package static let policyField = "statusList"

    private enum Word: String, CaseIterable { case service, none }

    /// Reads the field: `service`, `none`, `file:PATH`, or a mapping of `source` and `maximumAge`.
    package init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        guard case .mapping = node.content else {
            self = try Self(source: node, age: nil, files)
            return
        }
        let members = try node.members(["source", "maximumAge"])
        guard let source = members["source"] else {
            throw node.missing("source", "allowed are service, file:PATH, none")
        }
        self = try Self(source: source, age: members["maximumAge"], files)
    }

    private init(source: PolicyNode, age: PolicyNode?, _ files: any PolicyFiles) throws(PolicyError) {
        let text = try source.text()
        switch Word(rawValue: text) {
        case .service:
            let seconds = try age?.duration() ?? Self.standardAge
            if let age, !(60...Self.longestAge).contains(seconds) {
                throw age.error("expected a minute to 30 days, found \(age.found)")
            }
            self = .service(maximumAge: seconds)
            return
        case .some(.none): self = .none
        case nil:
            guard text.utf8.starts(with: "file:".utf8) else {
                throw source.error(
                    "expected service, file:PATH or none, found \(source.found)"
                        + Nearest.advice(for: text, among: Word.allCases.map(\.rawValue)))
            }
            let bytes = try files.contents(of: source, limit: AttestationStatusList.limit)
            do throws(DecodeError) {
                self = .file(try AttestationStatusList(json: bytes, fetchedAt: nil))
            } catch {
                throw source.error("the status list: \(error.detail)")
            }
        }
        if let age { throw age.error("maximumAge is for source: service; the age of another list is not known") }
    }

    /// What is weak.
    package var remarks: [PolicyRemark] {
        switch self {
        case .none:
            [
                PolicyRemark(
                    Self.policyField,
                    "none: keys that were extracted from devices and published pass as genuine; set service or file:PATH"
                )
            ]
        case .file:
            [
                PolicyRemark(
                    Self.policyField,
                    "file: nothing notices that the list is old; replace the file and read the policy again at least once a day"
                )
            ]
        case .service(let age) where age > Self.standardAge * 7:
            [
                PolicyRemark(
                    "statusList.maximumAge",
                    "\(PolicyNode.text(ofSeconds: age)) is long: keys are published within days of their extraction")
            ]
        case .service: []
        }
    }

    /// The settings in force. A file is shown as written.
    package var settings: [PolicySetting] {
        switch self {
        case .none: [PolicySetting("statusList.source", Word.none.rawValue)]
        case .file: []
        case .service(let age):
            [
                PolicySetting("statusList.source", Word.service.rawValue),
                PolicySetting("statusList.maximumAge", seconds: age),
            ]
        }
    }

    /// The list to judge by; nil if the policy says that there is none. A fixed list and an archive, which only analyses have, are
    /// asked first, whatever the policy says. Throws `.request` if the archive lacks the list that the record names, or the verifier
    /// the service that the policy demands; `.outage` if its list is missing, or older than `maximumAge`.
    package func list(
        from services: [any EngineService], asCaptured reference: AttestationStatusReference?, at now: Date
    ) async throws(VerificationError) -> AttestationStatusList? {
        for service in services {
            if let fixed = service as? FixedStatusList { return fixed.list }
            guard let reference, let archive = service as? any DocumentArchive else { continue }
            guard let list = archive.document(AttestationStatusList.self, digest: reference.digest) else {
                throw .request(
                    .noStatusList,
                    "the record was judged by the status list \(reference.digest.hexadecimal), which is not in "
                        + archive.place(of: AttestationStatusList.self))
            }
            return AttestationStatusList(list, fetchedAt: reference.fetchedAt)
        }
        switch self {
        case .none: return nil
        case .file(let list): return list
        case .service(let maximumAge):
            guard let source = services.lazy.compactMap({ $0 as? any AttestationStatusSource }).first else {
                throw .request(
                    .noStatusList,
                    "the policy has statusList: service, and the verifier has no service that fetches status lists")
            }
            let list: AttestationStatusList
            do throws(StatusListOutage) {
                list = try await source.statusList(at: now, maximumAge: maximumAge)
            } catch {
                throw .outage(error)
            }
            let age = list.fetchedAt.map { now.timeIntervalSince($0) }
            guard let age, age <= maximumAge else {
                let found = age.map { "is \(PolicyNode.text(ofSeconds: $0)) old" } ?? "has no known age"
                throw .outage(
                    StatusListOutage(
                        .statusListTooOld,
                        "the status list \(found), and the policy allows \(PolicyNode.text(ofSeconds: maximumAge)); "
                            + "look at why no newer one can be fetched"))
            }
            return list
        }
    }
}

extension SectionField {
    /// The field `statusList`.
    static func statusList(_ property: Property<AttestationStatusRule>) -> Self {
        let name = AttestationStatusRule.policyField
        return Self(
            name, .mapping, "The list of revoked certificates: service, file:PATH or none.",
            required: "service, file:PATH or none: a policy says in words where it knows revoked keys from",
            parts: [
                PolicyField("\(name).source", .text, "service, file:PATH or none."),
                PolicyField("\(name).maximumAge", .duration, "How old the list of the service may be."),
            ]
        ) {
            $0[keyPath: property].settings
        } read: { (values, node, files) throws(PolicyError) in
            values[keyPath: property] = try AttestationStatusRule(reading: node, files: files)
        }.example("service").remarks { $0[keyPath: property].remarks }.needed(by: .androidKeyAttestationRevocation) {
            if case .none = $0[keyPath: property] { true } else { false }
        }
    }
}

extension VerificationPolicy {
    /// Whether key attestations of an app are judged by the list of a service.
    package var needsStatusService: Bool {
        modes[.androidKeyAttestationRevocation] != .off
            && apps.contains { app in
                if case .service? = app.configuration(AndroidKeyConfiguration.self)?.statusList { true } else { false }
            }
    }
}
