package com.google.android.play.core.integrity;

import android.content.Context;

public class IntegrityManagerFactory {
    public static StandardIntegrityManager standard;
    public static IntegrityManager classic;

    public static StandardIntegrityManager createStandard(Context context) {
        return standard;
    }

    public static IntegrityManager create(Context context) {
        return classic;
    }
}
