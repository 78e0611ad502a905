import AssayCore
import FoundationEssentials
import PlayIntegrity

/// A request of the Play Integrity API (REST reference v1).
struct APIRequest: Sendable {
    /// The path relative to the base URL.
    let path: String
    /// The body, JSON.
    let body: [UInt8]
    /// The kind of call, for quotas.
    let call: RequestQuota.Call
    let packageName: String

    /// Calls `decodeIntegrityToken` or `decodePcIntegrityToken`.
    static func decode(
        _ token: String, _ packageName: String, _ form: IntegrityTokenForm
    ) throws(CallFailure) -> APIRequest {
        try requireSendable(token, packageName)
        let method =
            switch form {
            case .android: "decodeIntegrityToken"
            case .pc: "decodePcIntegrityToken"
            }
        return APIRequest(
            path: "/v1/\(packageName):\(method)", body: try json(Decode(integrity_token: token)), call: .decode,
            packageName: packageName)
    }

    /// Calls `deviceRecall:write`.
    static func write(
        _ token: String, _ packageName: String, _ values: DeviceRecallBits<Bool>
    ) throws(CallFailure) -> APIRequest {
        try requireSendable(token, packageName)
        let bits = Write.Values(bitFirst: values.first, bitSecond: values.second, bitThird: values.third)
        return APIRequest(
            path: "/v1/\(packageName)/deviceRecall:write",
            body: try json(Write(integrityToken: token, newValues: bits)), call: .write, packageName: packageName)
    }

    private static func requireSendable(_ token: String, _ packageName: String) throws(CallFailure) {
        if let objection = PackageName.objection(to: packageName) {
            throw CallFailure(.unknown, .notSendable, "nothing was sent: \(objection)")
        }
        do {
            try IntegrityTokenText.check(token)
        } catch {
            throw CallFailure(.unknown, .notSendable, "nothing was sent: \(error.detail)")
        }
    }

    private static func json(_ value: some Encodable) throws(CallFailure) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Array(try encoder.encode(value))
        } catch {
            throw CallFailure(.unknown, .notSendable, "nothing was sent: the request cannot be written as JSON")
        }
    }

    // Property names are JSON names of the API.
    private struct Decode: Encodable { let integrity_token: String }
    private struct Write: Encodable {
        let integrityToken: String
        let newValues: Values

        struct Values: Encodable {
            let bitFirst: Bool?
            let bitSecond: Bool?
            let bitThird: Bool?
        }
    }
}
