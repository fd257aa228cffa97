"""read_vtu.py FOLDER: reads the frames of write_sample.c with meshio and compares every value."""
import sys

import meshio
import numpy

for frame in range(3):
    mesh = meshio.read(f"{sys.argv[1]}/frames/{frame}.vtu")
    p = numpy.arange(1000)
    zero = numpy.zeros(1000)
    assert mesh.points.dtype == numpy.float64
    assert numpy.array_equal(mesh.points, numpy.column_stack([p, 0.5 * p, zero + frame]))
    assert [block.type for block in mesh.cells] == ["vertex"]
    assert numpy.array_equal(mesh.cells[0].data.ravel(), p)
    fields = mesh.point_data
    assert sorted(fields) == ["F", "body", "id", "velocity"]
    assert fields["velocity"].dtype == numpy.float32
    assert numpy.array_equal(fields["velocity"], numpy.column_stack([zero + frame, -p, zero]))
    assert numpy.array_equal(fields["F"], numpy.tile(numpy.arange(9.0), (1000, 1)))
    assert fields["id"].dtype == numpy.uint32 and numpy.array_equal(fields["id"], p)
    assert fields["body"].dtype == numpy.uint16 and numpy.array_equal(fields["body"], p % 2)
    assert mesh.field_data["TimeValue"] == [0.25 * frame] and mesh.field_data["step"] == [10 * frame]
    assert bytes(mesh.field_data["body_names"]).decode().splitlines() == ["even", "odd"]
print("meshio reads every value of 3 frames")
