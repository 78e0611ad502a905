public import AssayCore
import AssayPrimitives
public import FoundationEssentials
import Synchronization

/// Answers as App Attest's server for receipts and DeviceCheck do, for tests without a network: mount ``answer(to:)`` on any server.
///
/// It has one developer account with one key, and the devices that ``attest(_:appID:environment:)`` and
/// ``addDevice(token:of:isForged:)`` add.
public final class TestAppleServices: Sendable {
    /// A request to one of the servers.
    public struct Request: Sendable {
        /// The path.
        public let path: String
        /// The field `Authorization`; nil if it was not sent.
        public let authorization: String?
        /// The body.
        public let body: [UInt8]
        /// Whether the server is the one of development builds.
        public let isDevelopment: Bool
        /// The time of the server.
        public let time: Date

        /// Describes a request.
        public init(path: String, authorization: String?, body: [UInt8], isDevelopment: Bool, time: Date) {
            (self.path, self.authorization, self.body) = (path, authorization, body)
            (self.isDevelopment, self.time) = (isDevelopment, time)
        }
    }

    /// An answer: the status and the body.
    public struct Answer: Sendable, Equatable {
        /// The status.
        public let status: Int
        /// The body, a text.
        public let body: String

        init(_ status: Int, _ body: String = "") {
            self.status = status
            self.body = body
        }
    }

    private struct Device {
        let certificate: [UInt8]
        let clientDataHash: [UInt8]
        let appID: String
        let environment: AttestEnvironment
        let attestedAt: Date
        var notBefore: Date?
    }

    private struct State {
        var receipts: [[UInt8]: Device] = [:]
        var metric: UInt32 = 1
        /// By device: the bits, and the month of their change.
        var bits: [String: (first: Bool, second: Bool, month: String?)] = [:]
        /// The device of each device token, named by its first token.
        var devices: [String: String] = [:]
        var forged: Set<String> = []
    }

    private let authority: TestAuthority
    private let teamID: String
    private let keyID: String
    private let publicPoint: [UInt8]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - authority: signs receipts.
    ///   - publicPoint: the public half of the account's key, 65 bytes.
    public init(authority: TestAuthority, teamID: String, keyID: String, publicPoint: [UInt8]) {
        (self.authority, self.teamID, self.keyID, self.publicPoint) = (authority, teamID, keyID, publicPoint)
    }

    /// Lets the server know an attestation with its receipt.
    public func attest(_ minted: MintedAttestation, appID: String, environment: AttestEnvironment) {
        guard let receipt = minted.receipt, let certificate = minted.certificates.first else { return }
        let device = Device(
            certificate: certificate, clientDataHash: minted.clientData.hash, appID: appID, environment: environment,
            attestedAt: minted.mintedAt)
        state.withLock { $0.receipts[receipt] = device }
    }

    /// Sets the risk metric of later receipts.
    public func setMetric(_ metric: UInt32) { state.withLock { $0.metric = metric } }

    /// Lets DeviceCheck know a device by its token. Queries are also answered for a forged token.
    ///
    /// - Parameter device: the first token of the device, if it has made one before; nil for a new device.
    public func addDevice(token: [UInt8], of device: [UInt8]? = nil, isForged: Bool = false) {
        let text = Base64.encode(token, .standard)
        state.withLock { state in
            let name = device.map { Base64.encode($0, .standard) } ?? text
            state.devices[text] = name
            if state.bits[name] == nil { state.bits[name] = (false, false, nil) }
            if isForged { state.forged.insert(text) }
        }
    }

    /// The bits of the device that has made a token, and the month of their last change; nil if it is unknown.
    public func bits(ofDevice token: [UInt8]) -> (first: Bool, second: Bool, month: String?)? {
        state.withLock { state in state.devices[Base64.encode(token, .standard)].flatMap { state.bits[$0] } }
    }

    /// Sets the bits of the device that has made a token, as changed in a month such as `2026-04`.
    public func setBits(ofDevice token: [UInt8], first: Bool, second: Bool, month: String) {
        state.withLock { state in
            guard let name = state.devices[Base64.encode(token, .standard)] else { return }
            state.bits[name] = (first, second, month)
        }
    }

    /// The answer to a request.
    public func answer(to request: Request) -> Answer {
        switch request.path {
        case "/v1/attestationData":
            guard isAuthorised(request.authorization, scheme: "", at: request.time) else { return Answer(401) }
            return exchange(request)
        case "/v1/query_two_bits", "/v1/update_two_bits", "/v1/validate_device_token":
            guard let authorization = request.authorization else {
                return Answer(400, "Missing or badly formatted authorization token")
            }
            guard isAuthorised(authorization, scheme: "Bearer ", at: request.time) else {
                return Answer(401, "Unable to verify authorization token")
            }
            return deviceCheck(request)
        default: return Answer(404, "")
        }
    }

    /// Whether a text is a token that the account's key signed within the last hour.
    private func isAuthorised(_ text: String?, scheme: String, at now: Date) -> Bool {
        guard let text, text.hasPrefix(scheme) else { return false }
        let parts = text.dropFirst(scheme.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = try? Base64.decode(String(parts[0]), .url),
            let claims = try? Base64.decode(String(parts[1]), .url),
            let signature = try? Base64.decode(String(parts[2]), .url),
            let head = try? JSONReader.readObject(header, limit: 1000), case .text("ES256") = head["alg"]?.content,
            case .text(keyID) = head["kid"]?.content, let body = try? JSONReader.readObject(claims, limit: 1000),
            case .text(teamID) = body["iss"]?.content, case .number(let digits) = body["iat"]?.content,
            let issued = Double(digits), let key = try? ECDSAPublicKey(x963: publicPoint, curve: .p256)
        else { return false }
        let age = now.timeIntervalSince1970 - issued
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        return age > -60 && age <= 3600 && key.isValidSignature(p1363: signature, for: input[...], digest: .sha256)
    }

    private func exchange(_ request: Request) -> Answer {
        guard let text = String(validating: request.body, as: UTF8.self),
            let receipt = try? Base64.decode(text, .standard)
        else { return Answer(400, "Bad Payload") }
        return state.withLock { state in
            guard var device = state.receipts[receipt] else { return Answer(400, "Bad Payload") }
            guard (device.environment == .development) == request.isDevelopment else {
                return Answer(400, "Incorrect Environment")
            }
            if let notBefore = device.notBefore, request.time < notBefore { return Answer(304) }
            // The data live for 30 days, unless the device attests again.
            guard request.time.timeIntervalSince(device.attestedAt) <= 30 * 86_400 else {
                return Answer(404, "No Data Found")
            }
            let blueprint = ReceiptBlueprint(
                authority: authority, appID: device.appID, certificate: device.certificate,
                clientDataHash: device.clientDataHash, environment: device.environment, createdAt: request.time,
                riskMetric: state.metric)
            guard let new = try? blueprint.mint() else { return Answer(500) }
            device.notBefore = request.time.addingTimeInterval(86_400)
            state.receipts[new] = device
            return Answer(200, Base64.encode(new, .standard))
        }
    }

    private func deviceCheck(_ request: Request) -> Answer {
        guard let body = try? JSONReader.readObject(request.body, limit: 16_384),
            case .text(let token) = body["device_token"]?.content, !token.isEmpty
        else { return Answer(400, "Missing or incorrectly formatted device token payload") }
        guard case .text = body["transaction_id"]?.content, case .number(let time) = body["timestamp"]?.content,
            let milliseconds = Double(time), abs(milliseconds / 1000 - request.time.timeIntervalSince1970) < 3600
        else { return Answer(400, "Missing or incorrectly formatted time stamp") }
        return state.withLock { state in
            guard let device = state.devices[token], var bits = state.bits[device] else {
                return Answer(400, "Bad Device Token")
            }
            switch request.path {
            case "/v1/query_two_bits":
                guard let month = bits.month else { return Answer(200, "Failed to find bit state") }
                return Answer(200, #"{"bit0":\#(bits.first),"bit1":\#(bits.second),"last_update_time":"\#(month)"}"#)
            case "/v1/update_two_bits":
                guard !state.forged.contains(token) else { return Answer(400, "Bad Device Token") }
                let given = ["bit0", "bit1"].map { name -> Bool? in
                    if case .flag(let bit) = body[name]?.content { bit } else { nil }
                }
                guard given.contains(where: { $0 != nil }) else {
                    return Answer(400, "Missing or incorrectly formatted bits")
                }
                bits.first = given[0] ?? bits.first
                bits.second = given[1] ?? bits.second
                bits.month = String(RFC3339.format(request.time).prefix(7))
                state.bits[device] = bits
                return Answer(200)
            default: return state.forged.contains(token) ? Answer(400, "Bad Device Token") : Answer(200)
            }
        }
    }
}
