"""Makes the spreadsheets, HDF5 and NetCDF files of this folder: python3 make.py FOLDER

Needs openpyxl, xlsxwriter, h5py, netCDF4, scipy and numpy: in Debian python3-openpyxl and so on.
"""
import datetime
import sys

import h5py
import netCDF4
import numpy as np
import openpyxl
import scipy.io
import xlsxwriter

folder = sys.argv[1]

book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Data"
sheet.append(["day", "name", "value", "ok", "took"])
for i in range(3):
    sheet.append([datetime.date(2026, 1, i + 1), "naïve" if i else None, i + 0.1 + 0.2, i == 1, datetime.timedelta(hours=25, minutes=i)])
sheet["A3"] = "=A2+1"
sheet["F4"] = datetime.time(13, 45)
book.create_sheet("Other").append(["x", 1])
book.save(f"{folder}/openpyxl.xlsx")

book = xlsxwriter.Workbook(f"{folder}/xlsxwriter.xlsx", {"date_1904": True})
sheet = book.add_worksheet("A & B")
day = book.add_format({"num_format": '"day" d mmm yyyy'})
euro = book.add_format({"num_format": '#,##0.00 "dm"'})
for column, name in enumerate(["when", "cost", "sum", "error"]):
    sheet.write(0, column, name)
for row in range(1, 4):
    sheet.write_datetime(row, 0, datetime.datetime(2026, 3, row), day)
    sheet.write_number(row, 1, row * 10.25, euro)
    sheet.write_formula(row, 2, f"=B{row + 1}*2", None, row * 20.5)
    sheet.write_formula(row, 3, "=1/0", None, "#DIV/0!")
book.close()

for name, version in [("earliest.h5", "earliest"), ("latest.h5", "latest")]:
    with h5py.File(f"{folder}/{name}", "w", libver=version) as file:
        file.attrs["title"] = "Spikes of a cell"
        file.attrs["version"] = np.int32(3)
        group = file.create_group("recordings")
        voltage = group.create_dataset("voltage", shape=(1000, 4), dtype="f4", chunks=(100, 4), compression="gzip", maxshape=(None, 4))
        voltage.attrs["units"] = "mV"
        voltage.attrs["range"] = np.array([-80.0, 40.0])
        voltage.attrs["fixed"] = np.bytes_("fixed text")
        voltage.attrs["many"] = np.arange(100, dtype="i2")
        group.create_dataset("labels", data=np.array(["a", "b"], dtype=h5py.string_dtype()))
        group.create_dataset("scalar", data=1.5)
        group.create_dataset("pairs", data=np.zeros(3, dtype=[("x", "<f8"), ("n", "u2"), ("t", "S5")]))
        group.create_dataset("state", data=np.zeros(2, dtype=h5py.enum_dtype({"OFF": 0, "ON": 1}, basetype="i1")))
        group.create_dataset("ragged", shape=(2,), dtype=h5py.vlen_dtype(np.int32))
        group.create_dataset("big", shape=(2, 3), dtype=">i8")
        group.create_dataset("flags", data=np.array([True, False]))
        group.create_dataset("empty", data=h5py.Empty("f4"))
        file["recordings/ref"] = np.array([group.ref], dtype=h5py.ref_dtype)
        file["again"] = group
        group["up"] = file["/"]
        file["soft"] = h5py.SoftLink("/recordings/voltage")
        file["outside"] = h5py.ExternalLink("other.h5", "/x")
        crowd = file.create_group("crowd")
        for i in range(40):
            crowd.create_group(f"g{i:02}")
        for i in range(30):
            crowd.attrs[f"a{i:02}"] = i

with h5py.File(f"{folder}/session.nwb", "w") as file:
    file.attrs["nwb_version"] = "2.6.0"
    file.attrs["neurodata_type"] = "NWBFile"
    file["session_description"] = "a mouse runs"
    file["identifier"] = "m1-2026"
    series = file.create_group("acquisition/ElectricalSeries")
    series.attrs["neurodata_type"] = "ElectricalSeries"
    data = series.create_dataset("data", shape=(30000, 32), dtype="i2", chunks=(3000, 32))
    data.attrs["unit"] = "volts"
    data.attrs["conversion"] = 1e-6
    start = series.create_dataset("starting_time", data=0.0)
    start.attrs["rate"] = 30000.0
    start.attrs["unit"] = "seconds"

for name, form in [("climate4.nc", "NETCDF4"), ("climate3.nc", "NETCDF3_CLASSIC"), ("climate3-64.nc", "NETCDF3_64BIT_OFFSET"), ("climate5.nc", "NETCDF3_64BIT_DATA")]:
    with netCDF4.Dataset(f"{folder}/{name}", "w", format=form) as file:
        file.title = "Temperatures"
        file.createDimension("time", None)
        file.createDimension("lat", 3)
        file.createDimension("lon", 4)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2026-01-01"
        file.createVariable("lat", "f4", ("lat",)).units = "degrees_north"
        lon = file.createVariable("lon", "f4", ("lon",))
        lon.units = "degrees_east"
        temperature = file.createVariable("temperature", "f4", ("time", "lat", "lon"), fill_value=-9999.0)
        temperature.units = "K"
        temperature.long_name = "air temperature"
        temperature[0:2] = 280.0
        time[:] = [0.0, 6.0]
        if form == "NETCDF4":
            file.createGroup("model").createVariable("run", "i4", ()).note = "scalar"

with scipy.io.netcdf_file(f"{folder}/scipy.nc", "w") as file:
    file.history = "made by scipy"
    file.createDimension("x", 5)
    y = file.createVariable("y", "i2", ("x",))
    y.units = "m"
    y[:] = np.arange(5)
