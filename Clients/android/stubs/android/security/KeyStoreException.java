package android.security;

public class KeyStoreException extends Exception {
    private static final long serialVersionUID = 1;
    public static final int ERROR_OTHER = 1;
    public static final int ERROR_USER_AUTHENTICATION_REQUIRED = 2;
    public static final int ERROR_KEYSTORE_UNINITIALIZED = 3;
    public static final int ERROR_INTERNAL_SYSTEM_ERROR = 4;
    public static final int ERROR_PERMISSION_DENIED = 5;
    public static final int ERROR_KEY_DOES_NOT_EXIST = 6;
    public static final int ERROR_KEY_CORRUPTED = 7;
    public static final int ERROR_ID_ATTESTATION_FAILURE = 8;
    public static final int ERROR_ATTESTATION_CHALLENGE_TOO_LARGE = 9;
    public static final int ERROR_KEYMINT_FAILURE = 10;
    public static final int ERROR_KEYSTORE_FAILURE = 11;
    public static final int ERROR_UNIMPLEMENTED = 12;
    public static final int ERROR_INCORRECT_USAGE = 13;
    public static final int ERROR_KEY_NOT_TEMPORALLY_VALID = 14;
    public static final int ERROR_KEY_OPERATION_EXPIRED = 15;
    public static final int ERROR_ATTESTATION_KEYS_UNAVAILABLE = 16;
    public static final int RETRY_NEVER = 1;
    public static final int RETRY_WITH_EXPONENTIAL_BACKOFF = 2;
    public static final int RETRY_WHEN_CONNECTIVITY_AVAILABLE = 3;
    private final int code;
    private final int policy;
    private final boolean isTransient;
    private final boolean isSystem;

    public KeyStoreException(int code, int policy, boolean isTransient, boolean isSystem) {
        super("public error code " + code + " internal -1000");
        this.code = code;
        this.policy = policy;
        this.isTransient = isTransient;
        this.isSystem = isSystem;
    }

    public int getNumericErrorCode() {
        return code;
    }

    public int getRetryPolicy() {
        return policy;
    }

    public boolean isTransientFailure() {
        return isTransient;
    }

    public boolean isSystemError() {
        return isSystem;
    }
}
