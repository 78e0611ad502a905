package android.security.keystore;

public class StrongBoxUnavailableException extends java.security.ProviderException {
    private static final long serialVersionUID = 1;

    public StrongBoxUnavailableException(String message) {
        super(message);
    }
}
