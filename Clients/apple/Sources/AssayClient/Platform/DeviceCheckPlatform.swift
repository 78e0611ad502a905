#if canImport(DeviceCheck)
    import DeviceCheck
    import Foundation

    /// App Attest and DeviceCheck of this device.
    public struct DeviceCheckPlatform: AttestationPlatform {
        /// Whether this process is an app extension that may not attest.
        private let isExtension: Bool
        private var service: DCAppAttestService { .shared }

        /// - Parameters:
        ///   - bundlePath: of the running bundle. An extension (`.appex`) does not attest, and its requests say so.
        ///   - attestsInExtension: true for Action and SSO extensions, and on watchOS, which may attest.
        public init(bundlePath: String = Bundle.main.bundlePath, attestsInExtension: Bool = false) {
            isExtension = bundlePath.hasSuffix(".appex") && !attestsInExtension
        }

        /// `isSupported` of the service.
        public var unsupported: UnsupportedReason? {
            if isExtension { return .init(reason: "extension") }
            return service.isSupported ? nil : .init(reason: "unsupported")
        }

        /// Makes a key.
        public func generateKey() async throws(PlatformFailure) -> String {
            do { return try await service.generateKey() } catch { throw .init(error, in: .generateKey) }
        }

        /// Attests a key, once in its life.
        public func attestKey(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
            do { return try await service.attestKey(keyID, clientDataHash: clientDataHash) } catch {
                throw .init(error, in: .attestKey)
            }
        }

        /// Signs with an attested key.
        public func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data {
            do { return try await service.generateAssertion(keyID, clientDataHash: clientDataHash) } catch {
                throw .init(error, in: .generateAssertion)
            }
        }

        /// A token of DeviceCheck; nil if the device gives none.
        public func deviceToken() async -> Data? {
            guard DCDevice.current.isSupported else { return nil }
            return try? await DCDevice.current.generateToken()
        }
    }

    extension PlatformFailure {
        /// An error that DeviceCheck threw.
        fileprivate init(_ error: any Error, in call: DeviceCheckErrors.Call) {
            let error = error as NSError
            let domain = error.domain == DCError.errorDomain ? DeviceCheckErrors.deviceCheck : error.domain
            self = DeviceCheckErrors.failure(domain: domain, error.code, in: call)
        }
    }
#endif
