//! Clients that generators make from the description, the collection that Postman makes of it, and
//! what the linters of descriptions say of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Connection, Server, repository};

/// Where `tests/run` installs them.
const NODE: &str = "target/clients/node_modules";
const PYTHON: &str = "target/clients-python/bin";

/// A generator: the name of the folder that it fills, its program, and the arguments of that.
type Generator = (&'static str, &'static str, &'static [&'static str]);

/// Generators of clients in TypeScript; `tests/clients/<folder>.ts` calls what each makes.
const TYPESCRIPT: [Generator; 3] = [
    (
        "openapi-typescript",
        "openapi-typescript",
        &["a.json", "--output", "openapi-typescript/schema.d.ts"],
    ),
    (
        "hey-api",
        "openapi-ts",
        &[
            "--input",
            "a.json",
            "--output",
            "hey-api",
            "--client",
            "@hey-api/client-fetch",
        ],
    ),
    (
        "orval",
        "orval",
        &[
            "--input",
            "a.json",
            "--output",
            "orval/api.ts",
            "--client",
            "fetch",
        ],
    ),
];
/// Arguments of the generator of TypeScript clients that is a program of Java, which PyPI brings.
const TYPESCRIPT_FETCH: [&str; 9] = [
    "generate",
    "--input-spec",
    "a.json",
    "--output",
    "typescript-fetch",
    "--generator-name",
    "typescript-fetch",
    "--additional-properties",
    "paramNaming=original,modelPropertyNaming=original",
];
const TYPESCRIPT_CALLS: [&str; 4] = ["openapi-fetch", "hey-api", "orval", "typescript-fetch"];

/// Generators of clients in Python; `tests/clients-python/<folder>.py` calls what each makes.
const IN_PYTHON: [Generator; 3] = [
    (
        "openapi_python_client",
        "openapi-python-client",
        &[
            "generate",
            "--path",
            "a.json",
            "--output-path",
            "openapi_python_client",
        ],
    ),
    (
        "openapi_generator",
        "openapi-generator-cli",
        &[
            "generate",
            "--input-spec",
            "a.json",
            "--generator-name",
            "python",
            "--output",
            "openapi_generator",
        ],
    ),
    (
        "datamodel_code_generator",
        "datamodel-codegen",
        &[
            "--input",
            "a.json",
            "--input-file-type",
            "openapi",
            "--output",
            "datamodel_code_generator/models.py",
            "--output-model-type",
            "pydantic_v2.BaseModel",
            "--formatters",
            "builtin",
        ],
    ),
];

/// The programs below this folder; nothing where they are not installed, unless all tests must run.
fn installed(folder: &str) -> Option<PathBuf> {
    let folder = repository().join(folder);
    if folder.exists() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{} is missing: `tests/run` installs it",
        folder.display()
    );
    eprintln!("skipped: {} is not installed", folder.display());
    None
}

/// Runs a program to its end, within two minutes; what it printed.
fn run(place: &Path, program: &Path, arguments: &[&str]) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let started = std::time::Instant::now();
    let output = Command::new("timeout")
        .arg("120")
        .arg(program)
        .args(arguments)
        .current_dir(place)
        .env(
            "PATH",
            format!("{}:{path}", program.parent().unwrap().display()),
        )
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("REDOCLY_TELEMETRY", "off")
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success(),
        "{} {arguments:?}: {said}",
        program.display()
    );
    println!(
        "{:.1} s: {} {arguments:?}",
        started.elapsed().as_secs_f32(),
        program.display()
    );
    said
}

/// A server, and a folder with the description of its variants.
fn described() -> (Server, tempfile::TempDir) {
    let (server, place) = (
        Server::start_with(&["--log", "info,access=off"]),
        tempfile::tempdir().unwrap(),
    );
    for (prefix, name) in [("/api/v1", "a.json"), ("/api-docs/v1", "b.json")] {
        fs::write(
            place.path().join(name),
            server.get(&format!("{prefix}/openapi.json")).body,
        )
        .unwrap();
    }
    (server, place)
}

fn origin(server: &Server) -> String {
    format!("http://{}", server.address())
}

/// A key, as its form gives it.
fn key(server: &Server) -> String {
    let given = server.post(
        "/cle",
        "courriel=claire@example.org&variante=a",
        "Accept: application/json\r\n",
    );
    given.json()["cle"].as_str().unwrap().to_owned()
}

/// The calls that a key was charged for today.
fn charged(server: &Server, key: &str) -> u64 {
    let mut connection = Connection::open(server.address()).unwrap();
    let usage = connection
        .call("GET", "/cle/usage", &format!("X-API-Key: {key}\r\n"))
        .unwrap();
    usage.json()["appels_aujourd_hui"].as_u64().unwrap()
}

/// The calls that a program says it made, all of them with its key.
fn answers(said: &str) -> u64 {
    let count = said.split_whitespace().rev().nth(1).unwrap_or_default();
    let count = count.parse().unwrap_or_else(|_| panic!("{said}"));
    assert!(count > 45, "{said}");
    count
}

#[test]
fn clients_in_python_call_every_endpoint_and_every_country() {
    let Some(bin) = installed(PYTHON) else { return };
    let (server, place) = described();
    let (place, key) = (place.path(), key(&server));
    for (folder, program, arguments) in IN_PYTHON {
        if folder == "datamodel_code_generator" {
            fs::create_dir(place.join(folder)).unwrap();
        }
        let made = run(place, &bin.join(program), arguments);
        // Rows of batches can be sent in other forms too, which it leaves out.
        let warnings = made.matches("WARNING parsing").count();
        assert_eq!(
            warnings,
            made.matches("Unsupported content type").count(),
            "{made}"
        );
        let calls = repository().join(format!("tests/clients-python/{folder}.py"));
        let before = charged(&server, &key);
        let said = run(
            place,
            &bin.join("python"),
            &[
                calls.to_str().unwrap(),
                &origin(&server),
                "a.json",
                folder,
                &key,
            ],
        );
        assert!(
            charged(&server, &key) - before >= answers(&said),
            "{folder}: calls without the key"
        );
    }
}

#[test]
fn clients_in_typescript_call_every_endpoint_and_every_country() {
    let (Some(modules), Some(python)) = (installed(NODE), installed(PYTHON)) else {
        return;
    };
    let (server, place) = described();
    let (place, key) = (place.path(), key(&server));
    let bin = modules.join(".bin");
    prepare(place, &modules);
    for (_, program, arguments) in TYPESCRIPT {
        run(place, &bin.join(program), arguments);
    }
    run(
        place,
        &python.join("openapi-generator-cli"),
        &TYPESCRIPT_FETCH,
    );
    run(place, &bin.join("tsc"), &[]);
    let sources = TYPESCRIPT_CALLS.map(|name| format!("{name}.ts"));
    let options = [
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--outdir=out",
        "--out-extension:.js=.mjs",
    ];
    run(
        place,
        &bin.join("esbuild"),
        &[&sources.each_ref().map(String::as_str)[..], &options].concat(),
    );
    for name in TYPESCRIPT_CALLS {
        let before = charged(&server, &key);
        let said = node(
            place,
            &[&format!("out/{name}.mjs"), &origin(&server), "a.json", &key],
        );
        assert!(
            charged(&server, &key) - before >= answers(&said),
            "{name}: calls without the key"
        );
    }
}

#[test]
fn each_request_of_a_postman_collection_is_answered_as_it_is() {
    let Some(modules) = installed(NODE) else {
        return;
    };
    let (server, place) = described();
    prepare(place.path(), &modules);
    for document in ["a.json", "b.json"] {
        println!(
            "{}",
            node(place.path(), &["postman.mjs", &origin(&server), document])
        );
    }
}

/// A folder in which the programs of `tests/clients` find what they import.
fn prepare(place: &Path, modules: &Path) {
    std::os::unix::fs::symlink(modules, place.join("node_modules")).unwrap();
    fs::write(place.join("package.json"), "{\"type\": \"module\"}").unwrap();
    let programs = fs::read_dir(repository().join("tests/clients"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for program in programs.filter(|path| {
        !path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("package")
    }) {
        fs::copy(&program, place.join(program.file_name().unwrap())).unwrap();
    }
}

fn node(place: &Path, arguments: &[&str]) -> String {
    run(
        place,
        Path::new("/usr/bin/env"),
        &[&["node"], arguments].concat(),
    )
}

#[test]
fn linters_find_nothing_in_the_descriptions() {
    let Some(modules) = installed(NODE) else {
        return;
    };
    let (_server, place) = described();
    let (place, bin) = (place.path(), modules.join(".bin"));
    fs::write(
        place.join(".spectral.yaml"),
        "extends: [\"spectral:oas\"]\n",
    )
    .unwrap();
    for document in ["a.json", "b.json"] {
        let said = run(
            place,
            &bin.join("redocly"),
            &["lint", document, "--max-problems", "20"],
        );
        assert!(!said.contains("Warning was generated"), "{said}");
        run(
            place,
            &bin.join("spectral"),
            &[
                "lint",
                document,
                "--ruleset",
                ".spectral.yaml",
                "--fail-severity",
                "hint",
            ],
        );
    }
}
