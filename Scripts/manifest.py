"""The targets of a package as its manifest declares them."""

import json
import os
import subprocess


# What `swift package dump-package` prints, by folder.
_descriptions = {}


class Target:
    def __init__(self, entry, package):
        self.name = entry["name"]
        self.kind = entry["type"]
        parent = "Tests" if self.kind == "test" else "Sources"
        self.folder = os.path.join(package, entry.get("path") or os.path.join(parent, self.name))
        self.targets = []
        self.products = []
        self.further = []
        for dependency in entry["dependencies"]:
            # The manifest writes what a target imports by name, and adds `.target(name:)` for modules further down.
            if "byName" in dependency:
                self.targets.append(dependency["byName"][0])
            elif "product" in dependency:
                self.products.append(dependency["product"][0])
            elif "target" in dependency:
                self.further.append(dependency["target"][0])


def describe(package):
    if package not in _descriptions:
        # It only reads, and need not wait for a build or a test that runs.
        output = subprocess.run(
            [os.environ.get("SWIFT", "swift"), "package", "--ignore-lock", "--package-path", package, "dump-package"],
            check=True, stdout=subprocess.PIPE).stdout
        _descriptions[package] = json.loads(output)
    return _descriptions[package]


def parts(package, products):
    """The targets of which products of a package's local dependencies consist."""
    found = set()
    for dependency in describe(package)["dependencies"]:
        for local in dependency.get("fileSystem", []):
            declared, targets = read(os.path.relpath(local["path"]))
            for product in declared:
                if product["name"] in products:
                    reached = list(product["targets"])
                    for name in reached:
                        reached += [next for next in targets[name].targets if next not in reached]
                    found.update(reached)
    return found


def read(package):
    """The declared products and the targets, by name, of the package in a folder."""
    description = describe(package)
    targets = {entry["name"]: Target(entry, package) for entry in description["targets"]}
    for target in targets.values():
        # A product of another package may be named as a target is.
        target.products += [name for name in target.targets if name not in targets]
        target.targets = [name for name in target.targets if name in targets]
    return description["products"], targets
