package import Assay
package import AssayCore

extension AppleServices: DeviceTokenService {
    /// Reads the bits of a device, which does not prove that the token is genuine.
    package func bits(of token: [UInt8], _ app: DeviceTokenApp) async throws(DeviceTokenError) -> DeviceBits {
        do throws(DeviceCheckError) {
            return try await client.bits(
                of: token, appID: app.appID, app: app.name, environment: app.environment, keys: app.keys)
        } catch {
            throw DeviceTokenError(error)
        }
    }

    /// Sets bits; nil leaves a bit as it is. It proves that the token is genuine.
    package func setBits(
        of token: [UInt8], first: Bool?, second: Bool?, _ app: DeviceTokenApp
    ) async throws(DeviceTokenError) {
        do throws(DeviceCheckError) {
            try await client.setBits(
                of: token, first: first, second: second, appID: app.appID, app: app.name, environment: app.environment,
                keys: app.keys)
        } catch {
            throw DeviceTokenError(error)
        }
    }

    /// Proves that the token is genuine.
    package func validate(_ token: [UInt8], _ app: DeviceTokenApp) async throws(DeviceTokenError) {
        do throws(DeviceCheckError) {
            try await client.validate(
                token, appID: app.appID, app: app.name, environment: app.environment, keys: app.keys)
        } catch {
            throw DeviceTokenError(error)
        }
    }
}

extension DeviceTokenError {
    fileprivate init(_ error: DeviceCheckError) {
        switch error {
        case .badToken(let said): self = .refused(said)
        case .outage(let outage): self = .outage(outage)
        }
    }
}
