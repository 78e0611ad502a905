package com.google.android.gms.tasks;

public interface OnCompleteListener<T> {
    void onComplete(Task<T> task);
}
