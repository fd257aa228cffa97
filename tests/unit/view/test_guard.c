/* Whom the viewer's server answers: each rule with a request that breaks it and one next to it that does not.
 */
#include "view/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct example {
    ct_request_facts request;
    const char *machine;
    int code;
} example;

#define ASK(...)                                           \
    {                                                      \
        .method = "GET", .path = "/api/frame", __VA_ARGS__ \
    }

static const example examples[] = {
    /* Host */
    {ASK(.host = "127.0.0.1:8484"), NULL, 200},
    {ASK(.host = "127.0.0.1"), NULL, 200},
    {ASK(.host = "localhost:9000"), NULL, 200}, /* through a tunnel */
    {ASK(.host = "[::1]:8484"), NULL, 200},
    {ASK(.host = NULL), NULL, 421},
    {ASK(.host = ""), NULL, 421},
    {ASK(.host = ":8484"), NULL, 421},
    {ASK(.host = "[::1"), NULL, 421},
    {ASK(.host = "[::1]x"), NULL, 421},
    {ASK(.host = "evil.example:8484"), NULL, 421}, /* DNS rebinding */
    {ASK(.host = "127.0.0.1.evil.example"), NULL, 421},
    {ASK(.host = "localhost.evil.example"), NULL, 421},
    {ASK(.host = "192.168.1.5:8484"), NULL, 421}, /* not while only loopback is listened on */
    {ASK(.host = "192.168.1.5:8484"), "bench", 200},
    {ASK(.host = "bench:8484"), "bench", 200},
    {ASK(.host = "BENCH.local"), "bench", 200},
    {ASK(.host = "bench.evil.example"), "bench", 421},
    {ASK(.host = "benchmark"), "bench", 421},
    /* Origin */
    {ASK(.host = "localhost:8484", .origin = "http://localhost:8484"), NULL, 200},
    {ASK(.host = "localhost:8484", .origin = "http://evil.example"), NULL, 403},
    {ASK(.host = "localhost:8484", .origin = "http://localhost:8485"), NULL, 403},
    {ASK(.host = "localhost:8484", .origin = "https://localhost:8484"), NULL, 403},
    {ASK(.host = "localhost:8484", .origin = "null"), NULL, 403},
    {ASK(.host = "localhost:8484", .origin = ""), NULL, 403},
    /* Sec-Fetch-Site */
    {ASK(.host = "localhost", .fetch_site = "same-origin"), NULL, 200},
    {ASK(.host = "localhost", .fetch_site = "none"), NULL, 200},
    {ASK(.host = "localhost", .fetch_site = "same-site"), NULL, 403}, /* another port of this machine */
    {ASK(.host = "localhost", .fetch_site = "cross-site", .fetch_mode = "navigate"), NULL, 403},
    {{.method = "GET",
      .path = "/",
      .host = "localhost",
      .fetch_site = "cross-site",
      .fetch_mode = "navigate"},
     NULL,
     200}, /* a link to the page */
    {{.method = "GET", .path = "/", .host = "localhost", .fetch_site = "cross-site", .fetch_mode = "no-cors"},
     NULL,
     403},
    /* the rest */
    {{.method = "HEAD", .path = "/", .host = "localhost"}, NULL, 200},
    {{.method = "POST", .path = "/", .host = "localhost"}, NULL, 405},
    {{.method = "OPTIONS", .path = "/", .host = "localhost"}, NULL, 405},
    {{.method = "get", .path = "/", .host = "localhost"}, NULL, 405},
    {ASK(.host = "localhost", .has_body = true), NULL, 413},
};

static void test_requests(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        const char *why = NULL;
        int code = ct_guard_check(&examples[k].request, examples[k].machine, &why);
        if (code != examples[k].code) fail_msg("example %zu: %d instead of %d", k, code, examples[k].code);
        assert_int_equal(code == 200, *why == '\0');
    }
}

static void test_loopback(void **state)
{
    (void)state;
    assert_true(ct_address_is_loopback("127.0.0.1"));
    assert_true(ct_address_is_loopback("127.8.8.8"));
    assert_true(ct_address_is_loopback("::1"));
    assert_true(ct_address_is_loopback("localhost"));
    assert_false(ct_address_is_loopback("0.0.0.0"));
    assert_false(ct_address_is_loopback("::"));
    assert_false(ct_address_is_loopback("128.0.0.1"));
    assert_false(ct_address_is_loopback("127.1"));
    assert_false(ct_address_is_loopback(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_loopback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
