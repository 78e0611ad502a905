// A file system for SQLite that fails by plan: the default one, with faults and power cuts in one folder.
//
// There is one plan at a time. Files outside its folder use the default file system directly.
#ifndef C_FAULTY_VFS_H
#define C_FAULTY_VFS_H

#include <stdbool.h>
#include <stdint.h>

// The file operations of SQLite that a plan can select.
enum {
    FAULTY_READ = 1 << 0,
    FAULTY_WRITE = 1 << 1,
    FAULTY_SYNC = 1 << 2,
    FAULTY_TRUNCATE = 1 << 3,
    FAULTY_SHARED_MEMORY = 1 << 4,
    FAULTY_LOCK = 1 << 5,
    FAULTY_OPEN = 1 << 6,
    FAULTY_DELETE = 1 << 7,
    FAULTY_SIZE = 1 << 8,
    // The locks in shared memory except the writer's, which counts as FAULTY_LOCK. Without them SQLite tries to read
    // for ten seconds, whatever the timeout.
    FAULTY_SHARED_LOCK = 1 << 9,
};

// The effect of a plan on the selected operation.
enum {
    // It fails with the error of its kind: SQLITE_IOERR_READ and so on; SQLITE_CANTOPEN for opening.
    FAULTY_ERROR = 0,
    // SQLITE_FULL, after half of the data is written.
    FAULTY_FULL = 1,
    // SQLITE_BUSY, as if another process had the lock.
    FAULTY_BUSY = 2,
    // The power fails before the operation: nothing later reaches the disk, and everything fails.
    FAULTY_POWER = 3,
    // The power fails during a write, of which a part has reached the file.
    FAULTY_TORN = 4,
    // A sync fails and its data is lost, as on Linux; the process continues.
    FAULTY_SYNC_LOSS = 5,
};

// The unsynced data of a file that survives a power cut.
enum {
    FAULTY_LOSE_UNSYNCED = 0,
    FAULTY_KEEP_UNSYNCED = 1,
    // Some sectors of 512 bytes, selected by a seed.
    FAULTY_MIX_UNSYNCED = 2,
};

typedef struct {
    uint32_t operations;
    uint32_t effect;
    // The number of the selected operation, from 1; 0 for none.
    int64_t at;
    // Whether all later selected operations fail too.
    bool isLasting;
} faulty_plan;

// Makes this SQLite's default file system, once per process. Returns an SQLite result code.
int faulty_vfs_register(void);

// Starts a plan for the files of a folder. Discards the images of the previous plan.
void faulty_vfs_begin(const char *folder, faulty_plan plan);

// Ends the plan. Later operations pass. Returns the number of operations of the plan's kinds.
int64_t faulty_vfs_end(void);

// Cuts the power: every operation fails until the plan ends.
void faulty_vfs_power_off(void);

// Whether the plan's fault has happened.
bool faulty_vfs_has_fired(void);

// The number of open files in the plan's folder.
int faulty_vfs_open_files(void);

// Completes a power cut: writes the files of the folder as the disk would have them. They must be closed. Returns 0, or
// an errno.
int faulty_vfs_cut_power(uint32_t remains, uint64_t seed);

#endif
