//! Enumerations whose values have a name in the store.

/// Declares an enumeration with its names in the store and in lists.
macro_rules! named {
    ($(#[$doc:meta])* $kind:ident { $($(#[$of:meta])* $variant:ident $name:literal)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $kind { $($(#[$of])* $variant),* }

        impl $kind {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in the store and in lists.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Finds a value by its name.
            pub(crate) fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    };
}

pub(crate) use named;
