// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import Foundation
import SoftwareAttester

// The part of Apple's module that the kit uses, with its signatures. As there, the classes are not Sendable.

/// The service of this task's test phone.
public class DCAppAttestService: NSObject {
    public class var shared: DCAppAttestService { DCAppAttestService() }

    public var isSupported: Bool { TestPhone.current.isSupported }

    public func generateKey() async throws -> String {
        try DCError.rethrown { () throws(TestPhone.Fault) in try TestPhone.current.generateKey() }
    }

    public func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data {
        try DCError.rethrown { () throws(TestPhone.Fault) in
            try TestPhone.current.attestKey(keyId, clientDataHash: clientDataHash)
        }
    }

    public func generateAssertion(_ keyId: String, clientDataHash: Data) async throws -> Data {
        try DCError.rethrown { () throws(TestPhone.Fault) in
            try TestPhone.current.generateAssertion(keyId, clientDataHash: clientDataHash)
        }
    }
}

/// The device of this task's test phone.
public class DCDevice: NSObject {
    public class var current: DCDevice { DCDevice() }

    public var isSupported: Bool { TestPhone.current.isSupported }

    public func generateToken() async throws -> Data {
        try DCError.rethrown { () throws(TestPhone.Fault) in try TestPhone.current.generateToken() }
    }
}

/// As Swift imports an error enumeration of Objective-C.
public struct DCError: CustomNSError {
    public enum Code: Int, Sendable {
        case unknownSystemFailure, featureUnsupported, invalidInput, invalidKey, serverUnavailable
    }

    public let code: Code

    public static var errorDomain: String { TestPhone.deviceCheck }
    public var errorCode: Int { code.rawValue }

    static func rethrown<T>(_ call: () throws(TestPhone.Fault) -> T) throws -> T {
        do { return try call() } catch {
            if error.domain == errorDomain, let code = Code(rawValue: error.code) { throw DCError(code: code) }
            throw NSError(domain: error.domain, code: error.code)
        }
    }
}
