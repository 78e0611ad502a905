import AssayClient
import SwiftUI

/// An app with one button, which places an order with a signed request.
@main
struct ShopApp: App {
    // Your sign-in gives both.
    @State private var shop = Shop(account: "alice", session: "alices-session")

    var body: some Scene {
        WindowGroup {
            VStack(spacing: 16) {
                Text(shop.message)
                Button("Order") { Task { await shop.order() } }
            }
            .padding()
            .task { await shop.start() }
        }
    }
}
