/* The network side of the viewer: civetweb with narrow limits, and the one function that all requests pass.
 */
#include "view/answers.h"
#include "view/guard.h"
#include "view/pages.h"
#include "view/view.h"

#include <civetweb.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    WORKERS = 256, /* connections that are listened to at a time: one that says nothing is in nobody's way */
    ANSWERS = 24,  /* of them, those that are answered at a time; the rest wait in line */
    WAITING = 12,  /* of these, those that may wait for news */
    TIMEOUT_MS = 4000, /* a connection that says or takes nothing for so long is closed */
    QUEUE = 64,        /* connections that wait for a worker; the rest are left to the system's own queue */
    REQUEST_BYTES = 8192,
    STACK_BYTES = 8 << 20
};

struct ct_viewer {
    ct_heap heap;
    ct_arena arena;
    ct_studio *studio;
    struct mg_context *server;
    const char **paths;
    int path_count, port;
    char machine[256]; /* its name; "": only loopback is listened on */
    atomic_int waiting;
    atomic_bool is_closing;
    pthread_mutex_t mutex;
    pthread_cond_t freed;
    int free_answers; /* under the mutex */
};

/* Nothing that the page does not need: no scripts or pictures from elsewhere, no frames, no guessing. */
static const char headers[] =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n"
    "Connection: close\r\n";

static const char *reason_of(int code)
{
    static const struct {
        int code;
        const char *reason;
    } reasons[] = {{200, "OK"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {413, "Content Too Large"},
                   {421, "Misdirected Request"}};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].code == code) return reasons[i].reason;
    return "Internal Server Error";
}

static void put(struct mg_connection *connection, int code, const char *type, const char *more,
                const void *bytes, size_t count)
{
    char head[2048];
    int length =
        snprintf(head, sizeof head, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s\r\n",
                 code, reason_of(code), type, count, more, headers);
    if (mg_write(connection, head, (size_t)length) < 0) return;
    if (strcmp(mg_get_request_info(connection)->request_method, "HEAD") != 0 && count)
        mg_write(connection, bytes, count);
}

static void put_text(struct mg_connection *connection, int code, const char *text)
{
    put(connection, code, "text/plain; charset=utf-8", "", text, strlen(text));
}

/* ---- what is asked ---- */

typedef struct request {
    ct_viewer *viewer;
    struct mg_connection *connection;
    bool is_waiting; /* counted in viewer->waiting */
} request;

static bool read_parameter(void *user, const char *name, char *value, size_t size)
{
    const request *self = user;
    const char *query = mg_get_request_info(self->connection)->query_string;
    int length = query ? mg_get_var(query, strlen(query), name, value, size) : -1;
    return length >= 0 && strlen(value) == (size_t)length; /* %00 hides nothing behind it */
}

/* Those who wait hold a worker each; when too many do, the next is answered at once. */
static bool may_wait(void *user)
{
    request *self = user;
    if (!self->is_waiting) {
        self->is_waiting = true;
        atomic_fetch_add(&self->viewer->waiting, 1);
    }
    return atomic_load(&self->viewer->waiting) <= WAITING && !atomic_load(&self->viewer->is_closing);
}

/* Reading scenes and drawing want a stack like everybody's; civetweb's threads have one of 100 KB. So each
 * answer is worked out in a thread of its own, for which civetweb's waits. */
typedef struct work {
    ct_answerer answerer;
    const ct_question *question;
    ct_answer *reply;
    ct_error *error;
    ct_status status;
} work;

static void *do_work(void *context)
{
    work *self = context;
    self->status = self->answerer(self->question, self->reply, self->error);
    return NULL;
}

static ct_status work_out(ct_answerer answerer, const ct_question *question, ct_answer *reply,
                          ct_error *error)
{
    work self = {answerer, question, reply, error, CT_FAILED};
    pthread_attr_t attributes;
    pthread_t thread;
    int failure = pthread_attr_init(&attributes);
    if (!failure) {
        failure = pthread_attr_setstacksize(&attributes, STACK_BYTES);
        if (!failure) failure = pthread_create(&thread, &attributes, do_work, &self);
        pthread_attr_destroy(&attributes);
    }
    if (failure) return ct_fail(error, CT_FAILED, "no thread to answer with: %s", strerror(failure));
    pthread_join(thread, NULL);
    return self.status;
}

static void take_turn(ct_viewer *viewer)
{
    pthread_mutex_lock(&viewer->mutex);
    while (!viewer->free_answers) pthread_cond_wait(&viewer->freed, &viewer->mutex);
    viewer->free_answers--;
    pthread_mutex_unlock(&viewer->mutex);
}

static void end_turn(ct_viewer *viewer)
{
    pthread_mutex_lock(&viewer->mutex);
    viewer->free_answers++;
    pthread_cond_signal(&viewer->freed);
    pthread_mutex_unlock(&viewer->mutex);
}

static void answer(ct_viewer *viewer, struct mg_connection *connection, ct_answerer answerer)
{
    request self = {viewer, connection, false};
    ct_question question = {.heap = &viewer->heap,
                            .studio = viewer->studio,
                            .paths = viewer->paths,
                            .path_count = viewer->path_count,
                            .request = &self,
                            .read = read_parameter,
                            .may_wait = may_wait};
    ct_answer reply = {.body = {.heap = &viewer->heap}};
    ct_error error;
    take_turn(viewer);
    ct_status status = work_out(answerer, &question, &reply, &error);
    end_turn(viewer);
    if (self.is_waiting) atomic_fetch_sub(&viewer->waiting, 1);
    char more[64];
    snprintf(more, sizeof more, "X-Next: %" PRIu64 "\r\n", reply.next);
    if (status) put_text(connection, status == CT_BAD_USAGE ? 404 : 500, error.message);
    else put(connection, 200, reply.type, more, reply.body.data, reply.body.length);
    ct_text_release(&reply.body);
}

static const ct_page *find_page(const char *path)
{
    for (const ct_page *page = ct_pages; page->path; page++)
        if (strcmp(page->path, path) == 0) return page;
    return NULL;
}

static ct_request_facts facts_of(struct mg_connection *connection)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    return (ct_request_facts){
        .method = info->request_method,
        .path = info->local_uri_raw ? info->local_uri_raw : "",
        .host = mg_get_header(connection, "Host"),
        .origin = mg_get_header(connection, "Origin"),
        .fetch_site = mg_get_header(connection, "Sec-Fetch-Site"),
        .fetch_mode = mg_get_header(connection, "Sec-Fetch-Mode"),
        .has_body = info->content_length > 0 || mg_get_header(connection, "Transfer-Encoding"),
    };
}

/* Every request comes through here, and none goes on to civetweb's own ways with files. */
static int on_request(struct mg_connection *connection)
{
    ct_viewer *viewer = mg_get_user_data(mg_get_context(connection));
    ct_request_facts facts = facts_of(connection);
    const char *why;
    int code = ct_guard_check(&facts, viewer->machine[0] ? viewer->machine : NULL, &why);
    const ct_page *page = find_page(facts.path);
    ct_answerer answerer = ct_answerer_find(facts.path);
    if (code != 200) put_text(connection, code, why);
    else if (page) put(connection, 200, page->type, "Content-Encoding: gzip\r\n", page->bytes, page->count);
    else if (answerer) answer(viewer, connection, answerer);
    else put_text(connection, 404, "there is nothing here");
    return 1; /* handled */
}

static int on_message(const struct mg_connection *connection, const char *message)
{
    (void)connection;
    (void)message;
    return 1; /* no log of its own */
}

/* ---- opening and closing ---- */

/* Paths are kept, so that the caller's may go. */
static ct_status keep_paths(ct_viewer *viewer, const ct_viewer_def *def, ct_error *error)
{
    size_t bytes = (size_t)def->path_count * sizeof *viewer->paths;
    viewer->paths = ct_arena_allocate(&viewer->arena, bytes ? bytes : 1);
    if (!viewer->paths) return ct_fail_memory(error, bytes);
    for (int p = 0; p < def->path_count; p++) {
        viewer->paths[p] = ct_arena_text(&viewer->arena, def->paths[p], strlen(def->paths[p]));
        if (!viewer->paths[p]) return ct_fail_memory(error, strlen(def->paths[p]));
        viewer->path_count++;
    }
    ct_items items;
    ct_status status = ct_items_list(&viewer->heap, viewer->paths, viewer->path_count, &items, error);
    if (!status) ct_items_release(&items);
    return status;
}

static struct mg_context *start_at(ct_viewer *viewer, const char *address, int port)
{
    char place[300], workers[16], queue[16], timeout[16], request_bytes[16];
    bool is_six = strchr(address, ':') != NULL;
    snprintf(place, sizeof place, is_six ? "[%s]:%d" : "%s:%d", address, port);
    snprintf(workers, sizeof workers, "%d", WORKERS);
    snprintf(queue, sizeof queue, "%d", QUEUE);
    snprintf(timeout, sizeof timeout, "%d", TIMEOUT_MS);
    snprintf(request_bytes, sizeof request_bytes, "%d", REQUEST_BYTES);
    const char *options[] = {"listening_ports",
                             place,
                             "num_threads",
                             workers,
                             "connection_queue",
                             queue,
                             "request_timeout_ms",
                             timeout,
                             "max_request_size",
                             request_bytes,
                             "enable_keep_alive",
                             "no",
                             "enable_auth_domain_check",
                             "no",
                             "decode_url", /* a path is ours as it stands or not at all */
                             "no",
                             NULL};
    struct mg_callbacks callbacks = {
        .begin_request = on_request, .log_message = on_message, .log_access = on_message};
    return mg_start(&callbacks, viewer, options);
}

static ct_status start(ct_viewer *viewer, const ct_viewer_def *def, ct_error *error)
{
    const char *address = def->address ? def->address : "127.0.0.1";
    if (strcmp(address, "localhost") == 0) address = "127.0.0.1";
    if (!ct_address_is_loopback(address)) gethostname(viewer->machine, sizeof viewer->machine - 1);
    int first = def->port < 0 ? CT_VIEW_PORT : def->port, tries = def->port < 0 ? CT_VIEW_PORTS : 1;
    for (int k = 0; k < tries && !viewer->server; k++) viewer->server = start_at(viewer, address, first + k);
    if (!viewer->server)
        return ct_fail(error, CT_BAD_IO,
                       "cannot listen on %s port %d%s; is it in use? --port chooses another", address, first,
                       tries > 1 ? " or the next ones" : "");
    struct mg_server_port ports[2];
    viewer->port = mg_get_server_ports(viewer->server, 2, ports) > 0 ? ports[0].port : first;
    return CT_OK;
}

bool ct_viewer_is_built(void)
{
    return true;
}

ct_status ct_viewer_open(const ct_viewer_def *def, ct_viewer **result, ct_error *error)
{
    *result = NULL;
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_viewer *viewer = ct_allocate_zero(&heap, sizeof *viewer);
    if (!viewer) return ct_fail_memory(error, sizeof *viewer);
    ct_heap_init(&viewer->heap, (ct_allocator){0});
    viewer->arena.heap = &viewer->heap;
    viewer->free_answers = ANSWERS;
    pthread_mutex_init(&viewer->mutex, NULL);
    pthread_cond_init(&viewer->freed, NULL);
    ct_status status = keep_paths(viewer, def, error);
    if (!status) status = ct_studio_create(&viewer->heap, def->most_points, &viewer->studio, error);
    if (!status) status = start(viewer, def, error);
    if (status) ct_viewer_close(viewer);
    else *result = viewer;
    return status;
}

int ct_viewer_port(const ct_viewer *viewer)
{
    return viewer->port;
}

void ct_viewer_close(ct_viewer *viewer)
{
    if (!viewer) return;
    atomic_store(&viewer->is_closing, true);
    if (viewer->server) mg_stop(viewer->server);
    ct_studio_destroy(viewer->studio);
    ct_arena_release(&viewer->arena);
    pthread_cond_destroy(&viewer->freed);
    pthread_mutex_destroy(&viewer->mutex);
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    ct_release(&heap, viewer);
}
