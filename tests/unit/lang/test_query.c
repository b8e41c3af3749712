/* test_query.c - which queries parse and type, and the stable code of each refusal. */
#include "lang_fixture.h"

#define DOCS                                                                                       \
    "node Doc {\n slug: String @key\n title: String\n kind: enum(note, paper)\n tags: [String]?\n" \
    " birthday: Date?\n at: DateTime?\n score: F64?\n small: I32?\n flag: Bool?\n v: "             \
    "Vector(3)?\n }\n"                                                                             \
    "edge Cites: Doc -> Doc { since: Date? weight: F64? }\n"

/* A read over PEOPLE with the given match and return. */
#define READ(match, ret) "query q() { match { " match " } return { " ret " } }"
#define MUT(body) "query q() { " body " }"

static void unknown_names_have_their_codes(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Persn", "$p"),
                       "type error: T1: `Persn` is not a node type");
    lang_query_refused(PEOPLE, READ("$p: Knows", "$p"), "type error: T1: ");
    lang_query_refused("interface I { } node A { }", READ("$p: I", "$p"), "type error: T1: ");
    lang_query_refused(PEOPLE, READ("$p: Person { nam: \"A\" }", "$p"),
                       "type error: T2: type `Person` has no property `nam`");
    lang_query_refused(PEOPLE, READ("$p: Person { age: \"30\" }", "$p"),
                       "type error: T3: property `Person.age` has type I32?, got String");
    lang_query_refused(PEOPLE, READ("$p: Person", "$p.nme"),
                       "type error: T6: type `Person` has no property `nme`");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q", "$w.nme"),
                       "type error: T6: edge `Knows` has no property `nme`");
    lang_query_refused(PEOPLE, READ("$p: Person", "$q.name"),
                       "type error: T6: variable `$q` is not bound");
    lang_query_refused(PEOPLE, READ("$p: Person", "$q"), "type error: variable `$q` is not bound");
}

static void traversals_check_edge_and_ends(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person $p dislikes $q", "$q"),
                       "type error: T4: unknown edge `dislikes`");
    lang_query_refused(PEOPLE, READ("$c: Company $c knows $q", "$q"),
                       "type error: T5: `$c` has type `Company`, but edge `Knows`");
    lang_query_refused(PEOPLE, READ("$c: Company $q knows $c", "$q"), "type error: T5: ");
    lang_query_refused(PEOPLE, READ("$a: Person $b: Person $a worksAt $b", "$a"),
                       "type error: T5: `$b`");
    lang_query_refused(PEOPLE, READ("$p: Person $p <worksAt> $c", "$c"), "type error: T22: ");
    lang_query_accepted(PEOPLE, READ("$p: Person $p worksat $c", "$c"));
    lang_query_accepted(PEOPLE, READ("$p worksAt $c $p: Person $c: Company", "$c"));
    lang_query_refused(PEOPLE, READ("$p worksAt $c $p: Company", "$c"),
                       "type error: variable `$p` is already bound to type `Person`");
    lang_query_refused(PEOPLE, READ("$p: Person $p Knows $q", "$q"),
                       "parse error: expected an edge word");
    lang_query_refused(PEOPLE, READ("$p: Person $p not $q", "$q"),
                       "parse error: expected an edge word other than `not`");
}

static void comparisons_need_fitting_scalars(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person $p.age contains 3", "$p"), "type error: T7: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p.name starts_with 3", "$p"), "type error: T7: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p = $p", "$p"),
                       "type error: T7: filter comparisons require scalar operands");
    lang_query_refused(PEOPLE, READ("$p: Person $p.age = \"x\"", "$p"),
                       "type error: T7: I32? and String cannot be compared");
    lang_query_refused(DOCS, READ("$d: Doc $d.tags = \"x\"", "$d"),
                       "type error: T7: a list or Vector");
    lang_query_refused(DOCS, READ("$d: Doc $d.v = [1, 2, 3]", "$d"),
                       "type error: T7: a list or Vector");
    lang_query_refused(DOCS, READ("$d: Doc $d.birthday = \"2020-01-01\"", "$d"),
                       "type error: T7: Date? and String cannot be compared; write date");
    lang_query_refused(DOCS, READ("$d: Doc $d.birthday = datetime(\"2020-01-01T00:00:00Z\")", "$d"),
                       "type error: T7: ");
    lang_query_refused(DOCS, READ("$d: Doc $d.birthday <= now()", "$d"),
                       "type error: T7: now() compares with a DateTime only");
    lang_query_refused(DOCS, READ("$d: Doc count($d) > 1", "$d"), "type error: T7: an aggregate");
    lang_query_refused(DOCS, READ("$d: Doc $d.slug = slug", "$d"),
                       "type error: `slug` is a bare name");
    lang_query_accepted(
        DOCS,
        READ("$d: Doc $d.at <= now() $d.small < 2.5 $d.score >= 3 $d.flag = true $d.flag < true",
             "$d"));
    lang_query_accepted(
        DOCS,
        READ("$d: Doc $d.tags contains \"x\" $d.title contains \"x\" $d.kind starts_with \"n\"",
             "$d"));
    lang_query_accepted(DOCS, READ("$d: Doc \"x\" = $d.title 3 < $d.small", "$d"));
    lang_query_accepted(DOCS, "query q($t: [String], $s: String) { match { $d: Doc $t contains "
                              "$d.title $s contains \"x\" } return { $d } }");
}

static void aggregates_need_fitting_arguments(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person", "sum($p.name)"),
                       "type error: T8: sum needs a number, got String");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q", "max($w.since)"),
                       "type error: T8: max needs a number or a String, got Date?");
    lang_query_refused(DOCS, READ("$d: Doc", "min($d.flag)"), "type error: T8: ");
    lang_query_refused(DOCS, READ("$d: Doc", "avg($d.tags)"), "type error: T8: ");
    lang_query_refused(DOCS, READ("$d: Doc", "sum($d)"),
                       "type error: T8: sum needs a number, got a node");
    lang_query_refused(DOCS, READ("$d: Doc", "count(count($d))"), "type error: T8: ");
    lang_query_accepted(
        PEOPLE, READ("$p: Person", "min($p.name), max($p.age), count($p), count($p.age) as ages"));
    lang_query_accepted(DOCS, READ("$d: Doc", "min($d.kind) as k, count($d.tags) as t"));
    lang_query_refused(PEOPLE, READ("$p: Person", "1, count($p)"), "type error: T9: ");
    lang_query_accepted(PEOPLE, READ("$p: Person", "$p, count($p) as n"));
}

static void negation_must_touch_the_outside(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person not { $x knows $y }", "$p"), "type error: T9: ");
    lang_query_refused(
        PEOPLE, READ("$p: Person not { not { $p knows $x } $a: Person not { $y knows $z } }", "$p"),
        "type error: T9: ");
    lang_query_accepted(PEOPLE, READ("$p: Person not { not { $p knows $x } }", "$p"));
    lang_query_accepted(PEOPLE, READ("$p: Person not { $p.age > 3 }", "$p"));
    lang_query_accepted(
        PEOPLE, READ("$p: Person not { $p knows $_ } not { $p worksAt $c $c.name = \"x\" }", "$p"));
    lang_query_refused(PEOPLE, READ("$p: Person not { $p knows $f }", "$f"),
                       "type error: variable `$f` is not bound");
    lang_query_refused(PEOPLE, READ("$p: Person not { }", "$p"), "parse error: ");
}

static void mutations_have_their_codes(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, MUT("insert Robot { name: \"R\" }"),
                       "type error: T10: unknown type `Robot`");
    lang_query_refused(PEOPLE,
                       MUT("update Knows set { since: date(\"2020-01-01\") } where from = \"A\""),
                       "type error: T16: ");
    lang_query_refused(PEOPLE, MUT("insert Person { nick: \"x\" }"),
                       "type error: T11: type `Person` has no property `nick`");
    lang_query_refused(PEOPLE, MUT("insert Person { age: 1 }"),
                       "type error: T12: insert of `Person` needs property `name`");
    lang_query_refused(PEOPLE, MUT("insert Person { name: \"a\" name: \"b\" }"),
                       "type error: T13: property `name` is assigned twice");
    lang_query_refused(PEOPLE, MUT("insert Person { name: $zz }"),
                       "type error: T14: `$zz` is not a declared parameter");
    lang_query_refused(PEOPLE, MUT("insert Knows { from: \"Alice\" }"),
                       "type error: T12: insert of edge `Knows` needs `to`");
    lang_query_refused(PEOPLE, MUT("insert Knows { to: \"Alice\" }"),
                       "type error: T12: insert of edge `Knows` needs `from`");
    lang_query_refused(PEOPLE, MUT("insert Knows { from: \"A\" to: \"B\" from: \"C\" }"),
                       "type error: T13: ");
    lang_query_refused(PEOPLE, MUT("insert Knows { from: 3 to: \"B\" }"),
                       "type error: T3: `from` takes the id of a node");
    lang_query_refused(PEOPLE, MUT("insert Person { }"), "parse error: expected a property name");
    lang_query_refused(
        PEOPLE, MUT("update Person set { name: \"x\" } where age = 3"),
        "type error: cannot update @key property 'name' - delete and re-insert instead");
    lang_query_refused(PEOPLE, MUT("delete Person where from = \"A\""), "type error: T11: ");
    lang_query_refused(PEOPLE, MUT("delete Person where age = \"A\""), "type error: T7: ");
    lang_query_refused(PEOPLE, MUT("delete Person where name contains \"A\""),
                       "parse error: expected =, !=");
    lang_query_refused(PEOPLE, MUT("delete Person where age > $x"), "type error: T14: ");
    lang_query_refused(PEOPLE, MUT("insert Person { name: \"x\" } delete Person where age = 3"),
                       "type error: a query cannot mix delete");
    lang_query_accepted(PEOPLE,
                        MUT("insert Person { name: \"x\", age: 3, } update Person set { age: 4 } "
                            "where name = \"x\" insert Knows { from: \"x\" to: \"x\" }"));
    lang_query_accepted(PEOPLE, MUT("delete Knows where from = \"A\" delete Knows where since > "
                                    "date(\"2020-01-01\") delete Person where age != 3"));
}

static void assigned_values_fit_their_property(void **state)
{
    (void)state;
    lang_query_refused(DOCS, MUT("insert Doc { slug: \"a\" title: 3 kind: \"note\" }"),
                       "type error: T3: property `Doc.title` has type String, got I64");
    lang_query_refused(DOCS, MUT("insert Doc { slug: \"a\" title: \"t\" kind: \"book\" }"),
                       "type error: T3: property `kind` expects one of [note, paper], got 'book'");
    lang_query_refused(DOCS, MUT("update Doc set { small: 3000000000 } where slug = \"a\""),
                       "type error: T3: Doc.small: value 3000000000 exceeds I32");
    lang_query_refused(DOCS, MUT("update Doc set { small: 1.5 } where slug = \"a\""),
                       "type error: T3: Doc.small expects I32, got a float");
    lang_query_refused(DOCS, MUT("update Doc set { v: [1, 2] } where slug = \"a\""),
                       "type error: T3: Doc.v expects 3 values, got 2");
    lang_query_refused(DOCS, MUT("update Doc set { v: [\"a\"] } where slug = \"a\""),
                       "type error: T3: property `Doc.v` has type Vector(3)?, got [String]");
    lang_query_refused(DOCS, MUT("update Doc set { tags: [1] } where slug = \"a\""),
                       "type error: T3: ");
    lang_query_refused(DOCS, MUT("update Doc set { tags: [[\"a\"]] } where slug = \"a\""),
                       "type error: a list holds values of one type");
    lang_query_refused(DOCS, MUT("update Doc set { tags: [\"a\", 1] } where slug = \"a\""),
                       "type error: a list holds values of one type");
    lang_query_refused(DOCS, MUT("update Doc set { birthday: now() } where slug = \"a\""),
                       "type error: T7: now() fits a DateTime only");
    lang_query_refused(DOCS,
                       "query q($x: [String]) { update Doc set { title: $x } where slug = \"a\" }",
                       "type error: T7: ");
    lang_query_refused(DOCS,
                       "query q($x: Vector(2)) { update Doc set { v: $x } where slug = \"a\" }",
                       "type error: T7: ");
    lang_query_accepted(DOCS, MUT("update Doc set { score: 1, v: [1, 2.5, 3], tags: [], at: now(), "
                                  "birthday: date(\"2024-02-29\") } where slug = \"a\""));
    lang_query_accepted(DOCS,
                        "query q($x: F64?) { update Doc set { small: $x } where small <= $x }");
}

static void hop_bounds_are_checked(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person $p knows{0,2} $q", "$q"), "type error: T15: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p knows{3,2} $q", "$q"), "type error: T15: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p knows{1,} $q", "$q"),
                       "type error: T15: unbounded traversal is disabled");
    lang_query_refused(PEOPLE, READ("$p: Person $p knows{2} $q", "$q"),
                       "parse error: expected `,`");
    lang_query_accepted(PEOPLE, READ("$p: Person $p <knows>{1,3} $q", "$q"));
    lang_query_accepted(PEOPLE, READ("$p: Person $p worksAt{2,3} $q", "$q"));
}

static void edge_bindings_are_kept_apart(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows{1,2} $q", "$q"), "type error: T23: ");
    lang_query_accepted(PEOPLE, READ("$p: Person $p $w: knows{1,1} $q", "$q"));
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q", "$w"),
                       "type error: T23: edge binding `$w` is used bare");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q", "count($w)"),
                       "type error: T23: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q $w = 3", "$p"),
                       "type error: T23: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p $p: knows $q", "$q"), "type error: T23: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p $q: knows $q", "$q"), "type error: T23: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q $q $w: knows $r", "$q"),
                       "type error: T23: edge binding `$w` is already bound");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q $w: Person", "$q"),
                       "type error: T23: ");
    lang_query_refused(PEOPLE, READ("$p: Person $p $w: knows $q $w knows $r", "$q"),
                       "type error: T23: ");
    lang_query_accepted(PEOPLE,
                        READ("$p: Person $p $_: knows{1,2} $q $p $w: <knows> $r", "$q $w.since"));
}

static void search_is_refused_by_name(void **state)
{
    static const char *const texts[] = {
        READ("$d: Doc search($d.title, \"x\")", "$d"),
        READ("$d: Doc fuzzy($d.title, \"x\", 1)", "$d"),
        READ("$d: Doc match_text($d.title, \"x\") = true", "$d"),
        READ("$d: Doc", "$d, bm25($d.title, \"x\") as s"),
        "query q() { match { $d: Doc } return { $d } order { nearest($d.v, [1, 2, 3]) } limit 3 }",
        "query q() { match { $d: Doc } return { $d } order { rrf(bm25($d.title, \"a\"), "
        "nearest($d.v, \"b\"), 60) desc } limit 3 }",
    };
    size_t i;
    (void)state;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        lang_query_refused_as(DOCS, texts[i], IA_ERR_UNSUPPORTED, "unsupported: `");
    lang_query_refused_as(
        DOCS, texts[0], IA_ERR_UNSUPPORTED,
        "unsupported: `search`: full-text and vector search are not part of this version\n");
    lang_query_refused(
        DOCS,
        "query q() { match { $d: Doc } return { $d } order { nearest($d.v, [1]) desc } limit 3 }",
        "parse error: ");
    lang_query_refused(DOCS, READ("$d: Doc bm25($d.title, \"x\")", "$d"),
                       "parse error: expected a comparison");
}

static void parameters_are_declared_once_and_typed(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE,
                       "query q($__nanograph_now: DateTime) { match { $p: Person } return { $p } }",
                       "type error: parameter name `$__nanograph_now` is reserved");
    lang_query_refused(PEOPLE, "query q($a: Strng) { match { $p: Person } return { $p } }",
                       "type error: unknown parameter type `Strng`");
    lang_query_refused(PEOPLE, "query q($a: [Blob]) { match { $p: Person } return { $p } }",
                       "type error: unknown parameter type `Blob`");
    lang_query_refused_as(PEOPLE, "query q($a: Blob) { match { $p: Person } return { $p } }",
                          IA_ERR_UNSUPPORTED, "unsupported: parameter `$a` has type Blob");
    lang_query_refused(PEOPLE,
                       "query q($a: String, $a: I32) { match { $p: Person } return { $p } }",
                       "type error: parameter `$a` is declared twice");
    lang_query_refused(PEOPLE, "query q($p: String) { match { $p: Person } return { $p } }",
                       "type error: `$p` names a parameter and a variable");
    lang_query_refused(PEOPLE, "query q($p: String) { match { $a knows $p } return { $a } }",
                       "type error: `$p` names a parameter and a variable");
    lang_query_refused(PEOPLE, "query q($a: enum(x)) { match { $p: Person } return { $p } }",
                       "parse error: expected a parameter type");
    lang_query_refused(PEOPLE,
                       "query q($a: [I32]) { match { $p: Person { age: $a } } return { $p } }",
                       "type error: T7: ");
    lang_query_refused(PEOPLE, "query q($a: String) { match { $p: Person } return { $a.name } }",
                       "type error: T6: parameter `$a`");
    lang_query_accepted(PEOPLE, "query q($a: F64?, $b: [Date]?, $c: Vector(3)) { match { $p: "
                                "Person { age: $a } } return { $p } }");
}

static void negative_numbers_are_no_text(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, "query q() { match { $p: Person } return { $p } limit -1 }",
                       "parse error: expected the limit, found `-`");
    lang_query_refused(PEOPLE, READ("$p: Person $p.age > -5", "$p"),
                       "parse error: expected a value, found `-`");
    lang_query_refused(PEOPLE, READ("$p: Person $p.age > 9223372036854775808", "$p"),
                       "parse error: the integer is above");
    lang_query_refused(
        PEOPLE, "query q() { match { $p: Person } return { $p } limit 18446744073709551616 }",
        "parse error: the limit is above");
    lang_query_accepted(
        PEOPLE, "query q($n: I32) { match { $p: Person $p.age > $n } return { $p } limit 0 }");
}

static void separators_are_mostly_decoration(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person { }", "$p"),
                       "parse error: expected a property name");
    lang_query_accepted(PEOPLE,
                        READ("$p: Person { name: \"a\", age: 3, }", "$p.name $p.age as years $p,"));
    lang_query_refused(PEOPLE, READ("$p: Person { name: \"a\" age: 3 }", "$p"),
                       "parse error: expected `,` or `}`");
    lang_query_refused(PEOPLE, READ("", "1"), "parse error: ");
    lang_query_refused(PEOPLE, "query q() { match { $p: Person } return { } }", "parse error: ");
    lang_query_refused(PEOPLE,
                       "query q() { match { $p: Person } return { $p } limit 3 order { $p.name } }",
                       "parse error: expected `}`");
    lang_query_refused(
        PEOPLE, "query q() { match { $p: Person } return { $p } insert Person { name: \"x\" } }",
        "parse error: ");
    lang_query_refused(
        PEOPLE, "query q() { insert Person { name: \"x\" } match { $p: Person } return { $p } }",
        "parse error: ");
    lang_query_refused(PEOPLE, "query q() { }", "parse error: expected `match`, `insert`");
    lang_query_refused(PEOPLE, "query q() @owner(\"x\") { match { $p: Person } return { $p } }",
                       "parse error: expected `description` or `instruction`");
    lang_query_refused(
        PEOPLE,
        "query q() @description(\"x\") @description(\"x\") { match { $p: Person } return { $p } }",
        "parse error: this annotation is written twice");
    lang_query_refused(PEOPLE, "queryq() { match { $p: Person } return { $p } }",
                       "parse error: expected `query`");
}

static void filters_come_after_their_binding(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p.age > 3 $p: Person", "$p"),
                       "type error: T6: variable `$p` is not bound before this place");
    lang_query_refused(PEOPLE, READ("$p: Person { name: $undeclared }", "$p"),
                       "type error: T14: `$undeclared` is not a declared parameter");
}

static void enums_check_literals_in_matches_only(void **state)
{
    (void)state;
    lang_query_accepted(DOCS, READ("$d: Doc $d.kind = \"nonsense\"", "$d"));
    lang_query_refused(
        DOCS, READ("$d: Doc { kind: \"nonsense\" }", "$d"),
        "type error: T3: property `kind` expects one of [note, paper], got 'nonsense'");
    lang_query_accepted(DOCS,
                        "query q($k: String) { match { $d: Doc { kind: $k } } return { $d } }");
}

static void inline_matches_take_scalars(void **state)
{
    (void)state;
    lang_query_refused(DOCS, READ("$d: Doc { birthday: \"2020-01-01\" }", "$d"),
                       "type error: T3: ");
    lang_query_accepted(
        DOCS, READ("$d: Doc { birthday: date(\"2020-01-01\"), tags: \"x\", at: now(), small: 2.5 }",
                   "$d"));
    lang_query_refused(DOCS, READ("$d: Doc { tags: [\"x\"] }", "$d"),
                       "type error: T3: property `Doc.tags` is a list; use a scalar value");
    lang_query_refused(DOCS, READ("$d: Doc { title: [\"x\"] }", "$d"), "type error: T3: ");
    lang_query_refused(DOCS, READ("$d: Doc { v: [1, 2, 3] }", "$d"),
                       "type error: T3: property `Doc.v` is a Vector");
    lang_query_refused(DOCS, READ("$d: Doc { birthday: now() }", "$d"),
                       "type error: T7: now() matches a DateTime only");
    lang_query_refused(DOCS, READ("$d: Doc { birthday: date(\"2023-02-29\") }", "$d"),
                       "parse error: \"2023-02-29\" is no date");
    lang_query_refused(DOCS, READ("$d: Doc { at: datetime(\"soon\") }", "$d"),
                       "parse error: \"soon\" is no date-time");
}

static void a_bare_contains_is_a_traversal(void **state)
{
    static const char *const schema =
        "node Q { t: [String] } node M { s: String } edge Contains: Q -> M";
    (void)state;

    lang_query_accepted(schema, READ("$q: Q $q contains $m", "$m.s"));
    lang_query_refused(PEOPLE, READ("$p: Person $p contains $m", "$m"),
                       "type error: T4: unknown edge `contains`");
    lang_query_accepted(schema, READ("$q: Q $m: M $q.t contains $m.s", "$m.s"));
}

static void column_names_do_not_collide(void **state)
{
    (void)state;
    lang_query_refused(PEOPLE, READ("$p: Person", "$p.name as x, $p.age as x"),
                       "type error: two columns are named `x`");
    lang_query_refused(PEOPLE, READ("$p: Person", "1, 2"),
                       "type error: two columns are named `literal`");
    lang_query_refused(PEOPLE, READ("$p: Person", "$p, count($p)"),
                       "type error: two columns are named `p`");
    lang_query_accepted(PEOPLE, READ("$p: Person", "$p.name, $p.name"));
    lang_query_refused(PEOPLE, READ("$p: Person", "name"), "type error: `name` is a bare name");
}

static void orderings_name_what_exists(void **state)
{
#define ORDER(ret, ord)                                                                            \
    "query q($x: I32?) { match { $d: Doc } return { " ret " } order { " ord " } }"
    (void)state;
    lang_query_refused(DOCS, ORDER("$d.slug", "nope"),
                       "type error: alias `nope` not found for ordering");
    lang_query_refused(DOCS, ORDER("$d.slug", "slug"),
                       "type error: alias `slug` not found for ordering");
    lang_query_refused(DOCS, ORDER("$d.slug", "3"), "type error: order by a property");
    lang_query_refused(DOCS, ORDER("$d.slug, $x", "$x"), "type error: order by a property");
    lang_query_refused(DOCS, ORDER("$d.slug", "$d"),
                       "type error: this ordering must also be a returned column");
    lang_query_refused(DOCS, ORDER("$d.slug, count($d) as n", "$d.title"),
                       "type error: this ordering must also be a returned column");
    lang_query_refused(DOCS, ORDER("$d.slug, count($d) as n", "sum($d.small)"),
                       "type error: this ordering must also be a returned column");
    lang_query_refused(DOCS, ORDER("$d.tags", "$d.tags"),
                       "type error: a list or Vector has no order");
    lang_query_refused(DOCS, ORDER("$d.tags as t", "t"),
                       "type error: a list or Vector has no order");
    lang_query_refused(DOCS, ORDER("$d.slug", "$d.nope"), "type error: T6: ");
    lang_query_accepted(DOCS, ORDER("$d.slug, count($d) as n", "n desc, count($d) asc, $d.slug"));
    lang_query_accepted(DOCS, ORDER("$d.slug as s, $d", "$d.title desc, s, $d"));
#undef ORDER
}

static void words_of_the_language_can_be_names(void **state)
{
    static const char *const schema =
        "node N { order: I32? limit: I32? match: String? not: String? search: String? type: "
        "String? now: String? count: I32? }"
        "edge Return: N -> N edge Match: N -> N edge Count: N -> N";
    (void)state;

    lang_query_accepted(
        schema,
        "query match($limit: I32) { match { $order: N { not: \"x\", limit: $limit } $order return "
        "$match $match match $count "
        "$count count $_ not { $order count{1,2} $not } $order.search = $order.now } "
        "return { $order.count as count, $order.type as as } order { count, as } limit 3 }");
    lang_query_accepted(schema, "query insert() { insert N { order: 1 match: \"m\" } update N set "
                                "{ not: \"x\" } where limit = 3 }");
}

static void several_queries_need_a_name(void **state)
{
    static const char *const text = "query a() { match { $p: Person } return { $p } }\nquery b() { "
                                    "insert Person { name: \"x\" } }";
    lang_test t;
    ia_catalog *c;
    ia_gq_file *f = NULL;
    ia_gq_query *q = NULL;
    size_t at;
    (void)state;

    lang_test_begin(&t);
    c = lang_schema(&t, PEOPLE);
    assert_int_equal(ia_gq_file_parse(&t.cx, text, strlen(text), "two.gq", &f), IA_OK);
    assert_int_equal(ia_gq_file_count(f), 2);
    assert_string_equal(ia_gq_file_name(f, 1), "b");
    assert_false(ia_gq_file_is_mutation(f, 0));
    assert_true(ia_gq_file_is_mutation(f, 1));
    assert_int_equal(ia_gq_file_find(&t.cx, f, NULL, &at), IA_ERR_INVALID);
    assert_non_null(strstr(t.cx.err.text, "two.gq holds 2 queries; name one of them"));
    assert_int_equal(ia_gq_file_find(&t.cx, f, "c", &at), IA_ERR_NOT_FOUND);
    assert_non_null(strstr(t.cx.err.text, "query 'c' not found"));
    assert_int_equal(ia_gq_file_find(&t.cx, f, "b", &at), IA_OK);
    assert_int_equal(ia_gq_check(&t.cx, f, at, c, &q), IA_OK);
    ia_gq_file_free(f);
    assert_string_equal(q->name, "b"); /* the query outlives its file */
    ia_catalog_release(c);             /* and keeps the catalog */
    assert_string_equal(q->statements[0].type->name, "Person");
    ia_gq_query_free(q);
    lang_test_end(&t);
    lang_query_refused(PEOPLE,
                       "query a() { match { $p: Person } return { $p } } query a() { match { $p: "
                       "Person } return { $p } }",
                       "parse error: query `a` is defined twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_names_have_their_codes),
        cmocka_unit_test(traversals_check_edge_and_ends),
        cmocka_unit_test(comparisons_need_fitting_scalars),
        cmocka_unit_test(aggregates_need_fitting_arguments),
        cmocka_unit_test(negation_must_touch_the_outside),
        cmocka_unit_test(mutations_have_their_codes),
        cmocka_unit_test(assigned_values_fit_their_property),
        cmocka_unit_test(hop_bounds_are_checked),
        cmocka_unit_test(edge_bindings_are_kept_apart),
        cmocka_unit_test(search_is_refused_by_name),
        cmocka_unit_test(parameters_are_declared_once_and_typed),
        cmocka_unit_test(negative_numbers_are_no_text),
        cmocka_unit_test(separators_are_mostly_decoration),
        cmocka_unit_test(filters_come_after_their_binding),
        cmocka_unit_test(enums_check_literals_in_matches_only),
        cmocka_unit_test(inline_matches_take_scalars),
        cmocka_unit_test(a_bare_contains_is_a_traversal),
        cmocka_unit_test(column_names_do_not_collide),
        cmocka_unit_test(orderings_name_what_exists),
        cmocka_unit_test(words_of_the_language_can_be_names),
        cmocka_unit_test(several_queries_need_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
