"""Prints which devices fit all rules. The package's own front would want a whole command line; its core is enough."""
import importlib.util
import json
import pathlib
import sys

folder = importlib.util.find_spec("cel").submodule_search_locations[0]
core = next(pathlib.Path(folder).glob("*.so"))
spec = importlib.util.spec_from_file_location("cel.cel", core)
cel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cel)
asked = json.loads(sys.argv[1])


def fits(uuid):
    device = {"driver": "gpu.nvidia.com", "attributes": {"gpu.nvidia.com": {"uuid": uuid}}}
    return all(cel.evaluate(rule, {"device": device}) for rule in asked["rules"])


print(json.dumps([uuid for uuid in asked["devices"] if fits(uuid)]))
