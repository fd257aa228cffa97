"""pvpython read_hdf.py FOLDER: ParaView opens the VTKHDF frames of the sample (write_sample.c) and finds every value."""

import sys

from paraview import simple
from paraview.servermanager import Fetch
from vtkmodules.util.numpy_support import vtk_to_numpy


def check(folder, number):
    source = simple.OpenDataFile("%s/frames/%d.hdf" % (folder, number))
    assert source is not None, "ParaView has no reader for the file"
    source.UpdatePipeline()
    data = Fetch(source)
    count = data.GetNumberOfPoints()
    assert count == 1000 and data.GetNumberOfCells() == 1000, (count, data.GetNumberOfCells())
    points = vtk_to_numpy(data.GetPoints().GetData())
    arrays = {name: vtk_to_numpy(data.GetPointData().GetArray(name)) for name in ["velocity", "F", "id", "body"]}
    for p in range(count):
        assert tuple(points[p]) == (p, p / 2, number)
        assert tuple(arrays["velocity"][p]) == (number, -p, 0)
        assert list(arrays["F"][p]) == list(range(9))
        assert arrays["id"][p] == p and arrays["body"][p] == p % 2
    assert data.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.25 * number
    # Filters that work on cells keep the particles.
    half = simple.Threshold(Input=source, Scalars=["POINTS", "body"], LowerThreshold=1, UpperThreshold=1)
    half.UpdatePipeline()
    assert Fetch(half).GetNumberOfCells() == 500, Fetch(half).GetNumberOfCells()


def check_woven(path):
    """Two triangles, two lines and a particle, in either format: cells of these types, with these corners."""
    source = simple.OpenDataFile(path)
    source.UpdatePipeline()
    data = Fetch(source)
    found = [(data.GetCellType(k), [data.GetCell(k).GetPointId(c) for c in range(data.GetCell(k).GetNumberOfPoints())])
             for k in range(data.GetNumberOfCells())]
    assert found == [(5, [0, 1, 2]), (5, [0, 2, 3]), (3, [4, 5]), (3, [5, 6]), (1, [7])], found
    assert list(vtk_to_numpy(data.GetPointData().GetArray("id"))) == list(range(8))
    uv = vtk_to_numpy(data.GetFieldData().GetArray("uv"))
    assert uv.tolist() == [[0, 0, 0.5, 0, 0.5, 1], [0.75, 0, 0.5, 1, 0.75, 1]], uv


for extension in ["hdf", "vtu"]:
    check_woven("%s/woven.%s" % (sys.argv[1], extension))
for frame in range(3):
    check(sys.argv[1], frame)
print("ParaView reads every value of 3 VTKHDF frames, and sheets and strands")
