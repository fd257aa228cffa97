/* Limits that the library and its command must agree on. */
#ifndef CT_CORE_LIMITS_H
#define CT_CORE_LIMITS_H

enum { CT_MAX_THREADS = 256 }; /* of a pool */

#endif
