"""Prints the documents of a file as kubectl reads them, after each has passed the strict schema of its kind."""
import json
import subprocess
import sys

import kubernetes_validate
import yaml

file, kubectl = sys.argv[1:]
label = [kubectl, "label", "--local", "-f", file, "-o", "json", "matrix=seen"]
printed = subprocess.run(label, capture_output=True, text=True, env={"HOME": "/nonexistent", "PATH": ""})
if printed.returncode:
    sys.exit(f"kubectl: {printed.stderr}")
read, documents, at = printed.stdout, [], 0
while at < len(read):
    document, at = json.JSONDecoder().raw_decode(read, at)
    while at < len(read) and read[at].isspace():
        at += 1
    documents += document["items"] if document["kind"] == "List" else [document]
with open(file) as text:
    plain = list(yaml.safe_load_all(text))
for ours, theirs in zip(plain, documents, strict=True):
    theirs["metadata"]["labels"].pop("matrix")
    if not theirs["metadata"]["labels"]:
        del theirs["metadata"]["labels"]
    if ours != theirs:
        sys.exit(f"kubectl reads {theirs}, where the file says {ours}")
    kubernetes_validate.validate(ours, "1.37", strict=True)
print(json.dumps(documents))
