// What the files of a plan's folder would be after a power cut: faulty_vfs.c keeps it, power_cut.c makes it so.
#ifndef C_FAULTY_VFS_IMAGES_H
#define C_FAULTY_VFS_IMAGES_H

#include <sqlite3.h>
#include <stdbool.h>

// What would be left of a file if the power went now and nothing unsynchronised survived.
typedef struct {
    char path[1024];
    unsigned char *bytes;
    sqlite3_int64 count;
    bool exists;
    bool isTracked;
} image;

enum { IMAGE_LIMIT = 16 };

extern image faulty_images[IMAGE_LIMIT];

#endif
