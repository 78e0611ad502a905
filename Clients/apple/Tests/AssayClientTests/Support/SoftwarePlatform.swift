import Foundation
import SoftwareAttester

@testable import AssayClient

/// A test phone as the kit sees it, without the modules of Apple.
struct SoftwarePlatform: AttestationPlatform {
    let phone: TestPhone

    var unsupported: UnsupportedReason? { phone.isSupported ? nil : .init(reason: "unsupported") }

    func generateKey() async throws(PlatformFailure) -> String {
        do { return try phone.generateKey() } catch { throw failure(error, in: .generateKey) }
    }

    func attestKey(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
        do { return try phone.attestKey(keyID, clientDataHash: clientDataHash) } catch {
            throw failure(error, in: .attestKey)
        }
    }

    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
        do { return try phone.generateAssertion(keyID, clientDataHash: clientDataHash) } catch {
            throw failure(error, in: .generateAssertion)
        }
    }

    func deviceToken() async -> Data? { try? phone.generateToken() }

    private func failure(_ fault: TestPhone.Fault, in call: DeviceCheckErrors.Call) -> PlatformFailure {
        let domain = fault.domain == TestPhone.deviceCheck ? DeviceCheckErrors.deviceCheck : fault.domain
        return DeviceCheckErrors.failure(domain: domain, fault.code, in: call)
    }
}

extension Configuration {
    /// Settings that differ in what names a state.
    static func named(_ app: String, _ environment: String, _ account: String) -> Configuration {
        var settings = Configuration(app: app, backend: URL(fileURLWithPath: "/"))
        settings.environment = environment
        settings.account = account
        return settings
    }
}
