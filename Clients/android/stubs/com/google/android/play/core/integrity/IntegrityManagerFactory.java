package com.google.android.play.core.integrity;

import android.content.Context;

public class IntegrityManagerFactory {
    public static StandardIntegrityManager standard;

    public static StandardIntegrityManager createStandard(Context context) {
        return standard;
    }
}
