/* Prints the best instruction set of the machine that it runs on. */
#include "core/machine.h"

#include <stdio.h>

int main(void)
{
    static const char *const isas[] = {"v4", "v3", "v2", "generic"};
    int best = 0;
    while (!ct_machine_has(isas[best])) best++;
    return printf("%s", isas[best]) < 0;
}
