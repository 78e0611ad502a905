extension RSATestKey {
    /// Public, not secret. Use only for test evidence.
    static let publishedPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCmCw0QsouxgzqC
        c9J5NxJRI/nveEWsiVhXTg8SyAZMyAmU0Tqfwo1Nd5kC2rBMwGFhHj8N1iPQQiCu
        PNSQB2NuVqa3tvYrKFV0eS4/xgS+7i+AAAHQt5lehx94kilcC6jbjTjusxFWI4s6
        FUyWZiAtiu6lRPrTwAn4Oc0AVTZxTuE5bJwoOUvLxOf7PMw1x0RvG7/D7hkjIXlJ
        H3RQGRbxVMlzStzZWdRy+JzjoSinPqpI5bDA17II5o9SV3IBkIwL8ZWf2JdA3z6z
        P1E09BnB3zBvc574oG5wwYNzSG4XDIwpX0DB5dn09jFK9IZEMJHZWgc0OkKHRU0N
        xd4d1bMbAgMBAAECggEAEESi6hDkOOcnk2Jvq6qmo8aHlVvOT8JBIoSmW2u3mkw7
        DBaXzNFN8NoX5rywa0SqBc7l1KA3cA8ajpetJ9NhfY0F1pgZdE8GWFwLGPp4upAx
        nTPi+aUTZLyOa8y+OqN1ztT+T/zBZRQkbvNpRo8I9g1Xpl+kx5xYHbbkC/VNWTp9
        zHZXxI7wFNb7peTG9DIjjUmME3bnTcypauhrZQf3cvxV4wgbEJDmKejkhIIU7gpv
        mn2O7EuPujyjumUPpAkLo8Gq9uvg6JhuxY10XfcdrG58V1ja+lTrCF2eLSCc3FFl
        hJmUSX66E51BLTlGEA1kwPsHjVHce1Hwsc9+rgreEQKBgQDXSkbVI27YluXvFXZU
        UTeOj5jzDOot7ncZ0Qx01tH2GmLdPHNl14hVAhOU05QoN7zeGMl9BoR0SdpdFyb+
        JeKEKsIlUCFsxhkAci+bXM5vLR3rG/pb0PvGcTILMx1nNFAVP/AbV7ijAgoPhuIe
        Kahzj8hrXF6Mn8fIPfdxo9mF4wKBgQDFcNYcEEjt7sdFQIAlKlQn6/xtEXqyw0do
        siuLmI+NKoT3H62O+0f/8m1oK9sHNVz5APp0zNhS2FmVbKKtJXNGzRQ4HLqkLmlL
        Ieod7Q8nlsgtXxFZrGllZ8raazIBJbTGuucoKarwclTByB7f0VqEBMNiVoGTAvF/
        ZkPb2X1jaQKBgQC/3IT1i2dMhGYTxJe4msydMuHGsNq95kej7UZhldR1s5wpt6bL
        uuHXiEs1Fb1yfgHGGGbwEe/Wxr5gubJZSh/tU0HECP5QttYvLJO6rGGYeKeyEDP0
        wXCvr88+ZeYtRFSeK2XqqCl2s+mNXtKCuPNTUW72JtJoFjjv/jFXyAKhqwKBgDtw
        luTn+iy3YAJ3Qpztu1wxbVMgmgHLTGo2iWmDSmRDUrhbLxMGj0x8nXdpDI2FATJt
        mvki2lVGkOGtTOQ3jBbakqW58G6REl3uHd9YiOFwQV93aW/HugsvTiCneOxjf6L8
        ja7HrJCqut2D89eJ3Wg1TuUCCgxKLI4gKXm8ZkVRAoGBAJ8Ug8+K+M6/duoegbTF
        t4LJYNG0DuChGrS1AUMqxMK3NoQVWoiwDPROowkzoq9DhIoB66xNJwG/oKop0ZpP
        WEvFkZ9Ty/LGu/JTUc0BPkpk7UYMGYHnH155e2IT4gGuaJvgPQcCLD4KH3wKPD9F
        m3dtgeb/NQlZTKESznT4AV3I
        -----END PRIVATE KEY-----
        """
}
