import AssayCore

extension LedgerContract {
    static let keyCases: [Case] = [
        Case("a key is given back as it was enrolled") { ledger in
            try expectEqual(try await ledger.enrolledKey(Sample.identifier()), nil, "a key before its enrolment")
            let key = Sample.key(counter: 7)
            try await ledger.apply(Sample.enrol(key))
            try expectEqual(try await ledger.enrolledKey(key.identifier), key, "the enrolled key")
        },
        Case("a key is enrolled once, for whichever app") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for key in [Sample.key(counter: 9), Sample.key(app: "other")] {
                try await ledger.refuse(Sample.enrol(key), .keyEnrolled(Sample.now), at: Sample.later(5))
            }
            try expectEqual(try await ledger.enrolledKey(Sample.identifier()), Sample.key(), "the first enrolment")
        },
        Case("keys of two engines do not meet") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            let other = KeyIdentifier(engine: "android-key", value: Sample.identifier().value)
            try expectEqual(try await ledger.enrolledKey(other), nil, "the key of another engine")
        },
    ]

    static let counterCases: [Case] = [
        Case("a counter only increases") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(counter: 5)))
            for (presented, stored) in [(5, 5), (4, 5), (0, 5)] as [(UInt32, UInt32)] {
                try await ledger.refuse(
                    Sample.advance(presented), .counterNotIncreasing(presented: presented, stored: stored))
            }
            try await ledger.apply(Sample.advance(6))
            try await ledger.apply(Sample.advance(1000))
            try await ledger.refuse(Sample.advance(1000), .counterNotIncreasing(presented: 1000, stored: 1000))
            try expectEqual(try await ledger.counter(), 1000, "the stored counter")
        },
        Case("counters are unsigned and end at the last one") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key()))
            for counter: UInt32 in [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF] {
                try await ledger.apply(Sample.advance(counter))
                try expectEqual(try await ledger.counter(), counter, "the stored counter")
            }
            for presented: UInt32 in [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF] {
                try await ledger.refuse(
                    Sample.advance(presented), .counterNotIncreasing(presented: presented, stored: .max))
            }
        },
        Case("a successor is exactly one more") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(counter: 0xFFFF_FFFD)))
            for presented: UInt32 in [0xFFFF_FFFF, 0xFFFF_FFFD, 0xFFFF_FFFC, 0] {
                try await ledger.refuse(
                    Sample.advance(presented, rule: .successor),
                    .counterNotSuccessor(presented: presented, stored: 0xFFFF_FFFD))
            }
            try await ledger.apply(Sample.advance(0xFFFF_FFFE, rule: .successor))
            try await ledger.apply(Sample.advance(0xFFFF_FFFF, rule: .successor))
            for presented: UInt32 in [0, .max] {
                try await ledger.refuse(
                    Sample.advance(presented, rule: .successor),
                    .counterNotSuccessor(presented: presented, stored: .max))
            }
        },
        Case("a counter belongs to a key that is enrolled, for its app") { ledger in
            try await ledger.refuse(Sample.advance(1), .keyUnknown)
            try await ledger.apply(Sample.enrol(Sample.key(app: "other")))
            try await ledger.refuse(Sample.advance(1), .keyOfAnotherApp("other"))
            try expectEqual(try await ledger.counter(), 0, "the counter of another app's key")
        },
        Case("advancing a counter changes nothing else of the key") { ledger in
            try await ledger.apply(Sample.enrol(Sample.key(1)), Sample.enrol(Sample.key(2)))
            try await ledger.apply(Sample.advance(3), at: Sample.later(9))
            try expectEqual(
                try await ledger.enrolledKey(Sample.identifier()), Sample.key(counter: 3), "the advanced key")
            try expectEqual(try await ledger.counter(2), 0, "the counter of another key")
        },
        Case("a supplied key counts in an ephemeral ledger that does not know it, and nowhere else") { ledger in
            let effect = Sample.advance(6, supplied: Sample.key(counter: 5))
            switch ledger.durability {
            case .durable:
                try await ledger.refuse(effect, .keyUnknown)
            case .ephemeral:
                try await ledger.refuse(
                    Sample.advance(5, supplied: Sample.key(counter: 5)),
                    .counterNotIncreasing(presented: 5, stored: 5))
                try await ledger.refuse(
                    Sample.advance(6, supplied: Sample.key(app: "other")), .keyOfAnotherApp("other"))
                try await ledger.refuse(Sample.advance(6, supplied: Sample.key(2)), .keyUnknown)
                try expectEqual(try await ledger.counter(), nil, "the counter after refusals")
                try await ledger.apply(effect)
            }
            if ledger.durability == .durable { try await ledger.apply(Sample.enrol(Sample.key(counter: 6))) }
            try await ledger.refuse(effect, .counterNotIncreasing(presented: 6, stored: 6))
            try expectEqual(try await ledger.counter(), 6, "the counter of the ledger's own")
        },
    ]
}
