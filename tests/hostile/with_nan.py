"""A copy of a model with one weight that is no number: with_nan.py IN OUT"""
import struct
import sys

from model_files import ModelFile

model = ModelFile.read(sys.argv[1]).without_checksum()
dtype, shape, data = model.tensors["decoder.layers.0.fc1.weight"]
model.tensors["decoder.layers.0.fc1.weight"] = (dtype, shape, struct.pack("<f", float("nan")) + data[4:])
model.write(sys.argv[2])
