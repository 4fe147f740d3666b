"""Stands in for frameworks that are too large to fetch for a test: writes down what they are told, and when.

Which cards they would find is what their variables say; how they treat lists of cards is as in their sources, named
beside it.
"""
import os
import subprocess
import sys
import types

RECORDER = os.environ["MATRIX_RECORDER"]


def record(*words):
    subprocess.run([RECORDER, *map(str, words)], check=True)


def seen():
    """How many cards the variables leave; without them all of the machine."""
    said = os.environ.get("CUDA_VISIBLE_DEVICES")
    return int(os.environ["MATRIX_CARDS"]) if said is None else len([one for one in said.split(",") if one])


def torch():
    record("import torch")
    top, nn, parallel = (types.ModuleType(name) for name in ("torch", "torch.nn", "torch.nn.parallel"))
    top.__path__, nn.__path__ = [], []
    top.nn, nn.parallel = nn, parallel
    sys.modules.update({"torch": top, "torch.nn": nn, "torch.nn.parallel": parallel})

    class Model:
        def to(self, device):
            record("to", device)
            return self

    top.Model = Model
    top.device = lambda name: record("device", name)
    top.cuda = types.SimpleNamespace(device_count=seen, set_device=lambda place: record("set_device", place))
    top.distributed = types.SimpleNamespace(init_process_group=lambda backend: record("init_process_group", backend))
    nn.DataParallel = lambda model, device_ids: record("DataParallel", ",".join(map(str, device_ids)))
    parallel.DistributedDataParallel = lambda model, device_ids: record("DDP", ",".join(map(str, device_ids)))
    return top


def tensorflow():
    record("import tensorflow")
    cards = [f"/physical_device:GPU:{n}" for n in range(seen())]

    def visible(chosen, kind):
        # python/eager/context.py, `_compute_gpu_options`: goes through the cards in the machine's order.
        record("visible", ",".join(str(n) for n, card in enumerate(cards) if card in chosen))

    growth = types.SimpleNamespace(set_memory_growth=lambda card, on: record("growth", cards.index(card), on))
    top = types.ModuleType("tensorflow")
    top.config = types.SimpleNamespace(
        list_physical_devices=lambda kind: list(cards),
        set_visible_devices=visible,
        experimental=growth,
        LogicalDeviceConfiguration=lambda memory_limit: memory_limit,
        set_logical_device_configuration=lambda card, parts: record(
            "logical", cards.index(card), ",".join(map(str, parts))
        ),
    )
    return top


def jax():
    record("import jax")
    top = types.ModuleType("jax")

    def update(name, value):
        # _src/xla_bridge.py, `make_gpu_client`: a set of numbers, so in the machine's order.
        record("update", name, ",".join(map(str, sorted({int(one) for one in value.split(",")}))))

    top.config = types.SimpleNamespace(update=update)
    top.local_device_count = seen
    return top


def lightning_pytorch():
    top, inner = types.ModuleType("lightning"), types.ModuleType("lightning.pytorch")
    record("import lightning")
    top.__path__ = []
    top.pytorch = inner
    sys.modules["lightning.pytorch"] = inner

    def trainer(accelerator, devices, num_nodes=1, strategy="auto"):
        record("Trainer", accelerator, devices, num_nodes, strategy)

    inner.Trainer = trainer
    return top
