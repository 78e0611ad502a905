#include "CFaultyVFS.h"
#include "images.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    sqlite3_file base;
    image *image;
    sqlite3_file *real;
    // SQLite syncs the folder together with the first sync of a journal.
    bool syncsFolder;
} faulty_file;

static sqlite3_vfs vfs;
static sqlite3_vfs *real_vfs;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char folder[1024];
static faulty_plan plan;
static bool is_planned, has_power = true, has_fired;
static int64_t operations;
static int open_files;
image faulty_images[IMAGE_LIMIT];

// The outcome of an operation. It is decided here, under the lock.
typedef enum { PASS, FAIL, BUSY, FULL, TEAR, LOSE } fate;

static fate decide(uint32_t operation) {
    pthread_mutex_lock(&mutex);
    fate result = PASS;
    if (!has_power) {
        result = FAIL;
    } else if (is_planned && (plan.operations & operation)) {
        operations += 1;
        if (plan.at > 0 && (operations == plan.at || (plan.isLasting && operations > plan.at))) {
            has_fired = true;
            switch (plan.effect) {
            case FAULTY_FULL: result = FULL; break;
            case FAULTY_BUSY: result = BUSY; break;
            case FAULTY_POWER: result = FAIL; has_power = false; break;
            case FAULTY_TORN: result = TEAR; has_power = false; break;
            case FAULTY_SYNC_LOSS: result = LOSE; break;
            default: result = FAIL;
            }
        }
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static int code(fate fate, int failure) {
    switch (fate) {
    case PASS: return SQLITE_OK;
    case BUSY: return SQLITE_BUSY;
    case FULL: return SQLITE_FULL;
    default: return failure;
    }
}

static sqlite3_file *real(sqlite3_file *file) { return ((faulty_file *)file)->real; }

// Copies the content of a file to its image, as a sync does.
static int take_image(faulty_file *file) {
    sqlite3_int64 count = 0;
    int result = file->real->pMethods->xFileSize(file->real, &count);
    if (result != SQLITE_OK) return result;
    unsigned char *bytes = malloc(count > 0 ? (size_t)count : 1);
    if (!bytes) return SQLITE_NOMEM;
    if (count > 0) result = file->real->pMethods->xRead(file->real, bytes, (int)count, 0);
    if (result != SQLITE_OK) {
        free(bytes);
        return result;
    }
    pthread_mutex_lock(&mutex);
    free(file->image->bytes);
    file->image->bytes = bytes;
    file->image->count = count;
    file->image->exists = true;
    pthread_mutex_unlock(&mutex);
    return SQLITE_OK;
}

// Marks deleted files of the folder as deleted in their images, as a folder sync does.
static void sync_folder(void) {
    pthread_mutex_lock(&mutex);
    for (int index = 0; index < IMAGE_LIMIT; index++) {
        image *image = &faulty_images[index];
        if (!image->isTracked || access(image->path, F_OK) == 0) continue;
        free(image->bytes);
        image->bytes = NULL;
        image->count = 0;
        image->exists = false;
    }
    pthread_mutex_unlock(&mutex);
}

// Restores a file to its image.
static int restore_image(faulty_file *file) {
    int result = file->real->pMethods->xTruncate(file->real, file->image->count);
    if (result != SQLITE_OK || file->image->count == 0) return result;
    return file->real->pMethods->xWrite(file->real, file->image->bytes, (int)file->image->count, 0);
}

static int x_close(sqlite3_file *file) {
    int result = real(file)->pMethods->xClose(real(file));
    pthread_mutex_lock(&mutex);
    open_files -= 1;
    pthread_mutex_unlock(&mutex);
    return result;
}

static int x_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    fate fate = decide(FAULTY_READ);
    if (fate != PASS) return code(fate, SQLITE_IOERR_READ);
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int x_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    fate fate = decide(FAULTY_WRITE);
    if (fate == TEAR || fate == FULL) {
        // Write a part of the data that does not end at a sector boundary.
        int part = count > 1 ? count / 2 + 1 : 0;
        if (part > 0) real(file)->pMethods->xWrite(real(file), bytes, part, offset);
    }
    if (fate != PASS) return code(fate, SQLITE_IOERR_WRITE);
    return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int x_truncate(sqlite3_file *file, sqlite3_int64 size) {
    fate fate = decide(FAULTY_TRUNCATE);
    if (fate != PASS) return code(fate, SQLITE_IOERR_TRUNCATE);
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int x_sync(sqlite3_file *file, int flags) {
    (void)flags;
    fate fate = decide(FAULTY_SYNC);
    if (fate == LOSE) restore_image((faulty_file *)file);
    if (fate != PASS) return code(fate, SQLITE_IOERR_FSYNC);
    // The image in memory represents the disk, so a real sync is unnecessary.
    faulty_file *faulty = (faulty_file *)file;
    if (faulty->syncsFolder) sync_folder();
    faulty->syncsFolder = false;
    return take_image(faulty);
}

static int x_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    fate fate = decide(FAULTY_SIZE);
    if (fate != PASS) return code(fate, SQLITE_IOERR_FSTAT);
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int x_lock(sqlite3_file *file, int level) {
    fate fate = decide(FAULTY_LOCK);
    if (fate != PASS) return code(fate, SQLITE_IOERR_LOCK);
    return real(file)->pMethods->xLock(real(file), level);
}

static int x_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int x_check_reserved_lock(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int x_file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int x_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int x_device_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int x_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    fate fate = decide(FAULTY_SHARED_MEMORY);
    if (fate != PASS) return code(fate, SQLITE_IOERR_SHMMAP);
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}

static int x_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    // The first lock is the writer's: https://www.sqlite.org/walformat.html#locks.
    uint32_t operation = offset == 0 ? FAULTY_LOCK : FAULTY_SHARED_LOCK;
    fate fate = flags & SQLITE_SHM_LOCK ? decide(operation) : PASS;
    if (fate != PASS) return code(fate, SQLITE_IOERR_SHMLOCK);
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void x_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int x_shm_unmap(sqlite3_file *file, int remove) {
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

// Version 2, without functions for memory-mapped files: their accesses could not be counted.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = x_close,
    .xRead = x_read,
    .xWrite = x_write,
    .xTruncate = x_truncate,
    .xSync = x_sync,
    .xFileSize = x_file_size,
    .xLock = x_lock,
    .xUnlock = x_unlock,
    .xCheckReservedLock = x_check_reserved_lock,
    .xFileControl = x_file_control,
    .xSectorSize = x_sector_size,
    .xDeviceCharacteristics = x_device_characteristics,
    .xShmMap = x_shm_map,
    .xShmLock = x_shm_lock,
    .xShmBarrier = x_shm_barrier,
    .xShmUnmap = x_shm_unmap,
};

static bool is_inside(const char *path) {
    if (!path) return false;
    pthread_mutex_lock(&mutex);
    size_t length = strlen(folder);
    bool result = length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
    pthread_mutex_unlock(&mutex);
    return result;
}

static image *find_image(const char *path, bool *isNew) {
    image *found = NULL;
    pthread_mutex_lock(&mutex);
    for (int index = 0; index < IMAGE_LIMIT && !found; index++) {
        if (!faulty_images[index].isTracked) {
            faulty_images[index].isTracked = true;
            strncpy(faulty_images[index].path, path, sizeof faulty_images[index].path - 1);
            *isNew = true;
            found = &faulty_images[index];
        } else if (strcmp(faulty_images[index].path, path) == 0) {
            found = &faulty_images[index];
        }
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static int x_open(sqlite3_vfs *self, const char *path, sqlite3_file *file, int flags, int *outFlags) {
    (void)self;
    if (!is_inside(path)) return real_vfs->xOpen(real_vfs, path, file, flags, outFlags);
    faulty_file *faulty = (faulty_file *)file;
    faulty->base.pMethods = NULL;
    fate fate = decide(FAULTY_OPEN);
    if (fate != PASS) return code(fate, SQLITE_CANTOPEN);
    bool existed = access(path, F_OK) == 0, isNew = false;
    faulty->image = find_image(path, &isNew);
    if (!faulty->image) return SQLITE_NOMEM;
    faulty->real = (sqlite3_file *)(faulty + 1);
    int result = real_vfs->xOpen(real_vfs, path, faulty->real, flags, outFlags);
    if (result != SQLITE_OK) return result;
    faulty->syncsFolder = flags & SQLITE_OPEN_CREATE && flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL);
    faulty->base.pMethods = &methods;
    pthread_mutex_lock(&mutex);
    open_files += 1;
    pthread_mutex_unlock(&mutex);
    // Files that existed before the plan began are on the disk.
    return isNew && existed ? take_image(faulty) : SQLITE_OK;
}

static int x_delete(sqlite3_vfs *self, const char *path, int syncFolder) {
    (void)self;
    if (is_inside(path)) {
        fate fate = decide(FAULTY_DELETE);
        if (fate != PASS) return code(fate, SQLITE_IOERR_DELETE);
    }
    // Keep the image until the folder is synced: the file may reappear after a power cut.
    int result = real_vfs->xDelete(real_vfs, path, syncFolder);
    if (result == SQLITE_OK && syncFolder && is_inside(path)) sync_folder();
    return result;
}

int faulty_vfs_register(void) {
    int result = sqlite3_initialize();
    if (result != SQLITE_OK) return result;
    real_vfs = sqlite3_vfs_find(NULL);
    if (!real_vfs) return SQLITE_ERROR;
    vfs = *real_vfs;
    vfs.zName = "assay-faulty";
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(faulty_file) + real_vfs->szOsFile;
    vfs.xOpen = x_open;
    vfs.xDelete = x_delete;
    return sqlite3_vfs_register(&vfs, 1);
}

void faulty_vfs_begin(const char *path, faulty_plan newPlan) {
    // SQLite opens files by paths without links.
    char *resolved = realpath(path, NULL);
    pthread_mutex_lock(&mutex);
    strncpy(folder, resolved ? resolved : path, sizeof folder - 1);
    free(resolved);
    for (int index = 0; index < IMAGE_LIMIT; index++) {
        free(faulty_images[index].bytes);
        memset(&faulty_images[index], 0, sizeof faulty_images[index]);
    }
    plan = newPlan;
    is_planned = true;
    has_power = true;
    has_fired = false;
    operations = 0;
    pthread_mutex_unlock(&mutex);
}

int64_t faulty_vfs_end(void) {
    pthread_mutex_lock(&mutex);
    is_planned = false;
    has_power = true;
    int64_t result = operations;
    pthread_mutex_unlock(&mutex);
    return result;
}

void faulty_vfs_power_off(void) {
    pthread_mutex_lock(&mutex);
    has_power = false;
    pthread_mutex_unlock(&mutex);
}

bool faulty_vfs_has_fired(void) {
    pthread_mutex_lock(&mutex);
    bool result = has_fired;
    pthread_mutex_unlock(&mutex);
    return result;
}

int faulty_vfs_open_files(void) {
    pthread_mutex_lock(&mutex);
    int result = open_files;
    pthread_mutex_unlock(&mutex);
    return result;
}
