/* Whom the server answers. A page of another site that runs in the same browser can send requests to
 * 127.0.0.1, too; and by changing what its own name resolves to, it can make them look like requests to
 * itself (DNS rebinding). So:
 *
 *   - only GET and HEAD: nothing that a request could change exists;
 *   - Host must be an address, `localhost` or the name of this machine, never a name that others control;
 *     while only the loopback address is listened on, it must mean that;
 *   - Origin, where a browser sends it, must be the page's own;
 *   - Sec-Fetch-Site, likewise, except that a link to the page itself may stand anywhere.
 */
#ifndef CT_VIEW_GUARD_H
#define CT_VIEW_GUARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ct_request_facts {
    const char *method, *path;
    const char *host, *origin; /* headers; NULL where they are missing */
    const char *fetch_site, *fetch_mode;
    bool has_body;
} ct_request_facts;

/* The HTTP status: 200 to go on; 403, 405, 413 or 421 with the reason in `*why`. `machine` is the name of
 * this machine, NULL while only loopback is listened on. */
int ct_guard_check(const ct_request_facts *request, const char *machine, const char **why);

/* Whether an address to listen on is loopback. */
bool ct_address_is_loopback(const char *address);

#endif
