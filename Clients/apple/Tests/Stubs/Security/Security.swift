// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import Foundation
import FoundationNetworking

// The calls of the Keychain that the kit uses, with their signatures, over a table in memory. As in the Keychain, an item is
// known by class, service, account and group, and a query matches each attribute that it names.

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFAllocator = NSObject
public typealias CFError = NSError
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
public let errSecMissingEntitlement: OSStatus = -34018

nonisolated(unsafe) public let kSecClass: CFString = "class"
nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"
nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"

/// The Keychain of this process.
public final class StubKeychain: @unchecked Sendable {
    public static let shared = StubKeychain()

    private let lock = NSLock()
    private var items: [NSMutableDictionary] = []
    private var statuses: [String: OSStatus] = [:]

    /// What each call for this service returns from now on, in place of its work.
    public func answer(with status: OSStatus, for service: String) { lock.withLock { statuses[service] = status } }

    /// The attribute `kSecAttrAccessible` of all items.
    public var accessibilities: [String] {
        lock.withLock { items.compactMap { ($0[kSecAttrAccessible] as? NSString).map { $0._bridgeToSwift() } } }
    }

    nonisolated(unsafe) private static let attributes = [
        kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup, kSecAttrComment,
    ]

    private static func text(_ value: Any?) -> String? {
        value as? String ?? (value as? NSString).map { $0._bridgeToSwift() }
    }

    private static func matches(_ item: NSDictionary, _ query: NSDictionary, _ attributes: ArraySlice<NSString>) -> Bool
    {
        attributes.allSatisfy { text(query[$0]) == nil || text(query[$0]) == text(item[$0]) }
    }

    fileprivate func with(_ query: NSDictionary, _ work: (inout [NSMutableDictionary]) -> OSStatus) -> OSStatus {
        lock.withLock { statuses[Self.text(query[kSecAttrService]) ?? ""] ?? work(&items) }
    }

    fileprivate static func find(_ query: NSDictionary, in items: [NSMutableDictionary]) -> Int? {
        items.firstIndex { matches($0, query, attributes[...]) }
    }

    fileprivate static func isSame(_ item: NSDictionary, _ other: NSDictionary) -> Bool {
        matches(item, other, attributes.prefix(4))
    }
}

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    StubKeychain.shared.with(attributes) { items in
        guard !items.contains(where: { StubKeychain.isSame($0, attributes) }) else { return errSecDuplicateItem }
        let item = NSMutableDictionary()
        item.addEntries(from: attributes as? [AnyHashable: Any] ?? [:])
        items.append(item)
        return errSecSuccess
    }
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    StubKeychain.shared.with(query) { items in
        guard let index = StubKeychain.find(query, in: items) else { return errSecItemNotFound }
        items[index].addEntries(from: attributesToUpdate as? [AnyHashable: Any] ?? [:])
        return errSecSuccess
    }
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    StubKeychain.shared.with(query) { items in
        guard let index = StubKeychain.find(query, in: items) else { return errSecItemNotFound }
        items.remove(at: index)
        return errSecSuccess
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    StubKeychain.shared.with(query) { items in
        guard let index = StubKeychain.find(query, in: items) else { return errSecItemNotFound }
        result?.pointee = items[index]
        return errSecSuccess
    }
}

public final class SecCertificate: NSObject {
    private let data: Data
    public init(data: Data) { self.data = data }
    fileprivate var content: NSData { NSData(data: data) }
}

public func SecCertificateCopyData(_ certificate: SecCertificate) -> NSData { certificate.content }

/// A chain, and whether the system trusts it.
public final class SecTrust: NSObject {
    fileprivate let chain: [SecCertificate]
    fileprivate let isTrusted: Bool

    public init(chain: [Data], isTrusted: Bool) {
        (self.chain, self.isTrusted) = (chain.map(SecCertificate.init), isTrusted)
    }
}

// Foundation has both on Linux too, and says there that they are unavailable.

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// A server whose chain is known.
public final class StubProtectionSpace: URLProtectionSpace, @unchecked Sendable {
    fileprivate let trust: SecTrust

    public init(host: String, trust: SecTrust) {
        self.trust = trust
        super.init(
            host: host, port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
    }

    public required init?(coder: NSCoder) { nil }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { (self as? StubProtectionSpace)?.trust }
}

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    trust.isTrusted
}

public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> NSArray? { NSArray(array: trust.chain) }

public final class SecAccessControl: NSObject {}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
}

public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    SecAccessControl()
}
