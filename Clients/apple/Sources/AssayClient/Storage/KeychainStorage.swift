#if canImport(Security)
    import Foundation
    import Security

    /// A storage in the Keychain: it survives reinstallation, and leaves the device in no backup
    /// (`kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`).
    public struct KeychainStorage: StateStorage {
        private let service: String
        private let accessGroup: String?

        /// - Parameters:
        ///   - service: the attribute `kSecAttrService` of the items.
        ///   - accessGroup: a Keychain group that the app shares with its extensions; nil for the app's own.
        public init(service: String = "assay-client", accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }

        private func query(_ name: StateName, version: String? = nil) -> NSMutableDictionary {
            let query = NSMutableDictionary()
            query[kSecClass as NSString] = kSecClassGenericPassword
            query[kSecAttrService as NSString] = service
            query[kSecAttrAccount as NSString] = name.text
            query[kSecUseDataProtectionKeychain as NSString] = true
            if let accessGroup { query[kSecAttrAccessGroup as NSString] = accessGroup }
            // Part of the query, so that the Keychain compares and replaces in one transaction.
            if let version { query[kSecAttrComment as NSString] = version }
            return query
        }

        /// The entry.
        public func read(_ name: StateName) throws -> StoredState? {
            let query = query(name)
            query[kSecReturnData as NSString] = true
            query[kSecReturnAttributes as NSString] = true
            query[kSecMatchLimit as NSString] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            try Self.check(status)
            guard let item = result as? NSDictionary, let data = item[kSecValueData as NSString] as? Data,
                let version = item[kSecAttrComment as NSString] as? String
            else { throw StorageFailure("the Keychain item is not one of the kit's") }
            return StoredState(data: data, version: version)
        }

        /// Replaces the entry if it has the version.
        public func write(_ data: Data?, to name: StateName, replacing version: String?) throws -> StoredState? {
            let new = StoredState(data: data)
            let status: OSStatus
            switch (data, version) {
            case (nil, nil): return try read(name) == nil ? new : nil
            case (nil, let version?): status = SecItemDelete(query(name, version: version) as CFDictionary)
            case (let data?, nil):
                let item = query(name, version: new.version)
                item[kSecValueData as NSString] = data
                item[kSecAttrAccessible as NSString] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                status = SecItemAdd(item as CFDictionary, nil)
            case (let data?, let version?):
                let change = NSMutableDictionary()
                change[kSecValueData as NSString] = data
                change[kSecAttrComment as NSString] = new.version
                status = SecItemUpdate(query(name, version: version) as CFDictionary, change as CFDictionary)
            }
            if status == errSecItemNotFound || status == errSecDuplicateItem { return nil }
            try Self.check(status)
            return new
        }

        private static func check(_ status: OSStatus) throws {
            guard status != errSecSuccess else { return }
            throw StorageFailure("keychain \(status)", isLocked: status == errSecInteractionNotAllowed)
        }
    }
#endif
