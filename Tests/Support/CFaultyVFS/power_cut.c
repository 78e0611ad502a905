#include "CFaultyVFS.h"
#include "images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECTOR = 512 };

static uint64_t next_random(uint64_t *state) {
    uint64_t value = (*state += 0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

static int write_whole(const char *path, const unsigned char *bytes, size_t count) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    int result = 0;
    size_t written = 0;
    while (written < count && result == 0) {
        ssize_t part = write(descriptor, bytes + written, count - written);
        if (part < 0) result = errno;
        else written += (size_t)part;
    }
    close(descriptor);
    return result;
}

// Mixes the current content of the file with the image, sector by sector.
static int mix(image *image, uint64_t *random) {
    int descriptor = open(image->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? 0 : errno;
    off_t size = lseek(descriptor, 0, SEEK_END);
    size_t known = image->exists ? (size_t)image->count : 0;
    size_t limit = (size_t)size > known ? (size_t)size : known;
    unsigned char *bytes = calloc(limit > 0 ? limit : 1, 1);
    if (!bytes || pread(descriptor, bytes, (size_t)size, 0) != size) {
        close(descriptor);
        free(bytes);
        return EIO;
    }
    close(descriptor);
    size_t count = next_random(random) & 1 ? (size_t)size : known;
    for (size_t start = 0; start < limit; start += SECTOR) {
        if (next_random(random) & 1) continue;
        size_t end = start + SECTOR < limit ? start + SECTOR : limit;
        for (size_t index = start; index < end; index++) bytes[index] = index < known ? image->bytes[index] : 0;
    }
    int result = write_whole(image->path, bytes, count);
    free(bytes);
    return result;
}

int faulty_vfs_cut_power(uint32_t remains, uint64_t seed) {
    uint64_t random = seed;
    for (int index = 0; index < IMAGE_LIMIT && remains != FAULTY_KEEP_UNSYNCED; index++) {
        image *image = &faulty_images[index];
        if (!image->isTracked) continue;
        int result = 0;
        if (remains == FAULTY_MIX_UNSYNCED) {
            result = mix(image, &random);
        } else if (image->exists) {
            result = write_whole(image->path, image->bytes, (size_t)image->count);
        } else if (unlink(image->path) != 0 && errno != ENOENT) {
            result = errno;
        }
        if (result != 0) return result;
    }
    return 0;
}
