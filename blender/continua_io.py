"""Loads runs of continua into Blender: particles as points with their quantities as attributes, and surfaces made by
`continua mesh RUN --to vtu`. They follow the timeline: frame 1 of the scene is the first frame of the run.

Install: Edit > Preferences > Add-ons > Install..., this file. Then File > Import > continua run (folder).
From a script: bpy.ops.import_scene.continua(directory="out/jelly")

Only what comes with Blender is used. Files are read as docs/frame-formats.md describes them.
"""

import os
import re

import bpy
import numpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, StringProperty

bl_info = {
    "name": "continua",
    "author": "the continua project",
    "version": (0, 1, 0),
    "blender": (3, 3, 0),
    "location": "File > Import > continua run",
    "description": "Particles, attributes and surfaces of continua runs",
    "category": "Import-Export",
}

TYPES = {"Float32": "<f4", "Float64": "<f8", "UInt8": "u1", "UInt16": "<u2", "UInt32": "<u4", "Int64": "<i8"}
VTK_LINE, VTK_TRIANGLE = 3, 5


# ---- Files -------------------------------------------------------------------------------------------------------

def read_vtu(path):
    """{name: array} of a VTU as continua writes it: the XML names the arrays, their bytes follow an underscore."""
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


def frame_files(folder):
    """Paths of frame_000000.vtu and so on, in order."""
    if not os.path.isdir(folder):
        return []
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if re.fullmatch(r"frame_\d+\.vtu", name)]


# ---- Geometry ----------------------------------------------------------------------------------------------------

# Blender has normals of its own.
NOT_ATTRIBUTES = {"Points", "connectivity", "offsets", "types", "TimeValue", "step", "body_names", "normal"}


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


def show_file(mesh, path):
    arrays = read_vtu(path)
    points = turned(arrays["Points"])
    triangles, lines = cells_of(arrays, VTK_TRIANGLE, 3), cells_of(arrays, VTK_LINE, 2)
    is_woven = len(triangles) or len(lines) or len(mesh.polygons) or len(mesh.edges)
    if len(mesh.vertices) != len(points) or is_woven:
        rebuild(mesh, points, triangles, lines)
    mesh.vertices.foreach_set("co", points.ravel())
    for name, values in arrays.items():
        if name not in NOT_ATTRIBUTES:
            set_attribute(mesh, name, values)
    mesh.update(calc_edges=len(triangles) > 0)
    mesh["continua_path"] = path
    if "TimeValue" in arrays:
        mesh["continua_time"] = float(arrays["TimeValue"][0])


# ---- The timeline ------------------------------------------------------------------------------------------------

def show_frame(scene):
    for item in scene.objects:
        folder = item.get("continua_folder")
        files = frame_files(folder) if folder else []
        if files:
            path = files[min(max(scene.frame_current - 1, 0), len(files) - 1)]
            if item.data.get("continua_path") != path:
                show_file(item.data, path)


@persistent
def on_frame(scene, _graph=None):
    show_frame(scene)


def add_object(context, name, folder):
    item = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    item["continua_folder"] = folder
    context.collection.objects.link(item)
    return item


class ImportRun(bpy.types.Operator):
    """Load the folder of a continua run"""

    bl_idname = "import_scene.continua"
    bl_label = "Import continua run"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(subtype="DIR_PATH")
    filter_folder: BoolProperty(default=True, options={"HIDDEN"})
    particles: BoolProperty(name="Particles", default=True)
    surface: BoolProperty(name="Surface", default=True, description="What `continua mesh RUN --to vtu` made, if it is there")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        run = os.path.abspath(bpy.path.abspath(self.directory))
        name = os.path.basename(run.rstrip("/\\"))
        wanted = [(name, "frames", self.particles), (name + " surface", "mesh", self.surface)]
        counts = []
        for title, part, is_wanted in wanted:
            folder = os.path.join(run, part)
            if is_wanted and frame_files(folder):
                add_object(context, title, folder)
                counts.append(len(frame_files(folder)))
        if not counts:
            self.report({"ERROR"}, "'%s' has no frames in VTU: is it the folder of a run?" % run)
            return {"CANCELLED"}
        context.scene.frame_start, context.scene.frame_end = 1, max(counts)
        show_frame(context.scene)
        return {"FINISHED"}


def draw_entry(self, _context):
    self.layout.operator(ImportRun.bl_idname, text="continua run (folder)")


def register():
    bpy.utils.register_class(ImportRun)
    bpy.types.TOPBAR_MT_file_import.append(draw_entry)
    bpy.app.handlers.frame_change_post.append(on_frame)


def unregister():
    bpy.app.handlers.frame_change_post.remove(on_frame)
    bpy.types.TOPBAR_MT_file_import.remove(draw_entry)
    bpy.utils.unregister_class(ImportRun)


if __name__ == "__main__":
    register()
