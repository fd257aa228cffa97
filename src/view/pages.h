/* The page: its files, compressed with gzip, as part of the program. web/embed.mjs writes the list. */
#ifndef CT_VIEW_PAGES_H
#define CT_VIEW_PAGES_H

#include <stddef.h>

typedef struct ct_page {
    const char *path, *type;
    const unsigned char *bytes; /* [count] */
    size_t count;
} ct_page;

extern const ct_page ct_pages[]; /* ends with an entry without a path */

#endif
