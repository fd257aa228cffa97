"""Opens a run in ParaView and checks that it has what it should.

    pvpython read_pvd.py RUN.pvd --points 1000 --times 0,0.25,0.5 --fields velocity:3,id:1 [--units velocity:m/s]

--points takes one number for all frames or one per frame. Fails (exit code 1) with a line for each thing that is wrong.
"""
import argparse
import math
import sys

from paraview import servermanager
from paraview.simple import PVDReader, Threshold, UpdatePipeline
from paraview.vtk.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray

failures = []


def check(is_right, message):
    if not is_right:
        failures.append(message)


def pairs(text):
    return [item.rsplit(":", 1) for item in text.split(",")] if text else []


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("pvd")
    parser.add_argument("--points", required=True)
    parser.add_argument("--times", required=True)
    parser.add_argument("--fields", required=True, help="name:components, separated by commas")
    parser.add_argument("--units", default="", help="name:unit, separated by commas")
    return parser.parse_args()


def check_frame(data, points, fields, units, label):
    count = data.GetNumberOfPoints()
    check(count == points, f"{label}: {count} points, not {points}")
    check(data.GetNumberOfCells() == count, f"{label}: {data.GetNumberOfCells()} cells for {count} points")
    have = data.GetPointData()
    names = sorted(have.GetArrayName(i) for i in range(have.GetNumberOfArrays()))
    check(names == sorted(name for name, _ in fields), f"{label}: fields {names}")
    for name, components in fields:
        array = have.GetArray(name)
        if array is None:
            continue
        got = array.GetNumberOfComponents()
        check(got == int(components), f"{label}: '{name}' has {got} components, not {components}")
        check(array.GetNumberOfTuples() == count, f"{label}: '{name}' has {array.GetNumberOfTuples()} values")
    for name, unit in units:
        array = have.GetArray(name)
        got = array.GetInformation().Get(vtkDataArray.UNITS_LABEL()) if array else None
        check(got == unit, f"{label}: '{name}' is in '{got}', not '{unit}'")


def check_threshold(reader, data, fields, time, label):
    """Threshold works on cells: with one cell a particle it keeps just those whose value is in range."""
    arrays = data.GetPointData()
    scalars = [name for name, components in fields if components == "1" and arrays.HasArray(name)]
    if not scalars or data.GetNumberOfPoints() == 0:
        return
    name = scalars[0]
    values = vtk_to_numpy(arrays.GetArray(name))
    middle, top = float(sorted(values)[len(values) // 2]), float(values.max())
    kept = Threshold(Input=reader, Scalars=["POINTS", name], LowerThreshold=middle, UpperThreshold=top)
    UpdatePipeline(time, kept)
    got, expected = servermanager.Fetch(kept).GetNumberOfCells(), int((values >= middle).sum())
    check(got == expected, f"{label}: Threshold on '{name}' kept {got} cells, not {expected}")


def main():
    wanted = arguments()
    times = [float(t) for t in wanted.times.split(",")]
    points = [int(n) for n in wanted.points.split(",")]
    points = points * len(times) if len(points) == 1 else points
    fields, units = pairs(wanted.fields), pairs(wanted.units)
    reader = PVDReader(FileName=wanted.pvd)
    reader.UpdatePipelineInformation()
    got = list(reader.TimestepValues)
    check(len(got) == len(times) and all(math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-15) for a, b in zip(got, times)),
          f"times {got}, not {times}")
    for time, count in zip(times, points):
        UpdatePipeline(time, reader)
        data, label = servermanager.Fetch(reader), f"time {time}"
        check_frame(data, count, fields, units, label)
        check_threshold(reader, data, fields, time, label)
    for failure in failures:
        print("FAIL", failure)
    print(f"{wanted.pvd}: {len(times)} times, {points} points, {len(fields)} fields:", "wrong" if failures else "right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
