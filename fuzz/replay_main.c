/* replay_main.c - runs a fuzzer over saved inputs, and over mutants of them, without libFuzzer. */

/*   fuzz_replay_NAME [--mutate SECONDS] [--seed N] [--keep DIR] FILE|FOLDER...
 *
 * Every input of the folders (in the order of names) runs once; then, for SECONDS, random changes
 * of them. The sequence of mutants depends on the inputs and N alone. The input at work when the
 * program dies is written to DIR (default: where it was started). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LARGEST_INPUT ((size_t)1 << 20)
#define LARGEST_MUTANT ((size_t)128 << 10)
#define HANG_SECONDS 20 /* of processor time; the fuzzers themselves refuse slow inputs */
#define MAX_RSS_KIB (1536L << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    char *name;
    uint8_t *data;
    size_t len;
} input;

static struct {
    input *items;
    size_t n;
    const char *keep;
    uint64_t state; /* of the random numbers */
    /* the input at work */
    const uint8_t *data;
    size_t len;
    const char *name;
} run;

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "replay: %s %s: %s\n", what, name, strerror(errno));
    exit(2);
}

static void *memory(void *p, size_t n)
{
    p = realloc(p, n ? n : 1);
    if (!p)
        die("no memory for", "the inputs");
    return p;
}

/* ---- death ------------------------------------------------------------------------------------
 */

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* One allocation above the budget of an input means that the budget was not asked. */
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=300:quarantine_size_mb=32:malloc_context_size=8";
}

const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1";
}

static void say(const char *s)
{
    if (write(STDERR_FILENO, s, strlen(s)) < 0)
        return;
}

/* Also called from signal handlers. */
static void keep_input(void)
{
    char path[1024];
    int fd;

    if (!run.name)
        return;
    say("\nreplay: died on ");
    say(run.name);
    (void)snprintf(path, sizeof path, "%s/crash-%ld", run.keep, (long)getpid());
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) {
        if (write(fd, run.data, run.len) == (ssize_t)run.len) {
            say(", kept as ");
            say(path);
        }
        close(fd);
    }
    say("\n");
    run.name = NULL;
}

static void on_signal(int sig)
{
    say(sig == SIGPROF ? "\nreplay: hangs" : "");
    keep_input();
    signal(SIGABRT, SIG_DFL);
    abort();
}

/* ---- one input --------------------------------------------------------------------------------
 */

static void run_one(const char *name, const uint8_t *data, size_t len)
{
    const struct itimerval watch = {{0, 0}, {HANG_SECONDS, 0}}, off = {{0, 0}, {0, 0}};
    /* a block of its own, so that reading past the end is seen */
    uint8_t *copy = memory(NULL, len);

    if (len > 0)
        memcpy(copy, data, len);
    run.name = name;
    run.data = copy;
    run.len = len;
    setitimer(ITIMER_PROF, &watch, NULL);
    LLVMFuzzerTestOneInput(copy, len);
    setitimer(ITIMER_PROF, &off, NULL);
    run.name = NULL;
    free(copy);
}

/* ---- saved inputs -----------------------------------------------------------------------------
 */

static void add_file(const char *path)
{
    struct stat s;
    input *in;
    FILE *f = fopen(path, "rb");

    if (!f || fstat(fileno(f), &s) != 0)
        die("cannot read", path);
    if ((size_t)s.st_size > LARGEST_INPUT) {
        fclose(f);
        return;
    }
    if ((run.n & (run.n - 1)) == 0)
        run.items = memory(run.items, (run.n ? run.n * 2 : 1) * sizeof *run.items);
    in = &run.items[run.n++];
    in->name = memory(NULL, strlen(path) + 1);
    memcpy(in->name, path, strlen(path) + 1);
    in->data = memory(NULL, (size_t)s.st_size);
    in->len = fread(in->data, 1, (size_t)s.st_size, f);
    fclose(f);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void add_path(const char *path)
{
    struct stat s;
    struct dirent **names;
    char *full;
    int n;

    if (stat(path, &s) != 0)
        die("cannot find", path);
    if (S_ISREG(s.st_mode))
        add_file(path);
    if (!S_ISDIR(s.st_mode))
        return;
    n = scandir(path, &names, visible, alphasort);
    if (n < 0)
        die("cannot list", path);
    for (int i = 0; i < n; i++) {
        const size_t len = strlen(path) + strlen(names[i]->d_name) + 2;
        full = memory(NULL, len);
        (void)snprintf(full, len, "%s/%s", path, names[i]->d_name);
        add_path(full);
        free(full);
        free(names[i]);
    }
    free(names);
}

/* ---- mutants ----------------------------------------------------------------------------------
 */

static uint64_t next_random(void)
{
    uint64_t z = (run.state += 0x9E3779B97F4A7C15u);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t below(size_t n)
{
    return n ? (size_t)(next_random() % n) : 0;
}

/* Puts n bytes at `at`, in place of `gone` bytes. */
static size_t put(uint8_t *p, size_t len, size_t at, size_t gone, const uint8_t *with, size_t n)
{
    if (len - gone + n > LARGEST_MUTANT)
        return len;
    memmove(p + at + n, p + at + gone, len - at - gone);
    memmove(p + at, with, n);
    return len - gone + n;
}

static void change_number(uint8_t *p, size_t len)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   0x7F,
                                   0x80,
                                   0xFF,
                                   0x100,
                                   0x7FFF,
                                   0x8000,
                                   0xFFFF,
                                   0x10000,
                                   0x7FFFFFFF,
                                   0x80000000,
                                   0xFFFFFFFF,
                                   0x100000000,
                                   INT64_MAX,
                                   (uint64_t)INT64_MAX + 1,
                                   UINT64_MAX,
                                   64,
                                   4096};
    const size_t width = (size_t)1 << below(4);
    uint64_t v = 0;
    size_t at;

    if (len < width)
        return;
    at = below(len - width + 1);
    memcpy(&v, p + at, width);
    switch (below(3)) {
    case 0:
        v = odd[below(sizeof odd / sizeof odd[0])];
        break;
    case 1:
        v += 1 + below(16);
        break;
    default:
        v -= 1 + below(16);
        break;
    }
    memcpy(p + at, &v, width);
}

/* A piece of this or another saved input, over or between the bytes. */
static size_t splice_in(uint8_t *p, size_t len)
{
    const input *from = &run.items[below(run.n)];
    uint8_t piece[256];
    size_t n, start;

    if (from->len == 0)
        return len;
    start = below(from->len);
    n = 1 + below(from->len - start < sizeof piece ? from->len - start : sizeof piece);
    if (n > 8 && below(2))
        n = 1 + below(8);
    memcpy(piece, from->data + start, n);
    start = below(len + 1);
    return put(p, len, start, below(2) ? 0 : (n < len - start ? n : len - start), piece, n);
}

static size_t mutate_once(uint8_t *p, size_t len)
{
    static const uint8_t text[] = "{}[]()<>\"'\\:,.;@$%#-+=!?/*_ \n0129aAeEnNzZ\0\x7F\x80\xC3\xFF";
    const size_t at = below(len);
    uint8_t byte;

    if (len == 0)
        return splice_in(p, len);
    switch (below(8)) {
    case 0:
        p[at] ^= (uint8_t)(1u << below(8));
        return len;
    case 1:
        p[at] = (uint8_t)next_random();
        return len;
    case 2:
        change_number(p, len);
        return len;
    case 3:
        return put(p, len, at, 1 + below(len - at < 64 ? len - at : 64), p, 0);
    case 4:
        byte = text[below(sizeof text - 1)];
        return put(p, len, at, below(2), &byte, 1);
    case 5:
        p[at] = text[below(sizeof text - 1)];
        return len;
    case 6:
        return below(16) ? splice_in(p, len) : at;
    default:
        return splice_in(p, len);
    }
}

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t run_mutants(double seconds)
{
    const double end = seconds_now() + seconds;
    uint8_t *work = memory(NULL, LARGEST_MUTANT);
    uint64_t count = 0;
    char name[700];

    while (run.n > 0 && seconds_now() < end) {
        const input *in = &run.items[below(run.n)];
        size_t len = in->len < LARGEST_MUTANT ? in->len : LARGEST_MUTANT;

        memcpy(work, in->data, len);
        for (size_t k = 1 + below(below(4) ? 3 : 12); k > 0; k--)
            len = mutate_once(work, len);
        (void)snprintf(name, sizeof name, "mutant %llu of %s", (unsigned long long)count, in->name);
        run_one(name, work, len);
        count++;
    }
    free(work);
    return count;
}

static void finish(void)
{
    struct rusage used;

    for (size_t i = 0; i < run.n; i++) {
        free(run.items[i].name);
        free(run.items[i].data);
    }
    free(run.items);
    getrusage(RUSAGE_SELF, &used);
    if (used.ru_maxrss > MAX_RSS_KIB) {
        fprintf(stderr, "replay: the process grew to %ld MiB\n", used.ru_maxrss >> 10);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const char *const me = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    double mutate = 0;
    uint64_t seed = 1, mutants;
    int i;

    run.keep = ".";
    for (i = 1; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--mutate") == 0)
            mutate = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--keep") == 0)
            run.keep = argv[i + 1];
        else
            die("unknown option", argv[i]);
    }
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    signal(SIGABRT, on_signal);
    signal(SIGPROF, on_signal);
    for (; i < argc; i++)
        add_path(argv[i]);
    for (size_t k = 0; k < run.n; k++)
        run_one(run.items[k].name, run.items[k].data, run.items[k].len);
    run_one("the empty input", (const uint8_t *)"", 0);
    run.state = seed;
    mutants = run_mutants(mutate);
    printf("%s: %zu saved inputs, %llu mutants of seed %llu\n", me, run.n,
           (unsigned long long)mutants, (unsigned long long)seed);
    finish();
    return 0;
}
