import AssayClient
import SwiftUI

/// An app with one button, which places an order with a signed request.
@main
struct ShopApp: App {
    @State private var shop = Shop()

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
