// A file system for SQLite that fails by plan: the default one, with faults and power cuts in one folder.
//
// One plan at a time. Files outside of its folder are none of this one's business: they are opened by the default file
// system itself.
#ifndef C_FAULTY_VFS_H
#define C_FAULTY_VFS_H

#include <stdbool.h>
#include <stdint.h>

// What SQLite asks of a file; a plan names some of them.
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
    // The locks in the shared memory but the writer's, which counts as FAULTY_LOCK. SQLite tries to read for ten seconds
    // without them, whatever the timeout.
    FAULTY_SHARED_LOCK = 1 << 9,
};

// What happens to the operation that a plan is for.
enum {
    // It fails as its kind fails: SQLITE_IOERR_READ and so on; SQLITE_CANTOPEN for an opening.
    FAULTY_ERROR = 0,
    // SQLITE_FULL, and half of what was to be written is.
    FAULTY_FULL = 1,
    // SQLITE_BUSY, as if another process had the lock.
    FAULTY_BUSY = 2,
    // The power goes before the operation: nothing after it reaches the disk, and everything fails.
    FAULTY_POWER = 3,
    // The power goes amid a write, of which a part has reached the file.
    FAULTY_TORN = 4,
    // A synchronisation fails, and what it was for is lost, as Linux has it; the process goes on.
    FAULTY_SYNC_LOSS = 5,
};

// What a power cut leaves of what was written since the last synchronisation of a file.
enum {
    FAULTY_LOSE_UNSYNCED = 0,
    FAULTY_KEEP_UNSYNCED = 1,
    // Any sectors of 512 bytes, by a seed.
    FAULTY_MIX_UNSYNCED = 2,
};

typedef struct {
    uint32_t operations;
    uint32_t effect;
    // Which of those operations, from 1 on; 0 for none.
    int64_t at;
    // Whether every such operation from there on fails.
    bool isLasting;
} faulty_plan;

// Makes the file system SQLite's default one, once for the process. Returns an SQLite result code.
int faulty_vfs_register(void);

// Begins a plan for the files of a folder. Forgets what was known of the files of the one before.
void faulty_vfs_begin(const char *folder, faulty_plan plan);

// Ends the plan: operations go through again. Returns how many operations of the plan's kinds there were.
int64_t faulty_vfs_end(void);

// Ends the power from now on: everything fails until the plan ends.
void faulty_vfs_power_off(void);

// Whether the plan's fault has happened.
bool faulty_vfs_has_fired(void);

// How many files of the plan's folder are open.
int faulty_vfs_open_files(void);

// Cuts the power: leaves the files of the folder as a disk would have them. They must be closed. Returns 0, or an errno.
int faulty_vfs_cut_power(uint32_t remains, uint64_t seed);

#endif
