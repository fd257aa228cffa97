/* The words of the key `look`: "auto", then the list of looks. */
#ifndef CT_SCENE_LOOK_WORDS_H
#define CT_SCENE_LOOK_WORDS_H

#include "scene/keys.h"

extern const ct_word ct_look_words[];

#endif
