import AssayTesting

/// Configurations that are taken over.
extension ConfigurationMint {
    func lookUps() -> [ConfigurationCase] {
        var everyHost = configuration(1)
        everyHost.claims["pins"] = ["api.example.com": [pin("leaf")], "*": [pin("authority")]]
        return [
            ConfigurationCase(
                id: "initial", about: "the configuration that the app was built with", embedded: configuration(1),
                version: 1,
                evaluations: [
                    Evaluation("api.example.com", ["leaf", "authority"], "allowed"),
                    Evaluation("api.example.com", ["leaf"], after: 40_000_000, "allowed"),
                    Evaluation("api.example.com", ["next-leaf", "authority"], "refused"),
                    Evaluation("api.example.com", ["next-leaf", "leaf"], "allowed"),
                    Evaluation("api.example.com", [], "refused"),
                    Evaluation("both.example.com", ["next-leaf"], "allowed"),
                    Evaluation("authority.example.com", ["next-leaf", "authority"], "allowed"),
                    Evaluation("cdn.example.com", ["next-leaf"], "unpinned"),
                    Evaluation("cdn.example.com", [], "unpinned"),
                    Evaluation("other.example.com", ["leaf"], "unpinned"),
                    Evaluation("sub.api.example.com", ["next-leaf"], "unpinned"),
                    Evaluation("example.com", ["next-leaf"], "unpinned"),
                    Evaluation("window.example.com", ["leaf"], after: -1, "refused"),
                    Evaluation("window.example.com", ["leaf"], "allowed"),
                    Evaluation("window.example.com", ["leaf"], after: 3600, "allowed"),
                    Evaluation("window.example.com", ["leaf"], after: 3601, "refused"),
                    Evaluation("start.example.com", ["next-leaf"], after: 3599, "refused"),
                    Evaluation("start.example.com", ["next-leaf"], after: 3600, "allowed"),
                ]),
            ConfigurationCase(
                id: "every-host", about: "the pins of * count for hosts without an entry, and for no other",
                embedded: everyHost, version: 1,
                evaluations: [
                    Evaluation("api.example.com", ["leaf"], "allowed"),
                    Evaluation("api.example.com", ["next-leaf", "authority"], "refused"),
                    Evaluation("other.example.com", ["next-leaf", "authority"], "allowed"),
                    Evaluation("other.example.com", ["leaf"], "refused"),
                    Evaluation(Self.backend, ["leaf"], "refused"),
                ]),
            ConfigurationCase(
                id: "stored", about: "the stored configuration counts before an older one of the app",
                embedded: configuration(1), held: newPins(4), version: 4,
                evaluations: [Evaluation("api.example.com", ["next-leaf"], "allowed")]),
            ConfigurationCase(
                id: "stored-older", about: "a newer release of the app brings a newer configuration",
                embedded: newPins(5), held: configuration(4), received: configuration(4), result: .refused, version: 5,
                evaluations: [Evaluation("api.example.com", ["next-leaf"], "allowed")]),
        ]
    }

    /// A configuration in which the API has the next key.
    func newPins(_ version: Int64) -> ConfigurationBlueprint {
        var configuration = configuration(version)
        configuration.claims["pins"] = ["api.example.com": [pin("next-leaf")]]
        return configuration
    }

    func updates() -> [ConfigurationCase] {
        [
            received(
                "update", "other pins", newPins(2), .applied, version: 2,
                [
                    Evaluation("api.example.com", ["leaf"], "refused"),
                    Evaluation("api.example.com", ["next-leaf"], "allowed"),
                    Evaluation("both.example.com", ["other-leaf"], "unpinned"),
                ]),
            received("update-skips", "versions may be skipped", newPins(900), .applied, version: 900),
            received(
                "update-largest", "the largest version", newPins(9_007_199_254_740_991), .applied,
                version: 9_007_199_254_740_991),
            received(
                "update-no-pins", "no pins any more", configuration(2) { $0["pins"] = .object([]) }, .applied,
                version: 2,
                [Evaluation("api.example.com", ["other-leaf"], "unpinned")]),
            received(
                "update-unknown-members", "members of a later version of Assay are ignored",
                configuration(2) {
                    $0["timeouts"] = ["connect": 5]
                    $0["pins"] = ["api.example.com": [["pin": pin("leaf")["pin"] ?? .null, "note": "x"]]]
                }, .applied, version: 2, [Evaluation("api.example.com", ["leaf"], "allowed")]),
            received(
                "equal", "the configuration that the app has", configuration(1), .ignored,
                [Evaluation("api.example.com", ["leaf"], "allowed")]),
            received(
                "equal-other-pins", "an equal version changes nothing", newPins(1), .ignored,
                [Evaluation("api.example.com", ["next-leaf"], "refused")]),
            received(
                "lower", "a lower version", configuration(3), .refused, version: 4, held: newPins(4),
                [Evaluation("api.example.com", ["next-leaf"], "allowed")]),
        ]
    }

    func keyChanges() -> [ConfigurationCase] {
        [
            received(
                "key-announced", "a key that signs later is announced", configuration(2, keys: ["first", "second"]),
                .applied, version: 2),
            received(
                "key-announced-first", "the order of keys means nothing",
                configuration(3, keys: ["second", "first"], by: "second"), .applied, version: 3,
                held: configuration(2, keys: ["second", "first"])),
            received(
                "key-rotated", "a key that was announced signs, and the old one is gone",
                configuration(3, keys: ["second"], by: "second"), .applied, version: 3,
                held: configuration(2, keys: ["first", "second"])),
            received(
                "key-retired", "the key of the first configuration signs after it is gone", configuration(4), .refused,
                version: 3, held: configuration(3, keys: ["second"], by: "second")),
            received(
                "key-unknown", "a key that was not announced", configuration(2, keys: ["second"], by: "second"),
                .refused),
        ]
    }

    func forced() -> [ConfigurationCase] {
        func forced(
            _ id: String, _ about: String, force: Int64, held: Int64, isForced: Bool
        ) -> ConfigurationCase {
            var item = received(
                id, about, configuration(3, force: force), .applied, version: 3, held: configuration(held))
            item.isForced = isForced
            return item
        }
        return [
            forced("force", "open connections are dropped", force: 3, held: 2, isForced: true),
            forced("force-earlier", "the app missed the forced version too", force: 2, held: 1, isForced: true),
            forced("force-had", "the app had the forced version", force: 2, held: 2, isForced: false),
            forced("force-long-ago", "the app had a later version", force: 1, held: 2, isForced: false),
        ]
    }

    func modes() -> [ConfigurationCase] {
        func with(
            _ id: String, _ about: String, _ received: ConfigurationBlueprint?, _ result: ConfigurationCase.Result?,
            mode: String, held: ConfigurationBlueprint? = nil, version: Int64 = 1, after seconds: Int64 = 0,
            _ evaluations: [Evaluation] = []
        ) -> ConfigurationCase {
            ConfigurationCase(
                id: id, about: about, embedded: configuration(1), held: held, received: received, result: result,
                version: version, mode: mode, seconds: seconds, evaluations: evaluations)
        }
        func evaluations(pinned: String, unpinned: String, backend: String) -> [Evaluation] {
            [
                Evaluation("api.example.com", ["leaf"], pinned), Evaluation("api.example.com", ["other-leaf"], pinned),
                Evaluation("window.example.com", ["leaf"], after: 3599, pinned),
                Evaluation("cdn.example.com", ["leaf"], unpinned), Evaluation("other.example.com", ["leaf"], unpinned),
                Evaluation(Self.backend, ["leaf"], backend),
                Evaluation(Self.backend, ["leaf"], after: 3600, "unpinned"),
                Evaluation("api.example.com", ["leaf"], after: 3599, pinned),
                Evaluation("api.example.com", ["leaf"], after: 3600, "allowed"),
                Evaluation("api.example.com", ["other-leaf"], after: 3600, "refused"),
            ]
        }
        let day = Self.day
        return [
            with(
                "mode-unpin", "no pins for an hour", mode("unpin"), .applied, mode: "unpin",
                evaluations(pinned: "unpinned", unpinned: "unpinned", backend: "unpinned")),
            with(
                "mode-block", "no host with pins for an hour", mode("block"), .applied, mode: "block",
                evaluations(pinned: "refused", unpinned: "unpinned", backend: "unpinned")),
            with(
                "mode-block-all", "no host with pins, and no backend", mode("blockAll"), .applied, mode: "blockAll",
                evaluations(pinned: "refused", unpinned: "unpinned", backend: "refused")),
            with("mode-newer", "a mode in a newer version", mode("block", 2), .applied, mode: "block", version: 2),
            with(
                "mode-again", "the mode that the device has", mode("unpin"), .ignored, mode: "unpin",
                held: mode("unpin")),
            with(
                "mode-longer", "the mode for longer", mode("unpin", until: day), .applied, mode: "unpin",
                held: mode("unpin"), [Evaluation("api.example.com", ["other-leaf"], after: day - 1, "unpinned")]),
            with("mode-other", "another mode", mode("block"), .applied, mode: "block", held: mode("unpin")),
            with(
                "mode-ended", "an equal version without mode ends it", configuration(1), .applied, mode: "pin",
                held: mode("unpin"), [Evaluation("api.example.com", ["other-leaf"], "refused")]),
            with(
                "mode-ended-newer", "a newer version without mode ends it", configuration(2), .applied, mode: "pin",
                held: mode("unpin"), version: 2),
            with(
                "mode-over", "the mode is over by itself", nil, nil, mode: "pin", held: mode("blockAll"), after: 3600,
                [
                    Evaluation("api.example.com", ["leaf"], after: 3600, "allowed"),
                    Evaluation(Self.backend, ["leaf"], after: 3600, "unpinned"),
                ]),
            with(
                "mode-late", "the mode was over before it was received", mode("unpin"), .applied, mode: "pin",
                after: 3600,
                [Evaluation("api.example.com", ["other-leaf"], after: 3600, "refused")]),
            with(
                "mode-over-ended", "an equal version takes the place of an ended mode", configuration(1), .applied,
                mode: "pin", held: mode("unpin"), after: 3601),
            with(
                "mode-lower", "a mode in a lower version", mode("unpin", 1), .refused, mode: "pin",
                held: configuration(2), version: 2, [Evaluation("api.example.com", ["other-leaf"], "refused")]),
        ]
    }
}
