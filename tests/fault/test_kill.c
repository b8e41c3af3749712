/* test_kill.c - kills writers on a real disk; what they had acknowledged must be there. */
#include "cut.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 12, WRITERS = 3 };

/* Inserts until it is killed; says each acknowledged id's number through the pipe. */
static void writer(const cut_place *at, int who, int round, int out)
{
    env e = env_new(0);
    cut_place mine = *at;
    ia_graph *g;

    if (ia_objstore_local(&e.cx, &mine.os) != IA_OK || cut_open(&e.cx, &mine, &g) != IA_OK)
        _exit(2);
    for (int i = 0;; i++) {
        char id[48];
        const char *branch = who == 2 ? "team/f" : "main";
        snprintf(id, sizeof id, "r%d-w%d-%d", round, who, i);
        if (gx_insert(&e.cx, g, branch, id, i, NULL) != IA_OK) {
            fprintf(stderr, "writer %d: %s\n", who, e.cx.err.text);
            _exit(3);
        }
        if (write(out, &i, sizeof i) != (ssize_t)sizeof i)
            _exit(4);
    }
}

static int last_number(int in)
{
    int i, last = -1;
    while (read(in, &i, sizeof i) == (ssize_t)sizeof i)
        last = i;
    return last;
}

/* Every acknowledged row is there, at most one more of each writer, and no holes. */
static void check_rows(ia_ctx *cx, ia_graph *g, int round, const int last[WRITERS])
{
    for (int who = 0; who < WRITERS; who++) {
        char *dump, want[64];
        assert_ok(gx_dump(cx, g, who == 2 ? "team/f" : "main", &dump));
        for (int i = 0; i <= last[who] + 2; i++) {
            snprintf(want, sizeof want, "r%d-w%d-%d=%d ", round, who, i, i);
            const bool there = strstr(dump, want) != NULL;
            if (!there && i <= last[who])
                fail_msg("round %d: writer %d was told that row %d is in; it is not", round, who,
                         i);
            if (there && i > last[who] + 1)
                fail_msg("round %d: writer %d has a row that it cannot have written", round, who);
        }
        ia_free(dump);
    }
}

/* Acknowledged rows of the round. */
static int run_round(ia_ctx *cx, const cut_place *at, int round)
{
    int total = 0;
    int pipes[WRITERS][2], last[WRITERS], status;
    pid_t pids[WRITERS];
    ia_graph *g;

    for (int who = 0; who < WRITERS; who++) {
        assert_int_equal(pipe(pipes[who]), 0);
        pids[who] = fork();
        assert_true(pids[who] >= 0);
        if (pids[who] == 0)
            writer(at, who, round, pipes[who][1]);
        close(pipes[who][1]);
    }
    usleep(150000 + (useconds_t)round * 7001);
    for (int who = 0; who < WRITERS; who++)
        kill(pids[who], SIGKILL);
    for (int who = 0; who < WRITERS; who++) {
        last[who] = last_number(pipes[who][0]);
        close(pipes[who][0]);
        assert_int_equal(waitpid(pids[who], &status, 0), pids[who]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    assert_ok(cut_open(cx, at, &g));
    check_rows(cx, g, round, last);
    if (gx_insert(cx, g, "main", "zz-end", round, NULL) != IA_OK)
        fail_msg("round %d: a further write: %s", round, cx->err.text);
    assert_ok(gx_delete(cx, g, "main", "zz-end", NULL));
    ia_graph_close(g);
    for (int who = 0; who < WRITERS; who++)
        total += last[who] + 1;
    return total;
}

static void acknowledged_rows_survive_kill(void **state)
{
    char base[] = "/tmp/inarch-kill-XXXXXX", root[64], command[64];
    env e = env_new(0);
    cut_place at = {NULL, root, IA_RELAXED};
    ia_graph *g;
    int total = 0;
    (void)state;

    assert_non_null(mkdtemp(base));
    snprintf(root, sizeof root, "%s/my.graph", base);
    assert_ok(ia_objstore_local(&e.cx, &at.os));
    assert_ok(cut_init(&e.cx, &at));
    assert_ok(cut_branch(&e.cx, &at, "team/f", "main"));
    assert_ok(cut_open(&e.cx, &at, &g));
    assert_ok(gx_insert(&e.cx, g, "main", "zzz", 0,
                        NULL)); /* so that every other row is followed by a blank */
    assert_ok(gx_insert(&e.cx, g, "team/f", "zzz", 0, NULL));
    ia_graph_close(g);
    for (int round = 0; round < ROUNDS; round++)
        total += run_round(&e.cx, &at, round);
    printf("%d acknowledged rows in %d rounds of %d killed writers\n", total, ROUNDS, WRITERS);
    assert_true(total > 0);
    ia_objstore_close(at.os);
    env_end(&e);
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(acknowledged_rows_survive_kill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
