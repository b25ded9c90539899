//! The inputs that the steps of a method read, and those that only its options read.

use std::collections::BTreeSet;

use crate::law::formula::Scope;
use crate::law::index::InputId;

/// Marks the inputs that options read and the method itself does not.
pub(super) fn mark_inputs_of_options(scope: &mut Scope, read_by_the_method: &BTreeSet<InputId>) {
    for (position, input) in scope.inputs.iter_mut().enumerate() {
        let id = InputId::new(position);
        input.only_of_options = scope.used.inputs.contains(&id) && !read_by_the_method.contains(&id);
    }
}

/// The inputs that something reads, directly or through the default of another one that is read.
pub(super) fn read_with_defaults(scope: &Scope) -> BTreeSet<InputId> {
    let mut read = scope.used.inputs.clone();
    // A default reads inputs above its own: the reverse order visits it first.
    for (id, input) in InputId::enumerate(&scope.inputs).collect::<Vec<_>>().into_iter().rev() {
        if read.contains(&id) {
            read.extend(&input.default_reads);
        }
    }
    read
}
