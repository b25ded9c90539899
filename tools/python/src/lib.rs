//! The native part of the Python package `bareme`: rule sets, calculations, plans over Arrow
//! tables, and the command line.
//!
//! Everything that takes time is done without the lock of the interpreter. What is written in
//! Python is beside it, in `python/bareme`.

mod bundle;
mod chain;
mod compiled;
mod errors;
mod html;
mod impact;
mod inputs;
mod load;
mod packaged;
mod plan;
mod rules;
mod schema;
mod tables;
mod threads;
mod values;

#[pyo3::pymodule]
mod _bareme {
    use std::ffi::OsString;
    use std::io::Write as _;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::chain::{Chain, restored_chain};
    #[pymodule_export]
    use crate::impact::{Impact, impact};
    #[pymodule_export]
    use crate::load::{load, restored_rules};
    #[pymodule_export]
    use crate::plan::{Plan, restored_plan};
    #[pymodule_export]
    use crate::rules::Rules;
    #[pymodule_export]
    use crate::tables::{Schema, Table};

    #[pymodule_export]
    #[expect(
        non_upper_case_globals,
        reason = "it is the name that Python gives to a version"
    )]
    const __version__: &str = crate::compiled::VERSION;

    /// Runs a command line, the first word being the name of the program, and returns its exit
    /// code.
    #[pyfunction]
    fn command(py: Python, words: Vec<OsString>) -> u8 {
        py.detach(|| {
            let code = bareme_tools::run(words);
            // Nothing else writes what is left when Python ends the process. Whoever closed the
            // output wants none of it.
            let _ = std::io::stdout().flush();
            code
        })
    }
}
