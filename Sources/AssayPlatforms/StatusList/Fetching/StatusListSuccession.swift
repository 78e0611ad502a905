import AndroidKey
package import AssayCore

/// Whether a list may follow the one before.
///
/// A list that its server made before the former one, or that has less than half of its entries, is refused: a part of Google's
/// servers that lags, or a list that lost entries, would let revoked keys pass. If the server still sends such a list when nothing
/// has confirmed the former one for ``trust``, it is what Google publishes, and counts.
enum StatusListSuccession {
    /// How long a former list is preferred, in seconds since it was confirmed.
    static let trust = 12 * 3600.0

    /// Throws if a list may not follow the former one yet.
    static func require(
        _ list: HeldStatusList, after former: HeldStatusList?, _ time: ClientTime
    ) throws(StatusListFailure) {
        guard let former, former.list.digest != list.list.digest, former.age(time) < trust else { return }
        if let issued = list.list.issuedAt, let before = former.list.issuedAt, issued < before {
            throw StatusListFailure(
                .statusListOlder,
                "the server sent a list of \(RFC3339.format(issued)) after one of \(RFC3339.format(before)), which is kept"
            )
        }
        guard list.list.count * 2 >= former.list.count else {
            throw StatusListFailure(
                .statusListShrunk,
                "the server sent a list of \(list.list.count) entries after one of \(former.list.count), which is kept")
        }
    }
}

extension OutageCode {
    /// The server sent a list that is older than the one before.
    package static let statusListOlder: OutageCode = "status-list-older"
    /// The server sent a list with less than half of the entries of the one before.
    package static let statusListShrunk: OutageCode = "status-list-shrunk"
}
