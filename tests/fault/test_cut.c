/* test_cut.c - runs every crash scenario: "test_cut [--dir DIR] [scenario]". */
#include "cut.h"

#include <stdio.h>

static const char *dir, *only;

static void every_cut_leaves_the_state_before_or_after(void **state)
{
    const struct {
        const cut_scenario *items;
        size_t n;
    } groups[] = {
        {cut_graph, cut_graph_n},
        {cut_ops, cut_ops_n},
    };
    size_t ran = 0;
    (void)state;

    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (size_t i = 0; i < groups[g].n; i++) {
            if (only && strcmp(only, groups[g].items[i].name) != 0)
                continue;
            const size_t cuts = cut_run(&groups[g].items[i], dir);
            printf("%-24s %zu cuts\n", groups[g].items[i].name, cuts);
            ran++;
        }
    assert_true(ran > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_leaves_the_state_before_or_after)};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dir") == 0 && i + 1 < argc)
            dir = argv[++i];
        else
            only = argv[i];
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
