// The files of a plan's folder after a power cut. faulty_vfs.c keeps the images, power_cut.c restores them.
#ifndef C_FAULTY_VFS_IMAGES_H
#define C_FAULTY_VFS_IMAGES_H

#include <sqlite3.h>
#include <stdbool.h>

// The content of a file after a power cut that loses all unsynced data.
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
