#!/bin/sh
# Writes the rules as ConfigMaps, one a folder, and the volume that puts them together again:
#
#   server/deploy/kubernetes/rules.sh rules
#   kubectl apply --server-side --kustomize server/deploy/kubernetes
#
# The whole volume changes at once, and the service takes a changed figure up without a restart. A file
# that is added or removed changes the volume itself: the nodes are then replaced one after the other.
set -eu
rules=$(cd "$1" && pwd)
cd "$(dirname "$0")"

maps=rules.yaml
volume="rules-volume.yaml"
: > "$maps"
cat > "$volume" <<'HEAD'
apiVersion: apps/v1
kind: Deployment
metadata:
  name: bareme
spec:
  template:
    spec:
      volumes:
        - name: rules
          projected:
            sources:
HEAD

find "$rules" -name '*.yaml' -exec dirname {} \; | sort -u | while read -r folder; do
    path=${folder#"$rules"}
    path=${path#/}
    # `salaire-net/ci` is the map `rules-salaire-net-ci`, the root is `rules`.
    name=$(printf 'rules/%s' "$path" | sed 's|/$||; s|/|-|g')
    printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n' "$name" >> "$maps"
    printf '              - configMap:\n                  name: %s\n                  items:\n' "$name" >> "$volume"
    for file in "$folder"/*.yaml; do
        key=${file##*/}
        # The text as it is, empty lines at its end included, four columns to the right.
        printf '  %s: |+\n' "$key" >> "$maps"
        sed 's/^./    &/' "$file" >> "$maps"
        printf '                    - {key: %s, path: %s}\n' "$key" "${path:+$path/}$key" >> "$volume"
    done
done
