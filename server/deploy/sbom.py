"""Bill of materials of a program (CycloneDX 1.6, JSON): each crate that is linked into it on this system.

`server/deploy/sbom.sh` starts this. What is linked is what `cargo tree` resolves for the package; names, licences and addresses
are those of its manifests, checksums those of `Cargo.lock`. Crates that only build or test are left out, and procedural macros.
Of the same sources the file is the same, to the byte.
"""

import json
import os
import subprocess
import sys
import tomllib
import uuid
from datetime import UTC, datetime

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL


def cargo(*words):
    """What a command of cargo prints."""
    return subprocess.run(["cargo", *words, "--locked"], check=True, capture_output=True, text=True).stdout


def linked(package, host):
    """The crates that are linked into a package, by name and version."""
    tree = cargo("tree", "--package", package, "--target", host, "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
    return {(name, version.removeprefix("v")) for name, version, *_ in (line.split(" ") for line in tree.splitlines())}


def component(package, checksums):
    """The component of a crate, as its manifest describes it."""
    name, version = package["name"], package["version"]
    licence = package["license"] or (package["license_file"] and f"LicenseRef-{name}")
    if not licence:
        sys.exit(f"{name} {version} has no licence")
    # The old form of `OR`.
    licence = licence.replace("/", " OR ")
    checksum = checksums.get((name, version))
    addresses = [(ExternalReferenceType.VCS, "repository"), (ExternalReferenceType.WEBSITE, "homepage")]
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        bom_ref=f"pkg:cargo/{name}@{version}",
        purl=PackageURL("cargo", None, name, version),
        description=package["description"] and " ".join(package["description"].split()),
        licenses=[LicenseFactory().make_from_string(licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
        external_references=[
            ExternalReference(type=kind, url=XsUri(package[key])) for kind, key in addresses if package[key]
        ],
    )


def bill(package, host):
    """The bill of materials of a package."""
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", host))
    with open("Cargo.lock", "rb") as lock:
        locked = tomllib.load(lock)["package"]
    checksums = {(crate["name"], crate["version"]): crate.get("checksum") for crate in locked}
    wanted = linked(package, host)
    components = {
        crate["id"]: component(crate, checksums)
        for crate in metadata["packages"]
        if (crate["name"], crate["version"]) in wanted
    }
    if len(components) != len(wanted):
        sys.exit(f"{len(components)} of {len(wanted)} linked crates are described")
    bom = Bom()
    for node in metadata["resolve"]["nodes"]:
        if node["id"] in components:
            normal = [
                components[edge["pkg"]]
                for edge in node["deps"]
                if edge["pkg"] in components and any(kind["kind"] is None for kind in edge["dep_kinds"])
            ]
            bom.register_dependency(components[node["id"]], normal)
    for found in components.values():
        if found.name == package:
            found.type = ComponentType.APPLICATION
            bom.metadata.component = found
        else:
            bom.components.add(found)
    moment = int(os.environ["SOURCE_DATE_EPOCH"])
    bom.metadata.timestamp = datetime.fromtimestamp(moment, UTC)
    names = " ".join(sorted(found.bom_ref.value for found in components.values()))
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{moment} {names}")
    return bom


def main():
    package, host, path = sys.argv[1:]
    written = JsonV1Dot6(bill(package, host)).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(written)
    if wrong:
        sys.exit(f"{path} is no CycloneDX: {wrong}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(written + "\n")
    print(f"{path}: {len(json.loads(written)['components'])} crates")


main()
