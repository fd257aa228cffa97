"""blender -b --python read_in_blender.py -- ADDON RUN CACHE: the add-on loads the sample (write_sample.c), its attributes
and the timeline; Blender's Mesh Cache modifier plays the OBJ and PC2 that `continua convert --to pc2` made of a run."""

import importlib.util
import sys

import bpy


def load_addon(path):
    spec = importlib.util.spec_from_file_location("continua_io", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["continua_io"] = module
    spec.loader.exec_module(module)
    module.register()
    return module


def check_run(run):
    assert bpy.ops.import_scene.continua(directory=run) == {"FINISHED"}
    item = next(item for item in bpy.data.objects if item.get("continua_folder", "").endswith("frames"))
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (1, 3)
    for number in [0, 2, 1]:
        scene.frame_set(number + 1)
        mesh = item.data
        assert len(mesh.vertices) == 1000
        for p in [0, 1, 999]:
            # y up becomes z up
            assert tuple(mesh.vertices[p].co) == (p, -number, p / 2), tuple(mesh.vertices[p].co)
            assert tuple(mesh.attributes["velocity"].data[p].vector) == (number, 0, -p)
            assert mesh.attributes["id"].data[p].value == p
            assert mesh.attributes["body"].data[p].value == p % 2
            assert mesh.attributes["F_8"].data[p].value == 8
        assert mesh["continua_time"] == 0.25 * number


def check_surface(path):
    """A closed surface: every edge has two triangles."""
    module = sys.modules["continua_io"]
    mesh = bpy.data.meshes.new("surface")
    module.show_file(mesh, path)
    assert len(mesh.polygons) > 100
    assert 2 * len(mesh.edges) == 3 * len(mesh.polygons), (len(mesh.edges), len(mesh.polygons))


def check_woven(path):
    """A square of two triangles, a strand of two segments and a loose point (write_sample.c)."""
    mesh = bpy.data.meshes.new("woven")
    sys.modules["continua_io"].show_file(mesh, path)
    assert (len(mesh.vertices), len(mesh.polygons), len(mesh.edges)) == (8, 2, 5 + 2)
    edges = {tuple(sorted(edge.vertices)) for edge in mesh.edges}
    assert {(4, 5), (5, 6), (0, 2)} <= edges, edges
    assert [tuple(polygon.vertices) for polygon in mesh.polygons] == [(0, 1, 2), (0, 2, 3)]


def check_cache(obj, pc2):
    """Frame 2 of the cache is elsewhere than its first, and both are where the files say."""
    bpy.ops.import_scene.obj(filepath=obj, axis_forward="-Z", axis_up="Y")
    item = bpy.context.selected_objects[0]
    modifier = item.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", pc2
    modifier.frame_start = 1
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    heights = []
    for frame in [1, 3]:
        bpy.context.scene.frame_set(frame)
        shown = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
        heights.append(sum(vertex.co.y for vertex in shown.vertices) / len(shown.vertices))
    assert heights[1] < heights[0] - 1e-4, heights


addon, run, surface, obj, pc2, woven = sys.argv[sys.argv.index("--") + 1:]
load_addon(addon)
check_run(run)
check_surface(surface)
check_woven(woven)
check_cache(obj, pc2)
print("Blender loads the run, its attributes, a surface, sheets and strands, and a mesh cache")
