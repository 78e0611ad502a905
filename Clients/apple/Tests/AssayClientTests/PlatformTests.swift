import Foundation
import SoftwareAttester
import Testing

@testable import AssayClient

/// The table of errors of DeviceCheck.
struct DeviceCheckErrorTests {
    static let table: [(Int, PlatformClass, PlatformClass, PlatformClass)] = [
        // code, generateKey, attestKey, generateAssertion
        (0, .later, .keyGone, .again), (1, .unsupported, .unsupported, .unsupported), (2, .later, .keyGone, .keyGone),
        (3, .later, .keyGone, .keyGone), (4, .later, .later, .later), (99, .later, .keyGone, .again),
    ]

    @Test(arguments: table)
    func classes(_ row: (Int, PlatformClass, PlatformClass, PlatformClass)) {
        let found = DeviceCheckErrors.Call.allCases.map {
            DeviceCheckErrors.failure(domain: DeviceCheckErrors.deviceCheck, row.0, in: $0)
        }
        #expect(found.map(\.kind) == [row.1, row.2, row.3])
        #expect(found.allSatisfy { $0.code == "dc:\(row.0)" })
    }

    /// Other domains: the Keychain before the first unlock, and what is not known.
    @Test func otherDomains() {
        let locked = DeviceCheckErrors.failure(domain: "NSOSStatusErrorDomain", -25308, in: .generateAssertion)
        #expect(locked == PlatformFailure(.locked, code: "os:-25308"))
        #expect(DeviceCheckErrors.failure(domain: "X", 7, in: .attestKey) == PlatformFailure(.later, code: "other:7"))
        #expect(DeviceCheckErrors.failure(domain: "X", 7, in: .generateAssertion).kind == .again)
    }
}

#if ASSAY_CLIENT_STUBS
    /// The adapter of DeviceCheck, each line against the stub.
    struct DeviceCheckPlatformTests {
        @Test func calls() async throws {
            try await TestPhone.$current.withValue(TestPhone()) {
                let platform = DeviceCheckPlatform()
                #expect(platform.unsupported == nil)
                let key = try await platform.generateKey()
                let hash = Data(repeating: 1, count: 32)
                #expect(try await platform.attestKey(key, clientDataHash: hash).count > 1000)
                #expect(try await platform.generateAssertion(key, clientDataHash: hash).count > 100)
                #expect(await platform.deviceToken() == Data("device token".utf8))
                let phone = TestPhone.current
                phone.fail(.generateToken, 0)
                #expect(await platform.deviceToken() == nil)
                phone.isSupported = false
                #expect(platform.unsupported == .init(reason: "unsupported"))
                #expect(await platform.deviceToken() == nil)
            }
        }

        @Test func extensions() {
            #expect(
                DeviceCheckPlatform(bundlePath: "/App.app/PlugIns/Share.appex").unsupported
                    == .init(reason: "extension"))
            #expect(
                DeviceCheckPlatform(bundlePath: "/App.app/Action.appex", attestsInExtension: true).unsupported == nil)
        }

        @Test(arguments: DeviceCheckErrorTests.table.dropLast())
        func errors(_ row: (Int, PlatformClass, PlatformClass, PlatformClass)) async throws {
            let phone = TestPhone()
            for call in [TestPhone.Call.generateKey, .attestKey, .generateAssertion] { phone.fail(call, row.0) }
            await TestPhone.$current.withValue(phone) {
                let platform = DeviceCheckPlatform()
                let hash = Data(repeating: 1, count: 32)
                await #expect(throws: PlatformFailure(row.1, code: "dc:\(row.0)")) { try await platform.generateKey() }
                await #expect(throws: PlatformFailure(row.2, code: "dc:\(row.0)")) {
                    try await platform.attestKey("k", clientDataHash: hash)
                }
                await #expect(throws: PlatformFailure(row.3, code: "dc:\(row.0)")) {
                    try await platform.generateAssertion("k", clientDataHash: hash)
                }
            }
        }

        @Test func otherErrors() async throws {
            let phone = TestPhone()
            phone.fail(.generateAssertion, -25308, domain: "NSOSStatusErrorDomain")
            await TestPhone.$current.withValue(phone) {
                await #expect(throws: PlatformFailure(.locked, code: "os:-25308")) {
                    try await DeviceCheckPlatform().generateAssertion("k", clientDataHash: Data(count: 32))
                }
            }
        }
    }
#endif
