#include "core/stop.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(const volatile sig_atomic_t *) watched;

void ct_stop_watch(const volatile sig_atomic_t *flag)
{
    atomic_store(&watched, flag);
}

bool ct_stop_is_asked(void)
{
    const volatile sig_atomic_t *flag = atomic_load_explicit(&watched, memory_order_relaxed);
    return flag && *flag;
}

ct_status ct_stop_check(ct_error *error)
{
    return ct_stop_is_asked() ? ct_fail(error, CT_FAILED, "interrupted") : CT_OK;
}
