/* ct_scene_parse: the input is a scene. Where it has a zero byte, which no scene may, what comes after the
 * byte is also used as a setting, as `--set` would give it. A scene that is accepted must survive being
 * written with every key at its final value and read again. */
#include "fuzz.h"
#include "scene/scene.h"

#include <string.h>

static const char NAME[] = "input.yaml";

static ct_status read_scene(const uint8_t *bytes, size_t count, const char *setting, ct_scene **scene)
{
    ct_error error = {0};
    *scene = NULL;
    ct_status status =
        ct_scene_parse(NAME, (const char *)bytes, count, &setting, setting ? 1 : 0, scene, &error);
    if (status != CT_OK) {
        ct_fuzz_require(!*scene, "a failed read gives no scene");
        ct_fuzz_require_error(status, &error, CT_BAD_SCENE, setting ? "" : NAME);
    }
    return status;
}

/* Reading what was written gives the same scene, which is what writing it again shows. */
static void check_round_trip(const ct_scene *scene)
{
    ct_fuzz_heap heap;
    ct_fuzz_heap_init(&heap, 0);
    ct_text first = {.heap = &heap.heap}, second = {.heap = &heap.heap};
    ct_error error = {0};
    ct_scene *again;
    ct_fuzz_require(ct_scene_write_used(scene, &first, &error) == CT_OK, "a scene can be written");
    ct_status status = read_scene((const uint8_t *)first.data, first.length, NULL, &again);
    ct_fuzz_require(status == CT_OK, "a written scene can be read");
    ct_fuzz_require(ct_scene_write_used(again, &second, &error) == CT_OK, "and written again");
    ct_fuzz_require(first.length == second.length && !memcmp(first.data, second.data, first.length),
                    "a scene that was written and read is the same");
    ct_scene_destroy(again);
    ct_text_release(&first);
    ct_text_release(&second);
    ct_fuzz_heap_finish(&heap);
}

static void read_with_setting(const uint8_t *bytes, size_t count)
{
    const uint8_t *zero = memchr(bytes, '\0', count);
    if (!zero) return;
    size_t length = (size_t)(bytes + count - (zero + 1));
    ct_fuzz_heap heap;
    ct_fuzz_heap_init(&heap, 0);
    char *setting = ct_allocate_zero(&heap.heap, length + 1);
    memcpy(setting, zero + 1, length);
    ct_scene *scene;
    if (read_scene(bytes, (size_t)(zero - bytes), setting, &scene) == CT_OK) check_round_trip(scene);
    ct_scene_destroy(scene);
    ct_release(&heap.heap, setting);
    ct_fuzz_heap_finish(&heap);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    ct_scene *scene;
    if (read_scene(bytes, count, NULL, &scene) == CT_OK) check_round_trip(scene);
    ct_scene_destroy(scene);
    if (count) read_with_setting(bytes, count);
    return 0;
}
