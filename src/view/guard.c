#include "view/guard.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { NAME_SIZE = 256 };

/* "NAME:8484", "[::1]:8484" or without the port: the name alone. False where it is none. */
static bool take_name(const char *host, char name[NAME_SIZE])
{
    size_t length;
    if (*host == '[') {
        const char *end = strchr(++host, ']');
        if (!end || (end[1] && end[1] != ':')) return false;
        length = (size_t)(end - host);
    } else {
        length = strcspn(host, ":");
    }
    if (length == 0 || length >= NAME_SIZE) return false;
    memcpy(name, host, length);
    name[length] = '\0';
    return true;
}

static bool is_address(const char *name)
{
    struct in6_addr address;
    return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

bool ct_address_is_loopback(const char *name)
{
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, name, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, name, &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
    return strcasecmp(name, "localhost") == 0;
}

/* `machine` itself, or within the local network's domain: NAME.local. */
static bool is_machine(const char *name, const char *machine)
{
    size_t length = strlen(machine);
    return length && strncasecmp(name, machine, length) == 0 &&
           (!name[length] || strcasecmp(name + length, ".local") == 0);
}

static bool host_is_ours(const char *host, const char *machine)
{
    char name[NAME_SIZE];
    if (!host || !take_name(host, name)) return false;
    if (ct_address_is_loopback(name)) return true;
    return machine && (is_address(name) || is_machine(name, machine));
}

static bool origin_is_ours(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return strncasecmp(origin, scheme, sizeof scheme - 1) == 0 &&
           strcasecmp(origin + sizeof scheme - 1, host) == 0;
}

static bool site_is_ours(const ct_request_facts *request)
{
    const char *site = request->fetch_site;
    if (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0) return true;
    return strcmp(request->path, "/") == 0 && request->fetch_mode &&
           strcmp(request->fetch_mode, "navigate") == 0;
}

int ct_guard_check(const ct_request_facts *request, const char *machine, const char **why)
{
    *why = "only GET and HEAD are answered";
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) return 405;
    *why = "a request must not have a body";
    if (request->has_body) return 413;
    *why = "the Host of the request is not this server";
    if (!host_is_ours(request->host, machine)) return 421;
    *why = "requests from other pages are refused";
    if (request->origin && !origin_is_ours(request->origin, request->host)) return 403;
    if (!site_is_ours(request)) return 403;
    *why = "";
    return 200;
}
