/* Just enough XML for VTU files: one tag after another, with the text that follows it. No document types, no
 * entities of their own, no nesting kept: the reader of VTU knows which tags it wants.
 */
#ifndef CT_PARTICLES_XML_H
#define CT_PARTICLES_XML_H

#include "particles/scan.h"

typedef struct ct_xml_tag {
    ct_slice name;
    ct_slice attributes;
    ct_slice text;   /* up to the next '<' */
    bool is_closing; /* </name> */
    bool is_empty;   /* <name/> */
} ct_xml_tag;

/* The next tag, past comments and declarations; false at the end. The scan then stands behind the tag. */
bool ct_xml_next(ct_scan *scan, ct_xml_tag *tag);

/* An attribute's value; false if there is none. */
bool ct_xml_attribute(const ct_xml_tag *tag, const char *name, ct_slice *value);

#endif
