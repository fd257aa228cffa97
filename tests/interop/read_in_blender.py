"""blender -b --python read_in_blender.py -- ADDON RUN SURFACE OBJ PC2 WOVEN DROP PICTURES SCENE PROGRAM: the add-on loads
the sample (write_sample.c), its attributes and the timeline; Blender's Mesh Cache modifier plays the OBJ and PC2 that
`continua convert --to pc2` made of a run. DROP is a run with a collider, a camera and a floor: Blender's picture of it shows
the ball where that of `continua render` does. Bake runs SCENE."""

import importlib.util
import os
import re
import sys

import bpy
import numpy


def load_addon(path):
    spec = importlib.util.spec_from_file_location("continua_io", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["continua_io"] = module
    spec.loader.exec_module(module)
    module.register()
    return module


def check_run(run):
    """An object per body: particles p = 0, 2, 4, ... are of `even`."""
    assert bpy.ops.import_scene.continua(directory=run) == {"FINISHED"}
    even, odd = bpy.data.objects["even"], bpy.data.objects["odd"]
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end) == (1, 3)
    for number in [0, 2, 1]:
        scene.frame_set(number + 1)
        assert len(even.data.vertices) == len(odd.data.vertices) == 500
        for p in [0, 1, 998, 999]:
            mesh, place = (odd if p % 2 else even).data, p // 2
            # y up becomes z up
            assert tuple(mesh.vertices[place].co) == (p, -number, p / 2), tuple(mesh.vertices[place].co)
            assert tuple(mesh.attributes["velocity"].data[place].vector) == (number, 0, -p)
            assert mesh.attributes["id"].data[place].value == p
            assert mesh.attributes["body"].data[place].value == p % 2
            assert mesh.attributes["F_8"].data[place].value == 8
            assert mesh["continua_time"] == 0.25 * number
    clear()


def clear():
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)


WIDTH, HEIGHT = 320, 240


def red_of(path):
    """Which pixels of a picture are red: those of the ball."""
    image = bpy.data.images.load(path)
    assert tuple(image.size) == (WIDTH, HEIGHT), tuple(image.size)
    pixels = numpy.array(image.pixels[:]).reshape(HEIGHT, WIDTH, -1)
    bpy.data.images.remove(image)
    return pixels[..., 0] > 1.8 * pixels[..., 1:3].max(axis=2) + 0.02


def overlap(one, other):
    return (one & other).sum() / (one | other).sum()


def check_drop(run, pictures):
    """Materials, rate, collider and camera come with the run; the ball is seen where our own picture has it."""
    clear()
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = WIDTH, HEIGHT, 100
    assert bpy.ops.import_scene.continua(directory=run) == {"FINISHED"}
    ball, peg = bpy.data.objects["ball"], bpy.data.objects["peg"]
    assert abs(scene.render.fps / scene.render.fps_base - 25) < 1e-6
    assert len(peg.data.polygons) > 10
    color = ball.data.materials[0].node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value
    assert tuple(color) == (1, 0, 0, 1), tuple(color)
    assert scene.camera and scene.render.engine == "CYCLES"
    scene.cycles.samples, scene.view_settings.view_transform = 8, "Standard"
    drawn, ours = [], []
    for number in [0, 3]:
        scene.frame_set(number + 1)
        scene.render.filepath = os.path.join(pictures, "blender_%d.png" % number)
        bpy.ops.render.render(write_still=True)
        drawn.append(red_of(scene.render.filepath))
        ours.append(red_of(os.path.join(pictures, "ours_%d.png" % number)))
        assert drawn[-1].sum() > 500, drawn[-1].sum()
    same = [overlap(*both) for both in zip(drawn, ours)]
    assert min(same) > 0.9, same
    assert overlap(drawn[0], ours[1]) < 0.8  # it can fail: the ball has moved


def check_looks(header):
    """The list of looks is that of the scene language."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"[\\\s]+", " ", file.read())
    listed = {name: (int(color, 16), float(ior), float(rough)) for name, color, ior, rough in re.findall(
        r'X\((\w+), "[^"]*", "[^"]*", \w+, (0x\w+), ([\d.]+), ([\d.]+)', text)}
    own = {name: look[1:] for name, look in sys.modules["continua_io"].LOOKS.items()}
    assert own == listed, set(own.items()) ^ set(listed.items())


def check_bake(scene, program, folder):
    """The button's command: a run, and a mistake of the scene as Blender's error."""
    clear()
    settings = bpy.context.scene
    settings.continua_program, settings.continua_scene, settings.continua_output = program, scene, os.path.join(folder, "baked")
    settings.continua_surface = True
    assert bpy.ops.continua.bake() == {"FINISHED"}
    assert "ball" in bpy.data.objects and "baked surface" in bpy.data.objects
    settings.continua_anew = True
    with open(scene, "a", encoding="utf-8") as file:
        file.write("nonsense: 1\n")
    try:
        bpy.ops.continua.bake()
    except RuntimeError as mistake:
        assert "nonsense" in str(mistake), mistake
    else:
        raise AssertionError("a scene with a mistake was baked")


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
    check_texture(mesh)


WOVEN_UV = [(0, 0), (0.5, 0), (0.5, 1), (0.75, 0), (0.5, 1), (0.75, 1)]


def check_texture(mesh):
    """Texture coordinates of every corner, with their seam."""
    assert [tuple(corner.uv) for corner in mesh.uv_layers.active.data] == WOVEN_UV, mesh.uv_layers.keys()


def check_textured_files(folder):
    """Blender's own readers find the same in the OBJ and the USD."""
    bpy.ops.import_scene.obj(filepath=os.path.join(folder, "woven.obj"), axis_forward="-Z", axis_up="Y")
    check_texture(bpy.context.selected_objects[0].data)
    if "usd_import" in dir(bpy.ops.wm):  # not every build has it
        clear()
        assert bpy.ops.wm.usd_import(filepath=os.path.join(folder, "woven.usda")) == {"FINISHED"}
        check_texture(next(item for item in bpy.data.objects if item.type == "MESH").data)
    clear()


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


addon, run, surface, obj, pc2, woven, drop, pictures, scene, program, header = sys.argv[sys.argv.index("--") + 1:]
load_addon(addon)
check_looks(header)
check_run(run)
check_surface(surface)
check_woven(woven)
check_textured_files(os.path.dirname(woven))
check_cache(obj, pc2)
check_drop(drop, pictures)
check_bake(scene, program, os.path.dirname(scene))
print("Blender loads runs with materials, colliders and camera, sheets and strands, a surface and a mesh cache, and bakes")
