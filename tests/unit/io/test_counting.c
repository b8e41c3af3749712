/* test_counting.c - requests and bytes per class. */
#include "io/objstore.h"

#include "../base/test_env.h"

static void every_request_is_counted_under_its_class(void **state)
{
    env e = env_new(0);
    ia_ctx *cx = &e.cx;
    ia_objstore *inner, *os;
    ia_objfile *file;
    ia_objwriter *w;
    ia_objmeta meta;
    ia_objlist l;
    ia_bytes b;
    ia_io_counts c;
    char part[8];
    (void)state;
    assert_ok(ia_objstore_memory(cx, true, &inner));
    assert_ok(ia_objstore_counting(cx, inner, &os));
    assert_ok(ia_objstore_put(cx, os, "/a", "0123456789", 10, 0));
    assert_ok(ia_objstore_create(cx, os, "/s", &w));
    assert_ok(ia_objwriter_write(cx, w, "012", 3, IA_IO_KEY));
    assert_ok(ia_objwriter_write(cx, w, "01234", 5, IA_IO_PAYLOAD));
    assert_ok(ia_objwriter_write(cx, w, "0", 1, IA_IO_META));
    assert_int_equal(w->pos, 9);
    assert_ok(ia_objwriter_finish(cx, w, 0));
    ia_objwriter_close(w);
    assert_ok(ia_objstore_open(cx, os, "/a", &file));
    assert_ok(ia_objfile_read(cx, file, 0, 4, part, IA_IO_KEY));
    assert_ok(ia_objfile_read(cx, file, 4, 6, part, IA_IO_PAYLOAD));
    assert_ok(ia_objfile_read(cx, file, 4, 0, part, IA_IO_PAYLOAD)); /* no request at all */
    assert_fails(ia_objfile_read(cx, file, 9, 2, part, IA_IO_KEY), IA_ERR_CORRUPT);
    ia_objfile_close(file);
    assert_ok(ia_objstore_get(cx, os, "/a", &b));
    ia_bytes_dispose(&b);
    assert_ok(ia_objstore_copy(cx, os, "/a", "/copy", IA_IO_PAYLOAD, 0));
    assert_ok(ia_objstore_link(cx, os, "/a", "/l"));
    assert_fails(ia_objstore_link(cx, os, "/a", "/l"), IA_ERR_EXISTS);
    assert_ok(ia_objstore_head(cx, os, "/a", &meta));
    assert_ok(ia_objstore_list(cx, os, "/", NULL, 0, &l));
    ia_objlist_dispose(&l);
    assert_ok(ia_objstore_remove(cx, os, "/l"));
    assert_fails(ia_objstore_remove(cx, os, "/l"), IA_ERR_NOT_FOUND);
    ia_objstore_counts(os, &c);
    assert_int_equal(c.read_bytes[IA_IO_META], 10);
    assert_int_equal(c.read_bytes[IA_IO_KEY], 4);
    assert_int_equal(c.read_bytes[IA_IO_PAYLOAD], 6 + 10);
    assert_int_equal(c.write_bytes[IA_IO_META], 10 + 1);
    assert_int_equal(c.write_bytes[IA_IO_KEY], 3);
    assert_int_equal(c.write_bytes[IA_IO_PAYLOAD], 5 + 10);
    assert_int_equal(c.reads, 4);
    assert_int_equal(c.writes, 3);
    assert_int_equal(c.links, 1);
    assert_int_equal(c.heads, 1);
    assert_int_equal(c.lists, 1);
    assert_int_equal(c.removes, 1);
    ia_objstore_close(os);
    ia_objstore_close(inner);
    env_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_counted_under_its_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
