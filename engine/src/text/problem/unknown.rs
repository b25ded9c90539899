//! Unknown names: the known name that was meant if one is near, else the list of known names.

use crate::say;
use crate::text::lang::Text;
use crate::text::words::shortened;

use super::{Problem, suggestion};

/// The known names after a colon; empty where there are none.
pub(crate) fn list_of_names(names: &[&str]) -> Text<String> {
    if names.is_empty() {
        return Text::default();
    }
    let names = shortened(names);
    say!(" : {names}", ": {names}")
}

/// Declares constructors of "unknown name" problems: constructor, problem.
macro_rules! unknown {
    ($($(#[$doc:meta])* $constructor:ident $problem:ident)*) => {
        impl Problem {
            $($(#[$doc])*
            pub(crate) fn $constructor<'k>(
                name: &str,
                known: impl IntoIterator<Item = &'k str>,
            ) -> Self {
                let known: Vec<&str> = known.into_iter().collect();
                let near = suggestion(name, known.iter().copied()).map(str::to_owned);

                Self::$problem { name: name.to_owned(), known: list_of_names(&known), near }
            })*
        }
    };
}

unknown! {
    /// No input has this name.
    unknown_input UnknownInput
    /// No step has this name.
    unknown_step UnknownStep
    unknown_compared_column UnknownComparedColumn
    /// No field of the answer has this name.
    unknown_field UnknownField
    /// No figure of the method has this name.
    unknown_figure UnknownFigure
    /// No group of the method has this name.
    unknown_group UnknownGroup
    /// No option of the method has this name.
    unknown_option UnknownOption
    /// No file of the folder is the method of this name.
    unknown_method UnknownMethod
    /// No folder, or family of folders, has this name.
    unknown_folder ServiceFolder
    /// No endpoint has this name.
    unknown_endpoint ServiceEndpoint
    /// No endpoint has this topic.
    unknown_topic ServiceTopic
    /// No element of a picture has this name.
    unknown_picture_element UnknownPictureElement
    /// No attribute of a picture has this name.
    unknown_picture_attribute UnknownPictureAttribute
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lang::Lang;

    #[test]
    fn a_stranger_is_shown_what_exists_and_a_typo_what_it_meant() {
        let cure = |name: &str, known: &[&str]| {
            Problem::unknown_step(name, known.iter().copied()).cure(Lang::En)
        };
        assert_eq!(cure("impots", &["impot", "net"]), "did you mean `impot`?");
        assert_eq!(
            cure("retenue", &["impot", "net"]),
            "name a step written under `steps`: impot; net"
        );
        assert_eq!(cure("retenue", &[]), "name a step written under `steps`");
        let many: Vec<String> = (0..30).map(|index| format!("etape_{index}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(cure("retenue", &many).ends_with("etape_7… (30)"));
    }
}
