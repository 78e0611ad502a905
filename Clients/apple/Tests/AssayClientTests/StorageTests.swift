import Foundation
import Testing

@testable import AssayClient

#if ASSAY_CLIENT_STUBS
    import Security
#endif

/// A storage, and how to open it a second time as another process does.
struct StorageCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let open: @Sendable () -> any StateStorage

    static let all: [StorageCase] = {
        let memory = MemoryStorage()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-client-\(UUID().uuidString)")
        var all = [
            StorageCase(testDescription: "memory") { memory },
            StorageCase(testDescription: "file") { FileStorage(folder: folder) },
        ]
        #if ASSAY_CLIENT_STUBS
            let service = UUID().uuidString
            all.append(
                StorageCase(testDescription: "keychain") { KeychainStorage(service: service, accessGroup: "group") })
        #endif
        return all
    }()
}

struct StorageTests {
    private func name(_ account: String = "a", test: String = #function) -> StateName {
        StateName("state", .named(test, "production", account))
    }

    /// A write that names an old version changes nothing.
    @Test(arguments: StorageCase.all) func comparesAndReplaces(_ storage: StorageCase) throws {
        let (one, other) = (storage.open(), storage.open())
        #expect(try one.read(name()) == nil)
        let first = try #require(try one.write(Data([1]), to: name(), replacing: nil))
        #expect(try other.read(name()) == first)
        #expect(try other.write(Data([2]), to: name(), replacing: nil) == nil)
        let second = try #require(try other.write(Data([2]), to: name(), replacing: first.version))
        #expect(second.version != first.version)
        #expect(try one.write(Data([3]), to: name(), replacing: first.version) == nil)
        #expect(try one.write(nil, to: name(), replacing: first.version) == nil)
        #expect(try one.read(name())?.data == Data([2]))
        #expect(try one.read(name("b")) == nil)
        #expect(try one.write(nil, to: name(), replacing: second.version) != nil)
        #expect(try other.read(name()) == nil)
        #expect(try other.write(nil, to: name(), replacing: nil) != nil)
    }

    /// Of writers at the same time one wins each round: no change is lost.
    @Test(arguments: StorageCase.all) func manyWriters(_ storage: StorageCase) async throws {
        let name = name()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let storage = storage.open()
                    var done = 0
                    while done < 25 {
                        let entry = try storage.read(name)
                        let number = (entry?.data?.first ?? 0) + 1
                        if try storage.write(Data([number]), to: name, replacing: entry?.version) != nil { done += 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try storage.open().read(name)?.data == Data([100]))
    }

    /// Other users of the system cannot read it; a damaged file is replaced, and a place that cannot be used is an error.
    @Test func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-client-\(UUID().uuidString)")
        let storage = FileStorage(folder: folder)
        _ = try storage.write(Data([1]), to: name(), replacing: nil)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(file).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
            #expect(!file.contains("production"))
        }
        let path = folder.appendingPathComponent("assay-\(name().text).json")
        try Data("{".utf8).write(to: path)
        let damaged = try #require(try storage.read(name()))
        #expect(damaged.data == nil)
        #expect(try storage.write(Data([2]), to: name(), replacing: "another") == nil)
        #expect(try storage.write(Data([2]), to: name(), replacing: damaged.version) != nil)
        #expect(try storage.read(name())?.data == Data([2]))
        let place = FileStorage(folder: path)
        #expect(throws: (any Error).self) { try place.write(Data([1]), to: name(), replacing: nil) }
    }

    /// No two lists of parts have one name.
    @Test func names() {
        let one = StateName("state", .named("a", "b", "c"))
        #expect(one != StateName("state", .named("ab", "", "c")))
        #expect(one == StateName("state", .named("a", "b", "c")))
        #expect(one.text.count == 64)
    }

    #if ASSAY_CLIENT_STUBS
        /// Items stay on this device, and the Keychain before the first unlock is told apart from other failures.
        @Test func keychain() throws {
            let service = UUID().uuidString
            let storage = KeychainStorage(service: service)
            let entry = try #require(try storage.write(Data([1]), to: name(), replacing: nil))
            #expect(StubKeychain.shared.accessibilities.allSatisfy { $0 == "cku" })
            for (status, isLocked) in [(errSecInteractionNotAllowed, true), (errSecMissingEntitlement, false)] {
                StubKeychain.shared.answer(with: status, for: service)
                let failure = StorageFailure("keychain \(status)", isLocked: isLocked)
                #expect(throws: failure) { try storage.read(name()) }
                #expect(throws: failure) { try storage.write(Data([2]), to: name(), replacing: entry.version) }
            }
        }

        /// An item that another program has left under the name.
        @Test func otherItem() throws {
            let service = UUID().uuidString
            let item = NSMutableDictionary()
            for (key, value) in [
                (kSecClass, kSecClassGenericPassword), (kSecAttrService, NSString(string: service)),
                (kSecAttrAccount, NSString(string: name().text)),
            ] {
                item[key] = value
            }
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            #expect(throws: StorageFailure("the Keychain item is not one of the kit's")) {
                try KeychainStorage(service: service).read(name())
            }
        }
    #endif
}
