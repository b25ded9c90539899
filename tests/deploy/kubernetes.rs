//! The example for Kubernetes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use harness::{GOOD, Server, copy_folder, repository};
use serde_json::Value;

use crate::{example, run};

/// Every object of a file.
fn objects(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    let documents = text.split("\n---\n").map(|document| document.trim_start_matches("---\n"));
    documents
        .map(|document| serde_yaml::from_str(document).unwrap_or_else(|error| panic!("{file:?}: {error}")))
        .collect()
}

fn of_kind<'o>(objects: &'o [Value], kind: &str) -> impl Iterator<Item = &'o Value> {
    objects.iter().filter(move |object| object["kind"] == *kind)
}

/// A copy of the example, with the rules written into it.
fn with_rules() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    copy_folder(&example("kubernetes"), place.path());
    run(Command::new("sh").arg(place.path().join("rules.sh")).arg(repository().join("rules")));
    place
}

#[test]
fn what_the_kustomization_names_is_there() {
    let place = with_rules();
    let kustomization = &objects(&place.path().join("kustomization.yaml"))[0];
    let resources = kustomization["resources"].as_array().unwrap();
    let mut all = Vec::new();
    for file in resources {
        all.extend(objects(&place.path().join(file.as_str().unwrap())));
    }
    for object in &all {
        for member in ["apiVersion", "kind"] {
            assert!(object[member].is_string(), "{member} in {object}");
        }
    }
    let namespace = of_kind(&all, "Namespace").next().unwrap();
    assert_eq!(namespace["metadata"]["name"], kustomization["namespace"]);

    // The ports that are named, and the pods that are chosen, are those of the container.
    let deployment = of_kind(&all, "Deployment").next().unwrap();
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    assert_eq!(&deployment["spec"]["selector"]["matchLabels"], labels);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let ports: Vec<&Value> = container["ports"].as_array().unwrap().iter().map(|port| &port["name"]).collect();
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        assert!(ports.contains(&&container[probe]["httpGet"]["port"]), "{probe}");
    }
    let service = of_kind(&all, "Service").find(|service| service["metadata"]["name"] == "bareme").unwrap();
    assert_eq!(&service["spec"]["selector"], labels);
    assert!(ports.contains(&&service["spec"]["ports"][0]["targetPort"]));
    let ingress = of_kind(&all, "Ingress").next().unwrap();
    let backend = &ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"];
    assert_eq!(
        (&backend["name"], &backend["port"]["name"]),
        (&service["metadata"]["name"], &service["spec"]["ports"][0]["name"])
    );
    assert!(deployment["spec"]["replicas"].as_u64().unwrap() > 1, "several");
}

/// Puts the volume together as Kubernetes does, and serves from it.
#[test]
fn the_rules_come_back_as_they_were() {
    let place = with_rules();
    let maps = objects(&place.path().join("rules.yaml"));
    let maps: BTreeMap<&str, &Value> =
        of_kind(&maps, "ConfigMap").map(|map| (map["metadata"]["name"].as_str().unwrap(), &map["data"])).collect();
    let patch = &objects(&place.path().join("rules-volume.yaml"))[0];
    let volume = tempfile::tempdir().unwrap();
    let root = volume.path().join("rules");
    for source in patch["spec"]["template"]["spec"]["volumes"][0]["projected"]["sources"].as_array().unwrap() {
        let map = &source["configMap"];
        let data = maps[map["name"].as_str().unwrap()];
        for item in map["items"].as_array().unwrap() {
            let path = root.join(item["path"].as_str().unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, data[item["key"].as_str().unwrap()].as_str().unwrap()).unwrap();
        }
        assert!(data.to_string().len() < 1_000_000, "a ConfigMap holds a mebibyte: {}", map["name"]);
    }
    assert_eq!(rule_files(&root), rule_files(&repository().join("rules")));
    assert_eq!(Server::with(&root, &[]).get(GOOD).status, 200);
}

/// The rule files of a folder, by path.
fn rule_files(root: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            files.extend(rule_files(&path).into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else if name.ends_with(".yaml") {
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    files
}
