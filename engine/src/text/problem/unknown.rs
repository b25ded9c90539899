//! Names that nothing has: the one that was meant if one is near, else those that exist.

use crate::say;
use crate::text::lang::Text;
use crate::text::words::shortened;

use super::{Problem, meant};

/// Names that exist, after a colon; nothing where there are none.
pub(crate) fn list_of_names(names: &[&str]) -> Text<String> {
    if names.is_empty() {
        return Text::default();
    }
    let names = shortened(names);
    say!(" : {names}", ": {names}")
}

/// Declares what is said of a name among those that exist: constructor, problem.
macro_rules! unknown {
    ($($(#[$doc:meta])* $constructor:ident $problem:ident)*) => {
        impl Problem {
            $($(#[$doc])*
            pub(crate) fn $constructor<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
                let known: Vec<&str> = known.into_iter().collect();
                let near = meant(name, known.iter().copied()).map(str::to_owned);
                Self::$problem { name: name.to_owned(), known: list_of_names(&known), near }
            })*
        }
    };
}

unknown! {
    /// A name that no input has.
    unknown_input UnknownInput
    /// A name that no step has.
    unknown_step UnknownStep
    /// A name that no field of the answer has.
    unknown_field UnknownField
    /// A name that no figure of the method has.
    unknown_figure UnknownFigure
    /// A name that no option of the method has.
    unknown_option UnknownOption
    /// A method that no file of the folder has.
    unknown_method UnknownMethod
    /// A folder, or a family of folders, without rules.
    unknown_folder ServiceFolder
    /// A name that no endpoint has.
    unknown_endpoint ServiceEndpoint
    /// A field that the answer of a case does not have.
    lacks_field CaseLacksField
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lang::Lang;

    #[test]
    fn a_stranger_is_shown_what_exists_and_a_typo_what_it_meant() {
        let cure = |name: &str, known: &[&str]| Problem::unknown_step(name, known.iter().copied()).cure(Lang::En);
        assert_eq!(cure("impots", &["impot", "net"]), "did you mean `impot`?");
        assert_eq!(cure("retenue", &["impot", "net"]), "name a step written under `steps`: impot; net");
        assert_eq!(cure("retenue", &[]), "name a step written under `steps`");
        let many: Vec<String> = (0..30).map(|index| format!("etape_{index}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(cure("retenue", &many).ends_with("etape_7… (30)"));
    }
}
