"""Brings runs of continua into Blender, ready to render, and runs scenes from Blender.

A run becomes a collection: an object per body (points, sheets, strands, surfaces of solids), its colliders, the surface
that `continua mesh RUN --to vtu` made, a camera, a lamp and a backdrop. Materials have the look and the colour that the
scene gives them; quantities are attributes. All follow the timeline: frame 1 is the first frame of the run, and the
timeline runs as fast as the run's own time.

Install: Edit > Preferences > Add-ons > Install..., this file. Then File > Import > continua run (folder), or the tab
"continua" of the 3D view's sidebar, whose button Bake runs a scene and loads the result.
From a script: bpy.ops.import_scene.continua(directory="out/jelly")

Only what comes with Blender (3.3 and later) is used. Files are read as docs/frame-formats.md describes them.
"""

import json
import math
import os
import re
import shutil
import subprocess

import bpy
import mathutils
import numpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, StringProperty

bl_info = {
    "name": "continua",
    "author": "the continua project",
    "version": (0, 2, 0),
    "blender": (3, 3, 0),
    "location": "File > Import > continua run; 3D view > sidebar > continua",
    "description": "Loads runs of continua with materials, colliders and camera; runs scenes",
    "category": "Import-Export",
}

TYPES = {"Float32": "<f4", "Float64": "<f8", "UInt8": "u1", "UInt16": "<u2", "UInt32": "<u4", "Int32": "<i4", "Int64": "<i8"}
VTK_LINE, VTK_TRIANGLE = 3, 5


# ---- Files -------------------------------------------------------------------------------------------------------

def read_vtk(path):
    """{name: array} of a VTU or VTP as continua writes it: the XML names the arrays, their bytes follow an underscore."""
    with open(path, "rb") as file:
        content = file.read()
    begin = content.index(b"<AppendedData")
    start = content.index(b"_", begin) + 1
    arrays = {}
    for tag in re.findall(r"<DataArray [^>]*>", content[:begin].decode("utf-8")):
        facts = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        at = start + int(facts["offset"])
        size = int.from_bytes(content[at:at + 8], "little")
        values = numpy.frombuffer(content, TYPES[facts["type"]], size // numpy.dtype(TYPES[facts["type"]]).itemsize, at + 8)
        components = int(facts.get("NumberOfComponents", 1))
        arrays[facts["Name"]] = values.reshape(-1, components) if components > 1 else values
    return arrays


_last_read = (None, None)


def read_cached(path):
    """The same file is read once for all objects that show it."""
    global _last_read
    key = (path, os.path.getmtime(path))
    if _last_read[0] != key:
        _last_read = (key, read_vtk(path))
    return _last_read[1]


def frame_files(folder, kind="frame"):
    """Paths of frame_000000.vtu and so on, in order; `kind` colliders: their surfaces."""
    if not os.path.isdir(folder):
        return []
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if re.fullmatch(kind + r"_\d+\.vt[up]", name)]


def file_at(files, number):
    """The file of frame `number`, or the last before it."""
    before = [path for path in files if int(re.search(r"(\d+)\.vt[up]$", path)[1]) <= number]
    return before[-1] if before else files[0]


def value_of(text):
    """What a key of used.yaml is set to: text, a list, or a number without its unit."""
    if text[:1] in ('"', "["):
        return json.JSONDecoder().raw_decode(text)[0]
    word = text.split()[0]
    try:
        return float(word)
    except ValueError:
        return word


def read_scene(path):
    """used.yaml as nested dictionaries: two spaces a level, a key per line."""
    root = {}
    levels = [(-1, root)]
    if not os.path.isfile(path):
        return root
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r'( *)("(?:[^"\\]|\\.)*"|[^\s:#"{\[-][^:]*):\s*(.*)', line)
            if not found:
                continue
            indent, key, text = len(found[1]), found[2], found[3]
            while levels[-1][0] >= indent:
                levels.pop()
            key = json.loads(key) if key[0] == '"' else key
            if text and text[0] != "#":
                try:
                    levels[-1][1][key] = value_of(text)
                except ValueError:
                    pass  # a list with units, which nothing here needs
            else:
                levels.append((indent, levels[-1][1].setdefault(key, {})))
    return root


# ---- Geometry ----------------------------------------------------------------------------------------------------

# Blender has normals of its own.
NOT_ATTRIBUTES = {"Points", "connectivity", "offsets", "types", "TimeValue", "step", "body_names", "normal", "uv"}


def turned(points):
    """continua has y up, Blender z."""
    result = numpy.empty((len(points), 3), "f4")
    result[:, 0], result[:, 1], result[:, 2] = points[:, 0], -points[:, 2], points[:, 1]
    return result


def cells_of(arrays, kind, corners):
    """The points of all cells of a kind, a row each."""
    ends = arrays["offsets"][arrays["types"] == kind].astype("i8")
    return arrays["connectivity"][ends[:, None] - numpy.arange(corners, 0, -1)].astype("i4")


def rebuild(mesh, points, triangles, lines):
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    if len(lines):
        mesh.edges.add(len(lines))
        mesh.edges.foreach_set("vertices", lines.ravel())
    if len(triangles):
        mesh.loops.add(3 * len(triangles))
        mesh.polygons.add(len(triangles))
        mesh.loops.foreach_set("vertex_index", triangles.ravel())
        mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * len(triangles), 3, dtype="i4"))
        mesh.polygons.foreach_set("loop_total", numpy.full(len(triangles), 3, "i4"))
        mesh.polygons.foreach_set("use_smooth", numpy.ones(len(triangles), bool))


def set_attribute(mesh, name, values):
    """Numbers, whole numbers and vectors as attributes of their kind; of a matrix one for each entry."""
    if values.ndim == 2 and values.shape[1] != 3:
        for column in range(values.shape[1]):
            set_attribute(mesh, "%s_%d" % (name, column), values[:, column])
        return
    is_vector, is_whole = values.ndim == 2, values.dtype.kind in "ui"
    kind = "FLOAT_VECTOR" if is_vector else "INT" if is_whole else "FLOAT"
    attribute = mesh.attributes.get(name)
    if attribute is not None and (attribute.data_type != kind or len(attribute.data) != len(mesh.vertices)):
        mesh.attributes.remove(attribute)
        attribute = None
    if attribute is None:
        attribute = mesh.attributes.new(name, kind, "POINT")
    data = turned(values) if is_vector else values.astype("i4" if is_whole else "f4")
    attribute.data.foreach_set("vector" if is_vector else "value", numpy.ascontiguousarray(data).ravel())


def select(arrays, points, cells):
    """Of a frame, the points of a mask and the cells between them, renumbered; texture coordinates are of triangles."""
    places = numpy.cumsum(points, dtype="i4") - 1
    chosen = [points[part].all(axis=1) if len(part) else numpy.zeros(0, bool) for part in cells]
    result = {name: values[points] if len(values) == len(points) else values for name, values in arrays.items()}
    if "uv" in arrays:
        result["uv"] = arrays["uv"][chosen[0]]
    return result, [places[part[kept]] for part, kept in zip(cells, chosen)]


def surface_of_colliders(arrays):
    """Triangles of a VTP: all its polygons."""
    facts = {name: arrays[name] for name in ("Points", "uv") if name in arrays}
    return facts, [arrays["connectivity"].reshape(-1, 3).astype("i4"), numpy.empty((0, 2), "i4")]


def show_file(mesh, path, body=None, collider=None):
    """The frame in `path`, or the part of it that is of a body or a collider, as the mesh."""
    arrays = read_cached(path)
    if path.endswith(".vtp"):
        owner = arrays["collider"]
        arrays, cells = surface_of_colliders(arrays)
        if collider is not None:
            kept = cells[0][owner == collider]
            if "uv" in arrays:
                arrays["uv"] = arrays["uv"][owner == collider]
            points = numpy.zeros(len(arrays["Points"]), bool)
            points[kept.ravel()] = True
            arrays, cells = select(arrays, points, [kept, cells[1]])
    else:
        cells = [cells_of(arrays, VTK_TRIANGLE, 3), cells_of(arrays, VTK_LINE, 2)]
        if body is not None and "body" in arrays:
            arrays, cells = select(arrays, arrays["body"] == body, cells)
    show_arrays(mesh, arrays, *cells)
    mesh["continua_path"] = path


def show_arrays(mesh, arrays, triangles, lines):
    points = turned(arrays["Points"])
    is_woven = len(triangles) or len(lines) or len(mesh.polygons) or len(mesh.edges)
    if len(mesh.vertices) != len(points) or is_woven:
        rebuild(mesh, points, triangles, lines)
    mesh.vertices.foreach_set("co", points.ravel())
    for name, values in arrays.items():
        if name not in NOT_ATTRIBUTES:
            set_attribute(mesh, name, values)
    if "uv" in arrays and len(triangles):
        layer = mesh.uv_layers.get("UVMap") or mesh.uv_layers.new(name="UVMap")
        layer.data.foreach_set("uv", numpy.ascontiguousarray(arrays["uv"], "f4").ravel())
    mesh.update(calc_edges=len(triangles) > 0)
    if "TimeValue" in arrays:
        mesh["continua_time"] = float(arrays["TimeValue"][0])


# ---- Materials ---------------------------------------------------------------------------------------------------

# Of every look of the scene language (src/scene/looks.h): kind, colour (sRGB), index of refraction, roughness.
LOOKS = {
    "plain": ("coated", 0xb8bcc4, 1.5, 0.35),
    "water": ("clear", 0x7cc4dc, 1.333, 0),
    "oil": ("clear", 0xc8b428, 1.47, 0),
    "honey": ("hazy", 0xd8860a, 1.49, 0),
    "jelly": ("hazy", 0xd03040, 1.36, 0),
    "glass": ("clear", 0xe4f0ec, 1.5, 0),
    "rubber": ("coated", 0x3a3c40, 1.5, 0.6),
    "clay": ("coated", 0xb4633e, 1.4, 0.7),
    "mud": ("coated", 0x5c4330, 1.4, 0.28),
    "ketchup": ("coated", 0xa8140c, 1.45, 0.22),
    "steel": ("metal", 0xb4b8bc, 1, 0.3),
    "sand": ("powder", 0xd9b47c, 1.5, 0.8),
    "wet_sand": ("powder", 0x9c7748, 1.4, 0.45),
    "snow": ("powder", 0xf7fafd, 1.31, 0.9),
    "lava": ("glowing", 0x1c1816, 1.1, 0.8),
}


def linear_of(color):
    """'#rrggbb' or 0xrrggbb as linear red, green, blue, 1."""
    number = int(color[1:], 16) if isinstance(color, str) else color
    shown = [(number >> shift & 0xff) / 255 for shift in (16, 8, 0)]
    return tuple(s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shown) + (1.0,)


def set_input(node, names, value):
    """Inputs are called differently in Blender 3 and 4: the first name that is there."""
    for name in names:
        if name in node.inputs:
            node.inputs[name].default_value = value
            return


def material_of(name, look, color, is_closed):
    """`is_closed`: a surface that light can enter. A single grain is drawn as if it were dull."""
    kind, own, ior, roughness = LOOKS.get(look, LOOKS["plain"])
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    node = tree.nodes["Principled BSDF"]
    linear = linear_of(color or own)
    material.diffuse_color = linear
    set_input(node, ["Base Color"], linear)
    set_input(node, ["IOR"], max(ior, 1.01))
    set_input(node, ["Roughness"], max(roughness, 0.02))
    if kind == "metal":
        set_input(node, ["Metallic"], 1.0)
    if kind == "powder":
        set_input(node, ["Specular", "Specular IOR Level"], 0.1)
    if kind in ("clear", "hazy") and is_closed:
        set_input(node, ["Transmission", "Transmission Weight"], 1.0 if kind == "clear" else 0.5)
    if kind == "hazy":
        set_input(node, ["Subsurface", "Subsurface Weight"], 0.3)
        set_input(node, ["Subsurface Color"], linear)
    if kind == "glowing":
        heat, glow = tree.nodes.new("ShaderNodeAttribute"), tree.nodes.new("ShaderNodeBlackbody")
        heat.attribute_name = "temperature"
        tree.links.new(heat.outputs["Fac"], glow.inputs["Temperature"])
        tree.links.new(glow.outputs["Color"], node.inputs["Emission" if "Emission" in node.inputs else "Emission Color"])
        set_input(node, ["Emission Strength"], 2.0)
    return material


# ---- Points and strands ------------------------------------------------------------------------------------------

def new_group(name, radius):
    """A node group of geometry with a radius: (group, its input node, its output node)."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    if hasattr(group, "interface"):
        group.interface.new_socket(name="Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket(name="Radius", in_out="INPUT", socket_type="NodeSocketFloat").default_value = radius
        group.interface.new_socket(name="Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.inputs.new("NodeSocketFloat", "Radius").default_value = radius
        group.outputs.new("NodeSocketGeometry", "Geometry")
    return group, group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")


def link_chain(group, first, nodes, last):
    """Geometry goes from node to node."""
    before = first.outputs["Geometry"]
    for node in nodes:
        group.links.new(before, node.inputs[0])
        before = node.outputs[0]
    group.links.new(before, last.inputs[0])


def add_modifier(item, title, radius, material, is_strand):
    group, first, last = new_group("continua " + title, radius)
    finish = group.nodes.new("GeometryNodeSetMaterial")
    finish.inputs["Material"].default_value = material
    if is_strand:
        line, circle = group.nodes.new("GeometryNodeMeshToCurve"), group.nodes.new("GeometryNodeCurvePrimitiveCircle")
        tube = group.nodes.new("GeometryNodeCurveToMesh")
        circle.inputs["Resolution"].default_value = 6
        group.links.new(first.outputs["Radius"], circle.inputs["Radius"])
        group.links.new(circle.outputs[0], tube.inputs["Profile Curve"])
        nodes = [line, tube, finish]
    else:
        points = group.nodes.new("GeometryNodeMeshToPoints")
        group.links.new(first.outputs["Radius"], points.inputs["Radius"])
        nodes = [points, finish]
    link_chain(group, first, nodes, last)
    item.modifiers.new(title, "NODES").node_group = group


def distance_of(points, dimension):
    """That of neighbours: on a lattice the 2, 4 or 6 nearest are one distance away, of loose matter about one."""
    nearest = 2 * dimension
    if len(points) <= nearest:
        return 0.01
    tree = mathutils.kdtree.KDTree(len(points))
    for number, point in enumerate(points):
        tree.insert(point, number)
    tree.balance()
    step = max(1, len(points) // 200)
    return float(numpy.median([tree.find_n(point, nearest + 1)[-1][2] for point in points[::step]]))


# ---- The timeline ------------------------------------------------------------------------------------------------

def show_frame(scene):
    for item in scene.objects:
        folder = item.get("continua_folder")
        files = frame_files(folder, item.get("continua_kind", "frame")) if folder else []
        if files:
            path = file_at(files, scene.frame_current - 1)
            if item.data.get("continua_path") != path:
                show_file(item.data, path, item.get("continua_body"), item.get("continua_collider"))


@persistent
def on_frame(scene, _graph=None):
    show_frame(scene)


def set_rate(scene, frame):
    """The timeline runs as fast as the run: `frame` is in seconds."""
    rate = 1 / frame
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate


# ---- Camera and light --------------------------------------------------------------------------------------------

AZIMUTH, ELEVATION, FOV, MARGIN = 0.52, 0.33, 0.61, 0.96  # as `continua render` looks at scenes (src/look/camera.c)
LAMP_AZIMUTH, LAMP_ELEVATION = -0.85, 0.90  # from the camera's


def unit(vector):
    return vector / numpy.linalg.norm(vector)


def axes_of(forward):
    """Right, up and forward, as rows."""
    forward = unit(forward)
    vertical = [0, 1, 0] if math.hypot(forward[0], forward[2]) > 1e-4 else [0, 0, -1]
    right = unit(numpy.cross(forward, vertical))
    return numpy.array([right, numpy.cross(right, forward), forward])


def from_angles(azimuth, elevation):
    return -numpy.array([math.sin(azimuth) * math.cos(elevation), math.sin(elevation), math.cos(azimuth) * math.cos(elevation)])


def fitted_eye(axes, bounds, tangents):
    """Where the corners of the bounds just fit into the picture."""
    low, high = bounds
    middle = (low + high) / 2
    corners = numpy.array([[(low, high)[corner >> a & 1][a] for a in range(3)] for corner in range(8)]) - middle
    x, y, z = (corners @ axes.T).T
    (right, left), (top, bottom) = [((side - t * z).max(), (-side - t * z).max()) for side, t in zip((x, y), tangents)]
    back = min(-(right + left) / (2 * tangents[0]), -(top + bottom) / (2 * tangents[1]))
    return middle + numpy.array([(right - left) / 2, (top - bottom) / 2, back]) @ axes


def add_camera(context, collection, wanted, bounds):
    """The scene's camera, or one that shows all of the bounds from where `continua render` would."""
    data = bpy.data.cameras.new("continua camera")
    size = context.scene.render
    data.sensor_fit = "VERTICAL"
    data.angle_y = float(wanted.get("fov", FOV))
    if "target" in wanted and "from" in wanted:
        eye = numpy.array(wanted["from"])
        axes = axes_of(numpy.array(wanted["target"]) - eye)
    else:
        axes = axes_of(from_angles(AZIMUTH, ELEVATION))
        half = MARGIN * math.tan(data.angle_y / 2)
        eye = fitted_eye(axes, bounds, (half * size.resolution_x / size.resolution_y, half))
    place = numpy.eye(4)
    place[:3, :3] = turned(numpy.array([axes[0], axes[1], -axes[2]])).T
    place[:3, 3] = turned(eye[None])[0]
    far = numpy.linalg.norm(bounds[1] - bounds[0]) + numpy.linalg.norm(eye - bounds.mean(axis=0))
    data.clip_start, data.clip_end = far / 1e4, 100 * far
    item = bpy.data.objects.new(data.name, data)
    item.matrix_world = mathutils.Matrix(place.tolist())
    collection.objects.link(item)
    context.scene.camera = item
    return math.atan2(-axes[2][0], -axes[2][2])


def add_studio(context, collection, bounds, azimuth, floor):
    """A lamp over the camera's left shoulder, a bright room, and a floor where the domain has one."""
    lamp = bpy.data.lights.new("continua lamp", "SUN")
    lamp.energy, lamp.angle = 3.0, 0.2
    item = bpy.data.objects.new(lamp.name, lamp)
    down = turned(from_angles(azimuth + LAMP_AZIMUTH, LAMP_ELEVATION)[None])[0]
    item.rotation_mode = "QUATERNION"
    item.rotation_quaternion = mathutils.Vector(down).to_track_quat("-Z", "Y")
    collection.objects.link(item)
    world = bpy.data.worlds.new("continua room")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.8, 0.86, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.7
    context.scene.world = world
    if floor is not None:
        size, middle = 20 * float(numpy.linalg.norm(bounds[1] - bounds[0])), (bounds[0] + bounds[1]) / 2
        corners = [[middle[0] + a * size, floor, middle[2] + b * size] for a, b in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
        mesh = bpy.data.meshes.new("continua floor")
        mesh.from_pydata([tuple(point) for point in turned(numpy.array(corners)).tolist()], [], [(0, 1, 2, 3)])
        mesh.materials.append(material_of("continua floor", "clay", 0xc8ccd2, False))
        collection.objects.link(bpy.data.objects.new(mesh.name, mesh))


# ---- Import ------------------------------------------------------------------------------------------------------

def add_object(collection, name, folder, **facts):
    item = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    item["continua_folder"] = folder
    for fact, value in facts.items():
        item["continua_" + fact] = value
    collection.objects.link(item)
    return item


def things_of(scene):
    """{name: (look, colour, radius)} of what has particles: bodies and sources."""
    result = {}
    for part in ("bodies", "sources"):
        for name, thing in scene.get(part, {}).items():
            look = scene.get("materials", {}).get(thing.get("material"), {}).get("look", "plain")
            color = thing.get("color")
            radius = thing.get("shape", {}).get("radius")
            result[name] = (look, color if isinstance(color, str) and color[:1] == "#" else None, radius)
    return result


def finish_body(item, thing, dimension, has_surface):
    """Points get a radius, strands a tube, surfaces a smooth material."""
    look, color, radius = thing
    mesh = item.data
    is_strand = len(mesh.edges) > 0 and not len(mesh.polygons)
    material = material_of(item.name, look, color, len(mesh.polygons) > 0)
    mesh.materials.append(material)
    if len(mesh.polygons):
        return
    points = numpy.empty((len(mesh.vertices), 3), "f4")
    mesh.vertices.foreach_get("co", points.ravel())
    distance = distance_of(points, dimension)
    if is_strand and isinstance(radius, float):
        add_modifier(item, "strands", radius, material, True)
    elif is_strand:
        add_modifier(item, "strands", 0.1 * distance, material, True)
    else:
        add_modifier(item, "points", 0.55 * distance, material, False)
        item.hide_render = has_surface


def add_bodies(collection, run, name, scene, has_surface):
    folder = os.path.join(run, "frames")
    files = frame_files(folder)
    if not files:
        return 0
    last = read_cached(files[-1])
    names = bytes(last["body_names"]).decode("utf-8").split("\n") if "body_names" in last and "body" in last else []
    while names and not names[-1]:
        names.pop()
    things, dimension = things_of(scene), int(scene.get("dimension", 3))
    items = [(add_object(collection, body, folder, body=number), body) for number, body in enumerate(names)]
    for item, body in items or [(add_object(collection, name, folder), name)]:
        show_file(item.data, files[-1], item.get("continua_body"))  # what comes from sources is there at the end
        finish_body(item, things.get(body, ("plain", None, None)), dimension, has_surface)
    return len(files)


def add_surface(collection, run, name, scene):
    folder = os.path.join(run, "mesh")
    files = frame_files(folder)
    if files:
        item = add_object(collection, name + " surface", folder)
        look, color, _ = next(iter(things_of(scene).values()), ("plain", None, None))
        item.data.materials.append(material_of(item.name, look, color, True))
    return len(files)


def add_colliders(collection, run, scene):
    folder = os.path.join(run, "frames")
    if not frame_files(folder, "colliders"):
        return
    for number, (name, collider) in enumerate(scene.get("colliders", {}).items()):
        item = add_object(collection, name, folder, kind="colliders", collider=number)
        shown, color = collider.get("show", "whole"), collider.get("color")
        color = color if isinstance(color, str) and color[:1] == "#" else 0x8a9098
        item.data.materials.append(material_of(name, "glass" if shown == "glass" else "plain", color, True))
        item.hide_render = item.hide_viewport = shown == "hidden"


def bounds_of(run, scene):
    domain = scene.get("domain", {})
    if "min" in domain and "max" in domain:
        low, high = list(domain["min"]), list(domain["max"])
        return numpy.array([low + [0] * (3 - len(low)), high + [0] * (3 - len(high))], float)
    files = frame_files(os.path.join(run, "frames"))
    ends = [read_vtk(path)["Points"] for path in {files[0], files[-1]}] if files else []
    if not ends:
        return numpy.array([[-1.0] * 3, [1.0] * 3])
    return numpy.array([numpy.min([points.min(axis=0) for points in ends], axis=0),
                        numpy.max([points.max(axis=0) for points in ends], axis=0)])


class ImportRun(bpy.types.Operator):
    """Load the folder of a continua run"""

    bl_idname = "import_scene.continua"
    bl_label = "Import continua run"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(subtype="DIR_PATH")
    filter_folder: BoolProperty(default=True, options={"HIDDEN"})
    particles: BoolProperty(name="Bodies", default=True, description="An object per body, with its material")
    surface: BoolProperty(name="Surface", default=True, description="What `continua mesh RUN --to vtu` made, if it is there")
    colliders: BoolProperty(name="Colliders", default=True)
    studio: BoolProperty(name="Camera and light", default=True, description="A camera as the scene has it, a lamp, a room, and Cycles to draw with")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        run = os.path.abspath(bpy.path.abspath(self.directory))
        name = os.path.basename(run.rstrip("/\\"))
        scene = read_scene(os.path.join(run, "used.yaml"))
        collection = bpy.data.collections.new(name)
        has_surface = self.surface and bool(frame_files(os.path.join(run, "mesh")))
        counts = [add_surface(collection, run, name, scene) if has_surface else 0,
                  add_bodies(collection, run, name, scene, has_surface) if self.particles else 0]
        if not any(counts):
            bpy.data.collections.remove(collection)
            self.report({"ERROR"}, "'%s' has no frames in VTU: is it the folder of a run?" % run)
            return {"CANCELLED"}
        context.scene.collection.children.link(collection)
        if self.colliders:
            add_colliders(collection, run, scene)
        context.scene.frame_start, context.scene.frame_end = 1, max(counts)
        frame = scene.get("time", {}).get("frame")
        if isinstance(frame, float) and frame > 0:
            set_rate(context.scene, frame)
        if self.studio:
            self.build_studio(context, collection, run, scene)
        show_frame(context.scene)
        return {"FINISHED"}

    def build_studio(self, context, collection, run, scene):
        bounds = bounds_of(run, scene)
        azimuth = add_camera(context, collection, scene.get("output", {}).get("camera", {}), bounds)
        has_floor = "domain" in scene and int(scene.get("dimension", 3)) == 3
        add_studio(context, collection, bounds, azimuth, bounds[0][1] if has_floor else None)
        context.scene.unit_settings.system = "METRIC"
        context.scene.render.engine = "CYCLES"
        context.scene.cycles.samples = 128
        context.scene.cycles.use_denoising = False  # not every build of Blender has a denoiser


# ---- Baking ------------------------------------------------------------------------------------------------------

class BakeRun(bpy.types.Operator):
    """Run the scene with the command `continua`, then load the result. Esc stops the run; Bake goes on with it"""

    bl_idname = "continua.bake"
    bl_label = "Bake"

    def begin(self, context):
        """The commands that are to be run one after another."""
        settings = context.scene
        program = bpy.path.abspath(settings.continua_program)
        scene, self.run = bpy.path.abspath(settings.continua_scene), bpy.path.abspath(settings.continua_output)
        if not shutil.which(program):
            return "there is no program '%s'" % program
        if not os.path.isfile(scene):
            return "there is no scene '%s'" % scene
        known = os.path.isfile(os.path.join(self.run, "used.yaml"))
        start = [program, "resume", self.run, "-q"] if known and not settings.continua_anew else \
                [program, "run", scene, "-o", self.run, "-q"] + ["--force"] * known
        self.commands = [start]
        if settings.continua_surface:
            self.commands.append([program, "mesh", self.run, "--to", "vtu"])
        self.process = None
        return ""

    def is_done(self):
        """Starts the next command when the one before is over; '' or what went wrong once all are."""
        if self.process and self.process.poll() is None:
            return None
        if self.process:
            errors = self.process.stderr.read().decode("utf-8", "replace").strip()
            if self.process.returncode:
                return errors or "exit code %d" % self.process.returncode
        if not self.commands:
            return ""
        self.process = subprocess.Popen(self.commands.pop(0), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        return None

    def finish(self, mistake):
        if mistake:
            self.report({"ERROR"}, mistake)
            return {"CANCELLED"}
        return bpy.ops.import_scene.continua(directory=self.run)

    def execute(self, context):
        mistake = self.begin(context)
        while not mistake:
            mistake = self.is_done()
            if mistake == "":
                break
            if self.process:
                self.process.wait()
        return self.finish(mistake)

    def invoke(self, context, _event):
        mistake = self.begin(context)
        if mistake:
            return self.finish(mistake)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.25, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def end(self, context, mistake):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        return self.finish(mistake)

    def modal(self, context, event):
        if event.type == "ESC" and self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
            return self.end(context, "stopped; Bake goes on with it")
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        time = read_scene(os.path.join(self.run, "used.yaml")).get("time", {})
        if isinstance(time.get("end"), float) and isinstance(time.get("frame"), float):
            made = len(frame_files(os.path.join(self.run, "frames")))
            context.window_manager.progress_update(100 * made / (1 + time["end"] / time["frame"]))
        mistake = self.is_done()
        return {"RUNNING_MODAL"} if mistake is None else self.end(context, mistake)


class BakePanel(bpy.types.Panel):
    bl_idname = "VIEW3D_PT_continua"
    bl_label = "continua"
    bl_category = "continua"
    bl_space_type, bl_region_type = "VIEW_3D", "UI"

    def draw(self, context):
        for name in SETTINGS:
            self.layout.prop(context.scene, name)
        self.layout.operator(BakeRun.bl_idname)
        self.layout.operator(ImportRun.bl_idname)


SETTINGS = {
    "continua_scene": StringProperty(name="Scene", subtype="FILE_PATH", description="A scene in YAML"),
    "continua_output": StringProperty(name="Run", subtype="DIR_PATH", default="//run", description="The folder for the result"),
    "continua_program": StringProperty(name="Program", subtype="FILE_PATH", default="continua"),
    "continua_surface": BoolProperty(name="Make a surface", description="Of fluids and grains, as triangles"),
    "continua_anew": BoolProperty(name="From the start", description="Replaces the run that is there instead of going on with it"),
}


def draw_entry(self, _context):
    self.layout.operator(ImportRun.bl_idname, text="continua run (folder)")


CLASSES = (ImportRun, BakeRun, BakePanel)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    for name, setting in SETTINGS.items():
        setattr(bpy.types.Scene, name, setting)
    bpy.types.TOPBAR_MT_file_import.append(draw_entry)
    bpy.app.handlers.frame_change_post.append(on_frame)


def unregister():
    bpy.app.handlers.frame_change_post.remove(on_frame)
    bpy.types.TOPBAR_MT_file_import.remove(draw_entry)
    for name in SETTINGS:
        delattr(bpy.types.Scene, name)
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)


if __name__ == "__main__":
    register()
