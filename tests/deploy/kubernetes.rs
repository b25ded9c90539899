//! The example for Kubernetes: valid by its schemas, sound in itself, and run as it says as far as
//! that needs no cluster.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::{Cluster, GOOD, Server, binary, copy_folder, get, repository};
use serde_json::Value;

use crate::{example, run, text};

/// The paths of the Ingress objects that lead to the service, as nginx reads them, with what their
/// annotations set.
pub(crate) fn locations() -> String {
    let mut locations = String::new();
    for object in objects()
        .iter()
        .filter(|object| object["kind"] == "Ingress")
    {
        let annotations = &object["metadata"]["annotations"];
        let annotation =
            |name: &str| annotations[format!("nginx.ingress.kubernetes.io/{name}")].as_str();
        let mut settings = String::new();
        let directives = [
            ("client_max_body_size", annotation("proxy-body-size")),
            (
                "client_body_buffer_size",
                annotation("client-body-buffer-size"),
            ),
            ("proxy_read_timeout", annotation("proxy-read-timeout")),
            (
                "access_log",
                (annotation("enable-access-log") != Some("false")).then_some("printed.log"),
            ),
        ];
        for (directive, value) in directives {
            settings.extend(value.map(|value| format!("{directive} {value};\n")));
        }

        for path in list(&object["spec"]["rules"][0]["http"]["paths"]) {
            if path["backend"]["service"]["name"] == "bareme" {
                let exactly = if path["pathType"] == "Exact" {
                    "= "
                } else {
                    ""
                };
                let path = path["path"].as_str().unwrap();
                locations += &format!(
                    "location {exactly}{path} {{\n{settings}proxy_pass http://bareme;\n}}\n"
                );
            }
        }
    }
    locations
}

/// Every object of the files that the kustomization names.
fn objects() -> Vec<Value> {
    let kustomization = kustomization();
    let files = kustomization["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap().to_owned());
    files
        .flat_map(|file| documents(&text(&format!("kubernetes/{file}"))))
        .collect()
}

fn kustomization() -> Value {
    documents(&text("kubernetes/kustomization.yaml")).remove(0)
}

fn documents(text: &str) -> Vec<Value> {
    text.split("\n---\n")
        .map(|document| serde_yaml::from_str(document).unwrap())
        .collect()
}

/// The object of a kind and a name.
fn named<'o>(objects: &'o [Value], kind: &str, name: &str) -> &'o Value {
    let mut found = objects
        .iter()
        .filter(|object| object["kind"] == *kind && object["metadata"]["name"] == *name);
    found.next().unwrap_or_else(|| panic!("no {kind} {name}"))
}

fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"))
}

/// The description of the pods.
fn pod(objects: &[Value]) -> &Value {
    &named(objects, "Deployment", "bareme")["spec"]["template"]["spec"]
}

#[test]
fn every_object_is_valid_by_its_schema() {
    let validator = repository().join("target/kubernetes/bin/kubernetes-validate");
    if !validator.exists() {
        assert!(
            std::env::var_os("CI").is_none(),
            "kubernetes-validate is missing: tests/run installs it"
        );
        eprintln!("skipped: kubernetes-validate is not installed");
        return;
    }
    let kustomization = kustomization();
    // The oldest version that is still looked after, and the newest that is known.
    for version in ["1.33", "1.37"] {
        let mut command = Command::new(&validator);
        command
            .args(["--strict", "--kubernetes-version", version])
            .current_dir(example("kubernetes"));
        command.args(
            list(&kustomization["resources"])
                .iter()
                .map(|file| file.as_str().unwrap()),
        );
        let said = run(&mut command);
        assert_eq!(
            said.matches(" passed for ").count(),
            objects().len(),
            "{said}"
        );
        assert!(!said.contains("WARN"), "{said}");
    }
    let place = tempfile::tempdir().unwrap();
    let wrong = place.path().join("wrong.yaml");
    fs::write(
        &wrong,
        text("kubernetes/namespace.yaml").replace("labels:", "lables:"),
    )
    .unwrap();
    let refused = Command::new(&validator)
        .args(["--strict"])
        .arg(&wrong)
        .output()
        .unwrap();
    assert!(!refused.status.success(), "a misspelt member is found");
}

#[test]
fn what_is_named_is_there() {
    let (objects, kustomization) = (objects(), kustomization());
    assert_eq!(
        named(&objects, "Namespace", "bareme")["metadata"]["name"],
        kustomization["namespace"]
    );
    let files = fs::read_dir(example("kubernetes")).unwrap().count();
    assert_eq!(
        list(&kustomization["resources"]).len() + 1,
        files,
        "every file is one of the kustomization"
    );

    let deployment = named(&objects, "Deployment", "bareme");
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    assert_eq!(&deployment["spec"]["selector"]["matchLabels"], labels);
    assert!(
        deployment["spec"]["replicas"].as_u64().unwrap() > 1,
        "several"
    );
    let container = &pod(&objects)["containers"][0];
    let ports: Vec<&Value> = list(&container["ports"])
        .iter()
        .map(|port| &port["name"])
        .collect();
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        assert!(
            ports.contains(&&container[probe]["httpGet"]["port"]),
            "{probe}"
        );
    }
    for object in objects.iter().filter(|object| object["kind"] == "Ingress") {
        for path in list(&object["spec"]["rules"][0]["http"]["paths"]) {
            let backend = &path["backend"]["service"];
            let service = named(&objects, "Service", backend["name"].as_str().unwrap());
            assert_eq!(&service["spec"]["selector"], labels);
            let port = list(&service["spec"]["ports"])
                .iter()
                .find(|port| port["name"] == backend["port"]["name"]);
            assert!(ports.contains(&&port.unwrap()["targetPort"]), "{object}");
        }
    }
    let images: Vec<&Value> = ["initContainers", "containers"]
        .iter()
        .map(|containers| &pod(&objects)[*containers][0]["image"])
        .collect();
    let replaced: Vec<&Value> = list(&kustomization["images"])
        .iter()
        .map(|image| &image["name"])
        .collect();
    assert_eq!(images, [replaced[1], replaced[0]]);
    let volumes: Vec<&Value> = list(&pod(&objects)["volumes"])
        .iter()
        .map(|volume| &volume["name"])
        .collect();
    for containers in ["initContainers", "containers"] {
        for mount in list(&pod(&objects)[containers][0]["volumeMounts"]) {
            assert!(volumes.contains(&&mount["name"]), "{mount}");
        }
    }
}

#[test]
fn callers_reach_calls_and_the_path_of_payments_and_nothing_else() {
    let objects = objects();
    let mut routed = Vec::new();
    for object in objects.iter().filter(|object| object["kind"] == "Ingress") {
        for path in list(&object["spec"]["rules"][0]["http"]["paths"]) {
            let service = named(
                &objects,
                "Service",
                path["backend"]["service"]["name"].as_str().unwrap(),
            );
            let target = service["spec"]["ports"][0]["targetPort"].as_str().unwrap();
            routed.push(
                [
                    path["path"].as_str().unwrap(),
                    path["pathType"].as_str().unwrap(),
                    target,
                ]
                .join(" "),
            );
        }
    }
    let expected = [
        "/ Prefix http",
        "/api/v1/lot Prefix http",
        "/api-docs/v1/lot Prefix http",
        "/mcp Exact http",
        "/stripe Exact payments",
    ];
    assert_eq!(routed, expected);

    let policy = named(&objects, "NetworkPolicy", "bareme");
    let from = |rule: &Value| {
        rule["from"][0]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"].clone()
    };
    let sources: Vec<Value> = list(&policy["spec"]["ingress"]).iter().map(from).collect();
    assert_eq!(sources, ["ingress-nginx", "monitoring"]);
    let mail = list(&policy["spec"]["egress"]).last().unwrap();
    let ports: Vec<u64> = list(&mail["ports"])
        .iter()
        .map(|port| port["port"].as_u64().unwrap())
        .collect();
    assert_eq!(ports, [465, 587]);
    for block in list(&mail["to"]) {
        assert!(
            !list(&block["ipBlock"]["except"]).is_empty(),
            "nothing inside: {block}"
        );
    }
}

/// Copies the rules as the init container does, and runs the program with the settings of the
/// container.
#[test]
fn the_program_runs_with_the_settings_of_the_container() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let recipe = text("Dockerfile.rules");
    let copy = recipe
        .lines()
        .find_map(|line| line.strip_prefix("CMD "))
        .unwrap();
    let copy: Vec<String> = serde_json::from_str(copy).unwrap();
    assert!(recipe.contains("COPY rules /rules\n"));
    let place = tempfile::tempdir().unwrap();
    let (image, volume, secrets) = (
        place.path().join("image"),
        place.path().join("volume"),
        place.path().join("secrets"),
    );
    copy_folder(&repository().join("rules"), &image);
    fs::create_dir(&volume).unwrap();
    let here = |argument: &str| {
        let argument = argument.replace("/rules/.", &format!("{}/.", image.display()));
        argument.replace("/to", volume.to_str().unwrap())
    };
    run(Command::new(&copy[0]).args(copy[1..].iter().map(|argument| here(argument))));
    fs::create_dir(&secrets).unwrap();
    fs::write(secrets.join("store"), cluster.address() + "\n").unwrap();

    let objects = objects();
    let container = &pod(&objects)["containers"][0];
    let mounted = |value: &str| {
        let value = value
            .replace("/rules", volume.to_str().unwrap())
            .replace("/secrets", secrets.to_str().unwrap());
        value
            .replace("0.0.0.0:8080", "127.0.0.1:0")
            .replace("0.0.0.0:9090", "127.0.0.1:0")
    };
    let settings = list(&container["env"]).iter().filter_map(|setting| {
        let secret = &setting["valueFrom"]["secretKeyRef"];
        // Optional entries of the secret are not set.
        assert!(
            setting["value"].is_string() || secret["optional"] == true,
            "{setting}"
        );
        Some((
            setting["name"].as_str().unwrap(),
            mounted(setting["value"].as_str()?),
        ))
    });
    let mut command = Command::new(binary());
    command.env_clear().current_dir("/").envs(settings);
    let server = Server::spawn(&mut command);
    assert_eq!(server.get(GOOD).status, 200);
    let admin = server.logged(|event| event["message"] == "admin listener open");
    let admin = admin["address"].as_str().unwrap().parse().unwrap();
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        let path = container[probe]["httpGet"]["path"].as_str().unwrap();
        assert_eq!(get(admin, path).status, 200, "{probe}");
        assert_eq!(server.get(path).status, 404, "not outside");
    }
    assert_eq!(
        cluster.value("select count(*) > 0 from bareme_migrations"),
        "t",
        "the store is that of the secret"
    );
}

/// Runs the script of the nightly backup against a database, then restores its dump into another.
#[test]
fn the_backup_of_the_database_can_be_restored() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    drop(Server::with(
        &repository().join("rules"),
        &["--store", &cluster.address()],
    ));
    let objects = objects();
    let job =
        &named(&objects, "CronJob", "backup")["spec"]["jobTemplate"]["spec"]["template"]["spec"];
    let script = job["containers"][0]["args"][0].as_str().unwrap();

    let place = tempfile::tempdir().unwrap();
    for day in 10..24 {
        fs::write(
            place
                .path()
                .join(format!("bareme-202601{day}T021700Z.dump")),
            "",
        )
        .unwrap();
    }
    let script = script.replace("/backups", place.path().to_str().unwrap());
    run(cluster.client("sh").args(["-c", &script]));

    let mut dumps: Vec<_> = fs::read_dir(place.path())
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    dumps.sort();
    assert_eq!(dumps.len(), 14, "the oldest is removed: {dumps:?}");
    cluster.value("create database restored");
    run(cluster
        .client("pg_restore")
        .args(["--dbname", "restored"])
        .arg(dumps.last().unwrap()));
    let migrations = "select count(*) > 0 from bareme_migrations";
    let restored = cluster
        .client("psql")
        .args(["-d", "restored", "-Atc", migrations])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&restored.stdout).trim(), "t");
}

/// The build context of Docker holds all that the recipes copy.
#[test]
fn the_images_are_given_what_they_copy() {
    for recipe in ["Dockerfile", "Dockerfile.rules"] {
        let ignored = text(&format!("{recipe}.dockerignore"));
        let sent: Vec<&str> = ignored
            .lines()
            .filter_map(|line| line.strip_prefix('!'))
            .collect();
        assert!(
            ignored.lines().any(|line| line == "*") && sent.contains(&"rules"),
            "{recipe}: {ignored}"
        );
        for path in sent {
            assert!(
                Path::new(repository()).join(path).exists(),
                "{recipe}: {path}"
            );
        }
    }
}
