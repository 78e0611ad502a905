package dev.assay.client.android;

import android.os.Build;
import android.security.KeyStoreException;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.UserNotAuthenticatedException;
import dev.assay.client.PlatformException;
import dev.assay.client.PlatformException.Kind;
import java.security.UnrecoverableKeyException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the kit does about an error of Android's keystore. Codes are those of android.security.KeyStoreException. */
final class KeystoreErrors {
    private static final Pattern INTERNAL = Pattern.compile("-[0-9]{1,5}");

    private KeystoreErrors() {}

    static PlatformException of(Throwable error) {
        if (error instanceof PlatformException) return (PlatformException) error;
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 8; cause = cause.getCause(), depth++) {
            // The class is public since API 33, and hidden before.
            if (Build.VERSION.SDK_INT >= 33 && cause instanceof KeyStoreException) return of((KeyStoreException) cause);
            if (cause instanceof KeyPermanentlyInvalidatedException || cause instanceof UnrecoverableKeyException) return gone(6, error);
            if (cause instanceof UserNotAuthenticatedException) return new PlatformException(Kind.LOCKED, "keystore:2", error);
        }
        return ofText(error);
    }

    private static PlatformException of(KeyStoreException error) {
        int code = error.getNumericErrorCode();
        return new PlatformException(kind(error, code), "keystore:" + code, error);
    }

    private static Kind kind(KeyStoreException error, int code) {
        switch (code) {
            case KeyStoreException.ERROR_ATTESTATION_KEYS_UNAVAILABLE:
                return error.getRetryPolicy() == KeyStoreException.RETRY_NEVER ? Kind.UNSUPPORTED : Kind.LATER;
            // ERROR_DEVICE_REQUIRES_UPGRADE_FOR_ATTESTATION, of newer systems.
            case 17: return Kind.UNSUPPORTED;
            case KeyStoreException.ERROR_KEY_DOES_NOT_EXIST:
            case KeyStoreException.ERROR_KEY_CORRUPTED:
            case KeyStoreException.ERROR_KEY_NOT_TEMPORALLY_VALID: return Kind.KEY_GONE;
            case KeyStoreException.ERROR_KEY_OPERATION_EXPIRED: return Kind.AGAIN;
            case KeyStoreException.ERROR_USER_AUTHENTICATION_REQUIRED:
            case KeyStoreException.ERROR_KEYSTORE_UNINITIALIZED: return Kind.LOCKED;
            case KeyStoreException.ERROR_INTERNAL_SYSTEM_ERROR:
            case KeyStoreException.ERROR_KEYMINT_FAILURE:
            case KeyStoreException.ERROR_KEYSTORE_FAILURE:
                // A fault of this key alone needs another key; one of the system passes, or stays.
                return error.isTransientFailure() || error.isSystemError() ? Kind.LATER : Kind.KEY_GONE;
            case KeyStoreException.ERROR_UNIMPLEMENTED: return Kind.UNSUPPORTED;
            default: return error.isTransientFailure() ? Kind.LATER : Kind.BUG;
        }
    }

    /** Before API 33 only the text has the code of KeyMaster or of the keystore. */
    private static PlatformException ofText(Throwable error) {
        StringBuilder text = new StringBuilder();
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 8; cause = cause.getCause(), depth++) {
            text.append(cause.getMessage()).append(' ');
        }
        Matcher found = INTERNAL.matcher(text);
        String code = found.find() ? found.group() : null;
        if (code == null) return new PlatformException(Kind.LATER, "keystore:" + error.getClass().getSimpleName(), error);
        switch (code) {
            // ATTESTATION_KEYS_NOT_PROVISIONED.
            case "-74": return new PlatformException(Kind.UNSUPPORTED, "keystore:-74", error);
            // INVALID_KEY_BLOB, KEY_EXPIRED.
            case "-33":
            case "-25": return gone(Integer.parseInt(code), error);
            // KEY_USER_NOT_AUTHENTICATED, DEVICE_LOCKED.
            case "-26":
            case "-72": return new PlatformException(Kind.LOCKED, "keystore:" + code, error);
            // UNIMPLEMENTED.
            case "-100": return new PlatformException(Kind.UNSUPPORTED, "keystore:-100", error);
            default: return new PlatformException(Kind.LATER, "keystore:" + code, error);
        }
    }

    private static PlatformException gone(int code, Throwable error) {
        return new PlatformException(Kind.KEY_GONE, "keystore:" + code, error);
    }
}
