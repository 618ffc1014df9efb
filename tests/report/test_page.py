import re

from antireg.report import page

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def a_page() -> str:
    drawing = page.picture(SVG, 'a "dot"')
    table = page.table(["method", "AUROC"], [["DARE", page.strong("0.99")]])
    shown = page.section("Part", page.paragraph("a < b"), page.figure([drawing], "x"))
    return page.page("Title", "Lead", [shown, page.section("Rest", table)], "Made so")


def test_page_loads_nothing_from_elsewhere():
    sources = re.findall(r'(?:src|href)="([^"]*)"', a_page())
    assert len(sources) == 1
    assert all(source.startswith("data:") for source in sources)
    assert not re.search(r"https?://|@import|url\(|<script|<link", a_page())


def test_page_is_readable_on_a_phone_and_in_the_dark():
    assert 'name="viewport"' in a_page()
    assert "prefers-color-scheme: dark" in a_page()


def test_plain_text_is_escaped_and_html_is_not():
    assert "<p>a &lt; b</p>" in a_page()
    assert 'alt="a &quot;dot&quot;"' in a_page()
    assert "<td><strong>0.99</strong></td>" in a_page()
    assert "<td>&lt;b&gt;</td>" in page.table(["name"], [["<b>"]])
    assert page.note("a & b") == '<p class="note">a &amp; b</p>\n'


def test_parts_come_in_the_order_given():
    text = re.sub(r"<style>.*?</style>|<[^>]*>", " ", a_page(), flags=re.DOTALL)
    words = "Title Title Lead Part a &lt; b x Rest method AUROC DARE 0.99 Made so"
    assert " ".join(text.split()) == words


def test_contents_lead_to_sections_of_this_page():
    shown = page.section("Part & parcel", name="part")
    assert shown.startswith('<section id="part">\n<h2>Part &amp; parcel</h2>')
    assert page.contents({"part": "A & B"}) == (
        '<nav><a href="#part">A &amp; B</a></nav>\n'
    )


def test_a_cell_of_several_lines_escapes_each():
    cell = page.stacked("1 < 2", page.far("+3 sd"), page.absent("missing"))
    assert cell == (
        '1 &lt; 2<small><span class="far">+3 sd</span></small>'
        '<small><span class="absent">missing</span></small>'
    )


def test_lists_headings_and_code_are_escaped():
    assert (
        page.bullets(["a", "b & c"]) == "<ul>\n<li>a</li>\n<li>b &amp; c</li>\n</ul>\n"
    )
    assert page.heading("<") == "<h3>&lt;</h3>\n"
    assert page.code("a > b") == "<pre>a &gt; b</pre>\n"
    table = page.table(["a"], [["b"]])
    assert page.side_by_side([table]) == f'<div class="tables">\n{table}</div>\n'


def test_a_table_that_wraps_says_so_and_words_are_escaped():
    made = page.table(["a"], [[page.words("<b>")]], wraps=True)
    assert '<div class="table wraps">' in made
    assert '<span class="words">&lt;b&gt;</span>' in made
