package import Assay
package import AssayCore

extension AppleServices: DeviceTokenService {
    /// Reads the bits of a device, which does not prove that the token is genuine.
    package func bits(of token: [UInt8], _ app: DeviceTokenApp) async throws(DeviceTokenError) -> DeviceBits {
        try await asking(app) { client async throws(DeviceCheckError) in
            try await client.bits(of: token, appID: app.appID, app: app.name, environment: app.environment)
        }
    }

    /// Sets bits; nil leaves a bit as it is. It proves that the token is genuine.
    package func setBits(
        of token: [UInt8], first: Bool?, second: Bool?, _ app: DeviceTokenApp
    ) async throws(DeviceTokenError) {
        try await asking(app) { client async throws(DeviceCheckError) in
            try await client.setBits(
                of: token, first: first, second: second, appID: app.appID, app: app.name, environment: app.environment)
        }
    }

    /// Proves that the token is genuine.
    package func validate(_ token: [UInt8], _ app: DeviceTokenApp) async throws(DeviceTokenError) {
        try await asking(app) { client async throws(DeviceCheckError) in
            try await client.validate(token, appID: app.appID, app: app.name, environment: app.environment)
        }
    }

    private func asking<Value: Sendable>(
        _ app: DeviceTokenApp, _ call: (AppleServicesClient) async throws(DeviceCheckError) -> Value
    ) async throws(DeviceTokenError) -> Value {
        do throws(DeviceCheckError) {
            return try await call(client.using(app.keys))
        } catch {
            switch error {
            case .badToken(let said): throw .refused(said)
            case .outage(let outage): throw .outage(outage)
            }
        }
    }
}
