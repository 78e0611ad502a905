package import AssayCore
import AssayPrimitives
import FoundationEssentials

/// Asks Apple about device tokens.
package protocol DeviceTokenService: EngineService {
    /// Reads the bits of a device, which does not prove that the token is genuine.
    func bits(of token: [UInt8], _ app: DeviceTokenApp) async throws(DeviceTokenError) -> DeviceBits
    /// Sets bits; nil leaves a bit as it is. It proves that the token is genuine.
    func setBits(of token: [UInt8], first: Bool?, second: Bool?, _ app: DeviceTokenApp) async throws(DeviceTokenError)
    /// Proves that the token is genuine.
    func validate(_ token: [UInt8], _ app: DeviceTokenApp) async throws(DeviceTokenError)
}

/// The app of a device token, and the keys of Apple's services.
package struct DeviceTokenApp: Sendable {
    package let name: String
    package let appID: String
    package let environment: AttestEnvironment
    package let keys: any KeyStore
}

/// Why there is no answer to a device token.
package enum DeviceTokenError: Error {
    /// Apple does not take the token. The text quotes only Apple's documented words.
    case refused(String)
    /// Apple gave no answer about it.
    case outage(any Outage)
}

/// The device token that accompanies evidence, and the account of the session.
package struct AccompanyingDevice: Sendable {
    let token: String?
    let bits: DeviceBits?
    let account: String?

    static let none = AccompanyingDevice(token: nil, bits: nil, account: nil)
}

extension EvidenceRecord {
    var device: AccompanyingDevice { AccompanyingDevice(token: deviceToken, bits: deviceBits, account: account) }
}

extension VerificationPolicy {
    /// Whether an app has rules for device tokens, which only a ``DeviceTokenService`` can answer.
    package var needsDeviceTokenService: Bool {
        apps.contains { $0.configuration(DeviceCheckConfiguration.self) != nil }
    }
}

/// Judges the device tokens of DeviceCheck that accompany the evidence of engines.
package struct DeviceCheckSection: PolicySection {
    package typealias Configuration = DeviceCheckConfiguration

    package static let catalogue = DeviceCheckCheck.catalogue

    /// How long a device token is remembered, in seconds. Apple says that one lives long enough for retries.
    static let memory = 86_400.0

    private struct Rules: Sendable {
        let app: String
        let configuration: DeviceCheckConfiguration
    }

    private let rules: [Rules]
    private let modes: CheckModes
    private let keys: any KeyStore
    private let service: (any DeviceTokenService)?
    private let use: VerdictUse
    private let questions = DeviceQuestions()

    /// Prepares the checks for the apps of a policy with `deviceCheck`.
    init(policy: VerificationPolicy, resources: EngineResources) {
        rules = policy.apps.compactMap { app in
            app.configuration(DeviceCheckConfiguration.self).map { Rules(app: app.name, configuration: $0) }
        }
        modes = CheckModes(policy.modes)
        keys = resources.keys
        service = resources.services.lazy.compactMap { $0 as? any DeviceTokenService }.first
        use = resources.use
    }

    var isNeeded: Bool { !rules.isEmpty }

    /// Adds the results about a device token to an assessment, if the policy's app has rules for them. Apple is asked only about
    /// evidence that no other check rejects, and about that of blocked subjects, whose device is to be banned.
    ///
    /// - Parameter count: counts an outage of Apple's server without which the policy goes on.
    /// - Throws: `.outage` if Apple gave no answer, unless the policy goes on without one; `.request` without a service that asks.
    func complete(
        _ assessment: Assessment, _ device: AccompanyingDevice, ledger: any Ledger, at now: Date,
        counting count: (any Outage) -> Void
    ) async throws(VerificationError) -> Assessment {
        guard let rules = rules.first(where: { assessment.app?.isByteEqual(to: $0.app) == true }),
            modes[.deviceCheckToken] != .off || modes[.deviceCheckBan] != .off
        else { return assessment }
        let assessor = DeviceCheckAssessor(
            configuration: rules.configuration, modes: modes, assessment: assessment, ledger: ledger, now: now,
            questions: questions)
        if use == .analysis { return try await assessor.replayed(device.bits) }
        guard let text = device.token, let token = try? Base64.decode(text, .standard) else {
            return assessor.withoutToken()
        }
        guard assessment.isAcceptable || (assessment.isOnlyBlocked && rules.configuration.blocks == .ban) else {
            return assessor.notReached()
        }
        guard questions.take(assessment, at: now) else { return assessor.askedTooOften() }
        guard let service else {
            throw .request(
                RequestError(
                    .noService, "only Apple can judge a device token, and there is no service that asks it"))
        }
        let asked = DeviceTokenApp(
            name: rules.app, appID: rules.configuration.appID, environment: rules.configuration.environment, keys: keys)
        return try await assessor.assess(token, account: device.account, asking: service, asked, counting: count)
    }
}
