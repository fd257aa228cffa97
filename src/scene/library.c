/* What the library has, as lists for users: methods, models and their parameters, presets, formats. */
#include "method_info.h"
#include "output/writer.h"
#include "scene/presets.h"
#include "scene/units.h"

bool ct_library_method(int index, ct_library_method_info *info)
{
    const ct_method_info *method = info ? ct_method_info_at(index) : NULL;
    if (method) *info = (ct_library_method_info){method->name, method->doc};
    return method;
}

/* Those of the first method, then those of the next. */
static const ct_material_info *model_at(int index, int *method)
{
    if (index < 0) return NULL;
    for (*method = 0; ct_method_info_at(*method); ++*method) {
        int count = 0;
        const ct_material_info *model;
        while ((model = ct_method_info_at(*method)->material_at(count)) && count < index) count++;
        if (model) return model;
        index -= count;
    }
    return NULL;
}

bool ct_library_model(int index, ct_library_model_info *info)
{
    int method;
    const ct_material_info *model = info ? model_at(index, &method) : NULL;
    if (!model) return false;
    *info = (ct_library_model_info){.name = model->name,
                                    .title = model->title,
                                    .doc = model->doc,
                                    .paper = model->paper,
                                    .method = (ct_method)method,
                                    .is_elastic = model->is_elastic,
                                    .parameter_count = model->parameter_count};
    return true;
}

bool ct_library_parameter(int index, int parameter, ct_library_parameter_info *info)
{
    int method;
    const ct_material_info *model = info ? model_at(index, &method) : NULL;
    const ct_parameter_info *found = NULL;
    if (!model || parameter < 0) return false;
    const int elastic = parameter - model->parameter_count;
    if (elastic < 0) found = &model->parameters[parameter];
    else if (model->is_elastic && elastic < CT_ELASTIC_PARAMETERS) found = &ct_elastic_parameters[elastic];
    if (!found) return false;
    *info = (ct_library_parameter_info){.name = found->name,
                                        .unit = ct_dimension_unit(found->dimension),
                                        .doc = found->doc,
                                        .fallback = found->fallback,
                                        .min = found->least,
                                        .max = found->most,
                                        .is_elastic = elastic >= 0};
    return true;
}

bool ct_library_preset(int index, ct_library_preset_info *info)
{
    const ct_preset *preset = info && index >= 0 ? ct_preset_at(index) : NULL;
    if (preset)
        *info =
            (ct_library_preset_info){preset->name, preset->doc, preset->keys, preset->source, preset->method};
    return preset;
}

bool ct_library_format(int index, ct_library_format_info *info)
{
    const ct_writer *writer = info && index >= 0 ? ct_writer_at(index) : NULL;
    if (writer) *info = (ct_library_format_info){writer->name, writer->doc};
    return writer;
}
