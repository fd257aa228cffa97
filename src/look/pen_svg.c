#include "look/pen.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers without the locale's decimal comma, to a tenth of a pixel. */
static void print_number(ct_text *text, float value)
{
    long tenths = lroundf(value * 10);
    ct_text_print(text, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
    if (tenths % 10) ct_text_print(text, ".%ld", labs(tenths) % 10);
}

static void print_attribute(ct_text *text, const char *name, float value)
{
    ct_text_print(text, " %s=\"", name);
    print_number(text, value);
    ct_text_print(text, "\"");
}

static void print_color(ct_text *text, const char *name, ct_vec color)
{
    ct_text_print(text, " %s=\"#%02x%02x%02x\"", name, ct_srgb_byte(color.x), ct_srgb_byte(color.y),
                  ct_srgb_byte(color.z));
}

static void print_share(ct_text *text, float share)
{
    if (share < 1) ct_text_print(text, " opacity=\"0.%02d\"", (int)(100 * share));
}

static void print_escaped(ct_text *text, const char *words)
{
    for (; *words; words++) {
        if (*words == '&') ct_text_print(text, "&amp;");
        else if (*words == '<') ct_text_print(text, "&lt;");
        else ct_text_append(text, (unsigned char)*words < ' ' ? " " : words, 1);
    }
}

static void print_dot(ct_text *text, const float at[2], ct_ink ink)
{
    ct_text_print(text, "<circle");
    print_attribute(text, "cx", at[0]);
    print_attribute(text, "cy", at[1]);
    print_attribute(text, "r", 0.5f * ink.width);
    print_color(text, "fill", ink.color);
    print_share(text, ink.share);
    ct_text_print(text, "/>\n");
}

static void draw_line(ct_pen *pen, const float (*points)[2], size_t count, ct_ink ink)
{
    ct_text *text = &((ct_svg_pen *)pen)->text;
    if (count == 1) print_dot(text, points[0], ink);
    if (count < 2) return;
    ct_text_print(text, "<polyline");
    print_color(text, "stroke", ink.color);
    print_attribute(text, "stroke-width", ink.width);
    print_share(text, ink.share);
    if (ink.dash > 0) {
        ct_text_print(text, " stroke-dasharray=\"");
        print_number(text, ink.dash);
        ct_text_print(text, " ");
        print_number(text, 0.6f * ink.dash);
        ct_text_print(text, "\"");
    }
    ct_text_print(text, " points=\"");
    for (size_t k = 0; k < count; k++) {
        ct_text_print(text, k ? " " : "");
        print_number(text, points[k][0]);
        ct_text_print(text, ",");
        print_number(text, points[k][1]);
    }
    ct_text_print(text, "\"/>\n");
}

static void draw_box(ct_pen *pen, float left, float top, float right, float bottom, ct_ink ink)
{
    ct_text *text = &((ct_svg_pen *)pen)->text;
    ct_text_print(text, "<rect");
    print_attribute(text, "x", left);
    print_attribute(text, "y", top);
    print_attribute(text, "width", right - left);
    print_attribute(text, "height", bottom - top);
    print_color(text, "fill", ink.color);
    print_share(text, ink.share);
    ct_text_print(text, "/>\n");
}

static void draw_text(ct_pen *pen, const char *words, float x, float y, ct_lettering lettering)
{
    static const char *const anchors[] = {
        [CT_ANCHOR_START] = "start", [CT_ANCHOR_MIDDLE] = "middle", [CT_ANCHOR_END] = "end"};
    ct_text *text = &((ct_svg_pen *)pen)->text;
    ct_text_print(text, "<text");
    print_attribute(text, "x", x);
    print_attribute(text, "y", y);
    print_attribute(text, "font-size", lettering.size);
    if (lettering.anchor) ct_text_print(text, " text-anchor=\"%s\"", anchors[lettering.anchor]);
    if (lettering.is_bold) ct_text_print(text, " font-weight=\"600\"");
    if (lettering.is_upright) {
        ct_text_print(text, " transform=\"rotate(-90 ");
        print_number(text, x);
        ct_text_print(text, " ");
        print_number(text, y);
        ct_text_print(text, ")\"");
    }
    print_color(text, "fill", lettering.color);
    ct_text_print(text, ">");
    print_escaped(text, words);
    ct_text_print(text, "</text>\n");
}

void ct_svg_pen_begin(ct_heap *heap, int width, int height, ct_vec page, ct_svg_pen *pen)
{
    *pen = (ct_svg_pen){.pen = {draw_line, draw_box, draw_text}, .text = {.heap = heap}};
    ct_text_print(
        &pen->text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"system-ui, Helvetica, Arial, sans-serif\" fill=\"none\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n",
        width, height, width, height);
    draw_box(&pen->pen, 0, 0, (float)width, (float)height, (ct_ink){.color = page, .share = 1});
}

void ct_svg_pen_finish(ct_svg_pen *pen)
{
    ct_text_print(&pen->text, "</svg>\n");
}
