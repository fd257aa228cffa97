#include "scene/yaml.h"

#include "scene/encoding.h"
#include <string.h>
#include <xxhash.h>
#include <yaml.h>

/* A set of names as a tree that branches by two bits of the hash at a time. Finding one among a million takes
 * ten steps, so that neither many keys nor many anchors make reading slow. */
typedef struct name_node {
    const char *name;
    uint64_t hash;
    void *value;
    struct name_node *branch[4];
} name_node;

/* A list or mapping that is not closed yet. */
typedef struct level {
    ct_yaml *node;
    name_node *keys; /* of a mapping: where each key was */
    const char *key; /* of a mapping: read, and waiting for its value; NULL: a key comes next */
    ct_place key_place;
    bool is_passed_over; /* the value belongs to a key that was a mistake */
} level;

typedef struct builder {
    ct_arena *arena;
    ct_mistakes *mistakes;
    const char *setting;
    ct_yaml *root;
    level levels[CT_YAML_DEPTH];
    int depth;
    int nodes;
    int documents;
    name_node *anchors;
    bool out_of_memory;
} builder;

static ct_place place_of(const builder *b, yaml_mark_t mark)
{
    return (ct_place){b->setting, (int)mark.line + 1, (int)mark.column + 1};
}

static void *allocate(builder *b, size_t bytes)
{
    void *memory = ct_arena_allocate(b->arena, bytes);
    if (!memory) b->out_of_memory = true;
    return memory;
}

/* The node of `name`, new (with value NULL) when it was not there; NULL when out of memory. */
static name_node *intern(builder *b, name_node **root, const char *name)
{
    uint64_t hash = XXH3_64bits(name, strlen(name));
    for (uint64_t bits = hash; *root; bits <<= 2) {
        if ((*root)->hash == hash && !strcmp((*root)->name, name)) return *root;
        root = &(*root)->branch[bits >> 62];
    }
    *root = allocate(b, sizeof **root);
    if (*root) (*root)->name = name, (*root)->hash = hash;
    return *root;
}

bool ct_yaml_append(ct_arena *arena, ct_yaml *parent, const char *key, ct_place place, ct_yaml *value)
{
    ct_yaml_entry *entry = ct_arena_allocate(arena, sizeof *entry);
    if (!entry) return false;
    *entry = (ct_yaml_entry){.key = key, .place = place, .value = value};
    if (parent->last) parent->last->next = entry;
    else parent->first = entry;
    parent->last = entry;
    parent->count++;
    return true;
}

ct_yaml_entry *ct_yaml_find(const ct_yaml *mapping, const char *key)
{
    if (mapping->kind != CT_YAML_MAPPING) return NULL;
    ct_yaml_entry *entry = mapping->first;
    while (entry && strcmp(entry->key, key)) entry = entry->next;
    return entry;
}

bool ct_yaml_is_nothing(const ct_yaml *node)
{
    return node->kind == CT_YAML_SCALAR && !node->is_quoted &&
           (!*node->text || !strcmp(node->text, "~") || !strcmp(node->text, "null"));
}

/* Gives a finished node to the list or mapping it stands in, or makes it the root. */
static bool attach(builder *b, ct_yaml *node)
{
    if (!b->depth) {
        b->root = node;
        return true;
    }
    level *top = &b->levels[b->depth - 1];
    if (top->node->weight + node->weight > CT_YAML_NODES) {
        ct_mistake(b->mistakes, node->place,
                   "more than %d values, aliases counted as what they stand for; use a file "
                   "for large data",
                   CT_YAML_NODES);
        return false;
    }
    top->node->weight += node->weight;
    const char *key = top->key;
    top->key = NULL;
    if (top->is_passed_over) {
        top->is_passed_over = false;
        return true;
    }
    if (!ct_yaml_append(b->arena, top->node, key, top->key_place, node)) b->out_of_memory = true;
    return !b->out_of_memory;
}

/* A key has been read: a duplicate or a merge key is noted and its value passed over. */
static bool take_key(builder *b, level *top, const char *key, ct_place place)
{
    name_node *seen = intern(b, &top->keys, key);
    ct_place *copy = allocate(b, sizeof *copy);
    if (!seen || !copy) return false;
    *copy = place;
    top->key = key;
    top->key_place = place;
    const ct_place *before = seen->value;
    if (!strcmp(key, "<<")) {
        ct_mistake(b->mistakes, place,
                   "merge keys ('<<') are not used here; write the keys out, or use an alias for the "
                   "whole value");
        top->is_passed_over = true;
    } else if (before) {
        ct_mistake(b->mistakes, place,
                   "duplicate key '%s', first given at line %d, column %d; remove one of them",
                   ct_show(key).text, before->line, before->column);
        top->is_passed_over = true;
    } else {
        seen->value = copy;
    }
    return true;
}

/* Whether the next node would be a key. */
static bool expects_key(const builder *b)
{
    return b->depth && b->levels[b->depth - 1].node->kind == CT_YAML_MAPPING && !b->levels[b->depth - 1].key;
}

static bool refuse_key(builder *b, ct_place place)
{
    ct_mistake(b->mistakes, place, "a key must be a plain name; write 'name: value'");
    return false;
}

static ct_yaml *make_node(builder *b, ct_yaml_kind kind, ct_place place, const yaml_char_t *anchor,
                          const yaml_char_t *tag)
{
    if (tag && strcmp((const char *)tag, "!"))
        ct_mistake(b->mistakes, place, "the tag '%s' is not used here; write the value without it",
                   ct_show((const char *)tag).text);
    if (++b->nodes > CT_YAML_NODES) {
        ct_mistake(b->mistakes, place, "more than %d values; use a file for large data", CT_YAML_NODES);
        return NULL;
    }
    ct_yaml *node = allocate(b, sizeof *node);
    if (!node) return NULL;
    *node = (ct_yaml){.kind = kind, .place = place, .weight = 1};
    if (anchor) {
        char *name = ct_arena_text(b->arena, (const char *)anchor, strlen((const char *)anchor));
        name_node *known = name ? intern(b, &b->anchors, name) : NULL;
        if (!known) b->out_of_memory = true;
        else known->value = node;
    }
    return b->out_of_memory ? NULL : node;
}

static bool on_scalar(builder *b, const yaml_event_t *event)
{
    ct_place place = place_of(b, event->start_mark);
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length)) {
        ct_mistake(b->mistakes, place, "a zero character in a text; remove it");
        return false;
    }
    bool is_key = expects_key(b);
    ct_yaml *node = make_node(b, CT_YAML_SCALAR, place, event->data.scalar.anchor, event->data.scalar.tag);
    char *text = node ? ct_arena_text(b->arena, value, length) : NULL;
    if (!text) {
        b->out_of_memory = b->out_of_memory || node;
        return false;
    }
    node->text = text;
    node->height = 1;
    node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return is_key ? take_key(b, &b->levels[b->depth - 1], text, place) : attach(b, node);
}

static bool open_level(builder *b, ct_yaml_kind kind, ct_place place, const yaml_char_t *anchor,
                       const yaml_char_t *tag)
{
    if (expects_key(b)) return refuse_key(b, place);
    if (b->depth == CT_YAML_DEPTH) {
        ct_mistake(b->mistakes, place, "more than %d levels of nesting; a scene needs fewer than ten",
                   CT_YAML_DEPTH);
        return false;
    }
    ct_yaml *node = make_node(b, kind, place, anchor, tag);
    if (node) b->levels[b->depth++] = (level){.node = node};
    return node;
}

static bool on_list(builder *b, const yaml_event_t *event)
{
    return open_level(b, CT_YAML_LIST, place_of(b, event->start_mark), event->data.sequence_start.anchor,
                      event->data.sequence_start.tag);
}

static bool on_mapping(builder *b, const yaml_event_t *event)
{
    return open_level(b, CT_YAML_MAPPING, place_of(b, event->start_mark), event->data.mapping_start.anchor,
                      event->data.mapping_start.tag);
}

static bool on_end(builder *b, const yaml_event_t *event)
{
    (void)event;
    ct_yaml *node = b->levels[--b->depth].node;
    int tallest = 0;
    for (const ct_yaml_entry *entry = node->first; entry; entry = entry->next)
        if (entry->value->height > tallest) tallest = entry->value->height;
    node->height = tallest + 1;
    return attach(b, node);
}

static bool on_alias(builder *b, const yaml_event_t *event)
{
    ct_place place = place_of(b, event->start_mark);
    const char *name = (const char *)event->data.alias.anchor;
    if (expects_key(b)) return refuse_key(b, place);
    char *copy = ct_arena_text(b->arena, name, strlen(name));
    name_node *known = copy ? intern(b, &b->anchors, copy) : NULL;
    if (!known) {
        b->out_of_memory = true;
        return false;
    }
    ct_yaml *node = known->value;
    if (!node) {
        ct_mistake(b->mistakes, place,
                   "the alias '*%s' has no anchor before it; mark a value with '&%s' first",
                   ct_show(name).text, ct_show(name).text);
    } else if (!node->height) {
        ct_mistake(b->mistakes, place, "the alias '*%s' stands inside its own anchor, a cycle; remove it",
                   ct_show(name).text);
    } else if (b->depth + node->height > CT_YAML_DEPTH) {
        ct_mistake(b->mistakes, place,
                   "more than %d levels of nesting through the alias '*%s'; write it flatter", CT_YAML_DEPTH,
                   ct_show(name).text);
    } else {
        return attach(b, node);
    }
    return false;
}

static bool on_document(builder *b, const yaml_event_t *event)
{
    if (!b->documents++) return true;
    ct_mistake(b->mistakes, place_of(b, event->start_mark),
               "a second document begins here; a scene is one document");
    return false;
}

typedef bool (*event_handler)(builder *b, const yaml_event_t *event);
static const event_handler handlers[] = {
    [YAML_DOCUMENT_START_EVENT] = on_document,
    [YAML_SCALAR_EVENT] = on_scalar,
    [YAML_SEQUENCE_START_EVENT] = on_list,
    [YAML_SEQUENCE_END_EVENT] = on_end,
    [YAML_MAPPING_START_EVENT] = on_mapping,
    [YAML_MAPPING_END_EVENT] = on_end,
    [YAML_ALIAS_EVENT] = on_alias,
};

/* libyaml's own words, with what helps most: tabs, and where an open bracket or quote began. */
static void note_syntax(builder *b, const yaml_parser_t *parser, const char *bytes, size_t count)
{
    const char *problem = parser->problem ? parser->problem : "the text cannot be read";
    size_t index = parser->problem_mark.index;
    char hint[120] = "check the indentation, brackets, quotes and colons here";
    if (index < count && bytes[index] == '\t') {
        snprintf(hint, sizeof hint, "indent with spaces, not with tabs");
    } else if (parser->context) {
        snprintf(hint, sizeof hint, "%s that began at line %d, column %d", parser->context,
                 (int)parser->context_mark.line + 1, (int)parser->context_mark.column + 1);
    }
    ct_mistake(b->mistakes, place_of(b, parser->problem_mark), "not valid YAML: %s; %s", problem, hint);
}

static bool build(builder *b, yaml_parser_t *parser, const char *bytes, size_t count)
{
    for (yaml_event_type_t type = YAML_NO_EVENT; type != YAML_STREAM_END_EVENT;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            if (parser->error == YAML_MEMORY_ERROR) b->out_of_memory = true;
            else note_syntax(b, parser, bytes, count);
            return false;
        }
        type = event.type;
        event_handler handle = type < sizeof handlers / sizeof *handlers ? handlers[type] : NULL;
        bool goes_on = !handle || handle(b, &event);
        yaml_event_delete(&event);
        if (!goes_on) return false;
    }
    return true;
}

ct_status ct_yaml_parse(ct_arena *arena, ct_mistakes *mistakes, const char *setting, const char *bytes,
                        size_t count, ct_yaml **root)
{
    *root = NULL;
    ct_place start = {setting, 1, 1};
    if (count > CT_YAML_BYTES) {
        ct_mistake(mistakes, start,
                   "the text has %zu bytes; a scene has at most %d, so put large data into files of "
                   "their own",
                   count, CT_YAML_BYTES);
        return CT_BAD_SCENE;
    }
    if (count >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3))
        bytes += 3, count -= 3; /* the mark of UTF-8 editors */
    if (!ct_check_encoding(mistakes, setting, bytes, count)) return CT_BAD_SCENE;

    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return CT_NO_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, count);
    builder b = {.arena = arena, .mistakes = mistakes, .setting = setting};
    bool is_whole = build(&b, &parser, bytes, count);
    yaml_parser_delete(&parser);
    if (b.out_of_memory) return CT_NO_MEMORY;
    if (!is_whole) return CT_BAD_SCENE;
    if (!b.root || ct_yaml_is_nothing(b.root)) {
        ct_mistake(mistakes, start,
                   "there is nothing here; a scene needs at least time, grid, materials and bodies");
        return CT_BAD_SCENE;
    }
    *root = b.root;
    return CT_OK;
}
