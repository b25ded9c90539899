#!/bin/sh
# Writes the bills of materials (SBOM, CycloneDX in JSON) of the programs: `server/deploy/sbom.sh`, from the root of the
# repository. They are in target/sbom: each crate that is linked on this system, with its licence and its checksum.
#
# The moment in them is SOURCE_DATE_EPOCH, by default that of the last commit. It needs Python 3.11.
set -eu
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
wanted=server/deploy/sbom-requirements.txt
place=target/sbom/python
mkdir -p target/sbom
if ! cmp -s "$wanted" "$place/installed"; then
    python3 -m venv --clear "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$place/installed"
fi
host=$(rustc -vV | sed -n 's/^host: //p')
"$place/bin/python" server/deploy/sbom.py bareme-server "$host" target/sbom/bareme-server.cdx.json
"$place/bin/python" server/deploy/sbom.py bareme-tools "$host" target/sbom/bareme.cdx.json
