extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// The duration for messages, in seconds with at most two digits after the point.
    var inWords: String {
        let hundredths = (inSeconds * 100).rounded() / 100
        return hundredths == hundredths.rounded() ? "\(Int(hundredths)) s" : "\(hundredths) s"
    }
}
