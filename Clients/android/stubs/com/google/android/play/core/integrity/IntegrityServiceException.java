package com.google.android.play.core.integrity;

public class IntegrityServiceException extends Exception {
    private static final long serialVersionUID = 1;
    private final int code;

    public IntegrityServiceException(int code) {
        super("Integrity API error (" + code + ")");
        this.code = code;
    }

    public int getErrorCode() {
        return code;
    }
}
