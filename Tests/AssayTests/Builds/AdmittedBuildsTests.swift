import Assay
import AssayCore
import AssayService
import AssayTesting
import Foundation
import Testing

@Suite("The register of admitted builds")
struct AdmittedBuildsTests {
    private static let now = Date(timeIntervalSince1970: 1_776_795_192)

    private static func build(_ version: Int = 42) throws -> AppBuild {
        try AppBuild("android:com.example.shop@\(version)")
    }

    private static func admission(
        _ version: Int = 42, at time: Date = now, by author: String? = "ci", until end: Date? = nil, name: String? = nil
    ) throws -> AdmittedBuild {
        AdmittedBuild(
            try build(version), name: name, reason: "release", admittedAt: time, admittedBy: author, until: end)
    }

    /// Two pipelines that admit the same build cannot shorten each other's admission.
    @Test(
        "Of two ends the later one holds, and an admission without an end stays",
        arguments: [
            (1, 2, 2), (2, 1, 2), (nil, 1, nil), (1, nil, nil), (nil, nil, nil),
        ] as [(Int?, Int?, Int?)])
    func ends(first: Int?, second: Int?, expected: Int?) throws {
        func time(_ days: Int?) -> Date? { days.map { Self.now + Double($0) * 86_400 } }
        var builds = AdmittedBuilds()
        builds.admit(try Self.admission(until: time(first), name: "beta"))
        let renewed = builds.admit(try Self.admission(at: Self.now + 60, by: "other", until: time(second)))
        #expect(renewed.until == time(expected))
        #expect(renewed.admittedAt == Self.now + 60 && renewed.name == "beta")
        #expect(renewed.admittedBy == (first == nil ? "ci" : "other"))
        #expect(builds.all == [renewed])
    }

    @Test("An ended admission is not prolonged: admitting the build again begins a new one")
    func ended() throws {
        var builds = AdmittedBuilds()
        builds.admit(try Self.admission(until: Self.now + 60))
        let end = Self.now + 7200
        #expect(builds.admit(try Self.admission(at: Self.now + 3600, until: end)).until == end)
    }

    @Test("The register is read as it was written, and a defective one is refused at its field")
    func json() throws {
        var builds = AdmittedBuilds()
        for version in 1...3 {
            builds.admit(
                try Self.admission(
                    version, at: Self.now + 0.1234567, by: version == 1 ? nil : "ci", until: Self.now + 1.0005,
                    name: "n"))
        }
        #expect(try AdmittedBuilds(stored: builds.stored) == builds)
        for text in ["{\"builds\":[{}]}", "{\"builds\":{}}", "{\"builds\":[],\"more\":1}"] {
            #expect(throws: LedgerOutage.self, "\(text)") { try AdmittedBuilds(stored: Array(text.utf8)) }
        }
    }

    /// The policy of who may remove what: an operator cannot end another one's permanent admission.
    @Test(
        "An admission without an end is removed by its author or by an administrator, one with an end by any operator",
        arguments: [
            (nil, "ci", false, true), (nil, "eve", false, false), (nil, "eve", true, true), (60, "eve", false, true),
        ] as [(Double?, String, Bool, Bool)])
    func removal(seconds: Double?, author: String, isAdministrator: Bool, isRemoved: Bool) async throws {
        let ledger = MemoryLedger()
        let register = LedgerRegister<AdmittedBuilds>(in: ledger)
        let admission = try Self.admission(until: seconds.map { Self.now + $0 })
        _ = try await register.admit([admission], by: "ci", at: Self.now).get()
        let result = try await register.remove(
            admission.build, by: author, mayRemovePermanent: isAdministrator, at: Self.now + 1)
        #expect(result == (isRemoved ? .success(admission) : .failure(.permanent(admission.build))))
        #expect(try await register.content().count == (isRemoved ? 0 : 1))
        let entries = try await ledger.auditEntries(of: "build \(admission.build)", before: nil, atMost: 10)
        #expect(entries.map(\.change.action) == (isRemoved ? [.removeBuild, .admitBuild] : [.admitBuild]))
        let unknown = try await register.remove(
            try Self.build(7), by: author, mayRemovePermanent: true, at: Self.now + 2)
        #expect(unknown == .failure(.unknown(try Self.build(7))))
    }

    @Test("Who renews another one's admission without an end does not become its author, and cannot remove it")
    func renewalByAnother() async throws {
        let register = LedgerRegister<AdmittedBuilds>(in: MemoryLedger())
        _ = try await register.admit([try Self.admission()], by: "ci", at: Self.now).get()
        for end in [nil, Self.now + 3600] {
            let again = try Self.admission(at: Self.now + 60, by: "eve", until: end)
            _ = try await register.admit([again], by: "eve", at: Self.now + 60).get()
        }
        let build = try Self.build()
        let refused = try await register.remove(build, by: "eve", mayRemovePermanent: false, at: Self.now + 61)
        #expect(refused == .failure(.permanent(build)))
        let removed = try await register.remove(build, by: "ci", mayRemovePermanent: false, at: Self.now + 62).get()
        #expect(removed.admittedBy == "ci" && removed.admittedAt == Self.now + 60)
    }

    @Test("Removing many takes the builds of the app that were admitted before a time, and the audit trail names each")
    func removingMany() async throws {
        let ledger = MemoryLedger()
        let register = LedgerRegister<AdmittedBuilds>(in: ledger)
        let day = 86_400.0
        let admissions = try (1...120).map { try Self.admission($0, at: Self.now - Double($0) * day) }
        let other = AdmittedBuild(
            try AppBuild("android:com.example.shop.beta@1"), reason: "r", admittedAt: Self.now - 90 * day,
            admittedBy: nil, until: nil)
        _ = try await register.admit(admissions + [other], by: "ci", at: Self.now).get()
        func remove(_ count: Int) async throws -> Result<[AdmittedBuild], BuildRefusal> {
            try await register.remove(
                of: "com.example.shop", admittedBefore: Self.now - 30 * day, count: count, by: "ops", at: Self.now)
        }
        #expect(try await remove(89) == .failure(.differ(found: 90, expected: 89)))
        #expect(try await register.content().count == 121)
        let removed = try await remove(90).get()
        #expect(removed.count == 90)
        #expect(try await register.content().count == 31)
        let entries = try await ledger.auditEntries(of: "builds", before: nil, atMost: 10).filter {
            $0.change.action == .removeBuild
        }
        #expect(entries.count == 2)
        let text = entries.map(\.change.detail).joined()
        for admission in removed { #expect(text.contains("\(admission.build) it was")) }
    }

    @Test("An end that has passed, and more builds than the register holds, are refused, and nothing changes")
    func refusals() async throws {
        let register = LedgerRegister<AdmittedBuilds>(in: MemoryLedger())
        let passed = try await register.admit([Self.admission(until: Self.now)], by: nil, at: Self.now)
        #expect(passed == .failure(.endPassed(Self.now)))
        let many = try (1...AdmittedBuilds.maximumCount).map { try Self.admission($0) }
        #expect(try await register.admit(many, by: nil, at: Self.now).get().count == AdmittedBuilds.maximumCount)
        let more = try await register.admit([Self.admission(AdmittedBuilds.maximumCount + 1)], by: nil, at: Self.now)
        #expect(more == .failure(.tooMany(AdmittedBuilds.maximumCount + 1)))
        #expect(try await register.content().count == AdmittedBuilds.maximumCount)
    }

    @Test("The register forgets an admission 30 days after its end")
    func forgetting() async throws {
        let register = LedgerRegister<AdmittedBuilds>(in: MemoryLedger())
        let end = Self.now + 60
        _ = try await register.admit([Self.admission(1, until: end)], by: nil, at: Self.now).get()
        for (time, count) in [(end + 30 * 86_400 - 1, 2), (end + 30 * 86_400, 1)] {
            _ = try await register.admit([Self.admission(2, at: time)], by: nil, at: time).get()
            #expect(try await register.content().count == count)
        }
    }
}
